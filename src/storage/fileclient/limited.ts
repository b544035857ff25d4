/** Working on many things at the same time, but not on all of them. */

/**
 * Calls `work` for each item, at most `limit` at a time.
 * @returns the results in the order of the items
 * @throws the first error, after the work that has begun has ended
 */
export async function mapLimited<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array<R>(items.length);
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const run = async (): Promise<void> => {
    while (next < items.length && failure === undefined) {
      const at = next++;
      try {
        results[at] = await work(items[at] as T);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, run));
  if (failure !== undefined) throw failure.error;
  return results;
}
