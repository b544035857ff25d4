/** Calls that wait on the disk while NATS is away: files in the order in which they came, bounded in bytes. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { BrineError } from '../../errors/errors.ts';
import { createFile, makeDirectory, safeJoin } from '../../host/files.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { isBytes } from '../../python/values/value.ts';

const NAME = /^\d{12}$/;

/** The spool. One process uses it. */
export class CallSpool {
  /** Bytes that wait, and calls that were refused because there were too many. */
  readonly counters = { refused: 0 };
  readonly #folder: string;
  readonly #bytesMax: number;
  #bytes = 0;
  #last = 0;

  constructor(folder: string, bytesMax: number) {
    this.#folder = folder;
    this.#bytesMax = bytesMax;
    makeDirectory(folder, 0o700);
    for (const name of this.names()) {
      this.#last = Number(name);
      this.#bytes += statSync(safeJoin(folder, name)).size;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What waits, oldest first. */
  names(): string[] {
    return readdirSync(this.#folder)
      .filter((name) => NAME.test(name))
      .sort();
  }

  /**
   * Keeps calls. They are on the disk when this returns.
   * @throws BrineError when it is full; the system's error when the disk is
   */
  add(calls: readonly Buffer[]): void {
    const content = encode([...calls], 'local');
    if (this.#bytes + content.length > this.#bytesMax) {
      this.counters.refused += calls.length;
      throw new BrineError(
        `The cluster cannot be reached, and ${this.#bytes} bytes of returns wait for it already (cluster: spool_bytes_max). ` +
          'What comes now is not acknowledged; minions keep it and try again.',
        { code: 'master-full' },
      );
    }
    this.#last++;
    const path = safeJoin(this.#folder, String(this.#last).padStart(12, '0'));
    createFile(path, content, { mode: 0o600, durable: true });
    this.#bytes += content.length;
  }

  /** The calls of one file. */
  read(name: string): Buffer[] {
    const value = decode(readFileSync(safeJoin(this.#folder, name)), 'local');
    return Array.isArray(value) ? value.filter((call) => isBytes(call)).map((call) => Buffer.from(call)) : [];
  }

  /** Forgets what the cluster has. */
  remove(name: string): void {
    const path = safeJoin(this.#folder, name);
    this.#bytes -= statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    rmSync(path, { force: true });
  }
}
