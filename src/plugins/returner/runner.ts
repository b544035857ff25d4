/** `returner.*`: the databases that jobs, returns and events are kept in. Not in Salt. */
import {
  eventReturners,
  externalJobCaches,
  jobCacheDirectory,
  keepJobsSeconds,
  masterJobCaches,
} from '../../config/job-caches.ts';
import { messageOf } from '../../errors/errors.ts';
import { OutboxReader } from '../../storage/jobs/outbox.ts';
import { readPositions } from '../shared/returner/position-file.ts';
import type { ReturnStore } from '../shared/returner/return-store.ts';
import { openMasterStore } from '../registry/returner/sink.ts';
import { positionPath, spoolPath } from '../shared/returner/spool-paths.ts';
import { spooledEvents } from '../shared/returner/event-spool.ts';
import { STORE_KINDS } from '../registry/returner/store-kinds.generated.ts';
import { RETURNER_TABLE } from '../registry/returner/table.generated.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineRunner, defineRunners, RunnerRefusal, type RunnerContext } from '../shared/runner/runner.ts';
import { param } from '../../runtime/loader/params.ts';

const STATEMENT_MS = 10_000;
/** A jid that no job has. */
const PROBED_JID = '0';

/** The returner runner. */
export const returnerRunners = defineRunners({
  name: 'returner',
  doc: 'The databases that jobs, returns and events are kept in. Not in Salt.',
  functions: {
    list: defineRunner({
      doc: 'Lists the returners, their options and what this master uses them for.',
      returns: 'mapping of returner to `options` (of databases) or `doc`, and `used_for`',
      examples: ['salt-run returner.list'],
      run: (ctx) => list(ctx),
    }),
    create_schema: defineRunner({
      doc: 'Creates the tables of a database that are missing; what is there stays as it is.',
      params: {
        name: param.textIfGiven({
          default: null,
          doc: 'The returner; without it all that the options of this master name.',
        }),
      },
      returns: 'mapping of returner to what was made; an empty list when all was there',
      examples: ['salt-run returner.create_schema mysql', 'salt-run returner.create_schema'],
      run: (ctx, { name }) => createSchemas(ctx, name),
    }),
    status: defineRunner({
      doc: 'Shows for each database that this master uses whether it answers, and how much waits for it.',
      returns: 'mapping of returner to `answers`, `error`, `jobs_waiting`, `events_waiting`',
      examples: ['salt-run returner.status'],
      run: (ctx) => status(ctx),
    }),
  },
});

/** What the options of this master name, and for what. */
function uses({ opts }: RunnerContext): Map<string, string[]> {
  const out = new Map<string, string[]>();
  const add = (option: string, names: readonly string[]): void => {
    for (const name of names) out.set(name, [...(out.get(name) ?? []), option]);
  };
  add('master_job_cache', masterJobCaches(opts));
  add('ext_job_cache', externalJobCaches(opts));
  add('event_return', eventReturners(opts));
  return out;
}

async function list(ctx: RunnerContext): Promise<Dict> {
  const used = uses(ctx);
  const out: [string, Dict][] = [];
  for (const { name, load } of STORE_KINDS) {
    const { optionPrefix, defaults } = await load();
    const options = [...defaults.keys()].map((option) => `${optionPrefix}.${option}`);
    out.push([name, dict({ options, used_for: used.get(name) ?? [] })]);
  }
  for (const { name, load } of RETURNER_TABLE)
    out.push([name, dict({ doc: (await load()).doc, used_for: used.get(name) ?? [] })]);
  return new Map(out.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function createSchemas(ctx: RunnerContext, name: string | undefined): Promise<Value> {
  const names = name !== undefined ? [name] : [...uses(ctx).keys()].filter(isDatabase);
  if (names.length === 0)
    throw new RunnerRefusal(
      `No database is configured. Name one: ${STORE_KINDS.map((kind) => kind.name).join(', ')}.`,
    );
  const out: Dict = new Map();
  for (const each of names) {
    try {
      out.set(each, await withStore(ctx, each, (store) => store.createSchema()));
    } catch (error) {
      if (error instanceof RunnerRefusal) throw error;
      throw new RunnerRefusal(`The tables of ${each} could not be made: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
  return out;
}

async function status(ctx: RunnerContext): Promise<Dict> {
  const out: Dict = new Map();
  const cachedir = ctx.opts.get('cachedir');
  for (const [name, options] of uses(ctx)) {
    const about: Dict = dict({ used_for: options });
    if (!isDatabase(name) && !RETURNER_TABLE.some((entry) => entry.name === name)) {
      out.set(name, about.set('answers', false).set('error', 'There is no returner of this name.'));
      continue;
    }
    if (isDatabase(name)) {
      try {
        await withStore(ctx, name, (store) => store.load(PROBED_JID));
        about.set('answers', true);
      } catch (error) {
        about.set('answers', false).set('error', messageOf(error));
      }
    }
    if (options.some((option) => option !== 'event_return'))
      about.set('jobs_waiting', jobsWaiting(ctx, name));
    if (options.includes('event_return')) {
      const at = readPositions(positionPath(cachedir, name, 'events'), ctx.log).get(name) ?? 0;
      about.set('events_waiting', spooledEvents(spoolPath(cachedir), at));
    }
    out.set(name, about);
  }
  return out;
}

function jobsWaiting({ opts, log }: RunnerContext, name: string): number {
  const cachedir = opts.get('cachedir');
  const positions = readPositions(positionPath(cachedir, name, 'jobs'), log);
  const reader = new OutboxReader(jobCacheDirectory(cachedir));
  try {
    return reader
      .days()
      .reduce((sum, day) => sum + Math.max(0, day.lastSeq - (positions.get(day.name) ?? 0)), 0);
  } finally {
    reader.close();
  }
}

function isDatabase(name: string): boolean {
  return STORE_KINDS.some((kind) => kind.name === name);
}

/** Runs something with a database. @throws RunnerRefusal when there is none of that name */
async function withStore<T>(
  { opts, settings, clock, log }: RunnerContext,
  name: string,
  run: (store: ReturnStore) => Promise<T>,
): Promise<T> {
  const parts = {
    opts: settings,
    keepJobsSeconds: keepJobsSeconds(opts),
    clock,
    log,
    timeoutMs: STATEMENT_MS,
  };
  const store = await openMasterStore(name, parts);
  if (store === undefined)
    throw new RunnerRefusal(
      `${name} is no database; there are: ${STORE_KINDS.map((kind) => kind.name).join(', ')}.`,
    );
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}
