/**
 * Engine: one of the engines beside the master, or a process of a site's own (salt/engines/__init__.py `Engine`,
 * 3006.16).
 */
import { masterSockets } from '../../../config/master-sockets.ts';
import { BrineError } from '../../../errors/errors.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import { KeyManager } from '../../../storage/keys/manager.ts';
import { truthy } from '../../../python/values/value.ts';
import { JidSource } from '../../../storage/jobs/jid.ts';
import { callMinions, returnValues } from '../../../plugins/shared/runner/minion-calls.ts';
import type { EngineContext, MasterForEngines } from '../../../plugins/shared/engine/engine.ts';
import { busEvents } from '../../engines/bus-events.ts';
import { configuredEngines } from '../../engines/engine-list.ts';
import { runEngine } from '../../engines/run-engine.ts';
import { masterGrains } from '../../runner/master-grains.ts';
import { masterMinion } from '../../runner/master-minion.ts';
import { ownFunctions } from '../../runner/own-functions.ts';
import { openRunnerContext, type OpenRunnerContext } from '../../runner/runner-context.ts';
import type { RoleContext, StartRole } from './role.ts';

/** Time for an engine to come to its end; then its process ends with it. */
const STOP_MS = 3_000;

export const startEngine: StartRole = async (role) => {
  const { opts, index, clock } = role;
  const configured = configuredEngines(opts.toDict(), 'master').engines[index];
  if (configured === undefined) throw new BrineError(`There is no engine number ${index}.`);
  const stop = new AbortController();
  const runner = runnerContext(role, stop.signal);
  const { ended } = runEngine(configured, await contextOf(role, runner, stop.signal));
  return {
    ended,
    stop: async () => {
      stop.abort();
      await Promise.race([ended, clock.sleep(STOP_MS)]);
      await runner.close();
    },
  };
};

function runnerContext({ opts, log, clock, random }: RoleContext, signal: AbortSignal): OpenRunnerContext {
  return openRunnerContext({
    opts,
    settings: opts.toDict(),
    jid: new JidSource(clock).next(),
    user: opts.get('user'),
    env: {},
    clock,
    random,
    log,
    signal,
    print: (text) => log.debug(text),
    show: () => Promise.resolve(),
    own: ownFunctions(opts.toDict(), log),
  });
}

async function contextOf(
  { opts, log, clock, random }: RoleContext,
  runner: OpenRunnerContext,
  signal: AbortSignal,
): Promise<EngineContext> {
  const all = opts.toDict();
  const grains = await masterGrains({ opts: all, log });
  const { eventPub: path } = masterSockets(opts);
  const settings = new Map<Value, Value>([...all, ['file_client', 'local']]);
  let minion: ReturnType<typeof masterMinion> | undefined;
  const here = (): ReturnType<typeof masterMinion> =>
    (minion ??= masterMinion({
      opts: settings,
      id: runner.id,
      jid: runner.jid,
      fun: 'engine',
      signal,
      clock,
      random,
      log,
    }));
  return {
    role: 'master',
    id: runner.id,
    opts: all,
    grains,
    pillar: new Map(),
    clock,
    log,
    signal,
    fire: (tag, data) => runner.fire(tag, data),
    events: (wanted = () => true) => busEvents({ path, clock, log, signal }, wanted),
    call: async (fun, args = [], kwargs = new Map()) => (await here()).functions.call(fun, args, kwargs),
    functions: here,
    master: masterServices(runner),
  };
}

function masterServices(runner: OpenRunnerContext): MasterForEngines {
  const jids = new JidSource(runner.clock);
  return {
    acceptedIds: () => runner.keys.list('accepted'),
    connectedIds: async () => {
      const ids = await runner.call('manage.present');
      return new Set(Array.isArray(ids) ? ids.map(String) : []);
    },
    deleteKeys: (ids) => deleteKeys(runner, ids),
    job: async (tgt, fun, arg, more = {}) => {
      const values: Dict = returnValues(await callMinions(runner, { tgt, fun, arg, ...more }));
      return new Map([...values].map(([id, value]) => [String(id), value]));
    },
    hasRunner: async (fun) => {
      const [module = '', name = ''] = fun.split('.');
      return Object.hasOwn((await runner.modules()).get(module)?.functions ?? {}, name);
    },
    nextJid: () => jids.next(),
    runner: (fun, args, kwargs) => runner.call(fun, args, kwargs),
    runnerJob: async (fun, arg, kwarg, jid) =>
      (await runner.run({ kind: 'runner', fun, arg, kwarg, jid })).get('return') ?? null,
  };
}

async function deleteKeys(runner: OpenRunnerContext, ids: readonly string[]): Promise<void> {
  const { keys: store, opts, id: masterId, log } = runner;
  const fired: Promise<unknown>[] = [];
  const manager = new KeyManager({
    store,
    cacheDir: opts.get('cachedir'),
    masterId,
    preserveCache: opts.get('preserve_minion_cache'),
    fireEvent: (tag, data) => void fired.push(runner.fire(tag, data)),
    log,
  });
  const rotate = truthy(opts.raw('rotate_aes_key') ?? true);
  // ids as they are: none of them is a pattern
  manager.delete(new Map([['accepted', [...ids]]]), { rotate });
  await Promise.all(fired);
}
