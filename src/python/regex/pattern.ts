/**
 * Python's regular expressions (3.11 `re` on text), for whatever users of Salt write as a pattern: targets, access
 * lists, file edits. Patterns are not translated to JavaScript's, which differ in too many places; they are read and
 * matched here, with Python's syntax, meaning and error messages.
 *
 * No pattern can stall the program. Whether there is a match is found out in linear time (linear.ts); where that
 * cannot be done (look-around, back-references), and to find the groups, every step is paid from an allowance, and a
 * PatternBudgetError ends what takes too long (backtrack.ts).
 *
 * Not covered: `\N{NAME}`, the flag `L`, byte patterns. Limits: patterns of 65,536 characters, groups nested 150 deep.
 */
import { BacktrackMatcher, StepAllowance, type Ending, type Spans } from './backtrack.ts';
import { LinearMatcher, type Anchor } from './linear.ts';
import { parsePattern, type FlagOptions } from './parse.ts';
import type { SyntaxTree } from './syntax.ts';

export { PatternBudgetError, StepAllowance } from './backtrack.ts';
export { PatternError } from './syntax.ts';

/** A match and its groups; positions are JavaScript string indexes. */
export class PyMatch {
  readonly text: string;
  readonly #spans: Spans;
  readonly #names: ReadonlyMap<string, number>;

  constructor(text: string, spans: Spans, names: ReadonlyMap<string, number>) {
    this.text = text;
    this.#spans = spans;
    this.#names = names;
  }

  get start(): number {
    return this.#spans[0] as number;
  }

  get end(): number {
    return this.#spans[1] as number;
  }

  /** Start and end of a group (0: the whole match), or undefined when it took no part or does not exist. */
  span(group: number | string): readonly [number, number] | undefined {
    const index = typeof group === 'string' ? this.#names.get(group) : group;
    const start = index === undefined ? undefined : this.#spans[index * 2];
    if (index === undefined || start === undefined || start < 0) return undefined;
    return [start, this.#spans[index * 2 + 1] as number];
  }

  /** The text of a group (0: the whole match), or undefined when it took no part or does not exist. */
  group(group: number | string): string | undefined {
    const span = this.span(group);
    return span && this.text.slice(...span);
  }

  /** The texts of groups 1 and up. */
  groups(): (string | undefined)[] {
    return Array.from({ length: this.#spans.length / 2 - 1 }, (_, i) => this.group(i + 1));
  }
}

export type { Anchor } from './linear.ts';

/** A pattern ready to be matched. */
export class PyPattern {
  readonly source: string;
  /** Number of capturing groups. */
  readonly groupCount: number;
  /** Names of groups and their numbers. */
  readonly groupNames: ReadonlyMap<string, number>;
  readonly #matcher: BacktrackMatcher;
  /** Undefined for patterns that need back-tracking. */
  readonly #linear: LinearMatcher | undefined;

  constructor(source: string, tree: SyntaxTree) {
    this.source = source;
    this.groupCount = tree.groupCount;
    this.groupNames = tree.groupNames;
    this.#matcher = new BacktrackMatcher(source, tree);
    this.#linear = LinearMatcher.compile(source, tree);
  }

  /**
   * True when there is a match; cheaper than asking for the match itself.
   * @param allowance steps to pay from, when many matches share one bound
   * @throws PatternBudgetError when the steps do not suffice
   */
  test(text: string, anchor: Anchor = 'start', allowance?: StepAllowance): boolean {
    const steps = allowance ?? allowanceFor(text);
    if (this.#linear) return this.#linear.test(text, anchor, steps);
    return this.#find(text, anchor, 0, steps) !== undefined;
  }

  /** Python's `re.match`: the match that begins at the start of the text. */
  matchStart(text: string, allowance?: StepAllowance): PyMatch | undefined {
    return this.#find(text, 'start', 0, allowance);
  }

  /** Python's `re.fullmatch`: the match that is the whole text. */
  fullMatch(text: string, allowance?: StepAllowance): PyMatch | undefined {
    return this.#find(text, 'whole', 0, allowance);
  }

  /** Python's `re.search`: the first match at or after a position. */
  search(text: string, from = 0, allowance?: StepAllowance): PyMatch | undefined {
    return this.#find(text, 'anywhere', from, allowance);
  }

  /** Python's `re.finditer`: all matches that do not overlap, empty ones included. */
  *findAll(text: string, allowance = allowanceFor(text)): Generator<PyMatch, void> {
    let from = 0;
    let advance = false;
    while (from <= text.length) {
      const match = this.#findFrom(text, from, advance, allowance);
      if (!match) return;
      yield match;
      from = match.end;
      // An empty match may not be found twice.
      advance = match.end === match.start;
    }
  }

  #find(text: string, anchor: Anchor, from: number, allowance?: StepAllowance): PyMatch | undefined {
    const steps = allowance ?? allowanceFor(text);
    // Most texts do not match, and finding that out takes the longest when backtracking.
    if (from === 0 && this.#linear && !this.#linear.test(text, anchor, steps)) return undefined;
    if (anchor === 'anywhere') return this.#findFrom(text, from, false, steps);
    return this.#at(text, from, steps, anchor === 'whole' ? 'textEnd' : 'anywhere');
  }

  #findFrom(text: string, from: number, advance: boolean, allowance: StepAllowance): PyMatch | undefined {
    let ending: Ending = advance ? 'advanced' : 'anywhere';
    for (let position = from; position <= text.length; position = next(text, position)) {
      const match = this.#at(text, position, allowance, ending);
      if (match) return match;
      ending = 'anywhere';
    }
    return undefined;
  }

  #at(text: string, position: number, allowance: StepAllowance, ending: Ending): PyMatch | undefined {
    const spans = this.#matcher.matchAt(text, position, allowance, ending);
    return spans && new PyMatch(text, spans, this.groupNames);
  }
}

/**
 * Reads a Python regular expression.
 * @param flags as the `flags` argument of Python's functions; inline flags work as well
 * @throws PatternError naming the position of the fault
 */
export function compilePattern(pattern: string, flags?: FlagOptions): PyPattern {
  return new PyPattern(pattern, parsePattern(pattern, flags));
}

const allowanceFor = (text: string): StepAllowance => new StepAllowance(2_000_000 + 100 * text.length);

function next(text: string, position: number): number {
  return position + ((text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
}
