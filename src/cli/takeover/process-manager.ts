/** Daemons that nobody watches: they are found by their processes, ended by signals and started in the background. */
import type { Clock } from '../../host/clock.ts';
import type { RunAs } from '../../host/credentials.ts';
import { runProcess } from '../../host/process.ts';
import { isProcessAlive, type ProcessTable } from '../../host/running-processes.ts';
import { programOf, type DaemonManager, type ManagerPlace } from './daemon-manager.ts';
import { daemonsOn, type RunningDaemon } from './daemons-here.ts';
import type { RecordedDaemon } from './record.ts';
import { TakeoverError } from './takeover-error.ts';

/** Time for a daemon to end by itself. */
const ENDING_MS = 60_000;
/** And to be gone after SIGKILL. */
const KILLED_MS = 10_000;
/** A start that says nothing for so long hangs. */
const STARTING_MS = 180_000;
const LOOK_MS = 100;
/** Lines of what a program said that are told. */
const SAID_LINES = 12;

/** Starts and ends daemons without systemd. */
export class ProcessManager implements DaemonManager {
  readonly #place: ManagerPlace;
  readonly #table: ProcessTable;
  readonly #clock: Clock;

  constructor(place: ManagerPlace, { table, clock }: { table: ProcessTable; clock: Clock }) {
    this.#place = place;
    this.#table = table;
    this.#clock = clock;
  }

  filesOf(): string[] {
    return [];
  }

  async stop({ role }: RecordedDaemon): Promise<void> {
    const asked = new Set<number>();
    const endMs = this.#clock.monotonicMs() + ENDING_MS;
    let left = this.#running(role);
    for (; left.length > 0 && this.#clock.monotonicMs() < endMs; left = this.#running(role)) {
      for (const { pid } of left) if (!asked.has(pid)) signal(pid, 'SIGTERM');
      for (const { pid } of left) asked.add(pid);
      await this.#ended(left, endMs);
    }
    if (left.length === 0) return;
    for (const pid of left.flatMap(({ pids }) => pids)) signal(pid, 'SIGKILL');
    await this.#ended(left, this.#clock.monotonicMs() + KILLED_MS);
    if (this.#running(role).length > 0)
      throw new TakeoverError(
        `${programOf(role)} does not end, even after SIGKILL (process ${left.map(({ pid }) => pid).join(', ')}).`,
      );
  }

  async startBrine(daemon: RecordedDaemon): Promise<void> {
    await this.#start("Brine's", this.#place.command(programOf(daemon.role)), daemon);
  }

  async startSalt(daemon: RecordedDaemon): Promise<void> {
    const { command, options } = daemon;
    await this.#start("Salt's", command.slice(0, command.length - options.length), daemon);
  }

  #running(role: RecordedDaemon['role']): RunningDaemon[] {
    return daemonsOn(this.#place.configDir, this.#table).filter((one) => one.role === role);
  }

  async #ended(daemons: readonly RunningDaemon[], endMs: number): Promise<void> {
    const pids = daemons.flatMap((one) => one.pids);
    while (pids.some(isProcessAlive) && this.#clock.monotonicMs() < endMs) await this.#clock.sleep(LOOK_MS);
  }

  async #start(whose: string, program: readonly string[], daemon: RecordedDaemon): Promise<void> {
    const { options, cwd, env } = daemon;
    const argv = [...program, '-c', this.#place.configDir, ...options, '-d'];
    const { retcode, stdout, stderr, timedOut } = await runProcess(argv, {
      cwd,
      env: new Map(Object.entries(env)),
      timeoutMs: STARTING_MS,
      ...credentialsOf(daemon),
    });
    if (retcode === 0) return;
    const said = lastLines(`${stdout.toString('utf8')}${stderr.toString('utf8')}`);
    const why = timedOut ? `did not start within ${STARTING_MS / 1000} s` : `ended with ${retcode}`;
    throw new TakeoverError(`${whose} ${programOf(daemon.role)} ${why}${said === '' ? '.' : `: ${said}`}`);
  }
}

/** A daemon that has given up root by itself is started by root again. */
function credentialsOf({ uid, gid, groups }: RecordedDaemon): { readonly credentials?: RunAs } {
  return uid === process.geteuid?.() ? {} : { credentials: { uid, gid, groups } };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it ended in the meantime
  }
}

/** The end of what a program said, where the reason stands. */
export function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-SAID_LINES).join('\n');
}
