/**
 * Which job cache a runner reads: `ext_job_cache`, else the one the caller names, else `master_job_cache`
 * (salt/runners/jobs.py).
 */
import {
  externalJobCaches,
  keepJobsSeconds,
  LOCAL_CACHE,
  masterJobCaches,
} from '../../../config/job-caches.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { JobArchive } from '../../../storage/jobs/job-store.ts';
import { asSentence } from '../../shared/returner/delivery.ts';
import { MergedJobStore, type NamedStore } from '../../shared/returner/merged-job-store.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import { truthy } from '../../../python/values/value.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { RunnerRefusal, type RunnerContext } from '../../shared/runner/runner.ts';

const STATEMENT_MS = 5_000;

/** What reading needs. */
export interface JobCachesDeps {
  readonly opts: MasterOptions;
  /** The options by Salt's names, with the command line laid over them. */
  readonly settings: Dict;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The job cache that the options name: the embedded one, with the databases beside it where there are any. */
export function configuredJobCache(deps: JobCachesDeps, embedded: JobArchive): JobArchive {
  const external = externalJobCaches(deps.opts);
  const names = external.length > 0 ? external : masterJobCaches(deps.opts);
  if (names.length === 0) return embedded;
  return new MergedJobStore({
    embedded,
    databases: () => openStores(deps, names),
    onDown: (name, reason) =>
      deps.log.error(
        `${name} cannot be read: ${asSentence(reason)} This is what the embedded job cache of this master knows.`,
      ),
  });
}

/**
 * The job cache that a call names with `ext_source`; the configured one when it names none, or with `ext_job_cache`
 * set.
 * @throws RunnerRefusal when there is none of that name
 */
export async function namedJobCache(ctx: RunnerContext, source: Value): Promise<JobArchive> {
  if (!truthy(source) || truthy(ctx.opts.get('ext_job_cache'))) return ctx.jobs;
  const name = pyStr(source);
  if (name === LOCAL_CACHE)
    return ctx.jobs instanceof MergedJobStore && ctx.jobs.embedded !== undefined
      ? ctx.jobs.embedded
      : ctx.jobs;
  return new MergedJobStore({ databases: () => openStores(ctx, [name], true), onDown: refuse });
}

function refuse(name: string, reason: string): never {
  throw new RunnerRefusal(`${name} cannot be read: ${reason}`);
}

/** The name of the job cache, for messages. */
export function jobCacheName({ opts }: RunnerContext, source: Value): string {
  return pyStr([opts.get('ext_job_cache'), source, opts.get('master_job_cache')].find(truthy) ?? LOCAL_CACHE);
}

async function openStores(
  { opts, settings, clock, log }: JobCachesDeps,
  names: readonly string[],
  isAsked = false,
): Promise<NamedStore[]> {
  const { openMasterStore, sinkNames } = await import('../../registry/returner/sink.ts');
  const parts = {
    opts: settings,
    keepJobsSeconds: keepJobsSeconds(opts),
    clock,
    log,
    timeoutMs: STATEMENT_MS,
  };
  const out: NamedStore[] = [];
  for (const name of names) {
    const store = await openMasterStore(name, parts);
    if (store !== undefined) out.push({ name, store });
    else if (isAsked)
      throw new RunnerRefusal(
        `${name} is no job cache that can be read; salt-run returner.list names those there are.`,
      );
    else if (!sinkNames().includes(name))
      log.error(`There is no returner ${name}. This is what the embedded job cache of this master knows.`);
  }
  return out;
}
