/** Where jobs and events are kept besides the embedded job cache (salt/utils/job.py, salt/utils/event.py, 3006.16). */
import { join } from 'node:path';
import { truthy, type Value } from '../python/values/value.ts';
import { masterOptions, type MasterOptions } from './master-options.ts';

/** The name of the embedded job cache, and of Salt's default. */
export const LOCAL_CACHE = 'local_cache';
const MULTI_RETURNER = 'multi_returner';

/** Where the embedded job cache lives below `cachedir`. */
export function jobCacheDirectory(cachedir: string): string {
  return join(cachedir, 'job_cache');
}

/** The databases that the master writes jobs and returns to (`master_job_cache`; several with `multi_returner`). */
export function masterJobCaches(opts: MasterOptions): string[] {
  return expand(opts, opts.get('master_job_cache')).filter((name) => name !== LOCAL_CACHE);
}

/** The databases that minions write their returns to, and the master the jobs (`ext_job_cache`). */
export function externalJobCaches(opts: MasterOptions): string[] {
  return expand(opts, opts.get('ext_job_cache')).filter((name) => name !== LOCAL_CACHE);
}

/** Where events are kept (`event_return`). */
export function eventReturners(opts: MasterOptions): string[] {
  return expand(opts, opts.get('event_return'));
}

/** True when jobs that come into the embedded job cache are to be handed on. */
export function handsJobsOn(opts: MasterOptions): boolean {
  return masterJobCaches(opts).length + externalJobCaches(opts).length > 0;
}

/** True when there is work for the process that writes to databases. */
export function needsReturners(opts: MasterOptions): boolean {
  return handsJobsOn(opts) || eventReturners(opts).length > 0;
}

/**
 * How long jobs are kept; 0 is for ever. `keep_jobs`, in hours, counts only when it is set and `keep_jobs_seconds` is
 * not (salt/utils/job.py, 3006.16).
 */
export function keepJobsSeconds(opts: MasterOptions): number {
  const [seconds, hours] = [opts.get('keep_jobs_seconds'), opts.get('keep_jobs')];
  const isDefault = seconds === masterOptions.keep_jobs_seconds.default;
  return isDefault && hours !== masterOptions.keep_jobs.default ? hours * 3600 : seconds;
}

/** The names in a text or a list; `multi_returner` stands for those of the option of that name. */
function expand(opts: MasterOptions, wanted: Value): string[] {
  const names = namesIn(wanted);
  const all = names.flatMap((name) =>
    name === MULTI_RETURNER ? namesIn(opts.raw(MULTI_RETURNER) ?? null) : [name],
  );
  return [...new Set(all)].filter((name) => name !== MULTI_RETURNER);
}

function namesIn(value: Value): string[] {
  const texts = Array.isArray(value) ? value : [value];
  return texts
    .filter(truthy)
    .flatMap((text) => String(text).split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
