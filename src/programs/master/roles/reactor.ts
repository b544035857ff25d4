/** Reactor: reacts to events (salt/engines/reactor.py, 3006.16). */
import { join } from 'node:path';
import { openTracing } from '../../../runtime/tracing/open.ts';
import { TRACED_AS } from '../return-traces.ts';
import { messageOf } from '../../../errors/errors.ts';
import { rareLog } from '../../../host/rare-lines.ts';
import { awaitedDisk } from '../../../config/power-failure.ts';
import { masterSockets } from '../../../config/master-sockets.ts';
import { userCredentials } from '../../../runtime/client/user-key.ts';
import { JidSource } from '../../../storage/jobs/jid.ts';
import { CallPool } from '../../reactor/call-pool.ts';
import { Chains } from '../../reactor/chains.ts';
import { Journal, journalPatience } from '../../reactor/journal.ts';
import { ReactorManager } from '../../reactor/manage.ts';
import { ReactionError } from '../../reactor/reaction.ts';
import { ReactionMap } from '../../reactor/reaction-map.ts';
import { Reactor, REACTOR_USER } from '../../reactor/reactor.ts';
import { ReactionRenderer } from '../../reactor/render-reactions.ts';
import { MasterReactions, type MasterReactionsDeps } from '../../reactor/run-reaction.ts';
import type { Step } from '../../reactor/step.ts';
import { findFunction } from '../../runner/find-function.ts';
import { masterMinion } from '../../runner/master-minion.ts';
import { ownFunctions, type OwnFunctions } from '../../runner/own-functions.ts';
import { callWith, runMasterFunction } from '../../runner/run-function.ts';
import { openRunnerContext } from '../../runner/runner-context.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import type { Value } from '../../../python/values/value.ts';
import { publicationDeps } from '../commands/publish-deps.ts';
import { publishForReaction } from '../commands/publish-reaction.ts';
import { OrderedTurns } from '../commands/turns.ts';
import { configuredRemotes } from '../git-updates.ts';
import { openMasterServices, type MasterServices } from '../master-services.ts';
import { sample, samplesOf, type Sample } from '../../../runtime/metrics/sample.ts';
import type { RoleContext, StartRole } from './role.ts';

/** Time for the publisher to come back before a reaction's job is given up. */
const PUBLISH_GIVE_UP_MS = 60_000;
/** How often it is looked whether remotes were fetched. */
const REMOTE_LOOK_MS = 500;

export const startReactor: StartRole = async (context) => {
  const { opts, clock } = context;
  // an event can come thousands of times a minute
  const log = rareLog(context.log, clock);
  const tracing = await openTracing(opts, { ...context, service: TRACED_AS });
  const services = openMasterServices(context, { giveUpMs: PUBLISH_GIVE_UP_MS, tracer: tracing.tracer });
  const refreshMs = opts.get('reactor_refresh_interval') * 1000;
  const map = new ReactionMap({ configured: opts.get('reactor'), refreshMs, clock, log });
  const chains = new Chains();
  const functions = new MasterFunctions({ ...context, log }, chains);
  const renderer = new ReactionRenderer({ context: () => functions.minion(), log });
  const refresh = clock.every(
    Math.max(1000, refreshMs),
    () => {
      renderer.forget();
      functions.forget();
    },
    { background: true },
  );
  const patience = journalPatience(clock, log);
  const reactor = new Reactor({
    feedPath: masterSockets(opts).reactorFeed,
    journal: new Journal(join(opts.get('cachedir'), 'reactor', 'journal.db'), awaitedDisk(opts), patience),
    refused: patience.refused,
    map,
    manager: new ReactorManager({
      id: opts.raw('id') ?? null,
      map,
      masterKey: () => userCredentials(opts, {}).key,
      fire: services.fireEvent,
      log: context.log,
    }),
    renderer,
    find: (kind, fun) => functions.find(kind, fun),
    runner: new MasterReactions({
      ...publishing(services),
      isReturned: async (jid) => (await services.jobs.returns(jid)).length > 0,
      runFunction: (step) => functions.run(step),
      callHere: (step) => functions.callHere(step),
      timeoutMs: opts.get('timeout') * 1000,
      log,
    }),
    jids: new JidSource(clock),
    pool: new CallPool(opts.get('reactor_worker_threads'), opts.get('reactor_worker_hwm')),
    chains,
    clock,
    log,
  });
  await reactor.start();
  log.info('The reactor is ready');
  const ended = new AbortController();
  const served = map.served();
  if (served.length > 0)
    void remotesTried(context, ended.signal).then((isSo) => (isSo ? renderer.sayMissing(served) : undefined));
  return {
    figures: () => [...reactorFigures(reactor), ...tracing.samples()],
    stop: async () => {
      refresh.cancel();
      ended.abort();
      await reactor.stop();
      await Promise.all([services.close(), tracing.close()]);
    },
  };
};

/**
 * Waits until each remote of the file server was tried since this start, or lately: until then nobody knows which files
 * there are. @returns false when the reactor ends meanwhile
 */
async function remotesTried(context: RoleContext, signal: AbortSignal): Promise<boolean> {
  const { clock, log } = context;
  const sinceMs = clock.nowMs();
  try {
    const remotes = configuredRemotes(context)
      .filter(({ isBackend }) => isBackend)
      .flatMap((group) => group.remotes);
    for (const { repository, updateIntervalMs } of remotes)
      while (!signal.aborted && repository.state().triedAtMs < sinceMs - updateIntervalMs)
        await clock.sleep(REMOTE_LOOK_MS);
  } catch (error) {
    log.debug(`The remotes of the file server could not be looked at: ${messageOf(error)}`, error);
  }
  return !signal.aborted;
}

function reactorFigures({ counters, waiting }: Pick<Reactor, 'counters' | 'waiting'>): Sample[] {
  const { taken, reactions, failed, leftOut, chainsEnded } = counters;
  return [
    sample('brine_reactor_events_total', taken),
    sample('brine_reactor_waiting', waiting),
    ...samplesOf('brine_reactions_total', [
      ['begun', reactions],
      ['failed', failed],
      ['left out', leftOut],
      ['chain ended', chainsEnded],
    ]),
  ];
}

/**
 * Jobs leave in the order of the events, and what they need before is done side by side. Whether a job was published
 * before this process was restarted, the publisher knows; when that was restarted too, a return says so. A job that is
 * published a second time all the same is not run by minions that had it the first time: they know its id.
 */
function publishing(services: MasterServices): Pick<MasterReactionsDeps, 'publish' | 'publishOnce'> {
  const deps = publicationDeps(services);
  const turns = new OrderedTurns();
  const { publisher, jobs } = services;
  const isPublished = async (jid: string): Promise<boolean> =>
    (await publisher.hasPublished({ jid })) || (await jobs.returns(jid)).length > 0;
  return {
    publish: (order) => turns.run((turn) => publishForReaction(deps, order, turn)),
    publishOnce: (order) =>
      turns.run(async (turn) => {
        if (!(await isPublished(order.jid))) await publishForReaction(deps, order, turn);
      }),
  };
}

/** The functions that reactions call on the master's own machine. */
class MasterFunctions {
  readonly #role: RoleContext;
  readonly #chains: Chains;
  #own: OwnFunctions;
  #minion: Promise<ModuleContext> | undefined;

  constructor(role: RoleContext, chains: Chains) {
    this.#role = role;
    this.#chains = chains;
    this.#own = ownFunctions(role.opts.toDict(), role.log);
  }

  /** Loads what is on disk now, from the next call on. */
  forget(): void {
    this.#minion = undefined;
    this.#own = ownFunctions(this.#role.opts.toDict(), this.#role.log);
  }

  /** Execution functions with the master's options; files come from its own folders. */
  minion(): Promise<ModuleContext> {
    const { opts, log, clock, random } = this.#role;
    return (this.#minion ??= masterMinion({
      opts: new Map<Value, Value>([...opts.toDict(), ['file_client', 'local']]),
      id: String(opts.raw('id')),
      jid: '',
      fun: 'reactor',
      signal: new AbortController().signal,
      clock,
      random,
      log,
    }));
  }

  find(kind: 'runner' | 'wheel', fun: string): ReturnType<typeof findFunction> {
    return findFunction(kind, fun, this.#own);
  }

  async callHere({ reaction }: Step): Promise<Value> {
    const { functions } = await this.minion();
    return functions.call(reaction.fun, [...reaction.arg], reaction.kwarg);
  }

  async run({ reaction: { client, fun, arg, kwarg }, jid, generation }: Step): Promise<void> {
    const { opts, log, clock, random } = this.#role;
    const kind = client === 'wheel' ? 'wheel' : 'runner';
    const spec = await this.find(kind, fun);
    if (spec === undefined) throw new ReactionError('function not available');
    const context = openRunnerContext({
      opts,
      settings: opts.toDict(),
      jid,
      user: REACTOR_USER,
      env: {},
      clock,
      random,
      log,
      signal: new AbortController().signal,
      print: (text) => log.debug(text),
      show: () => Promise.resolve(),
      own: this.#own,
      fired: (tag, data) => this.#chains.fired({ tag, data }, generation),
    });
    try {
      await runMasterFunction(context, { kind, fun, spec, call: callWith(arg, kwarg) });
    } finally {
      await context.close();
    }
  }
}
