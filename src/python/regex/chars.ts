/**
 * Characters as Python's regular expressions see them: Unicode classes for text, case folding without locale
 * (3.11 `re`, `str` patterns).
 */
import { isPySpace } from '../values/text.ts';

/** How letters of the other case are treated: not at all, A-Z only (flags `ai`), or by Unicode. */
export type Fold = 'none' | 'ascii' | 'unicode';

/** The classes behind `\d`, `\s` and `\w`. */
export type CategoryName = 'digit' | 'space' | 'word';

/** One member of a set. */
export type SetItem =
  | { readonly kind: 'range'; readonly low: number; readonly high: number }
  | {
      readonly kind: 'category';
      readonly name: CategoryName;
      readonly negated: boolean;
      readonly ascii: boolean;
    };

const WORD = /^[\p{L}\p{N}_]$/u;
const DECIMAL = /^\p{Nd}$/u;

/** True when a character belongs to a class; with `ascii` only characters below 128 do. */
export function inCategory(name: CategoryName, code: number, ascii: boolean): boolean {
  if (code < 0x80) return inAsciiCategory(name, code);
  if (ascii) return false;
  const char = String.fromCodePoint(code);
  if (name === 'space') return isPySpace(char);
  return (name === 'digit' ? DECIMAL : WORD).test(char);
}

function inAsciiCategory(name: CategoryName, code: number): boolean {
  const digit = code >= 0x30 && code <= 0x39;
  if (name === 'digit') return digit;
  // ASCII patterns do not count 0x1c to 0x1f as spaces, Unicode ones do; see CharSet.inCategories.
  if (name === 'space') return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  const letter = code | 0x20;
  return digit || code === 0x5f || (letter >= 0x61 && letter <= 0x7a);
}

/** What one position of the text may be. */
export interface CharMatcher {
  /** The one character it takes, when it takes one only. */
  readonly literal: number | undefined;
  has(code: number): boolean;
}

/** A matcher for one character. */
export function literalMatcher(code: number, fold: Fold): CharMatcher {
  if (fold === 'none' || !hasCase(code, fold)) return { literal: code, has: (other) => other === code };
  return new CharSet([{ kind: 'range', low: code, high: code }], false, fold);
}

/** `.`: everything but a newline, or everything. */
export function anyMatcher(dotAll: boolean): CharMatcher {
  return { literal: undefined, has: dotAll ? () => true : (code) => code !== 0x0a };
}

/** A set in brackets or a class. */
export class CharSet implements CharMatcher {
  readonly literal = undefined;
  readonly #ranges: readonly (readonly [number, number])[];
  readonly #categories: readonly Extract<SetItem, { kind: 'category' }>[];
  readonly #negated: boolean;
  readonly #fold: Fold;
  /** Answers for characters below 128: 0 not asked yet, 1 no, 2 yes. */
  readonly #known = new Uint8Array(128);

  constructor(items: readonly SetItem[], negated: boolean, fold: Fold) {
    const given = items.flatMap((item) => (item.kind === 'range' ? [[item.low, item.high]] : []));
    // A capital letter whose lower-case form does not lead back to it (U+1E9E) is found by that form.
    const lowered = given.map(([low = 0, high = 0]) => (low === high ? lower(low, fold) : low));
    this.#ranges = mergeRanges([...given, ...lowered.map((code) => [code, code])]);
    this.#categories = dedupe(items);
    this.#negated = negated;
    this.#fold = fold;
  }

  has(code: number): boolean {
    if (code >= 128) return this.#contains(code) !== this.#negated;
    const known = this.#known[code];
    if (known !== 0) return known === 2;
    const answer = this.#contains(code) !== this.#negated;
    this.#known[code] = answer ? 2 : 1;
    return answer;
  }

  #contains(code: number): boolean {
    if (this.#fold === 'none') return this.#containsExactly(code);
    for (const variant of caseVariants(code, this.#fold)) if (this.#inRanges(variant)) return true;
    return this.#inCategories(lower(code, this.#fold));
  }

  #containsExactly(code: number): boolean {
    return this.#inRanges(code) || this.#inCategories(code);
  }

  #inCategories(code: number): boolean {
    return this.#categories.some(({ name, negated, ascii }) => {
      const unicodeSpace = name === 'space' && !ascii && code >= 0x1c && code <= 0x1f;
      return (unicodeSpace || inCategory(name, code, ascii)) !== negated;
    });
  }

  #inRanges(code: number): boolean {
    let from = 0;
    let to = this.#ranges.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const [low, high] = this.#ranges[middle] as readonly [number, number];
      if (code < low) to = middle;
      else if (code > high) from = middle + 1;
      else return true;
    }
    return false;
  }
}

function mergeRanges(ranges: readonly (readonly number[])[]): [number, number][] {
  const merged: [number, number][] = [];
  const sorted = ranges.map(([low = 0, high = 0]): [number, number] => [low, high]);
  for (const range of sorted.sort((a, b) => a[0] - b[0])) {
    const last = merged[merged.length - 1];
    if (last && range[0] <= last[1] + 1) last[1] = Math.max(last[1], range[1]);
    else merged.push(range);
  }
  return merged;
}

function dedupe(items: readonly SetItem[]): Extract<SetItem, { kind: 'category' }>[] {
  const seen = new Map<string, Extract<SetItem, { kind: 'category' }>>();
  for (const item of items)
    if (item.kind === 'category') seen.set(`${item.name}${item.negated}${item.ascii}`, item);
  return [...seen.values()];
}

/** The lower-case form of a character, itself when that is more than one character. */
function lower(code: number, fold: Fold): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a && fold !== 'none' ? code + 32 : code;
  // Python's simple mapping of this letter is one character; JavaScript gives the two of the full mapping.
  if (code === 0x130 && fold === 'unicode') return 0x69;
  return fold === 'unicode' ? single(String.fromCodePoint(code).toLowerCase(), code) : code;
}

/** True when two characters are equal without regard to case. */
export function equalFolded(a: number, b: number, fold: Fold): boolean {
  if (a === b) return true;
  if (fold === 'none') return false;
  const x = lower(a, fold);
  const y = lower(b, fold);
  return x === y || (fold === 'unicode' && upper(x) === upper(y));
}

/** The character, its lower-case form, its upper-case form, and the other letters that share one of these. */
function caseVariants(code: number, fold: Fold): Set<number> {
  const low = lower(code, fold);
  if (fold === 'ascii') return new Set([low, low >= 0x61 && low <= 0x7a ? low - 32 : low]);
  const high = upper(low);
  return new Set([low, high, lower(high, fold), ...otherCases(high)]);
}

const upper = (code: number): number => single(String.fromCodePoint(code).toUpperCase(), code);

function single(text: string, otherwise: number): number {
  const code = text.codePointAt(0) ?? otherwise;
  return text.length === (code > 0xffff ? 2 : 1) ? code : otherwise;
}

function hasCase(code: number, fold: Fold): boolean {
  // Beyond ASCII, other letters may lead to one that looks as if it had no other case (U+1E9E to U+00DF).
  if (code >= 0x80) return fold === 'unicode';
  return caseVariants(code, fold).size > 1;
}

/** Letters that look lower-case on their own but share an upper-case letter with others (Python's `_casefix`). */
function otherCases(high: number): readonly number[] {
  return SHARED_UPPER.get(high) ?? [];
}

const SHARED_UPPER: ReadonlyMap<number, readonly number[]> = new Map([
  [0x49, [0x131, 0x130]], // I: dotless i, I with dot
  [0x53, [0x17f]], // S: long s
  [0x4b, [0x212a]], // K: kelvin sign
  [0xc5, [0x212b]], // A with ring: angstrom sign
  [0x39c, [0xb5, 0x3bc]],
  [0x399, [0x345, 0x3b9, 0x1fbe]],
  [0x392, [0x3b2, 0x3d0]],
  [0x395, [0x3b5, 0x3f5]],
  [0x398, [0x3b8, 0x3d1, 0x3f4]],
  [0x39a, [0x3ba, 0x3f0]],
  [0x3a0, [0x3c0, 0x3d6]],
  [0x3a1, [0x3c1, 0x3f1]],
  [0x3a3, [0x3c2, 0x3c3]],
  [0x3a6, [0x3c6, 0x3d5]],
  [0x3a9, [0x3c9, 0x2126]],
  [0x1e60, [0x1e61, 0x1e9b]],
]);
