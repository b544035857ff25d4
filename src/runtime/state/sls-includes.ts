/**
 * Which SLS a compilation has rendered, and what each of them includes: what `require: [{sls: x}]` and its like mean.
 */
import { compileGlob } from '../../python/text/fnmatch.ts';
import type { Dict } from '../../python/values/value.ts';
import { textIn } from './result.ts';

/** Filled while SLS are rendered, asked when requisites are looked up. */
export class SlsIncludes {
  readonly #included = new Map<string, Set<string>>();

  /** Notes that an SLS was rendered, whatever has come of it. */
  rendered(sls: string): void {
    if (!this.#included.has(sls)) this.#included.set(sls, new Set());
  }

  /** Notes that one SLS includes another, also where that one had been rendered before. */
  includes(sls: string, other: string): void {
    this.rendered(sls);
    this.#included.get(sls)?.add(other);
  }

  /** Whether an SLS was rendered that a name or a glob means. */
  knows(pattern: string): boolean {
    return this.#meant(pattern).length > 0;
  }

  /** The SLS that a name or a glob means, and all that those include, and so on. */
  within(pattern: string): ReadonlySet<string> {
    const found = new Set(this.#meant(pattern));
    // a set hands out what is added to it while it is walked through
    for (const sls of found) for (const other of this.#included.get(sls) ?? []) found.add(other);
    return found;
  }

  /** Forgets what was excluded from a run: who requires that has to be told. @param isExcluded says so of an SLS */
  drop(isExcluded: (sls: string) => boolean): void {
    for (const sls of [...this.#included.keys()]) if (isExcluded(sls)) this.#included.delete(sls);
  }

  #meant(pattern: string): string[] {
    const glob = compileGlob(pattern);
    if (glob.literal !== undefined) return this.#included.has(glob.literal) ? [glob.literal] : [];
    return [...this.#included.keys()].filter((sls) => glob.matches(sls));
  }
}

/**
 * The chunks of an SLS: its own, and those of what it includes (3007.8 salt/state.py `__sls_included_from__`).
 * @param isWaiting says of a chunk that it waits for the one that asks: a state of an included SLS may require the SLS
 *   that includes it, as with 3006.16, when that has states of its own
 */
export function chunksOfSls(
  pattern: string,
  chunks: readonly Dict[],
  includes: SlsIncludes,
  isWaiting: (chunk: Dict) => boolean = () => false,
): Dict[] {
  const glob = compileGlob(pattern);
  const own = new Set(chunks.filter((chunk) => glob.matches(textIn(chunk, '__sls__'))));
  const within = includes.within(pattern);
  return chunks.filter(
    (chunk) =>
      own.has(chunk) || (within.has(textIn(chunk, '__sls__')) && !(own.size > 0 && isWaiting(chunk))),
  );
}
