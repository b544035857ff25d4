/** A module context for tests: real functions over fake services, nothing outside the process is touched. */
import { MODULE_TABLE } from '../../src/plugins/registry/module/table.generated.ts';
import {
  createModuleContext,
  ModuleRegistry,
  type RegistryOptions,
} from '../../src/runtime/loader/registry.ts';
import type { MinionServices, ModuleContext } from '../../src/runtime/loader/module.ts';
import type { Clock } from '../../src/host/clock.ts';
import { createLogger, LOG_LEVELS, type LogRecord } from '../../src/host/log.ts';
import type { Random } from '../../src/host/random.ts';
import { UnreachableError } from '../../src/errors/errors.ts';
import { dict, type Dict, type Value } from '../../src/python/values/value.ts';

/** What a test may set; the rest has quiet defaults. */
export interface FakeContextOptions {
  id?: string;
  opts?: Dict;
  grains?: Dict;
  pillar?: Dict;
  /** The publish fields, for `__pub_*`. */
  pub?: Dict;
  jid?: string;
  fun?: string;
  signal?: AbortSignal;
  services?: Partial<MinionServices>;
  clock?: Clock;
  random?: Random;
  /** Replaces the module table or adds catalogs. */
  registry?: Partial<RegistryOptions>;
}

/** The context, and what was done through it. */
export interface FakeContext extends ModuleContext {
  readonly registry: ModuleRegistry;
  /** Every event fired, in order: `[bus, tag, data, preload]`. */
  readonly events: [bus: 'local' | 'master', tag: string, data: Value, preload: Dict | undefined][];
  /** Every refresh asked for. */
  readonly refreshes: [what: string, options: Dict | undefined][];
  readonly requests: Dict[];
  readonly signals: [jid: string, signal: number][];
  readonly logged: LogRecord[];
}

/** A clock that stands still until someone sleeps: sleeping moves it on at once. */
export function fakeClock(startMs = 1_700_000_000_000): Clock {
  let now = startMs;
  const timer = { cancel: () => undefined };
  return {
    nowMs: () => now,
    monotonicMs: () => now - startMs,
    after: () => timer,
    every: () => timer,
    sleep: (delayMs) => {
      now += delayMs;
      return Promise.resolve();
    },
  };
}

/** Randomness that always gives the least. */
export const leastRandom: Random = {
  bytes: (count) => Buffer.alloc(count),
  int: (min) => min,
  fraction: () => 0,
};

/** Makes a context over the real modules. */
export function fakeContext(options: FakeContextOptions = {}): FakeContext {
  const records = {
    events: [] as FakeContext['events'],
    refreshes: [] as FakeContext['refreshes'],
    requests: [] as Dict[],
    signals: [] as FakeContext['signals'],
    logged: [] as LogRecord[],
  };
  const opts = options.opts ?? dict({ id: options.id ?? 'minion', hash_type: 'sha256' });
  const grains = options.grains ?? new Map<Value, Value>();
  const registry = new ModuleRegistry({ opts, grains, table: MODULE_TABLE, ...options.registry });
  const context = createModuleContext(registry, {
    id: options.id ?? 'minion',
    opts,
    grains,
    pillar: options.pillar ?? new Map(),
    job: {
      jid: options.jid ?? '20240102030405678901',
      fun: options.fun ?? '',
      pub: options.pub ?? new Map(),
    },
    signal: options.signal ?? new AbortController().signal,
    services: { ...recordingServices(records), ...options.services },
    clock: options.clock ?? fakeClock(),
    random: options.random ?? leastRandom,
    log: createLogger('test', [{ level: LOG_LEVELS.info, write: (record) => records.logged.push(record) }]),
  });
  return Object.assign(context, records, { registry });
}

function recordingServices(records: Omit<FakeContext, keyof ModuleContext | 'registry'>): MinionServices {
  return {
    fireLocal: (tag, data) => Promise.resolve(records.events.push(['local', tag, data, undefined]) > 0),
    fireMaster: (tag, data, preload) =>
      Promise.resolve(records.events.push(['master', tag, data, preload]) > 0),
    runningJobs: () => Promise.resolve([]),
    signalJob: (jid, signal) => Promise.resolve(records.signals.push([jid, signal]) < 0),
    refresh: (what, settings) => Promise.resolve(records.refreshes.push([what, settings]) > 0),
    request: (load) => {
      records.requests.push(load);
      return Promise.reject(new UnreachableError('No master in this test.'));
    },
    requestAll: (load) => {
      records.requests.push(load);
      return Promise.reject(new UnreachableError('No master in this test.'));
    },
    manage: () => Promise.resolve(undefined),
  };
}
