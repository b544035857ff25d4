/** Finding by a few letters: what was typed must occur in order; beginnings of words and runs of letters count more. */

/** How well a text matches; undefined when it does not. */
function score(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase().replace(/\s+/g, '');
  if (wanted === '') return 0;
  const given = text.toLowerCase();
  const whole = given.indexOf(wanted);
  if (whole >= 0) return 1000 - whole - given.length / 100 + (isStart(given, whole) ? 200 : 0);
  let [at, points, run] = [0, 0, 0];
  for (const letter of wanted) {
    const found = given.indexOf(letter, at);
    if (found < 0) return undefined;
    run = found === at ? run + 1 : 0;
    points += isStart(given, found) ? 10 : run * 3;
    at = found + 1;
  }
  return points - given.length / 100;
}

function isStart(text: string, at: number): boolean {
  return at === 0 || /[\s._/:-]/.test(text.charAt(at - 1));
}

/** The best matches. */
export function best<T>(query: string, items: readonly T[], textOf: (item: T) => string, most: number): T[] {
  const scored: { item: T; points: number }[] = [];
  for (const item of items) {
    const points = score(query, textOf(item));
    if (points !== undefined) scored.push({ item, points });
  }
  if (query.trim() !== '') scored.sort((a, b) => b.points - a.points);
  return scored.slice(0, most).map(({ item }) => item);
}
