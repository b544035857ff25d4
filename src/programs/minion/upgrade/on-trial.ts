/**
 * A minion that is on trial, seen from inside: it was started by an older version, which watches it
 * (src/runtime/upgrade/trial.ts), and talks to that over Node's channel between parent and child.
 */
import { ALIVE_MS, type ChildWord, type WatcherWord } from '../../../runtime/upgrade/trial.ts';
import type { Clock, Timer } from '../../../host/clock.ts';

/** Set for a minion on trial. */
export const TRIAL_MARK = 'BRINE_TRIAL';
/** As programs end that may be started again. */
const EX_TEMPFAIL = 75;

/** What of a process is used. */
export interface TrialProcess {
  readonly send?: ((word: ChildWord) => boolean) | undefined;
  on(event: 'message' | 'disconnect', listener: (word: unknown) => void): unknown;
  exit(code: number): never;
}

/** The connection to the older version. */
export class OnTrial {
  readonly #process: TrialProcess;
  readonly #clock: Clock;
  #isTrusted = false;
  #join: (listened: readonly string[]) => void = () => undefined;
  #trust: () => void = () => undefined;
  #gone: () => void = () => undefined;
  #alive: Timer | undefined;
  readonly #joins: Promise<readonly string[]>;
  /** The trial is over, and this is the minion of this machine. */
  readonly trusted: Promise<void>;
  /** The older version has ended, with the last of its jobs. */
  readonly watcherGone: Promise<void>;

  /** @returns undefined for every other minion */
  static from(env: NodeJS.ProcessEnv, own: TrialProcess, clock: Clock): OnTrial | undefined {
    const isMarked = env[TRIAL_MARK] === '1';
    // what this minion starts is on no trial
    delete env[TRIAL_MARK];
    return isMarked && own.send !== undefined ? new OnTrial(own, clock) : undefined;
  }

  private constructor(own: TrialProcess, clock: Clock) {
    this.#process = own;
    this.#clock = clock;
    this.#joins = new Promise((resolve) => (this.#join = resolve));
    this.trusted = new Promise((resolve) => (this.#trust = resolve));
    this.watcherGone = new Promise((resolve) => (this.#gone = resolve));
    own.on('message', (word) => this.#heard(word));
    own.on('disconnect', () => {
      this.#alive?.cancel();
      // nobody is left to decide: the older version starts anew, with this one's next trial
      if (!this.#isTrusted) own.exit(EX_TEMPFAIL);
      this.#gone();
    });
  }

  /** Whether it is the minion of this machine by now. */
  get isOver(): boolean {
    return this.#isTrusted;
  }

  /** @returns once the older version has left the master: the keys under which it has listened */
  async prepared(): Promise<readonly string[]> {
    this.#say({ brine: 'prepared' });
    return this.#joins;
  }

  /** Says from now on, and whenever something changes, whether there is a connection to a master. */
  tellAlive(isUp: () => boolean): () => void {
    const tell = (): void => this.#say({ brine: 'alive', isUp: isUp() });
    this.#alive = this.#clock.every(ALIVE_MS, tell, { background: true });
    return tell;
  }

  /** A job was run, or could not be. */
  tellProof(failure: string | undefined): void {
    this.#say(failure === undefined ? { brine: 'proof' } : { brine: 'failed', reason: failure });
  }

  /** It knows that it is trusted, and says nothing more. */
  kept(): void {
    this.#alive?.cancel();
    this.#say({ brine: 'kept' });
  }

  #heard(given: unknown): void {
    const word = given as WatcherWord;
    if (word.brine === 'join') this.#join(word.listened);
    else if (word.brine === 'trusted') {
      this.#isTrusted = true;
      this.#trust();
    }
  }

  #say(word: ChildWord): void {
    try {
      this.#process.send?.(word);
    } catch {
      // the channel is closed, which says what to do by itself
    }
  }
}
