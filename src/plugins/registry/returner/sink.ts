/** A place that the master writes jobs, returns and events to: a database, or any returner there is. */
import { MODULE_TABLE } from '../module/table.generated.ts';
import { callFunction, createModuleContext, ModuleRegistry } from '../../../runtime/loader/registry.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Random } from '../../../host/random.ts';
import { BrineError } from '../../../errors/errors.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { NO_SERVICES } from '../../shared/returner/no-services.ts';
import { optionsFrom } from '../../shared/returner/options.ts';
import type { ReturnStore, StoreKind } from '../../shared/returner/return-store.ts';
import { STORE_KINDS } from './store-kinds.generated.ts';
import { RETURNER_TABLE } from './table.generated.ts';

/** What can be written to. */
export interface Sink extends Pick<
  ReturnStore,
  'saveReturns' | 'saveLoads' | 'saveEvents' | 'removeOlderThan' | 'close'
> {
  readonly name: string;
  /** How many returns are written at a time, and how many events, where a repeated write makes doubles. */
  readonly returnsAtOnceMax?: number;
  readonly eventsAtOnceMax?: number;
  /** Whether it has a place for jobs. */
  readonly keepsJobs: boolean;
  /** Resolves when it answers; undefined where nobody can ask. */
  readonly probe?: () => Promise<void>;
}

/** What opening one needs. */
export interface SinkDeps {
  /** The master's id. */
  readonly id: string;
  /** The master's options by Salt's names. */
  readonly opts: Dict;
  readonly keepJobsSeconds: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

const STATEMENT_MS = 15_000;
const CONNECTIONS_MAX = 4;
/** A jid that no job has. */
const PROBED_JID = '0';

/** The names that a master can write to. */
export function sinkNames(): string[] {
  return [...STORE_KINDS, ...RETURNER_TABLE].map(({ name }) => name).sort();
}

/**
 * Opens one; nothing is reached yet.
 * @param fun what it must be able to do
 * @returns undefined when there is no returner of that name that can
 */
export async function openSink(
  name: string,
  fun: 'returner' | 'event_return',
  deps: SinkDeps,
): Promise<Sink | undefined> {
  const store = await openMasterStore(name, deps);
  if (store !== undefined) return storeSink(name, store, truthy(deps.opts.get('archive_jobs')));
  const module = await RETURNER_TABLE.find((each) => each.name === name)?.load();
  return module !== undefined && Object.hasOwn(module.functions, fun)
    ? new ModuleSink(name, deps)
    : undefined;
}

/** A database with the master's options; undefined when the name is none of a database. */
export async function openMasterStore(
  name: string,
  deps: Pick<SinkDeps, 'opts' | 'keepJobsSeconds' | 'clock' | 'log'> & { readonly timeoutMs?: number },
): Promise<ReturnStore | undefined> {
  const entry = STORE_KINDS.find((each) => each.name === name);
  if (entry === undefined) return undefined;
  const kind = await entry.load();
  return kind.open({
    options: await masterStoreOptions(kind, deps.opts),
    timeoutMs: deps.timeoutMs ?? STATEMENT_MS,
    connectionsMax: CONNECTIONS_MAX,
    keepJobsSeconds: deps.keepJobsSeconds,
    clock: deps.clock,
    warn: (text) => deps.log.warning(text),
  });
}

/** The options of a kind of database as the master's configuration has them. */
function masterStoreOptions(kind: StoreKind, opts: Dict): Promise<ReadonlyMap<string, Value>> {
  return optionsFrom((option) => opts.get(option), kind.optionPrefix, new Map(), kind.defaults);
}

/** @param isArchived keeps old rows in tables beside theirs (`archive_jobs`) */
function storeSink(name: string, store: ReturnStore, isArchived: boolean): Sink {
  return {
    name,
    saveReturns: (rets) => store.saveReturns(rets),
    saveLoads: (loads) => store.saveLoads(loads),
    saveEvents: (events, masterId) => store.saveEvents(events, masterId),
    removeOlderThan: (atMs) => store.removeOlderThan(atMs, isArchived),
    keepsJobs: true,
    probe: async () => void (await store.load(PROBED_JID)),
    close: () => store.close(),
  };
}

/** Fields with which a job tells its minions other options of a returner. */
const OPTION_FIELDS: ReadonlySet<Value> = new Set(['ret_config', 'ret_kwargs']);

/** A minion must not choose where the master sends things, and shows its passwords (Salt's masters let it). */
function withoutOptions(given: Dict): Dict {
  return new Map([...given].filter(([name]) => !OPTION_FIELDS.has(name)));
}

/** Returners that send each event by itself: what was sent is sent again when one behind it fails. */
const ONE_BY_ONE: ReadonlySet<string> = new Set(['smtp']);

/** A returner that is no database: its functions are called one by one, those that it has. */
class ModuleSink implements Sink {
  readonly name: string;
  /** A mail is sent again when the one behind it fails in the same batch. */
  readonly returnsAtOnceMax = 1;
  readonly eventsAtOnceMax?: number;
  readonly keepsJobs = false;
  readonly #deps: SinkDeps;
  readonly #registry: ModuleRegistry;

  constructor(name: string, deps: SinkDeps) {
    this.name = name;
    this.#deps = deps;
    if (ONE_BY_ONE.has(name)) this.eventsAtOnceMax = 1;
    this.#registry = new ModuleRegistry({ opts: deps.opts, grains: new Map(), table: RETURNER_TABLE });
  }

  async saveReturns(rets: readonly Dict[]): Promise<void> {
    for (const ret of rets) await this.#call('returner', [withoutOptions(ret)]);
  }

  async saveLoads(): Promise<void> {
    // these keep no jobs
  }

  async saveEvents(events: Parameters<Sink['saveEvents']>[0]): Promise<void> {
    const values = events.map(
      ({ tag, data }) =>
        new Map<Value, Value>([
          ['data', withoutOptions(data)],
          ['tag', tag],
        ]),
    );
    await this.#call('event_return', [values]);
  }

  async removeOlderThan(): Promise<void> {
    // these forget nothing
  }

  async close(): Promise<void> {
    // nothing is open
  }

  async #call(fun: string, args: readonly Value[]): Promise<void> {
    const name = `${this.name}.${fun}`;
    const { spec, missing } = await this.#registry.find(name);
    if (spec === undefined) throw new BrineError(missing);
    await callFunction(name, spec, this.#context(), args, new Map());
  }

  /** Returners look options up with `config.option`, so they have the execution modules around them. */
  #context(): ModuleContext {
    const { id, opts, clock, random, log } = this.#deps;
    return createModuleContext(new ModuleRegistry({ opts, grains: new Map(), table: MODULE_TABLE }), {
      id,
      opts,
      grains: new Map(),
      pillar: new Map(),
      job: { jid: '', fun: '', pub: new Map() },
      signal: new AbortController().signal,
      services: NO_SERVICES,
      clock,
      random,
      log,
    });
  }
}
