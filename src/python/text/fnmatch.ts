/**
 * Python's shell globs (3.11 `fnmatch.fnmatchcase`, which is `fnmatch.fnmatch` on POSIX): `*`, `?`, `[seq]`, `[!seq]`;
 * case matters, there is no escape, dots, slashes and newlines are ordinary, an unclosed `[` is literal.
 *
 * Matching needs no RegExp and does not backtrack over stars: at worst text length times pattern length.
 */
import { textLength } from '../values/text.ts';

/** A glob read once and ready to be matched many times. */
export interface Glob {
  /** The pattern as it was given. */
  readonly source: string;
  /** The only text the glob matches, when it has no wildcard; lets callers look names up instead of scanning. */
  readonly literal: string | undefined;
  /** True when the whole text matches. Needs no `this`. */
  readonly matches: (text: string) => boolean;
}

/** One element between stars: literal text, any one character, or one character of a set. */
type Piece = string | typeof ANY | CharacterSet;
const ANY = Symbol('any character');

/** Reads a pattern. Every text is a valid pattern. */
export function compileGlob(pattern: string): Glob {
  if (!/[*?[]/.test(pattern)) return literalGlob(pattern, pattern);
  const segments = parseSegments(pattern);
  const [only] = segments;
  if (segments.length === 1 && only !== undefined && only.every((piece) => typeof piece === 'string')) {
    return literalGlob(pattern, only.join(''));
  }
  return { source: pattern, literal: undefined, matches: segmentMatcher(segments) };
}

function literalGlob(source: string, literal: string): Glob {
  return { source, literal, matches: (text) => text === literal };
}

/** True when the whole of `text` matches `pattern`. To match many texts, {@link compileGlob} first. */
export function fnmatch(text: string, pattern: string): boolean {
  return compileGlob(pattern).matches(text);
}

/** The names that match, in their order (Python's `fnmatch.filter`). */
export function filterNames(names: Iterable<string>, pattern: string): string[] {
  const glob = compileGlob(pattern);
  const out: string[] = [];
  for (const name of names) if (glob.matches(name)) out.push(name);
  return out;
}

/** Keeps the globs read last; the least recently used one goes when the cache is full. */
export class GlobCache {
  /** Patterns that had to be read, and patterns dropped because the cache was full. */
  misses = 0;
  evictions = 0;
  readonly #globs = new Map<string, Glob>();
  readonly #capacity: number;

  constructor(capacity = 256) {
    this.#capacity = Math.max(1, capacity);
  }

  /** The glob of a pattern. */
  get(pattern: string): Glob {
    const known = this.#globs.get(pattern);
    if (known) {
      this.#globs.delete(pattern);
      this.#globs.set(pattern, known);
      return known;
    }
    this.misses++;
    const glob = compileGlob(pattern);
    if (this.#globs.size >= this.#capacity) {
      const oldest = this.#globs.keys().next();
      if (!oldest.done) this.#globs.delete(oldest.value);
      this.evictions++;
    }
    this.#globs.set(pattern, glob);
    return glob;
  }

  /** True when the whole of `text` matches `pattern`. */
  fnmatch(text: string, pattern: string): boolean {
    return this.get(pattern).matches(text);
  }
}

/** The pieces between the stars; a pattern without a star is one segment. */
function parseSegments(pattern: string): Piece[][] {
  const segments: Piece[][] = [[]];
  let pieces = segments[0] as Piece[];
  let literal = '';
  let closable = true;
  const flush = (): void => {
    if (literal !== '') pieces.push(literal);
    literal = '';
  };
  for (let i = 0; i < pattern.length;) {
    const char = pattern.charAt(i);
    const set = char === '[' && closable ? parseSet(pattern, i) : undefined;
    // Once no bracket closes any more, looking again for each of a thousand would be quadratic.
    if (char === '[' && !set) closable = false;
    if (char === '*') {
      flush();
      if (segments.length === 1 || pieces.length > 0) segments.push((pieces = []));
    } else if (char === '?' || set) {
      flush();
      pieces.push(set ? set.piece : ANY);
    } else literal += char;
    i = set ? set.end : i + 1;
  }
  flush();
  return segments;
}

/** The set that opens at `start`, or undefined when it is never closed. */
function parseSet(pattern: string, start: number): { piece: Piece; end: number } | undefined {
  let close = start + 1;
  if (pattern[close] === '!') close++;
  if (pattern[close] === ']') close++;
  close = pattern.indexOf(']', close);
  if (close < 0) return undefined;
  return { piece: makeSet([...pattern.slice(start + 1, close)]), end: close + 1 };
}

/**
 * Splits a set into ranges as Python does: a hyphen with a character on both sides is a range, ranges that run
 * backwards are dropped first, and only then is a leading `!` looked at (so `[z-a!x]` is a negated set).
 */
function makeSet(chars: readonly string[]): Piece {
  const chunks = splitAtRanges(chars);
  for (let k = chunks.length - 1; k > 0; k--) {
    const before = chunks[k - 1] as string[];
    const after = chunks[k] as string[];
    if (codeOf(before[before.length - 1]) > codeOf(after[0])) {
      chunks.splice(k - 1, 2, [...before.slice(0, -1), ...after.slice(1)]);
    }
  }
  const first = chunks[0] as string[];
  const negated = first[0] === '!';
  if (negated) first.shift();
  const ranges: [number, number][] = [];
  chunks.forEach((chunk, k) => {
    for (const char of chunk) ranges.push([codeOf(char), codeOf(char)]);
    const next = chunks[k + 1];
    if (next === undefined) return;
    if (chunk.length === 0) ranges.push([0x2d, 0x2d]);
    else ranges.push([codeOf(chunk[chunk.length - 1]), codeOf(next[0])]);
  });
  return ranges.length === 0 && negated ? ANY : new CharacterSet(ranges, negated);
}

function splitAtRanges(chars: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let start = 0;
  let from = chars[0] === '!' ? 2 : 1;
  for (;;) {
    const hyphen = chars.indexOf('-', from);
    if (hyphen < 0) break;
    chunks.push(chars.slice(start, hyphen));
    start = hyphen + 1;
    from = hyphen + 3;
  }
  const rest = chars.slice(start);
  const last = chunks[chunks.length - 1];
  if (rest.length > 0 || last === undefined) chunks.push(rest);
  else last.push('-');
  return chunks;
}

const codeOf = (char: string | undefined): number => char?.codePointAt(0) ?? 0;

class CharacterSet {
  /** Sorted and apart from each other. */
  readonly #ranges: readonly (readonly [number, number])[];
  readonly #negated: boolean;

  constructor(ranges: readonly (readonly [number, number])[], negated: boolean) {
    const merged: [number, number][] = [];
    for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
      const last = merged[merged.length - 1];
      if (last && low <= last[1] + 1) last[1] = Math.max(last[1], high);
      else merged.push([low, high]);
    }
    this.#ranges = merged;
    this.#negated = negated;
  }

  has(code: number): boolean {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const range = this.#ranges[middle] as readonly [number, number];
      if (code < range[0]) high = middle;
      else if (code > range[1]) low = middle + 1;
      else return !this.#negated;
    }
    return this.#negated;
  }
}

/** Matches segments in turn: the first at the start, the last at the end, the others as far left as they go. */
function segmentMatcher(segments: readonly Piece[][]): (text: string) => boolean {
  const first = segments[0] as Piece[];
  const last = segments[segments.length - 1] as Piece[];
  if (segments.length === 1) return (text) => matchAt(first, text, 0) === text.length;
  const middle = segments.slice(1, -1);
  const lastLength = last.reduce(
    (sum, piece) => sum + (typeof piece === 'string' ? textLength(piece) : 1),
    0,
  );
  return (text) => {
    let position = matchAt(first, text, 0);
    if (position < 0) return false;
    for (const pieces of middle) {
      position = findFrom(pieces, text, position);
      if (position < 0) return false;
    }
    return matchAtEnd(last, lastLength, text, position);
  };
}

/** Where the pieces end when they match at `start`, or -1. */
function matchAt(pieces: readonly Piece[], text: string, start: number): number {
  let position = start;
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      if (!text.startsWith(piece, position)) return -1;
      position += piece.length;
      continue;
    }
    const code = text.codePointAt(position);
    if (code === undefined || (piece !== ANY && !piece.has(code))) return -1;
    position += code > 0xffff ? 2 : 1;
  }
  return position;
}

/** The end of the leftmost match at or after `start`, or -1. */
function findFrom(pieces: readonly Piece[], text: string, start: number): number {
  const [first] = pieces;
  const prefix = typeof first === 'string' ? first : undefined;
  for (let position = start; position <= text.length; position = nextPosition(text, position)) {
    if (prefix !== undefined) {
      position = text.indexOf(prefix, position);
      if (position < 0) return -1;
    }
    const end = matchAt(pieces, text, position);
    if (end >= 0) return end;
  }
  return -1;
}

/** True when the pieces match the end of the text without reaching back before `start`. */
function matchAtEnd(pieces: readonly Piece[], length: number, text: string, start: number): boolean {
  if (pieces.length === 0) return true;
  const [first] = pieces;
  if (pieces.length === 1 && typeof first === 'string') {
    return text.length - first.length >= start && text.endsWith(first);
  }
  let position = text.length;
  for (let k = 0; k < length && position >= start; k++) position = previousPosition(text, position);
  return position >= start && matchAt(pieces, text, position) === text.length;
}

function nextPosition(text: string, position: number): number {
  return position + ((text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
}

function previousPosition(text: string, position: number): number {
  return position - (position >= 2 && (text.codePointAt(position - 2) ?? 0) > 0xffff ? 2 : 1);
}
