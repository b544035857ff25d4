/** The running parts of a minion, and how they are put together. */
import { tags } from '../../network/events/tags.ts';
import { join } from 'node:path';
import { processFigures } from '../../runtime/metrics/process-figures.ts';
import { sample, samplesOf, summed, type Sample } from '../../runtime/metrics/sample.ts';
import { type Tracing } from '../../runtime/tracing/open.ts';
import { brineVersion } from '../../version.ts';
import { messageOf } from '../../errors/errors.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import { matchersNotAsked } from '../../runtime/pillar/own-matchers.ts';
import { isPythonServed, pythonFiles } from '../../runtime/extensions/folder.ts';
import { collectGrains } from '../../plugins/grains/core/collect.ts';
import { systemNames } from '../../host/dns.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines } from '../../host/rare-lines.ts';
import type { MinionServices } from '../../runtime/loader/module.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import { MinionEngines } from './engines/engines.ts';
import { noteTold, readOutcome } from '../../runtime/upgrade/trial-record.ts';
import { startMinionBus, type MinionBus } from './event-bus.ts';
import { ListenedKeys } from '../../network/channel/client/listened-keys.ts';
import { SIGNING_MASTERS, SigningMastersFile } from '../../network/channel/client/signing-masters.ts';
import { PUBLICATION_JOURNAL, PublicationJournal } from '../../storage/jobs/publication-journal.ts';
import { JobTraces } from './job-traces.ts';
import { JobRunner } from './job-runner.ts';
import { sayMissingReturners } from './further-returns.ts';
import { authClient, loadMinionKey } from './keys.ts';
import { OwnModules, ownGrainsSource } from './own-modules.ts';
import { openMasters } from './masters/masters.ts';
import type { Masters } from './masters/connection-to.ts';
import type { MasterSide } from './masters/side.ts';
import { Periodic } from './periodic.ts';
import type { PeriodicDeps } from './periodic-context.ts';
import { JidSource } from '../../storage/jobs/jid.ts';
import { SELF_TEST, SELF_TEST_ANSWER, selfTest } from './self-test.ts';
import { periodicDeps } from './periodic-deps.ts';
import { ProcFiles } from './proc-files.ts';
import { ReturnSender } from './return-sender.ts';
import { openReturnSpool, type ReturnSpool } from './return-spool.ts';
import { RunningJobs } from './running-jobs.ts';
import { minionServices, tellMasters } from './services.ts';
import type { MinionStart } from './minion-start.ts';
import { proveJobs } from './upgrade/prove-jobs.ts';
import { outcomeData } from './upgrade/outcome-data.ts';
import type { OnTrial } from './upgrade/on-trial.ts';
import { MinionState } from './state.ts';
import { LazyWaitingRoom } from './waiting-room.ts';
import { WorkerPool } from './worker-pool.ts';

/** Events after which grains or pillar may be others. */
const REFRESHED: ReadonlySet<string> = new Set([
  '/salt/minion/minion_pillar_refresh_complete',
  'grains_refresh',
]);

/** Kinds of custom modules that a minion uses. */
const PYTHON_KINDS = [
  'modules',
  'states',
  'grains',
  'returners',
  'beacons',
  'engines',
  'renderers',
  'output',
  'utils',
];
/**
 * How long before its place was left another process is taken to have listened; it knows which publication was its
 * last.
 */
const LISTENED_BEFORE_MS = 60_000;
/** Until what has arrived is decrypted and noted. */
const SETTLE_MS = 50;
/** Names in one line of the log. */
const NAMED_MAX = 20;

/** Modules that a minion of Salt has left in this one's folder, or that were synced for one. */
function warnOfPython(opts: Dict, log: Logger): void {
  const names = PYTHON_KINDS.filter((kind) => !isPythonServed(kind)).flatMap((kind) =>
    pythonFiles(opts, kind).map(({ name }) => `${kind}.${name}`),
  );
  const matchers = matchersNotAsked(opts);
  if (matchers !== undefined) log.warning(matchers);
  if (names.length === 0) return;
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
  log.warning(
    `Custom modules in Python are not used by this minion: ${names.slice(0, NAMED_MAX).join(', ')}${more}. ` +
      'Of these kinds Brine runs files in TypeScript and JavaScript only; saltutil.sync_all names them all.',
  );
}

/** How a minion is put together. */
interface Surroundings {
  /** Where it is to take the place of one that serves until then. */
  readonly onTrial: OnTrial | undefined;
  /** The jobs of one that has left this process its place; else none run. */
  readonly running: RunningJobs | undefined;
  readonly tryVersion: TryVersion;
}

/** Puts a minion together, which has joined no master yet. */
export async function assemble(
  start: MinionStart,
  tracing: Tracing,
  { onTrial, running, tryVersion }: Surroundings,
): Promise<Minion> {
  const { opts, clock, log, random } = start;
  const own = new OwnModules(clock, log);
  const all = opts.toDict();
  warnOfPython(all, log);
  await own.refuseWithoutSalt(all);
  const grains = await collectGrains({ opts: all, log, clock, custom: [ownGrainsSource(all, clock, log)] });
  const waiting = new LazyWaitingRoom(() => state);
  const state: MinionState = new MinionState(
    {
      ...{ opts, clock, log, random, waiting },
      custom: (context, kind, file) => own.custom(context, kind, file),
      installed: (name, context, kind) => own.installed(name, context, kind),
      onReload: () => own.forget(),
    },
    grains,
  );
  const listened = new ListenedKeys();
  // what it does not need the other one's place for is done by now
  if (onTrial !== undefined)
    listened.takeOver(await onTrial.prepared(), clock.monotonicMs() - LISTENED_BEFORE_MS);
  return new Minion({
    ...{ start, state, own, waiting, tracing, listened, tryVersion },
    running: running ?? runningJobs(start, onTrial !== undefined),
  });
}

/** @param isLeft whether jobs of another process of this minion go on */
function runningJobs({ opts, clock, log }: MinionStart, isLeft: boolean): RunningJobs {
  const files = new ProcFiles(opts.get('cachedir'));
  const left = isLeft ? files.alive() : [];
  files.clear(new Set(left));
  const tell = rareLines(clock, (text) => log.error(text));
  return new RunningJobs(files, (text) => tell('', text), left);
}

/** What a minion is made of. */
interface MinionDeps {
  readonly start: MinionStart;
  readonly state: MinionState;
  readonly running: RunningJobs;
  readonly own: OwnModules;
  readonly waiting: LazyWaitingRoom;
  readonly tracing: Tracing;
  readonly listened: ListenedKeys;
  readonly tryVersion: TryVersion;
}

/** Puts another version on trial in the place of this one. */
export type TryVersion = NonNullable<MinionServices['tryVersion']>;

/** The running parts. */
export class Minion {
  readonly #tracing: Tracing;
  readonly #start: MinionStart;
  readonly #state: MinionState;
  readonly #running: RunningJobs;
  readonly #spool: ReturnSpool;
  readonly #sender: ReturnSender;
  readonly #workers: WorkerPool;
  readonly #runner: JobRunner;
  readonly #journal: PublicationJournal;
  readonly #services: MinionServices;
  readonly #periodic: Periodic;
  readonly #runJob: PeriodicDeps['runJob'];
  readonly #engines: MinionEngines;
  readonly #waiting: LazyWaitingRoom;
  readonly #listened: ListenedKeys;
  readonly #tryVersion: TryVersion;
  #masters: Masters | undefined;
  #bus: MinionBus | undefined;
  #onLink: () => void = () => undefined;

  constructor({ start, state, running, own, waiting, tracing, listened, tryVersion }: MinionDeps) {
    this.#tryVersion = tryVersion;
    this.#listened = listened;
    this.#start = start;
    this.#tracing = tracing;
    this.#waiting = waiting;
    this.#state = state;
    this.#running = running;
    this.#spool = openReturnSpool(start);
    this.#sender = new ReturnSender({
      ...start,
      spool: this.#spool,
      masters: () => this.#masters?.targets ?? [],
    });
    const services = this.#servicesOf();
    this.#services = services;
    this.#workers = new WorkerPool({
      state,
      services,
      workerScript: start.workerScript,
      own: () => own.findings,
    });
    own.runIn(this.#workers);
    const { opts, log } = start;
    this.#journal = new PublicationJournal({
      path: join(opts.get('cachedir'), PUBLICATION_JOURNAL),
      jobsMax: Math.max(1, opts.get('minion_jid_queue_hwm')),
      log,
    });
    this.#runner = new JobRunner({
      ...{ state, running, workers: this.#workers, sender: this.#sender },
      journal: this.#journal,
      traces: tracing.tracer && new JobTraces(tracing.tracer),
    });
    this.#engines = new MinionEngines({ ...start, services, surroundings: () => state });
    const periodic = periodicDeps({
      state,
      services,
      running,
      runner: this.#runner,
      sender: this.#sender,
      masters: () => this.#masters,
      fireLocal: (tag, data) => this.#bus?.fire(tag, data),
    });
    this.#runJob = periodic.runJob;
    this.#periodic = new Periodic(periodic);
  }

  /** Joins the masters; never resolves while all is well. @throws RejectedError, FingerprintError */
  async join(): Promise<never> {
    const { opts, clock, log, random } = this.#start;
    this.#bus = await startMinionBus(opts, { clock, random, log }, (event) => void this.#busEvent(event));
    await this.#engines.start();
    await sayMissingReturners(this.#state);
    const key = await loadMinionKey(opts);
    const client = authClient(opts, key, this.#state.grains, random);
    this.#masters = await openMasters({
      opts,
      client,
      memory: {
        serials: this.#journal,
        signers: new SigningMastersFile(join(opts.get('pki_dir'), SIGNING_MASTERS), log),
        listened: this.#listened,
      },
      names: systemNames,
      clock,
      random,
      log,
      state: this.#state,
      services: (side) => this.#servicesOf(side),
      onPublication: (load, side) => this.#runner.take(load, side),
      onReady: () => {
        this.#onLink();
        void this.tellOutcome();
        this.#engines.changed();
        void this.#periodic.start();
      },
      onUp: () => {
        this.#onLink();
        this.#sender.wake();
      },
      fireLocal: (tag, data) => this.#bus?.fire(tag, data),
    });
    if (this.#state.opts.get('master_type') === 'disable') await this.#services.refresh('pillar');
    this.#periodic.beforeMasters();
    void this.#waiting
      .resume()
      .catch((error: unknown) =>
        log.error(`Returns that wait for a database cannot be read: ${messageOf(error)}`, error),
      );
    return this.#masters.run();
  }

  /** What functions are offered on behalf of one master; without one, of the most important master. */
  #servicesOf(side?: () => MasterSide): MinionServices {
    const all = (): readonly MasterSide[] => this.#masters?.sides ?? [];
    return minionServices({
      state: () => side?.().state ?? this.#state,
      running: () => this.#running,
      sides: () => (side === undefined ? all() : [side(), ...all().filter((other) => other !== side())]),
      fireLocal: (tag, data) => this.#bus?.fire(tag, data),
      manage: (part, order) => this.#periodic.manage(part, order),
      tryVersion: this.#tryVersion,
    });
  }

  /** Whether there is a master to take jobs from. */
  get isUp(): boolean {
    if (this.#state.opts.get('master_type') === 'disable') return true;
    return (this.#masters?.sides ?? []).some(({ connection }) => connection.isUp);
  }

  /** @param tell called when a master can be reached, and when one is served */
  onLink(tell: () => void): void {
    this.#onLink = tell;
  }

  /** Runs a job of its own in a worker. @returns why it could not */
  proveJobs(): Promise<string | undefined> {
    return proveJobs(this.#workers, this.#state.deps);
  }

  /**
   * Leaves its place to another process: takes no jobs and starts none. Those that run go on, and return.
   * @returns the keys under which it has listened
   */
  async retire(): Promise<readonly string[]> {
    const { clock } = this.#start;
    const { marks } = this.#listened;
    for (const connection of this.#masters?.targets ?? []) connection.retire();
    this.#periodic.close();
    this.#bus?.close();
    this.#bus = undefined;
    // what waits on the disk is the other one's; a return that comes later is sent once, and else left to it
    this.#sender.close();
    await this.#engines.stop();
    await this.#waiting.close();
    // a publication that has arrived is taken by this minion, and noted
    await clock.sleep(SETTLE_MS);
    await this.#journal.close();
    return marks;
  }

  /** @returns when no job runs any more, and what they have returned is sent or kept */
  drained(): Promise<void> {
    return this.#runner.drained();
  }

  /** Takes over the returns that another process of this minion could not send. */
  takeOverReturns(): void {
    this.#spool.takeOverLater();
    this.#sender.wake();
  }

  /** Fires what became of the last upgrade, unless the master has heard of it. */
  async tellOutcome(): Promise<void> {
    const { installation, log } = this.#start;
    if (installation === undefined) return;
    const outcome = readOutcome(installation.base);
    if (outcome === undefined || outcome.isTold) return;
    const tag = tags.upgrade(this.#state.id);
    try {
      if (await this.#services.fireMaster(tag, outcomeData(outcome))) noteTold(installation.base, outcome);
    } catch (error) {
      log.warning(`The outcome of the upgrade could not be told to the master: ${messageOf(error)}`);
    }
  }

  /** The jobs that run. */
  get running(): RunningJobs {
    return this.#running;
  }

  describe(): string[] {
    const { taken, repeated, notForUs, refused } = this.#runner.counters;
    return [
      `jobs taken ${taken}, repeated ${repeated}, not for us ${notForUs}, refused ${refused}, running ${this.#running.size}`,
      `returns sent ${this.#sender.counters.sent}, waiting ${this.#sender.waiting}, given up ${this.#spool.counters.givenUp}`,
    ];
  }

  /** What it has counted, and how much is under way. */
  figures(): Sample[] {
    const { taken, repeated, notForUs, refused } = this.#runner.counters;
    const connections = (this.#masters?.sides ?? []).flatMap(({ connection }) => [...connection.counters]);
    return [
      sample('brine_build_info', 1, 'salt-minion', brineVersion),
      ...processFigures('minion', this.#start.clock.nowMs()),
      ...samplesOf('brine_jobs_total', [
        ['taken', taken],
        ['repeated', repeated],
        ['not for us', notForUs],
        ['refused', refused],
      ]),
      sample('brine_jobs_running', this.#running.size),
      ...this.#runner.times.samples(),
      sample('brine_returns_sent_total', this.#sender.counters.sent),
      sample('brine_returns_send_failed_total', this.#sender.counters.failed),
      sample('brine_returns_waiting', this.#sender.waiting),
      sample('brine_returns_given_up_total', this.#spool.counters.givenUp),
      ...summed('brine_publications_refused_total', connections),
      ...this.#tracing.samples(),
    ];
  }

  /** Ends what works beside the minion, before the minion itself, which it needs. */
  async stopEngines(): Promise<void> {
    await this.#engines.stop();
  }

  close(): void {
    this.#periodic.close();
    this.#sender.close();
    this.#workers.close();
    // what waits stays on the disk
    void this.#waiting.close().then(() => this.#state.close());
    this.#masters?.close();
    void this.#journal.close();
    this.#bus?.close();
  }

  /** What other programs on this host ask for over the bus (docs/internals/event-bus.md#the-minions-bus). */
  async #busEvent(event: BusEvent): Promise<void> {
    try {
      if (event.tag === 'fire_master') await this.#forward(event.data);
      else if (event.tag === 'module_refresh') await this.#services.refresh('modules', event.data);
      else if (event.tag === 'pillar_refresh') await this.#services.refresh('pillar', event.data);
      else if (event.tag === 'grains_refresh') await this.#services.refresh('grains', event.data);
      else if (event.tag === SELF_TEST) await this.#answerSelfTest(event.data);
      else await this.#periodic.busEvent(event);
      if (REFRESHED.has(event.tag)) this.#engines.changed();
    } catch (error) {
      this.#start.log.error(`The event ${event.tag} could not be served: ${(error as Error).message}`, error);
    }
  }

  async #answerSelfTest(data: Dict): Promise<void> {
    const token = data.get('token');
    if (typeof token !== 'string' || !/^[\w-]{1,64}$/.test(token)) return;
    const answer = await selfTest({
      id: this.#state.id,
      jid: new JidSource(this.#start.clock).next(),
      sides: this.#masters?.sides ?? [],
      runJob: this.#runJob,
    });
    this.#bus?.fire(`${SELF_TEST_ANSWER}${token}`, answer);
  }

  async #forward(data: Dict): Promise<void> {
    const tag = data.get('tag');
    const events = data.get('events');
    const load = dict({ cmd: '_minion_event', id: this.#state.id });
    for (const field of ['data', 'tag', 'events', 'pretag']) {
      const value = data.get(field);
      if (value !== undefined) load.set(field, value);
    }
    if (typeof tag !== 'string' && !Array.isArray(events))
      return this.#start.log.warning(
        'An event of this machine that is meant for the master has neither a tag nor a list of events; it was dropped.',
      );
    await tellMasters({ sides: () => this.#masters?.sides ?? [], state: () => this.#state }, load);
  }
}
