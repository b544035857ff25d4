/**
 * The syndic: to the masters above a minion, to the master beside it a local program; it runs no jobs itself
 * (salt/minion.py `Syndic`, `SyndicManager`, 3006.16).
 */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ListenedKeys } from '../../network/channel/client/listened-keys.ts';
import { SIGNING_MASTERS, SigningMastersFile } from '../../network/channel/client/signing-masters.ts';
import type { SyndicConfig } from '../../config/syndic-options.ts';
import { syndicFolder } from '../../config/syndic-options.ts';
import { reportDaemonUp, sayLastWord } from '../daemon/daemonize.ts';
import { serviceManager } from '../daemon/notify.ts';
import { removePidFile, runningFromPidFile, writePidFile } from '../daemon/pid-file.ts';
import { giveTree } from '../daemon/give-tree.ts';
import { accountOf, becomeUser, prepareOnDisk, requireSwitchable } from '../daemon/privileges.ts';
import { openMetrics } from '../daemon/metrics-server.ts';
import { handleSignals } from '../daemon/signals.ts';
import { outliveUnexpected } from '../daemon/unexpected.ts';
import { BrineError, ConfigError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { systemNames } from '../../host/dns.ts';
import { makeDirectory } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { User } from '../../host/users.ts';
import { PUBLICATION_JOURNAL, PublicationJournal } from '../../storage/jobs/publication-journal.ts';
import { requireConnectable } from '../minion/check-connection.ts';
import { authClient, loadMinionKey } from '../minion/keys.ts';
import { truthy, type Dict } from '../../python/values/value.ts';
import { processFigures } from '../../runtime/metrics/process-figures.ts';
import { sample, samplesOf, type Sample } from '../../runtime/metrics/sample.ts';
import { openTracing, type Tracing } from '../../runtime/tracing/open.ts';
import { brineVersion } from '../../version.ts';
import { MasterBelow } from './below.ts';
import { Downward } from './downward.ts';
import { Forwarder } from './forwarder.ts';
import { JobReports } from './job-reports.ts';
import { JobsBelow } from './jobs-below.ts';
import { Listener } from './listener.ts';
import { MissedReturns } from './missed-returns.ts';
import { SyndicTraces } from './syndic-traces.ts';
import { UpperMasters } from './uppers.ts';

/** What a syndic is started with. */
export interface SyndicStart extends SyndicConfig {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: NodeJS.ProcessEnv;
}

/** Jobs from above that are remembered: as many masters above may have published meanwhile. */
const JOURNAL_JOBS_MAX = 2000;

/**
 * Runs a syndic until it is told to stop.
 * @returns the exit code
 * @throws BrineError when it cannot start, RejectedError and FingerprintError when the only master above forbids it to
 *   go on
 */
export async function runSyndic(start: SyndicStart): Promise<number> {
  const { upper: opts, lower, log, clock, env } = start;
  const manager = serviceManager(env, start);
  log.info(`Setting up the Salt Syndic "${opts.get('id')}"`);
  checkOptions(start);
  requireConnectable(opts);
  refuseSecond(start);
  await prepareHost(start);
  const client = authClient(
    opts,
    await loadMinionKey(opts),
    await autosignGrains(start),
    start.random,
    'syndic_master.pub',
  );
  const tracing = await openTracing(lower, { ...start, service: 'salt-syndic' });
  const syndic = new Syndic(start, client, tracing);
  const stopped = new Promise<string>((resolve) => {
    handleSignals({ stop: resolve, describe: () => syndic.describe() }, clock, log);
  });
  process.on('uncaughtException', outliveUnexpected(clock, log));
  const metrics = await openMetrics(
    { get: () => lower.get('syndic_metrics_address') },
    () => Promise.resolve(syndic.samples(clock.nowMs())),
    { clock, log, option: 'syndic_metrics_address' },
  );
  writePidFile(opts.get('pidfile'), log, manager);
  await manager.ready();
  reportDaemonUp(env);
  log.info(`Syndic is starting as user '${opts.get('user')}', beside the master in ${lower.get('sock_dir')}`);
  try {
    const signal = await Promise.race([stopped, syndic.run()]);
    log.info('Shutting down the Salt Syndic');
    log.warning(`The Salt Syndic is shutdown. Syndic received a ${signal}. Exited.`);
    return 0;
  } catch (error) {
    sayLastWord(env, log, error);
    throw error;
  } finally {
    manager.stopping();
    metrics.close();
    await syndic.close();
    await tracing.close();
    removePidFile(opts.get('pidfile'));
  }
}

/** @throws ConfigError for a value that means nothing */
function checkOptions({ upper, lower }: SyndicStart): void {
  const masters = upper.raw('master');
  if (!truthy(Array.isArray(masters) ? masters.some(truthy) : masters))
    throw new ConfigError(
      `The option syndic_master names no master; write the address of the one above into ${lower.get('conf_file')}.`,
    );
  for (const [name, valid] of [
    ['syndic_mode', ['sync', 'cluster']],
    ['syndic_failover', ['random', 'ordered']],
  ] as const) {
    const value = lower.get(name);
    if (!(valid as readonly string[]).includes(value))
      throw new ConfigError(`The option ${name} is '${value}'; it can be ${valid.join(' or ')}.`);
  }
}

function refuseSecond({ upper }: SyndicStart): void {
  const path = upper.get('pidfile');
  const pid = runningFromPidFile(path, 'salt-syndic');
  if (pid !== undefined)
    throw new BrineError(`A salt-syndic is running already with process id ${pid} (${path}).`, {
      code: 'already-running',
    });
}

async function prepareHost(start: SyndicStart): Promise<void> {
  const { upper } = start;
  const user = await accountOf(upper.get('user'));
  requireSwitchable(user);
  if (upper.get('verify_env')) await prepareOnDisk(() => prepareFolders(start, user));
  await becomeUser(user);
}

function prepareFolders({ upper, lower }: SyndicStart, user: User): void {
  makeDirectory(upper.get('pki_dir'), 0o700);
  makeDirectory(lower.get('cachedir'), 0o755);
  makeDirectory(syndicFolder(lower.get('cachedir')), 0o700);
  requireUsable(lower.get('sock_dir'));
  const logFile = upper.raw('log_file');
  if (typeof logFile === 'string' && logFile.startsWith('/')) makeDirectory(dirname(logFile), 0o755);
  for (const path of [upper.get('pki_dir'), syndicFolder(lower.get('cachedir'))]) giveTree(path, user);
}

/** The master beside it makes the folder of its sockets; one that nobody can make is nothing to wait for. */
function requireUsable(folder: string): void {
  try {
    statSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Grains cost a syndic more than all else; they are collected only where the master above looks at them. */
async function autosignGrains({ upper, log, clock }: SyndicStart): Promise<Dict> {
  if (!truthy(upper.raw('autosign_grains'))) return new Map();
  const { collectGrains } = await import('../../plugins/grains/core/collect.ts');
  return collectGrains({ opts: upper.toDict(), log, clock });
}

/** The running parts. */
class Syndic {
  readonly #tracing: Tracing;
  readonly #uppers: UpperMasters;
  readonly #below: MasterBelow;
  readonly #jobs: JobsBelow;
  readonly #journal: PublicationJournal;
  readonly #missed: MissedReturns;
  readonly #forwarder: Forwarder;
  readonly #downward: Downward;

  constructor(start: SyndicStart, client: ReturnType<typeof authClient>, tracing: Tracing) {
    this.#tracing = tracing;
    const traces = tracing.tracer && new SyndicTraces(tracing.tracer);
    const { upper, lower, clock, log } = start;
    const common = { ...start, opts: upper };
    this.#jobs = new JobsBelow(lower, clock);
    const journal = new PublicationJournal({
      path: join(syndicFolder(lower.get('cachedir')), PUBLICATION_JOURNAL),
      jobsMax: JOURNAL_JOBS_MAX,
      log,
    });
    this.#journal = journal;
    this.#uppers = new UpperMasters({
      ...common,
      client,
      memory: {
        serials: journal,
        signers: new SigningMastersFile(join(upper.get('pki_dir'), SIGNING_MASTERS), log),
        listened: new ListenedKeys(),
      },
      names: systemNames,
      isOrdered: lower.get('syndic_failover') === 'ordered',
      isCluster: lower.get('syndic_mode') === 'cluster',
      onPublication: (load, { name }) => void this.#downward.take(load, name),
      onUp: () => this.#forwarder.wake(),
    });
    const jobs = this.#jobs;
    this.#forwarder = new Forwarder({
      ...common,
      uppers: this.#uppers,
      jobs,
      secured: (returns) => this.#missed.secured(returns),
      traces,
    });
    const forwarder = this.#forwarder;
    const reports = new JobReports({ tell: (name, jid, data) => forwarder.report(name, jid, data), clock });
    const listener = new Listener({
      lower,
      forwarder,
      reports,
      jobs,
      stays: (ret) => this.#missed.secured([ret]),
      clock,
      log,
    });
    this.#missed = new MissedReturns({
      folder: syndicFolder(lower.get('cachedir')),
      jobs,
      forward: (ret) => listener.stored(ret),
      clock,
      log,
    });
    this.#below = new MasterBelow({
      ...start,
      opts: lower,
      onEvent: (event) => listener.hear(event),
      onBus: () => void this.#missed.look(),
    });
    this.#downward = new Downward({ lower, below: this.#below, reports, journal, traces, log });
  }

  /** Never resolves while all is well. @throws RejectedError, FingerprintError */
  run(): Promise<never> {
    this.#below.open();
    return this.#uppers.run();
  }

  describe(): string[] {
    const { taken, repeated, own, unusable, refused } = this.#downward.counters;
    const links = this.#uppers.all.map(({ name, isUp }) => `${name} ${isUp ? 'up' : 'down'}`);
    return [
      `masters above: ${links.join(', ')}; the master below: ${this.#below.isUp ? 'up' : 'down'}`,
      `jobs from above: taken ${taken}, repeated ${repeated}, own ${own}, unusable ${unusable}, not published ${refused}`,
      ...this.#forwarder.describe(),
      `returns found in the job cache: ${this.#missed.counters.found}`,
    ];
  }

  samples(nowMs: number): Sample[] {
    return [
      sample('brine_build_info', 1, 'salt-syndic', brineVersion),
      ...processFigures('salt-syndic', nowMs),
      ...this.#uppers.all.map(({ name, isUp }) => sample('brine_syndic_upper_connected', isUp ? 1 : 0, name)),
      sample('brine_syndic_lower_connected', this.#below.isUp ? 1 : 0),
      ...samplesOf('brine_syndic_jobs_total', Object.entries(this.#downward.counters)),
      ...this.#forwarder.samples(),
      sample('brine_syndic_returns_found_total', this.#missed.counters.found),
      ...this.#tracing.samples(),
    ];
  }

  async close(): Promise<void> {
    this.#below.close();
    this.#forwarder.close();
    this.#uppers.close();
    await this.#missed.close();
    await this.#jobs.close();
    await this.#journal.close();
  }
}
