/** The minion: prepares, joins its master, and answers until it is told to stop (salt/minion.py `Minion`, 3006.16). */
import { join, dirname } from 'node:path';
import type { MinionOptions } from '../../config/minion-options.ts';
import { reportDaemonUp, sayLastWord } from '../daemon/daemonize.ts';
import { serviceManager } from '../daemon/notify.ts';
import { removePidFile, runningFromPidFile, writePidFile } from '../daemon/pid-file.ts';
import { giveTree } from '../daemon/give-tree.ts';
import { accountOf, becomeUser, prepareOnDisk, requireSwitchable } from '../daemon/privileges.ts';
import { sayMissingOfMinion } from '../daemon/missing-paths.ts';
import { warnOfOpenFolders } from '../daemon/open-folders.ts';
import { openMetrics } from '../daemon/metrics-server.ts';
import { handleSignals } from '../daemon/signals.ts';
import { outliveUnexpected } from '../daemon/unexpected.ts';
import { processFigures } from '../../runtime/metrics/process-figures.ts';
import { sample, samplesOf, summed, type Sample } from '../../runtime/metrics/sample.ts';
import { openTracing, type Tracing } from '../../runtime/tracing/open.ts';
import { brineVersion } from '../../version.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import { matchersNotAsked } from '../../runtime/pillar/own-matchers.ts';
import { isPythonServed, pythonFiles } from '../../runtime/extensions/folder.ts';
import { MODULE_TABLE } from '../../plugins/registry/module/table.generated.ts';
import { idleProviders } from '../../runtime/loader/providers.ts';
import { collectGrains } from '../../plugins/grains/core/collect.ts';
import { makeDirectory } from '../../host/files.ts';
import { systemNames } from '../../host/dns.ts';
import type { Logger } from '../../host/log.ts';
import { rareLines } from '../../host/rare-lines.ts';
import type { User } from '../../host/users.ts';
import type { MinionServices } from '../../runtime/loader/module.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import { MinionEngines } from './engines/engines.ts';
import { startMinionBus, type MinionBus } from './event-bus.ts';
import { ListenedKeys } from '../../network/channel/client/listened-keys.ts';
import { SIGNING_MASTERS, SigningMastersFile } from '../../network/channel/client/signing-masters.ts';
import { JidSource } from '../../storage/jobs/jid.ts';
import { PUBLICATION_JOURNAL, PublicationJournal } from '../../storage/jobs/publication-journal.ts';
import { JobTraces } from './job-traces.ts';
import { requireConnectable } from './check-connection.ts';
import { sayImpossibleFinger } from './check-names.ts';
import { JobRunner } from './job-runner.ts';
import { sayMissingReturners } from './further-returns.ts';
import { authClient, loadMinionKey } from './keys.ts';
import { OwnModules, ownGrainsSource } from './own-modules.ts';
import { openMasters } from './masters/masters.ts';
import type { Masters } from './masters/connection-to.ts';
import type { MasterSide } from './masters/side.ts';
import { Periodic } from './periodic.ts';
import type { PeriodicDeps } from './periodic-context.ts';
import { periodicDeps } from './periodic-deps.ts';
import { ProcFiles } from './proc-files.ts';
import { ReturnSender } from './return-sender.ts';
import { openReturnSpool, type ReturnSpool } from './return-spool.ts';
import { RunningJobs } from './running-jobs.ts';
import { minionServices, tellMasters } from './services.ts';
import { MinionState, type MinionStateDeps } from './state.ts';
import { LazyWaitingRoom } from './waiting-room.ts';
import { SELF_TEST, SELF_TEST_ANSWER, selfTest } from './self-test.ts';
import { startupDelay } from './startup-delay.ts';
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
/** Names in one line of the log. */
const NAMED_MAX = 20;

/** What a minion is started with. */
export interface MinionStart extends MinionStateDeps {
  readonly env: NodeJS.ProcessEnv;
  /** The program of a worker process. */
  readonly workerScript: string;
  /** The program of an engine. */
  readonly engineScript: string;
}

/**
 * Runs a minion until it is told to stop.
 * @returns the exit code
 * @throws BrineError when it cannot start, RejectedError and FingerprintError when its master forbids it to go on
 */
export async function runMinion(start: MinionStart): Promise<number> {
  const { opts, log, clock, env } = start;
  const manager = serviceManager(env, start);
  const id = opts.get('id');
  log.info(`Setting up the Salt Minion "${id}"`);
  warnOfOpenFolders(opts.toDict(), log);
  sayMissingOfMinion(opts, log);
  sayImpossibleFinger(opts, log);
  for (const sentence of idleProviders(opts.get('providers'), MODULE_TABLE)) log.warning(sentence);
  requireConnectable(opts);
  refuseSecond(opts);
  await prepareHost(opts);
  const tracing = await openTracing(opts, { ...start, service: 'salt-minion' });
  const minion = await assemble(start, tracing);
  const stopped = new Promise<string>((resolve) => {
    handleSignals({ stop: resolve, describe: () => minion.describe() }, clock, log);
  });
  process.on('uncaughtException', outliveUnexpected(clock, log));
  const metrics = await openMetrics(opts, () => Promise.resolve(minion.figures()), { clock, log });
  writePidFile(opts.get('pidfile'), log, manager);
  await manager.ready();
  reportDaemonUp(env);
  log.info(`Minion is starting as user '${opts.get('user')}'`);
  try {
    const signal = await Promise.race([stopped, startupDelay(start).then(() => minion.join())]);
    log.info('Shutting down the Salt Minion');
    log.warning(`The Salt Minion is shutdown. Minion received a ${signal}. Exited.`);
    return 0;
  } catch (error) {
    sayLastWord(env, log, error);
    throw error;
  } finally {
    manager.stopping();
    metrics.close();
    await minion.stopEngines();
    minion.close();
    await tracing.close();
    removePidFile(opts.get('pidfile'));
  }
}

function refuseSecond(opts: MinionOptions): void {
  const pid = runningFromPidFile(opts.get('pidfile'), 'salt-minion');
  if (pid !== undefined)
    throw new BrineError(
      `A salt-minion is running already with process id ${pid} (${opts.get('pidfile')}).`,
      {
        code: 'already-running',
      },
    );
}

async function prepareHost(opts: MinionOptions): Promise<void> {
  const user = await accountOf(opts.get('user'));
  requireSwitchable(user);
  if (opts.get('verify_env')) await prepareOnDisk(() => prepareFolders(opts, user));
  await becomeUser(user);
}

function prepareFolders(opts: MinionOptions, user: User): void {
  makeDirectory(opts.get('pki_dir'), 0o700);
  const logFile = opts.raw('log_file');
  const others = [
    opts.get('cachedir'),
    opts.get('sock_dir'),
    opts.get('extension_modules'),
    join(dirname(opts.get('conf_file')), 'minion.d'),
  ];
  if (typeof logFile === 'string' && logFile.startsWith('/')) others.push(dirname(logFile));
  for (const path of others) makeDirectory(path, 0o755);
  for (const path of [opts.get('pki_dir'), opts.get('cachedir'), opts.get('sock_dir')]) giveTree(path, user);
}

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

async function assemble(start: MinionStart, tracing: Tracing): Promise<Minion> {
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
  const files = new ProcFiles(opts.get('cachedir'));
  files.clear();
  const tell = rareLines(clock, (text) => log.error(text));
  const running = new RunningJobs(files, (text) => tell('', text));
  return new Minion({ start, state, running, own, waiting, tracing });
}

/** What a minion is made of. */
interface MinionDeps {
  readonly start: MinionStart;
  readonly state: MinionState;
  readonly running: RunningJobs;
  readonly own: OwnModules;
  readonly waiting: LazyWaitingRoom;
  readonly tracing: Tracing;
}

/** The running parts. */
class Minion {
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
  #masters: Masters | undefined;
  #bus: MinionBus | undefined;

  constructor({ start, state, running, own, waiting, tracing }: MinionDeps) {
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
        listened: new ListenedKeys(),
      },
      names: systemNames,
      clock,
      random,
      log,
      state: this.#state,
      services: (side) => this.#servicesOf(side),
      onPublication: (load, side) => this.#runner.take(load, side),
      onReady: () => {
        this.#engines.changed();
        void this.#periodic.start();
      },
      onUp: () => this.#sender.wake(),
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
    });
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
