/**
 * What `salt-run` offers a runner: the master's files, its event bus and the way to minions, each opened when first
 * needed.
 */
import { mayListen, type LocalPlace } from '../../host/local-place.ts';
import { existsSync } from 'node:fs';
import type { Waits } from '../../runtime/client/waits.ts';
import { LocalClient } from '../../runtime/client/local-client.ts';
import { MinionDataCache } from '../../storage/cache/minion-data.ts';
import { openJobCache } from '../../runtime/client/local-job-cache.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import { EventBusWriter } from '../../network/events/bus-client.ts';
import { isoStamp } from '../../network/events/framing.ts';
import type { PublisherClient } from '../../network/ipc/contracts/publisher.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { KeyStore } from '../../storage/keys/store.ts';
import { bindCall } from '../../runtime/loader/bind.ts';
import { isFailingReturn } from '../../runtime/loader/failing-returns.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { masterMinion } from './master-minion.ts';
import { masterServices } from './master-services.ts';
import { OrchestrationSteps } from './orchestration-steps.ts';
import { keyFleet } from './key-fleet.ts';
import { findFunction, loadModules, missingFunction } from './find-function.ts';
import type { OwnFunctions } from './own-functions.ts';
import { callWith, runMasterFunction } from './run-function.ts';
import { configuredJobCache } from '../../plugins/jobs/runner/caches.ts';
import {
  CancelledRunError,
  FunctionMissingError,
  RunnerRefusal,
  type ExecuteOptions,
  type MasterCall,
  type MasterFunctionKind,
  type RunnerContext,
  type RunnerSpec,
  type Shortfall,
} from '../../plugins/shared/runner/runner.ts';
import { JidSource } from '../../storage/jobs/jid.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { saltCompatVersion } from '../../version.ts';

const EVENT_QUEUE_BYTES_MAX = 64 * 1024 * 1024;
const PUBLISHER_GIVE_UP_MS = 2_000;

/** What a run is made of. */
export interface FunctionRunDeps {
  readonly opts: MasterOptions;
  readonly settings: Dict;
  readonly jid: string;
  readonly user: string;
  /** What has vouched for that name; undefined for a user of the machine. */
  readonly eauth?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  /** Custom functions. */
  readonly own?: OwnFunctions;
  /** Ids for the runs of further functions. */
  readonly jids?: JidSource;
  /** Shows an event of this job. */
  readonly show: (suffix: string, data: Dict) => Promise<void>;
  /** Told of each event that the run fires, and those of the runs inside it, before it is fired. */
  readonly fired?: (tag: string, data: Dict) => void;
  /** Shows which step an orchestration is at. */
  readonly showStep?: (text: string) => void;
  /** Told of what is waited for. */
  readonly waits?: Waits;
}

/** The context of one run, and what ends it. */
export interface OpenRunnerContext extends RunnerContext {
  close(): Promise<void>;
}

/** Makes the context. Nothing is opened yet. */
export function openRunnerContext(deps: FunctionRunDeps): OpenRunnerContext {
  const { opts, settings, jid, user, clock, random, log, signal, print } = deps;
  const bus = new MasterBus(opts, clock);
  const jids = deps.jids ?? new JidSource(clock);
  const keys = new KeyStore(opts.get('pki_dir'));
  const cache = new MinionDataCache(opts.get('cachedir'));
  const embedded = openJobCache(opts, log);
  const jobs = configuredJobCache(deps, embedded);
  const fire = (tag: string, data: Dict): Promise<boolean> => {
    deps.fired?.(tag, data);
    return bus.fire(tag, data);
  };
  let client: Promise<LocalClient> | undefined;
  let retcode = 0;
  let shortfall: Shortfall | undefined;
  const context: OpenRunnerContext = {
    id: String(opts.raw('id')),
    version: saltCompatVersion,
    opts,
    settings,
    jid,
    user,
    eauth: deps.eauth,
    clock,
    random,
    log,
    signal,
    jobs,
    keys,
    cache,
    fleet: keyFleet(keys, cache),
    call: async (fun, args = [], kwargs = new Map()) => {
      const before = shortfall;
      const value = await callRunner(context, fun, args, kwargs, deps.own);
      shortfall = before; // what it makes of the answer is the caller's affair
      return value;
    },
    run: (call) => runInside({ ...deps, jids }, call),
    modules: (kind = 'runner') => loadModules(kind, deps.own),
    execute: async (fun, args, kwargs, options = {}) => {
      const minion = await minionHere({ ...deps, jids }, context, { fun, ...options });
      try {
        const value = await minion.functions.call(fun, args, kwargs);
        const { spec } = await minion.functions.find(fun);
        if (isFailingReturn(spec?.failsWith ?? [], value)) context.fallShort('some failed');
        return value;
      } finally {
        if (minion.retcode !== 0) retcode = minion.retcode;
      }
    },
    retcode: () => retcode,
    setRetcode: (code) => void (retcode = code),
    fallShort: (how) => void (shortfall ??= how),
    shortfall: () => shortfall,
    fire,
    progress: async (data) => {
      const isTold = await fire(`salt/run/${jid}/progress`, data);
      // Salt compat: the time is added by whoever sends an event, so that one that nobody takes has none
      await deps.show('progress', isTold ? new Map([...data, ['_stamp', isoStamp(clock)]]) : data);
    },
    showStep: (text) => deps.showStep?.(text),
    ...(deps.waits === undefined ? {} : { waits: deps.waits }),
    print,
    client: () => (client ??= LocalClient.connect(deps)),
    connectedAddresses: () => connectedAddresses(opts, clock),
    connections: (ids) =>
      opts.get('con_cache')
        ? askPublisher(opts, clock, (publisher) => publisher.connections({ ids: [...ids] }))
        : Promise.resolve(undefined),
    close: async () => {
      (await client?.catch(() => undefined))?.close();
      bus.close();
      await jobs.close();
    },
  };
  return context;
}

/** The master's bus, as far as a master runs. */
class MasterBus {
  readonly #path: LocalPlace;
  readonly #writer: EventBusWriter;

  constructor(opts: MasterOptions, clock: Clock) {
    this.#path = masterSockets(opts).eventPull;
    this.#writer = new EventBusWriter({
      path: this.#path,
      clock,
      eventBytesMax: opts.get('max_event_size'),
      queueBytesMax: EVENT_QUEUE_BYTES_MAX,
    });
  }

  async fire(tag: string, data: Dict): Promise<boolean> {
    if (!mayListen(this.#path)) return false;
    this.#writer.fire(tag, data);
    try {
      await this.#writer.flush();
      return true;
    } catch {
      return false; // a socket file that a master has left behind
    }
  }

  close(): void {
    this.#writer.close();
  }
}

async function callRunner(
  context: RunnerContext,
  fun: string,
  args: readonly Value[],
  kwargs: Dict,
  own: OwnFunctions | undefined,
): Promise<Value> {
  const spec = await requireFunction('runner', fun, own);
  const bound = bindCall(fun.slice(fun.indexOf('.') + 1), spec, { positional: args, keywords: kwargs });
  return spec.run(context, bound.args, bound.rest, bound.kwargs);
}

/** @throws FunctionMissingError */
async function requireFunction(
  kind: MasterFunctionKind,
  fun: string,
  own: OwnFunctions | undefined,
): Promise<RunnerSpec> {
  const spec = await findFunction(kind, fun, own);
  if (spec === undefined) throw new FunctionMissingError(await missingFunction(kind, fun, own));
  return spec;
}

/** A function that a function of the master runs as a job of its own; nothing of it is shown. */
async function runInside(
  deps: FunctionRunDeps & { readonly jids: JidSource },
  { kind, fun, arg, kwarg, user = deps.user, jid = deps.jids.next(), showStep = deps.showStep }: MasterCall,
): Promise<Dict> {
  const spec = await requireFunction(kind, fun, deps.own);
  const show = (): Promise<void> => Promise.resolve();
  const context = openRunnerContext({
    ...deps,
    jid,
    user,
    eauth: user === deps.user ? deps.eauth : undefined,
    show,
    ...(showStep === undefined ? {} : { showStep }),
  });
  try {
    const ended = await runMasterFunction(context, { kind, fun, spec, call: callWith(arg, kwarg) });
    if (ended === undefined) throw new CancelledRunError(`The ${kind} function ${fun} was interrupted.`);
    return ended.data;
  } finally {
    await context.close();
  }
}

/**
 * What calls an execution function with the master's options, as `salt.cmd` does.
 * @throws RunnerRefusal for one that is not there
 */
async function minionHere(
  {
    settings,
    opts,
    log,
    clock,
    random,
    jid,
    signal,
    jids,
    own,
  }: FunctionRunDeps & { readonly jids: JidSource },
  context: RunnerContext,
  { fun, pillar, opts: more, journal }: ExecuteOptions & { readonly fun: string },
): Promise<ModuleContext> {
  const steps = journal === undefined ? undefined : new OrchestrationSteps(context, journal);
  const minion = await masterMinion({
    opts: more === undefined ? settings : new Map([...settings, ...more]),
    id: String(opts.raw('id')),
    jid,
    fun,
    signal,
    clock,
    random,
    log,
    master: masterServices({ context, jids, own, steps }),
    ...(pillar === undefined ? {} : { pillar }),
  });
  const { missing } = await minion.functions.find(fun);
  // Salt returns this sentence as the result, and success
  if (missing !== undefined) throw new RunnerRefusal(missing);
  return minion;
}

/**
 * Salt compat: connections over the loopback count for every address of this host (salt/utils/minions.py
 * `connected_ids`).
 */
async function connectedAddresses(opts: MasterOptions, clock: Clock): Promise<ReadonlySet<string>> {
  const addresses = new Set(await askPublisher(opts, clock, (publisher) => publisher.addresses()));
  const { networkInterfaces } = await import('node:os');
  for (const loopback of ['127.0.0.1', '::1']) {
    if (!addresses.delete(loopback)) continue;
    for (const { address, internal, family } of Object.values(networkInterfaces()).flatMap(
      (list) => list ?? [],
    ))
      if (!internal && family === (loopback === '::1' ? 'IPv6' : 'IPv4')) addresses.add(address);
  }
  return addresses;
}

/** @returns the answer of the publisher; undefined when no master runs */
async function askPublisher<T>(
  opts: MasterOptions,
  clock: Clock,
  ask: (publisher: PublisherClient) => Promise<T>,
): Promise<T | undefined> {
  const path = masterSockets(opts).publishPull;
  if (!existsSync(path)) return undefined;
  const [{ RpcClient }, { clientOf }, { publisher }] = await Promise.all([
    import('../../network/ipc/rpc-client.ts'),
    import('../../network/ipc/contract.ts'),
    import('../../network/ipc/contracts/publisher.ts'),
  ]);
  const link = new RpcClient({ path, clock, purpose: 'publisher', giveUpMs: PUBLISHER_GIVE_UP_MS });
  try {
    return await ask(clientOf(publisher, link));
  } catch {
    return undefined;
  } finally {
    await link.close();
  }
}
