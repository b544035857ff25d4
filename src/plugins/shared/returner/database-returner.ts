/**
 * Salt's returner functions over any database (salt/returners/, 3006.16: each of Salt's returners has its own copy of
 * these). A kind of database is a {@link StoreKind}; what comes out is an ordinary returner module.
 */
import { jidTimeText, JidSource } from '../../../storage/jobs/jid.ts';
import {
  defineFunction,
  defineModule,
  type ModuleContext,
  type ModuleSpec,
} from '../../../runtime/loader/module.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { returnerOptions } from './options.ts';
import { KEEP_JOBS_SECONDS, type ReturnStore, type SavedEvent, type StoreKind } from './return-store.ts';
import type { OpenStores } from './open-stores.ts';
import { param } from '../../../runtime/loader/params.ts';

const JID = { jid: param.text({ doc: 'The job id.' }) } as const;

/**
 * The module of one kind of database.
 * @param file the name of Salt's file
 * @param stores where open databases are kept
 */
export function databaseReturner(kind: StoreKind, file: string, stores: OpenStores): ModuleSpec {
  const withStore = async <T>(
    ctx: ModuleContext,
    run: (store: ReturnStore) => Promise<T>,
    ret: Dict = new Map(),
  ): Promise<T> => stores.use(kind, await returnerOptions(ctx, kind.optionPrefix, ret, kind.defaults), run);
  return defineModule({
    name: kind.name,
    file,
    doc: `Keeps jobs, returns and events in ${kind.name}; options below \`${kind.optionPrefix}.\`: ${[...kind.defaults.keys()].join(', ')}.`,
    settings: [...kind.defaults.keys()],
    functions: { ...writing(kind, withStore), ...reading(withStore), ...tending(kind, withStore) },
  });
}

type WithStore = <T>(ctx: ModuleContext, run: (store: ReturnStore) => Promise<T>, ret?: Dict) => Promise<T>;

function writing({ name }: StoreKind, withStore: WithStore): ModuleSpec['functions'] {
  return {
    returner: defineFunction({
      doc: 'Keeps one return.',
      params: { ret: param.mappingIfGiven({ doc: 'The return, as the master gets it.' }) },
      returns: 'None',
      examples: [`salt '*' test.ping --return ${name}`],
      run: async (ctx, { ret }) => {
        if (ret !== undefined) await withStore(ctx, (store) => store.saveReturns([ret]), ret);
        return null;
      },
    }),
    save_load: defineFunction({
      doc: 'Keeps a job; a jid that is there keeps its first load.',
      params: {
        ...JID,
        load: param.mapping({ doc: 'The job, as it was published.' }),
        minions: param.listIfGiven({ default: null, doc: 'Whom it is meant for.' }),
      },
      returns: 'None',
      run: async (ctx, { jid, load, minions }) => {
        const saved = { jid, load };
        const expected = minions === undefined ? {} : { minions: minions.map(String) };
        await withStore(ctx, (store) => store.saveLoads([{ ...saved, ...expected }]));
        return null;
      },
    }),
    save_minions: defineFunction({
      doc: 'Does nothing: the job has its minions in its load.',
      params: { ...JID, minions: { type: 'list' }, syndic_id: { default: null } },
      returns: 'None',
      run: () => null,
    }),
    event_return: defineFunction({
      doc: 'Keeps events.',
      params: { events: param.list({ doc: 'Events, each a mapping of tag and data.' }) },
      returns: 'None',
      run: async (ctx, { events }) => {
        const saved = events.filter(isDict).map(savedEvent);
        if (saved.length > 0) await withStore(ctx, (store) => store.saveEvents(saved, ctx.id));
        return null;
      },
    }),
    prep_jid: defineFunction({
      doc: 'A new job id, or the one that is given.',
      params: { nocache: { type: 'bool', default: false }, passed_jid: { type: 'str', default: null } },
      returns: 'The job id.',
      run: (ctx, { passed_jid: passed }) => passed ?? new JidSource(ctx.clock).next(),
    }),
  };
}

function reading(withStore: WithStore): ModuleSpec['functions'] {
  return {
    get_load: defineFunction({
      doc: 'The job as it was published.',
      params: JID,
      returns: 'A mapping, empty for an unknown job.',
      run: async (ctx, { jid }) =>
        (await withStore(ctx, (store) => store.load(jid))) ?? new Map<Value, Value>(),
    }),
    get_jid: defineFunction({
      doc: 'The returns of a job.',
      params: JID,
      returns: 'A mapping from minion to `{return, …}`.',
      run: async (ctx, { jid }) => new Map(await withStore(ctx, (store) => store.returns(jid))),
    }),
    get_fun: defineFunction({
      doc: 'The last return of each minion for a function.',
      params: { fun: param.text({ doc: 'The function, `test.ping`.' }) },
      returns: 'A mapping from minion to return.',
      run: async (ctx, { fun }) => new Map(await withStore(ctx, (store) => store.lastReturns(fun))),
    }),
    get_jids: defineFunction({
      doc: 'Every job.',
      returns: 'A mapping from job id to Function, Arguments, Target, Target-type, User, StartTime.',
      run: async (ctx) => {
        const loads = await withStore(ctx, (store) => store.loads());
        return new Map([...loads].map(([jid, load]) => [jid, formatLoad(jid, load)]));
      },
    }),
    get_jids_filter: defineFunction({
      doc: 'The newest jobs, newest first.',
      params: {
        count: param.by(toNumber, { type: 'int', doc: 'How many.' }),
        filter_find_job: { type: 'bool', default: true, doc: "Leave out Salt's own questions after jobs." },
      },
      returns: 'A list of mappings with JID, Function, Arguments, Target, Target-type, User, StartTime.',
      run: async (ctx, { count, filter_find_job: isFiltered }) => {
        const loads = [...(await withStore(ctx, (store) => store.loads()))];
        return loads
          .filter(([, load]) => isFiltered !== true || load.get('fun') !== 'saltutil.find_job')
          .sort(([a], [b]) => (a < b ? 1 : -1))
          .slice(0, count ?? 0)
          .map(([jid, load]) => new Map([['JID', jid], ...formatLoad(jid, load)]));
      },
    }),
    get_minions: defineFunction({
      doc: 'Every minion that has a return.',
      returns: 'A list of ids.',
      run: (ctx) => withStore(ctx, (store) => store.minions()),
    }),
  };
}

function tending(kind: StoreKind, withStore: WithStore): ModuleSpec['functions'] {
  return {
    clean_old_jobs: defineFunction({
      doc: 'Forgets jobs, returns and events that are older than `keep_jobs_seconds`.',
      returns: 'None',
      run: async (ctx) => {
        const seconds = toNumber(ctx.opts.get('keep_jobs_seconds')) ?? KEEP_JOBS_SECONDS;
        const isArchived = truthy(ctx.opts.get('archive_jobs'));
        if (seconds > 0)
          await withStore(ctx, (store) =>
            store.removeOlderThan(ctx.clock.nowMs() - seconds * 1000, isArchived),
          );
        return null;
      },
    }),
    create_schema: defineFunction({
      doc: `Creates the tables of ${kind.name} that are missing.`,
      returns: 'What was made, a list of lines; empty when all was there.',
      run: (ctx) => withStore(ctx, (store) => store.createSchema()),
    }),
  };
}

/** An event as the bus has it: `{tag, data}`. */
function savedEvent(event: Dict): SavedEvent {
  const data = event.get('data');
  return { tag: String(event.get('tag') ?? ''), data: isDict(data) ? data : dict({ data: data ?? null }) };
}

/** A job in a list (salt/utils/jid.py `format_jid_instance`). */
function formatLoad(jid: string, load: Dict): Dict {
  const arg = load.get('arg');
  return dict({
    Function: load.get('fun') ?? 'unknown-function',
    Arguments: Array.isArray(arg) ? [...arg] : [],
    Target: load.get('tgt') ?? 'unknown-target',
    'Target-type': load.get('tgt_type') ?? 'list',
    User: load.get('user') ?? 'root',
    StartTime: jidTimeText(jid),
  });
}
