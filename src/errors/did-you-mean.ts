/** Names close to a mistyped one, for the second half of an error message. */

/** Longer names are not compared: nobody mistypes them by hand, and the comparison is quadratic. */
const MAX_LENGTH = 100;

/**
 * The known names nearest to what was typed, nearest first and then in their own order.
 *
 * @param typed what the person wrote
 * @param known names that would have been right
 * @param limit how many names at most
 * @returns names within a third of their length in edits (at least one, at most three edits)
 */
export function closestNames(typed: string, known: Iterable<string>, limit = 3): string[] {
  const lower = typed.toLowerCase();
  const found: { name: string; distance: number }[] = [];
  if (typed.length > MAX_LENGTH) return [];
  for (const name of new Set(known)) {
    const allowed = Math.min(3, Math.max(1, Math.floor(Math.max(name.length, typed.length) / 3)));
    if (name.length > MAX_LENGTH || Math.abs(name.length - typed.length) > allowed) continue;
    const distance = editDistance(lower, name.toLowerCase());
    if (distance <= allowed) found.push({ name, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ name }) => name);
}

/**
 * A hint to append to an error message: ` Did you mean 'web' or 'db'?`, or '' when nothing is close.
 */
export function didYouMean(typed: string, known: Iterable<string>, limit = 3): string {
  const names = closestNames(typed, known, limit).map((name) => `'${name}'`);
  const last = names.pop();
  if (last === undefined) return '';
  return ` Did you mean ${names.length > 0 ? `${names.join(', ')} or ${last}` : last}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (row[j - 1] as number) + 1,
        (previous[j] as number) + 1,
        (previous[j - 1] as number) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] as number) + 1);
      }
      row.push(cost);
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] as number;
}
