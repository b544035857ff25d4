/** Differences between texts as Python's `difflib.unified_diff` writes them (3.11 Lib/difflib.py). */

/** Lines that occur in more than this share of a long text do not anchor a match, as in difflib. */
const POPULAR_FROM_LINES = 200;

interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

/** A stretch in which the texts are alike, or not; ends excluded. */
interface Stretch {
  readonly equal: boolean;
  readonly a: readonly [start: number, end: number];
  readonly b: readonly [start: number, end: number];
}

/**
 * @param from lines with their line ends
 * @param to lines with their line ends
 * @param names what stands behind `---` and `+++`
 * @param context how many equal lines to show around each change (difflib's `n`)
 * @returns the lines of the difference; none when there is no difference
 */
export function unifiedDiff(
  from: readonly string[],
  to: readonly string[],
  names: { readonly from: string; readonly to: string },
  context = 0,
): string[] {
  const out: string[] = [];
  for (const group of grouped(stretches(from, to), context)) {
    const [first, last] = [group[0] as Stretch, group.at(-1) as Stretch];
    if (out.length === 0) out.push(`--- ${names.from}\n`, `+++ ${names.to}\n`);
    out.push(`@@ -${range(first.a[0], last.a[1])} +${range(first.b[0], last.b[1])} @@\n`);
    for (const { equal, a, b } of group) {
      if (equal) out.push(...from.slice(...a).map((line) => ` ${line}`));
      else
        out.push(...from.slice(...a).map((line) => `-${line}`), ...to.slice(...b).map((line) => `+${line}`));
    }
  }
  return out;
}

function stretches(from: readonly string[], to: readonly string[]): Stretch[] {
  const out: Stretch[] = [];
  let [i, j] = [0, 0];
  for (const { a, b, size } of [...matches(from, to), { a: from.length, b: to.length, size: 0 }]) {
    if (i < a || j < b) out.push({ equal: false, a: [i, a], b: [j, b] });
    if (size > 0) out.push({ equal: true, a: [a, a + size], b: [b, b + size] });
    [i, j] = [a + size, b + size];
  }
  return out;
}

/** Changes with the equal lines around them; long equal stretches part the groups. */
function grouped(all: readonly Stretch[], context: number): Stretch[][] {
  const groups: Stretch[][] = [];
  let group: Stretch[] = [];
  const close = (): void => {
    if (group.some(({ equal }) => !equal)) groups.push(group);
    group = [];
  };
  all.forEach((stretch, index) => {
    if (!stretch.equal) {
      group.push(stretch);
      return;
    }
    const { a, b } = stretch;
    const length = a[1] - a[0];
    const [isFirst, isLast] = [index === 0, index === all.length - 1];
    const before: Stretch = {
      equal: true,
      a: [a[0], Math.min(a[1], a[0] + context)],
      b: [b[0], Math.min(b[1], b[0] + context)],
    };
    const after: Stretch = {
      equal: true,
      a: [Math.max(a[0], a[1] - context), a[1]],
      b: [Math.max(b[0], b[1] - context), b[1]],
    };
    if (isFirst) group.push(after);
    else if (isLast) group.push(before);
    else if (length > 2 * context) {
      group.push(before);
      close();
      group.push(after);
    } else group.push(stretch);
  });
  close();
  return groups;
}

/** Python's form of a range: a line is counted from 1, an empty range names the line before it. */
function range(start: number, stop: number): string {
  const length = stop - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}

/** Matching blocks in order, neighbours joined. */
function matches(from: readonly string[], to: readonly string[]): Match[] {
  const places = placesOf(to);
  const found: Match[] = [];
  const queue: [number, number, number, number][] = [[0, from.length, 0, to.length]];
  for (let area = queue.pop(); area !== undefined; area = queue.pop()) {
    const [aLow, aHigh, bLow, bHigh] = area;
    const match = longestMatch(from, to, places, area);
    if (match.size === 0) continue;
    found.push(match);
    if (aLow < match.a && bLow < match.b) queue.push([aLow, match.a, bLow, match.b]);
    const [aEnd, bEnd] = [match.a + match.size, match.b + match.size];
    if (aEnd < aHigh && bEnd < bHigh) queue.push([aEnd, aHigh, bEnd, bHigh]);
  }
  found.sort((x, y) => x.a - y.a || x.b - y.b);
  const joined: Match[] = [];
  for (const match of found) {
    const last = joined.at(-1);
    if (last !== undefined && last.a + last.size === match.a && last.b + last.size === match.b)
      joined[joined.length - 1] = { ...last, size: last.size + match.size };
    else joined.push(match);
  }
  return joined;
}

function placesOf(lines: readonly string[]): ReadonlyMap<string, number[]> {
  const places = new Map<string, number[]>();
  lines.forEach((line, index) => {
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  });
  if (lines.length >= POPULAR_FROM_LINES) {
    const most = Math.floor(lines.length / 100) + 1;
    for (const [line, indices] of places) if (indices.length > most) places.delete(line);
  }
  return places;
}

function longestMatch(
  from: readonly string[],
  to: readonly string[],
  places: ReadonlyMap<string, number[]>,
  [aLow, aHigh, bLow, bHigh]: [number, number, number, number],
): Match {
  let [a, b, size] = [aLow, bLow, 0];
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(from[i] as string) ?? []) {
      if (j < bLow) continue;
      if (j >= bHigh) break;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > size) [a, b, size] = [i - length + 1, j - length + 1, length];
    }
    lengths = next;
  }
  while (a > aLow && b > bLow && from[a - 1] === to[b - 1]) [a, b, size] = [a - 1, b - 1, size + 1];
  while (a + size < aHigh && b + size < bHigh && from[a + size] === to[b + size]) size++;
  return { a, b, size };
}
