/**
 * A minion whose key was revoked reads along until there is a new shared key. The master on which it was revoked makes
 * one within a second; where that one has died before, another does.
 */
import type { Clock, Timer } from '../../host/clock.ts';

/**
 * How long the master that revoked a key has for a new shared key, ms: it looks once a second, and the others are to
 * hear of it.
 */
const GRACE_MS = 3_000;
/**
 * A shared key that was heard of this shortly before the revocation is the answer to it, ms: the two come by different
 * ways.
 */
const AHEAD_MS = 1_000;

/** What it needs. */
export interface RevokedKeysDeps {
  /** The shared key in force on this master. */
  readonly current: () => string;
  /** Whether this member does what is done once in a cluster. */
  readonly hasDuty: () => boolean;
  readonly requestRotation: (reason: string) => void;
  readonly clock: Clock;
}

/** Keys that another master has revoked, until there is a new shared key. */
export class RevokedKeys {
  readonly #deps: RevokedKeysDeps;
  #key: string;
  #changedMs = -Infinity;
  #timer: Timer | undefined;

  constructor(deps: RevokedKeysDeps) {
    this.#deps = deps;
    this.#key = deps.current();
  }

  /** Another master has said that the key of `id` is no longer accepted. */
  revoked(id: string): void {
    if (this.#deps.clock.monotonicMs() - this.#changedMs < AHEAD_MS) return;
    this.#timer ??= this.#wait(id);
  }

  /** There may be a new shared key, or the one before the current was forgotten. */
  changed(): void {
    const key = this.#deps.current();
    if (key === this.#key) return;
    this.#key = key;
    this.#changedMs = this.#deps.clock.monotonicMs();
    this.close();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** The duty may be with one that has died, and come here later. */
  #wait(id: string): Timer {
    const check = (): void => {
      this.#timer = undefined;
      if (this.#deps.hasDuty())
        this.#deps.requestRotation(
          `the key of ${id} was revoked on another master, which has made no new one`,
        );
      else this.#timer = this.#wait(id);
    };
    return this.#deps.clock.after(GRACE_MS, check, { background: true });
  }
}
