/**
 * The trial of a version, as the old, known version watches it: the new minion is started as a child, takes the place
 * of the old one when it is ready, proves that it can run jobs, and is watched for a while. Whatever it does wrong ends
 * it. All decisions are made here, by the version that is known to work.
 */
import type { Clock, Timer } from '../../host/clock.ts';

/** Until the new minion has read its configuration and collected its grains. */
const PREPARED_MS = 25_000;
/** From then until it has joined its master and run a job. */
const PROOF_MS = 25_000;
/** It says this often that it is alive. */
export const ALIVE_MS = 2_000;
/** A minion that says nothing for so long hangs. */
const SILENT_MS = 20_000;
/** A new minion without its master at the end of the trial is given this time. */
const LINK_MS = 30_000;
/** Until the one that is trusted has heard so. */
const KEPT_MS = 15_000;
const LOOK_MS = 500;

/** What the new minion says: it is ready to join, it has run a job, it lives, it knows that it is trusted. */
export type ChildWord =
  | { readonly brine: 'prepared' }
  | { readonly brine: 'proof' }
  | { readonly brine: 'failed'; readonly reason: string }
  | { readonly brine: 'alive'; readonly isUp: boolean }
  | { readonly brine: 'kept' };

/** What it is told: to join now, and under which keys publications were listened to; that the trial is over. */
export type WatcherWord =
  { readonly brine: 'join'; readonly listened: readonly string[] } | { readonly brine: 'trusted' };

/** The new minion, as it is watched. */
export interface TrialChild {
  /** Undefined where it could not be started at all. */
  readonly pid: number | undefined;
  say(word: WatcherWord): void;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Its memory; undefined when it is gone. */
  memoryBytes(): number | undefined;
  onWord(heard: (word: ChildWord) => void): void;
  /** @param ended why it ended: `exit code 1`, `signal SIGKILL`, or why it could not be started */
  onEnd(ended: (how: string) => void): void;
}

/** What a trial is made of. */
export interface TrialDeps {
  readonly child: TrialChild;
  readonly clock: Clock;
  readonly trialMs: number;
  readonly memoryBytesMax: number;
  /** The old minion leaves its master. @returns the keys that it has listened under */
  retire(): Promise<readonly string[]>;
  /** The new version is the one from now on, on the disk too. */
  commit(awayMs: number): void;
}

/** How a trial ended; `step` is the last that was reached. */
export type TrialEnd =
  | { readonly isTrusted: true; readonly awayMs: number }
  | { readonly isTrusted: false; readonly step: TrialStep; readonly reason: string; readonly awayMs: number };

/** Where a trial is. */
export type TrialStep = 'start' | 'join' | 'trial' | 'hand over';

/** One trial. */
export class Trial {
  readonly #deps: TrialDeps;
  #step: TrialStep = 'start';
  #timer: Timer | undefined;
  #looks: Timer | undefined;
  #lastWordMs: number;
  #isUp = false;
  #retiredMs: number | undefined;
  #awayMs = 0;
  #finish: (end: TrialEnd) => void = () => undefined;
  readonly #ended: Promise<TrialEnd>;

  constructor(deps: TrialDeps) {
    this.#deps = deps;
    this.#lastWordMs = deps.clock.monotonicMs();
    this.#ended = new Promise((resolve) => (this.#finish = resolve));
  }

  /** Whether the old minion has left its master for the new one. */
  get isRetired(): boolean {
    return this.#retiredMs !== undefined;
  }

  /** Watches until it is decided; a child that is not trusted is gone then. */
  async run(): Promise<TrialEnd> {
    const { child, clock } = this.#deps;
    child.onWord((word) => void this.#heard(word));
    child.onEnd((how) => this.#childEnded(how));
    this.#within(PREPARED_MS, 'it was not ready to join its master');
    this.#looks = clock.every(LOOK_MS, () => this.#look());
    const end = await this.#ended;
    this.#timer?.cancel();
    this.#looks.cancel();
    if (!end.isTrusted) child.kill('SIGKILL');
    return end;
  }

  /** Somebody wants an end. */
  stop(reason: string): void {
    this.#fail(reason);
  }

  #childEnded(how: string): void {
    // one that is trusted is not ours to judge any more
    if (this.#step === 'hand over') this.#finish({ isTrusted: true, awayMs: this.#awayMs });
    else this.#fail(`it ended by itself (${how})`);
  }

  async #heard(word: ChildWord): Promise<void> {
    const { clock } = this.#deps;
    this.#lastWordMs = clock.monotonicMs();
    if (word.brine === 'prepared' && this.#step === 'start') return this.#letJoin();
    if (word.brine === 'failed') return this.#fail(word.reason);
    if (word.brine === 'alive') this.#isUp = word.isUp;
    if (word.brine === 'alive' && word.isUp && this.#retiredMs !== undefined && this.#awayMs === 0)
      this.#awayMs = Math.max(1, clock.monotonicMs() - this.#retiredMs);
    if (word.brine === 'proof' && this.#step === 'join') {
      this.#step = 'trial';
      this.#timer?.cancel();
      this.#timer = clock.after(this.#deps.trialMs, () => this.#over());
    }
    if (word.brine === 'kept' && this.#step === 'hand over')
      this.#finish({ isTrusted: true, awayMs: this.#awayMs });
  }

  async #letJoin(): Promise<void> {
    const { child, clock } = this.#deps;
    this.#step = 'join';
    this.#within(PROOF_MS, 'it did not join its master and run a job');
    this.#retiredMs = clock.monotonicMs();
    const listened = await this.#deps.retire();
    child.say({ brine: 'join', listened });
  }

  /** The time is over: it is trusted when it has its master, or has it soon. */
  #over(): void {
    const { child, clock, commit } = this.#deps;
    if (!this.#isUp) return this.#awaitLink();
    this.#timer?.cancel();
    try {
      commit(this.#awayMs);
    } catch (error) {
      return this.#fail(
        `its trial went well, and that could not be written down: ${(error as Error).message}`,
      );
    }
    this.#step = 'hand over';
    child.say({ brine: 'trusted' });
    this.#timer = clock.after(KEPT_MS, () => this.#finish({ isTrusted: true, awayMs: this.#awayMs }));
  }

  /** The master may be away, for both versions: some time is given, and then the known one is the safer. */
  #awaitLink(): void {
    const { clock } = this.#deps;
    const untilMs = clock.monotonicMs() + LINK_MS;
    this.#timer?.cancel();
    this.#timer = clock.every(LOOK_MS, () => {
      if (this.#isUp) this.#over();
      else if (clock.monotonicMs() > untilMs)
        this.#fail('it had no connection to its master at the end of its trial');
    });
  }

  #look(): void {
    const { child, clock, memoryBytesMax } = this.#deps;
    if (this.#step === 'hand over') return;
    if (clock.monotonicMs() - this.#lastWordMs > SILENT_MS && this.#step === 'trial')
      return this.#fail(`it said nothing for ${SILENT_MS / 1000} seconds`);
    const bytes = child.memoryBytes();
    if (bytes !== undefined && bytes > memoryBytesMax)
      this.#fail(
        `it took ${megabytes(bytes)} MB of memory, and ${megabytes(memoryBytesMax)} MB are its bound`,
      );
  }

  #within(limitMs: number, otherwise: string): void {
    this.#timer?.cancel();
    this.#timer = this.#deps.clock.after(limitMs, () =>
      this.#fail(`${otherwise} within ${limitMs / 1000} seconds`),
    );
  }

  #fail(reason: string): void {
    this.#finish({ isTrusted: false, step: this.#step, reason, awayMs: this.#awayMs });
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
