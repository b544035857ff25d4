/**
 * Temporary files that only those read who know of this: their content stays in memory, and making one costs nothing on
 * the disk.
 */
import { tempPath } from './file-operations.ts';
import type { Random } from './random.ts';

/**
 * Contents by the paths that stand for them, at which there is nothing. Lives as long as the one call that hands it on.
 */
export class HeldFiles {
  readonly #contents = new Map<string, Uint8Array>();

  /** @returns a path that nobody can guess, as of a temporary file */
  hold(content: Uint8Array, random: Random): string {
    const path = tempPath(random);
    this.#contents.set(path, content);
    return path;
  }

  /** The content that a path stands for; undefined when it is an ordinary path. */
  content(path: string): Uint8Array | undefined {
    return this.#contents.get(path);
  }
}
