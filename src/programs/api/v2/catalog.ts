/**
 * The functions that there are, with their documentation and arguments. Reading all modules takes as much memory as the
 * rest of the API, so that a thread does it once, and ends.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BrineError } from '../../../errors/errors.ts';
import type { FunctionEntry, FunctionKind, FunctionCatalog } from '../function-catalog.ts';

/** Reads the catalog when it is first asked for. */
export class CatalogReader {
  readonly #script: string;
  #all: Promise<FunctionCatalog> | undefined;

  /**
   * @param script the program of the thread; where it is missing, as beside sources that are not built, it is read in
   *   place
   */
  constructor(script = join(import.meta.dirname, '../bin/function-catalog.cjs')) {
    this.#script = script;
  }

  /** The functions of a kind, by name. */
  async list(kind: FunctionKind): Promise<readonly FunctionEntry[]> {
    this.#all ??= this.#read().catch((error: unknown) => {
      this.#all = undefined;
      throw error;
    });
    return (await this.#all)[kind];
  }

  async #read(): Promise<FunctionCatalog> {
    if (!existsSync(this.#script)) return (await import('../function-catalog.ts')).functionCatalog();
    const worker = new Worker(this.#script);
    return new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) =>
        reject(new BrineError(`the thread that reads the functions ended with ${code}`)),
      );
    });
  }
}
