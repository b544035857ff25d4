/** Asking a server about many entries, without all of the questions at once. */

/** Questions under way. */
const UNDER_WAY_MAX = 16;

/**
 * Does something with each item, sixteen of them at a time.
 * @returns what came of each, in order
 * @throws the first error, without going on
 */
export async function inParts<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const out: R[] = [];
  for (let at = 0; at < items.length; at += UNDER_WAY_MAX)
    out.push(...(await Promise.all(items.slice(at, at + UNDER_WAY_MAX).map(work))));
  return out;
}
