/**
 * Brine in the place of Salt's daemons, and Salt's in the place of Brine's. Each step is in the record before it is
 * taken, and each may be taken again: what was stopped in the middle is brought to one whole state by either direction.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import { makeLinks, removeLinks } from './command-links.ts';
import { programOf, type DaemonManager } from './daemon-manager.ts';
import { ROLES, type Maker } from './daemons-here.ts';
import { runOwn } from './programs.ts';
import { prove, type ProofDeps } from './prove.ts';
import type { RecordedDaemon, RecordFile, TakeoverRecord } from './record.ts';
import { TakeoverError } from './takeover-error.ts';

/** What a transfer works with. */
export interface TransferDeps extends ProofDeps {
  readonly file: RecordFile;
  readonly managerOf: (daemon: Pick<RecordedDaemon, 'unit'>) => DaemonManager;
  /** Tells of a step as it begins. */
  readonly say: (line: string) => void;
  readonly timeoutMs: number;
}

/** What became of the jobs that ran under Brine. */
export interface ExportedJobs {
  readonly jobs: number;
  readonly returns: number;
}

/** How a way back ended. */
export interface WayBack {
  readonly exported: ExportedJobs | undefined;
  /** What did not go as it should, a sentence each. */
  readonly faults: readonly string[];
}

const STEPS_KEPT = 100;
/** A job cache of years is written in minutes. */
const EXPORT_MAX_MS = 3_600_000;

/** One takeover, and its way back. */
export class Transfer {
  readonly #deps: TransferDeps;
  #record: TakeoverRecord;

  /** @param record what there is, which is written with the first step */
  constructor(record: TakeoverRecord, deps: TransferDeps) {
    this.#record = record;
    this.#deps = deps;
  }

  /** Puts Brine in the place of the daemons that are not taken over yet. @throws TakeoverError with the reason */
  async take(): Promise<void> {
    const daemons = this.#record.daemons.filter(({ isTaken }) => !isTaken);
    this.#become('taking');
    for (const daemon of inOrder(daemons).reverse())
      await this.#step(`Stopping Salt's ${programOf(daemon.role)}`, () =>
        this.#deps.managerOf(daemon).stop(daemon),
      );
    for (const daemon of inOrder(daemons))
      await this.#step(`Starting Brine's ${programOf(daemon.role)}`, () =>
        this.#deps.managerOf(daemon).startBrine(daemon),
      );
    const links = daemons.flatMap((daemon) => daemon.links);
    if (links.length > 0) await this.#step('Making links to the commands', () => makeLinks(links));
    const why = await this.#seen('brine', daemons);
    if (why !== undefined) throw new TakeoverError(why);
    this.#update({ state: 'taken', daemons: this.#record.daemons.map((one) => ({ ...one, isTaken: true })) });
  }

  /** Puts Salt's daemons back, and forgets them. */
  async back(daemons: readonly RecordedDaemon[]): Promise<WayBack> {
    const faults: string[] = [];
    const trying = async (name: string, work: () => Promise<void> | void): Promise<void> => {
      try {
        await this.#step(name, work);
      } catch (error) {
        faults.push(messageOf(error));
      }
    };
    this.#become('going back');
    const master = daemons.find(({ role }) => role === 'master');
    let exported: ExportedJobs | undefined;
    const write = async (): Promise<void> => {
      const more = await this.#exportJobs();
      if (more === undefined) return;
      exported = {
        jobs: Math.max(exported?.jobs ?? 0, more.jobs),
        returns: (exported?.returns ?? 0) + more.returns,
      };
    };
    if (master !== undefined && this.#hasJobs()) await trying('Writing the jobs of Brine for Salt', write);
    for (const daemon of inOrder(daemons).reverse())
      await trying(`Stopping Brine's ${programOf(daemon.role)}`, () =>
        this.#deps.managerOf(daemon).stop(daemon),
      );
    // what came since the first time; the master is away as long as that takes
    if (master !== undefined && this.#hasJobs())
      await trying('Writing the last jobs of Brine for Salt', write);
    const links = daemons.flatMap((daemon) => daemon.links);
    if (links.length > 0) await trying('Removing links to the commands', () => removeLinks(links));
    for (const daemon of inOrder(daemons))
      await trying(`Starting Salt's ${programOf(daemon.role)}`, () =>
        this.#deps.managerOf(daemon).startSalt(daemon),
      );
    const why = await this.#seen('salt', daemons);
    if (why !== undefined) faults.push(why);
    if (faults.length === 0) this.#forget(daemons);
    return { exported, faults };
  }

  #become(state: TakeoverRecord['state']): void {
    this.#update({ state });
  }

  async #step(name: string, work: () => Promise<void> | void): Promise<void> {
    const at = new Date(this.#deps.clock.nowMs()).toISOString();
    this.#update({ steps: [...this.#record.steps, { name, at }].slice(-STEPS_KEPT) });
    this.#deps.say(`${name} …`);
    await work();
  }

  #update(change: Partial<TakeoverRecord>): void {
    this.#record = { ...this.#record, ...change };
    this.#deps.file.write(this.#record);
  }

  async #seen(maker: Maker, daemons: readonly RecordedDaemon[]): Promise<string | undefined> {
    let why: string | undefined;
    const answered = this.#record.answered ?? [];
    const whose = maker === 'salt' ? "Salt's" : "Brine's";
    await this.#step(`Waiting until ${whose} daemons answer`, async () => {
      const { timeoutMs } = this.#deps;
      why = await prove({ maker, daemons: inOrder(daemons), answered, timeoutMs }, this.#deps);
    });
    return why;
  }

  /** The job cache of Brine; Salt's master keeps none there. */
  #hasJobs(): boolean {
    try {
      return existsSync(join(this.#deps.site.master.get('cachedir'), 'job_cache'));
    } catch {
      return true; // the command says what is wrong with the configuration
    }
  }

  /** Writes the jobs that ran under Brine into Salt's layout. @returns undefined when there is nothing to say */
  async #exportJobs(): Promise<ExportedJobs | undefined> {
    const { site, programs } = this.#deps;
    const { code, stdout, stderr } = await runOwn(
      programs,
      ['salt-run', '--out', 'json', 'jobs.export_to_salt'],
      { configDir: site.configDir, timeoutMs: EXPORT_MAX_MS },
    );
    const counts = code === 0 ? countsIn(stdout) : undefined;
    if (counts !== undefined) return counts;
    throw new TakeoverError(
      `The jobs that ran under Brine were not written for Salt: ${stderr.trim() || stdout.trim() || `exit code ${code}`} ` +
        'They are kept in job_cache in cachedir; call salt-run jobs.export_to_salt of Brine when that is mended.',
    );
  }

  #forget(daemons: readonly RecordedDaemon[]): void {
    const left = this.#record.daemons.filter((one) => !daemons.includes(one));
    if (left.length === 0) this.#deps.file.remove();
    else this.#update({ state: left.every(({ isTaken }) => isTaken) ? 'taken' : 'taking', daemons: left });
  }
}

function inOrder(daemons: readonly RecordedDaemon[]): RecordedDaemon[] {
  return ROLES.flatMap((role) => daemons.filter((one) => one.role === role));
}

function countsIn(text: string): ExportedJobs | undefined {
  try {
    const { jobs, returns } = JSON.parse(text) as Record<string, unknown>;
    return typeof jobs === 'number' && typeof returns === 'number' ? { jobs, returns } : undefined;
  } catch {
    return undefined;
  }
}
