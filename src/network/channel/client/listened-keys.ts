/**
 * Under which shared keys this process has listened to publications, and since when. A minion that goes from one master
 * of a cluster to another, which has the same key, says there what it can have missed in between; it has missed nothing
 * under a key that is new to it.
 */
import { BoundedMap } from '../../../host/bounded-map.ts';
import type { Crypticle } from '../../crypto/crypticle.ts';
import { keyMarkOf } from './publication.ts';

/** Each master has a new key every day; of those that were listened to longest ago nothing can be missed any more. */
const KEYS_MAX = 512;

/**
 * Since when publications under a shared key are listened to. Kept in memory only: whoever starts has missed nothing.
 */
export class ListenedKeys {
  readonly #sinceMs = new BoundedMap<string, number>(KEYS_MAX);

  /** @param atMs when the subscription stood, on the monotonic clock; the first time counts */
  note(shared: Crypticle, atMs: number): void {
    const mark = keyMarkOf(shared);
    this.#sinceMs.set(mark, this.#sinceMs.get(mark) ?? atMs);
  }

  /**
   * Takes over under which keys another process of this minion has listened until just now, which knows the last serial
   * of each.
   */
  takeOver(marks: readonly string[], sinceMs: number): void {
    for (const mark of marks.slice(0, KEYS_MAX)) this.#sinceMs.set(mark, sinceMs);
  }

  /** What another process of this minion is to take over. */
  get marks(): string[] {
    return [...this.#sinceMs.keys()];
  }

  /** @returns a time on the monotonic clock; undefined for a key that was not listened to yet */
  sinceMs(shared: Crypticle): number | undefined {
    return this.#sinceMs.get(keyMarkOf(shared));
  }
}
