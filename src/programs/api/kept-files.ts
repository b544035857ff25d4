/**
 * Files that strangers may ask for as often as they like, held once: all answers share their bytes, and what is
 * compressed is compressed once. A file that has changed is read anew.
 */
import { stat } from 'node:fs/promises';

/** What all of them may take together; those that were used longest ago are given up. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;

interface Kept {
  readonly version: string;
  readonly bytes: Promise<Buffer>;
  /** 0 until it has been read. */
  sizeBytes: number;
}

/** Keeps them. */
export class KeptFiles {
  /** The one that was used last stands last. */
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;
  readonly counters = { read: 0, givenUp: 0 };

  /** Bytes that are held. */
  get sizeBytes(): number {
    return this.#keptBytes;
  }

  /**
   * What a file becomes.
   * @param make reads it, and makes of it what is sent; asked once, however many wait for it
   * @throws what `make` throws, and the error of the system for a file that is not there
   */
  async bytes(path: string, make: (path: string) => Promise<Buffer>): Promise<Buffer> {
    const { mtimeMs, size, ino } = await stat(path);
    const version = `${mtimeMs} ${size} ${ino}`;
    const found = this.#kept.get(path);
    if (found?.version === version) {
      this.#kept.delete(path);
      this.#kept.set(path, found);
      return found.bytes;
    }
    this.#forget(path);
    this.counters.read++;
    const kept: Kept = { version, bytes: make(path), sizeBytes: 0 };
    this.#kept.set(path, kept);
    try {
      const bytes = await kept.bytes;
      if (this.#kept.get(path) === kept) this.#measure(kept, bytes.length);
      return bytes;
    } catch (error) {
      if (this.#kept.get(path) === kept) this.#kept.delete(path);
      throw error;
    }
  }

  #measure(kept: Kept, sizeBytes: number): void {
    if (kept.sizeBytes > 0) return;
    kept.sizeBytes = sizeBytes;
    this.#keptBytes += sizeBytes;
    for (const path of this.#kept.keys()) {
      if (this.#keptBytes <= KEPT_BYTES_MAX) return;
      this.#forget(path);
      this.counters.givenUp++;
    }
  }

  #forget(path: string): void {
    this.#keptBytes -= this.#kept.get(path)?.sizeBytes ?? 0;
    this.#kept.delete(path);
  }
}
