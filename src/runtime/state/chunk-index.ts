/**
 * The chunks of a run by what requisites call them, so that none of a thousand states has all the others looked
 * through.
 */
import type { Dict } from '../../python/values/value.ts';
import { textIn } from './result.ts';

/** Made when it is first asked, and anew when the chunks are others. */
export class ChunkIndex {
  readonly #byWord = new Map<string, Dict[]>();
  #chunks: readonly Dict[] = [];
  #length = 0;

  /** The chunks whose name or id is a word, in their order. */
  called(word: string, chunks: readonly Dict[]): readonly Dict[] {
    if (chunks !== this.#chunks || chunks.length !== this.#length) this.#read(chunks);
    return this.#byWord.get(word) ?? [];
  }

  #read(chunks: readonly Dict[]): void {
    this.#chunks = chunks;
    this.#length = chunks.length;
    this.#byWord.clear();
    for (const chunk of chunks)
      for (const word of new Set([textIn(chunk, 'name'), textIn(chunk, '__id__')])) {
        const known = this.#byWord.get(word);
        if (known === undefined) this.#byWord.set(word, [chunk]);
        else known.push(chunk);
      }
  }
}
