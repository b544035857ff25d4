/**
 * The place of the minion on this machine: which process and which version has it. A minion serves until it is told to
 * stop, or until another version has stood its trial; one that fails leaves the place to the version that is known to
 * work (docs/internals/upgrade.md).
 */
import { messageOf } from '../../../errors/errors.ts';
import { startTicks } from '../../../host/process-identity.ts';
import { signalTree } from '../../../host/process-tree.ts';
import { dict, type Dict } from '../../../python/values/value.ts';
import type { Tracing } from '../../../runtime/tracing/open.ts';
import type { Installation } from '../../../runtime/upgrade/installation.ts';
import { Trial, type TrialEnd } from '../../../runtime/upgrade/trial.ts';
import {
  endTrial,
  readTrial,
  writeTrial,
  type TrialOutcome,
  type TrialRecord,
} from '../../../runtime/upgrade/trial-record.ts';
import { isDaemonProcess, reportDaemonUp } from '../../daemon/daemonize.ts';
import { openMetrics } from '../../daemon/metrics-server.ts';
import type { ServiceManager } from '../../daemon/notify.ts';
import { writePidFile } from '../../daemon/pid-file.ts';
import { handleSignals } from '../../daemon/signals.ts';
import type { MinionStart } from '../minion-start.ts';
import { assemble, type Minion } from '../running-minion.ts';
import { startupDelay } from '../startup-delay.ts';
import { startNewMinion, type NewMinion } from './new-minion.ts';
import type { OnTrial } from './on-trial.ts';
import { outcomeData } from './outcome-data.ts';

/** A trial that ended this often with the machine, or with the minion that watched it, is not begun again. */
const ATTEMPTS_MAX = 3;
/** Time for a new minion to end when the whole minion is told to. */
const STOP_MS = 3_000;

/** What the place needs. */
export interface MinionPlaceDeps {
  readonly start: MinionStart;
  readonly tracing: Tracing;
  readonly manager: ServiceManager;
  /** Where this minion is on trial itself. */
  readonly onTrial: OnTrial | undefined;
}

interface Order {
  readonly to: string;
  readonly jid: string;
  readonly answer: (outcome: TrialOutcome) => void;
}

/** How a trial ended here; with a `code` this process is done. */
interface Tried {
  readonly outcome: TrialOutcome;
  readonly isRetired: boolean;
  readonly code: number | undefined;
}

/** Runs the minion, and those that follow it. */
export class MinionPlace {
  readonly #deps: MinionPlaceDeps;
  readonly #stopped: Promise<string>;
  #minion: Minion | undefined;
  #metrics: { close(): void } | undefined;
  #order: (order: Order) => void = () => undefined;
  #isTrying = false;

  constructor(deps: MinionPlaceDeps) {
    this.#deps = deps;
    const { clock, log } = deps.start;
    this.#stopped = new Promise((resolve) => {
      handleSignals({ stop: resolve, describe: () => this.#minion?.describe() ?? [] }, clock, log);
    });
  }

  /**
   * Serves, until there is an end.
   * @returns the exit code
   * @throws RejectedError, FingerprintError: the minion must not go on
   */
  async run(): Promise<number> {
    const { start, onTrial } = this.#deps;
    const { opts, log } = start;
    const code = onTrial === undefined ? await this.#goOn() : undefined;
    if (code !== undefined) return code;
    let minion = await this.#open(undefined);
    if (onTrial === undefined) {
      await this.#up();
      reportDaemonUp(start.env);
    } else this.#stand(onTrial, minion);
    log.info(`Minion is starting as user '${opts.get('user')}'`);
    const delayed = onTrial === undefined ? startupDelay(start) : Promise.resolve();
    let joined = delayed.then(() => minion.join());
    for (;;) {
      const end = await Promise.race([this.#stopped, joined, this.#nextOrder()]);
      if (typeof end === 'string') return this.#ended(end);
      const { outcome, code: over, isRetired } = await this.#obey(end, minion);
      if (over !== undefined) return over;
      log.error(sentence(outcome));
      const signal = await Promise.race([this.#stopped, Promise.resolve(undefined)]);
      if (signal !== undefined) return this.#ended(signal);
      if (isRetired) {
        minion = await this.#open(minion);
        joined = minion.join();
      } else void minion.tellOutcome();
    }
  }

  /** Ends what still runs. */
  async close(): Promise<void> {
    this.#metrics?.close();
    await this.#minion?.stopEngines();
    this.#minion?.close();
  }

  #ended(signal: string): number {
    const { log } = this.#deps.start;
    log.info('Shutting down the Salt Minion');
    log.warning(`The Salt Minion is shutdown. Minion received a ${signal}. Exited.`);
    return 0;
  }

  /** @param before the minion that has left this process its place */
  async #open(before: Minion | undefined): Promise<Minion> {
    const { start, tracing, onTrial } = this.#deps;
    const { opts, clock, log } = start;
    const minion = await assemble(start, tracing, {
      onTrial: before === undefined ? onTrial : undefined,
      running: before?.running,
      tryVersion: (order) => this.#ask(order),
    });
    this.#minion = minion;
    this.#metrics = await openMetrics(opts, () => Promise.resolve(minion.figures()), { clock, log });
    return minion;
  }

  /** This process is the minion, for whoever looks at its pid file or has started it. */
  async #up(): Promise<void> {
    const { start, manager } = this.#deps;
    writePidFile(start.opts.get('pidfile'), start.log, manager);
    await manager.ready();
  }

  /** On trial: says what the older version wants to know, and becomes the minion when that trusts it. */
  #stand(onTrial: OnTrial, minion: Minion): void {
    const tell = onTrial.tellAlive(() => minion.isUp);
    let isProving = false;
    minion.onLink(() => {
      tell();
      if (!minion.isUp || isProving) return;
      isProving = true;
      void minion.proveJobs().then((failure) => onTrial.tellProof(failure));
    });
    void onTrial.trusted.then(async () => {
      await this.#up();
      onTrial.kept();
      void minion.tellOutcome();
      await onTrial.watcherGone;
      minion.takeOverReturns();
    });
  }

  #nextOrder(): Promise<Order> {
    return new Promise((resolve) => (this.#order = resolve));
  }

  async #ask(order: Dict): Promise<Dict> {
    const { installation } = this.#deps.start;
    const [to, jid] = [order.get('to'), order.get('jid')];
    if (installation === undefined || typeof to !== 'string')
      return dict({ result: false, step: 'check', comment: 'Versions do not lie side by side here.' });
    if (this.#isTrying || this.#deps.onTrial?.isOver === false)
      return dict({ result: false, step: 'check', comment: 'A version is on trial on this minion already.' });
    this.#isTrying = true;
    const outcome = await new Promise<TrialOutcome>((answer) =>
      this.#order({ to, jid: String(jid), answer }),
    );
    return outcomeData(outcome);
  }

  async #obey({ to, jid, answer }: Order, minion: Minion): Promise<Tried> {
    const { start } = this.#deps;
    const installation = start.installation as Installation;
    const record: TrialRecord = {
      ...{ from: installation.version, to, jid, attempts: 1, child: undefined },
      trialMs: start.opts.get('brine_upgrade_trial') * 1000,
      memoryBytesMax: start.opts.get('brine_upgrade_memory') * 1024 * 1024,
    };
    try {
      return await this.#try(installation, record, minion, answer);
    } catch (error) {
      // nothing has left its place: the disk did not take the record
      const outcome = this.#outcome(record, {
        ...{ result: false, step: 'start', awayMs: 0 },
        comment: `The trial could not be begun: ${messageOf(error)}`,
      });
      answer(outcome);
      return { outcome, isRetired: false, code: undefined };
    } finally {
      this.#isTrying = false;
    }
  }

  /**
   * A trial that ended with the machine, or with the process that watched it, is begun again; after the last attempt
   * the known version stays.
   * @returns the exit code, when the new version has the place now
   */
  async #goOn(): Promise<number | undefined> {
    const { start, manager } = this.#deps;
    const { installation, log } = start;
    const record = installation && readTrial(installation.base);
    if (installation === undefined || record === undefined) return undefined;
    endLeft(record.child);
    const over = (result: boolean, comment: string): undefined => {
      endTrial(installation.base, this.#outcome(record, { result, step: 'trial', comment, awayMs: 0 }));
      log.warning(comment);
    };
    if (installation.version === record.to)
      return over(true, `${record.to} has stood its trial, and takes the place of ${record.from}.`);
    if (installation.version !== record.from)
      return over(
        false,
        `The trial of ${record.to} is over: ${installation.version} was installed meanwhile.`,
      );
    if (!installation.has(record.to))
      return over(false, `The trial of ${record.to} is over: ${installation.folder(record.to)} is gone.`);
    if (record.attempts >= ATTEMPTS_MAX)
      return over(
        false,
        `The trial of ${record.to} was interrupted ${record.attempts} times; ${record.from} stays.`,
      );
    log.warning(
      `The trial of ${record.to} was interrupted and begins again (attempt ${record.attempts + 1}).`,
    );
    writePidFile(start.opts.get('pidfile'), log, manager);
    await manager.ready();
    reportDaemonUp(start.env);
    const again = { ...record, attempts: record.attempts + 1, child: undefined };
    const { outcome, code } = await this.#try(installation, again, undefined, () => undefined);
    if (code === undefined) log.error(sentence(outcome));
    return code;
  }

  async #try(
    installation: Installation,
    record: TrialRecord,
    minion: Minion | undefined,
    answer: (outcome: TrialOutcome) => void,
  ): Promise<Tried> {
    const { start, manager } = this.#deps;
    const { base } = installation;
    writeTrial(base, record);
    const env = { ...start.line.env, ...manager.environment };
    const child = startNewMinion(installation.folder(record.to), { ...start.line, env });
    if (child.pid !== undefined)
      writeTrial(base, { ...record, child: { pid: child.pid, startTicks: startTicks(child.pid) ?? '' } });
    const success = (awayMs: number): TrialOutcome =>
      this.#outcome(record, { result: true, step: 'done', comment: '', awayMs });
    const trial = new Trial({
      child,
      ...{ clock: start.clock, trialMs: record.trialMs, memoryBytesMax: record.memoryBytesMax },
      retire: () => this.#retire(minion),
      commit: (awayMs) => {
        installation.setCurrent(record.to);
        endTrial(base, success(awayMs));
        manager.handedOver();
      },
    });
    void this.#stopped.then((signal) => trial.stop(`the minion received a ${signal}`));
    const end = await trial.run();
    if (!end.isTrusted) return this.#goBack(installation, record, end, { trial, child, answer });
    const outcome = success(end.awayMs);
    answer(outcome);
    installation.tidy([record.from, record.to]);
    return { outcome, isRetired: true, code: await this.#leave(child, minion) };
  }

  async #retire(minion: Minion | undefined): Promise<readonly string[]> {
    this.#metrics?.close();
    this.#metrics = undefined;
    return (await minion?.retire()) ?? [];
  }

  async #goBack(
    installation: Installation,
    record: TrialRecord,
    { step, reason, awayMs }: TrialEnd & { readonly isTrusted: false },
    { trial, child, answer }: { trial: Trial; child: NewMinion; answer: (outcome: TrialOutcome) => void },
  ): Promise<Tried> {
    const { clock } = this.#deps.start;
    const { from, to } = record;
    const comment = `${to} did not stand its trial: ${reason}. ${from} is back.`;
    const outcome = this.#outcome(record, { result: false, step, comment, awayMs });
    const isStopped = await Promise.race([this.#stopped.then(() => true), Promise.resolve(false)]);
    // a minion that is stopped meanwhile tries again when it is started
    if (!isStopped) {
      if (installation.current === to) installation.setCurrent(from);
      endTrial(installation.base, outcome);
    }
    await Promise.race([child.ended, clock.sleep(STOP_MS)]);
    answer(outcome);
    return { outcome, isRetired: trial.isRetired, code: undefined };
  }

  /** The last of its jobs ends, and then this process, unless somebody waits for it. */
  async #leave(child: NewMinion, minion: Minion | undefined): Promise<number> {
    const { start, manager } = this.#deps;
    start.log.warning(
      'Another version is the minion of this machine now; this one ends with the last of its jobs.',
    );
    await Promise.race([minion?.drained(), this.#stopped]);
    const isWaitedFor = !manager.isThere && !isDaemonProcess(start.env);
    child.letGo();
    if (!isWaitedFor) return 0;
    void this.#stopped.then(() => child.kill('SIGTERM'));
    return child.ended;
  }

  #outcome(
    { from, to, jid }: TrialRecord,
    rest: Pick<TrialOutcome, 'result' | 'step' | 'comment' | 'awayMs'>,
  ): TrialOutcome {
    return { from, to, jid, ...rest, atMs: this.#deps.start.clock.nowMs(), isTold: false };
  }
}

/** What a watcher that was killed has left. */
function endLeft(child: TrialRecord['child']): void {
  if (child !== undefined && startTicks(child.pid) === child.startTicks) signalTree(child.pid, 9);
}

function sentence({ comment, step }: TrialOutcome): string {
  return `${comment} (step: ${step})`;
}
