/**
 * The comparison behind grain and pillar targets: does `key:sub:pattern` hold in nested data?
 * (3006.16 salt/utils/data.py `subdict_match`)
 */
import { compileGlob } from '../../python/text/fnmatch.ts';
import {
  compilePattern,
  PatternError,
  type PyPattern,
  type StepAllowance,
} from '../../python/regex/pattern.ts';
import { pyStr } from '../../python/values/repr.ts';
import { compilePath, DEFAULT_DELIMITER, followPath, type CompiledPath } from './traverse.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';

/** How the last part of the expression is compared: as glob, as regular expression from the start, or for equality. */
export type LeafMode = 'glob' | 'regex' | 'exact';

/** Options of an expression. */
export interface SubdictOptions {
  /** What separates the levels; `:` by default. */
  readonly delimiter?: string;
  readonly mode?: LeafMode;
}

/** One way to cut the expression in two: the path to a value, and what the value is compared with. */
interface Split {
  readonly path: CompiledPath;
  readonly pattern: Pattern;
  /** The path is `*`: the whole expression is applied to the data itself. */
  readonly everything: boolean;
}

/** The state of one comparison. */
interface Run {
  readonly allowance: StepAllowance | undefined;
  /** Mappings a pattern did not match in; without it, deeply nested data would be searched over and over. */
  failed: Map<Pattern, Set<Dict>> | undefined;
}

/** True when the expression holds in the data; to try many data, make a {@link SubdictMatcher}. */
export function subdictMatch(data: Value, expression: string, options: SubdictOptions = {}): boolean {
  return new SubdictMatcher(expression, options).matches(data);
}

/** An expression read once. */
export class SubdictMatcher {
  readonly expression: string;
  readonly delimiter: string;
  /**
   * Why the expression never matches: it has no delimiter, or no cut of it is a valid regular expression. Salt logs
   * this and goes on.
   */
  readonly fault: string | undefined;
  readonly #splits: readonly Split[];
  readonly #patterns: PatternTable;

  constructor(expression: string, options: SubdictOptions = {}) {
    this.expression = expression;
    this.delimiter = options.delimiter ?? DEFAULT_DELIMITER;
    this.#patterns = new PatternTable(options.mode ?? 'glob');
    this.#splits = this.#patterns.splitsOf(expression, this.delimiter);
    this.fault = this.#findFault();
  }

  /** The number of levels, the pattern included. */
  get levels(): number {
    return this.#splits.length + 1;
  }

  /**
   * True when the expression holds in the data.
   * @param allowance steps for regular expressions, shared with other comparisons
   * @throws PatternBudgetError when the steps do not suffice
   */
  matches(data: Value, allowance?: StepAllowance): boolean {
    return matchesAny(data, this.#splits, { allowance, failed: undefined });
  }

  #findFault(): string | undefined {
    if (this.#splits.length === 0) return `no delimiter '${this.delimiter}' in '${this.expression}'`;
    if (this.#patterns.mode !== 'regex') return undefined;
    const faults = this.#splits.map(({ pattern }) => pattern.fault);
    return faults.every((fault) => fault !== undefined) ? faults[0] : undefined;
  }
}

/** The patterns of one expression; all of them are ends of it, so there are few. */
class PatternTable {
  readonly mode: LeafMode;
  readonly #patterns = new Map<string, Pattern>();

  constructor(mode: LeafMode) {
    this.mode = mode;
  }

  get(text: string): Pattern {
    let pattern = this.#patterns.get(text);
    if (!pattern) this.#patterns.set(text, (pattern = new Pattern(text, this)));
    return pattern;
  }

  /** All cuts, longest path first. */
  splitsOf(expression: string, delimiter: string): Split[] {
    const words = delimiter === '' ? [expression] : expression.split(delimiter);
    const splits: Split[] = [];
    for (let i = words.length - 1; i > 0; i--) {
      const path = words.slice(0, i);
      const everything = path.join(delimiter) === '*';
      const rest = everything ? expression : words.slice(i).join(delimiter);
      splits.push({ path: compilePath(path), everything, pattern: this.get(rest) });
    }
    return splits;
  }
}

/** What a value is compared with. Parts are read when first needed. */
class Pattern {
  readonly text: string;
  /** True for `*:…`, which looks into every child. */
  readonly wildcard: boolean;
  readonly #table: PatternTable;
  #ownInner: Pattern | undefined;
  #leaf: ((text: string, allowance?: StepAllowance) => boolean) | undefined;
  #ownSplits: readonly Split[] | undefined;
  #leafFault: string | undefined;

  constructor(text: string, table: PatternTable) {
    this.text = text;
    this.wildcard = text.startsWith('*:');
    this.#table = table;
  }

  /** The pattern without its leading `*:`. */
  get inner(): Pattern {
    this.#ownInner ??= this.wildcard ? this.#table.get(this.text.slice(2)) : this;
    return this.#ownInner;
  }

  /** The pattern read as an expression of its own. Salt compat: always with `:`, whatever the delimiter. */
  get splits(): readonly Split[] {
    return (this.#ownSplits ??= this.#table.splitsOf(this.text, DEFAULT_DELIMITER));
  }

  /** Why the pattern matches no text, if it is a broken regular expression. */
  get fault(): string | undefined {
    this.#leaf ??= this.#compileLeaf();
    return this.#leafFault;
  }

  /** Compares the text of a value, without regard to case. */
  matchesValue(value: Value, allowance?: StepAllowance): boolean {
    this.#leaf ??= this.#compileLeaf();
    return this.#leaf((typeof value === 'string' ? value : pyStr(value)).toLowerCase(), allowance);
  }

  #compileLeaf(): (text: string, allowance?: StepAllowance) => boolean {
    const wanted = this.text.toLowerCase();
    if (this.#table.mode === 'exact') return (text) => text === wanted;
    if (this.#table.mode === 'glob') {
      const glob = compileGlob(wanted);
      return glob.matches;
    }
    const pattern = this.#compileRegex(wanted);
    return pattern ? (text, allowance) => pattern.test(text, 'start', allowance) : () => false;
  }

  #compileRegex(text: string): PyPattern | undefined {
    try {
      return compilePattern(text);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      this.#leafFault = error.message;
      return undefined;
    }
  }
}

function matchesAny(data: Value, splits: readonly Split[], run: Run): boolean {
  for (const { path, pattern, everything } of splits) {
    const found = everything ? data : followPath(data, path);
    if (found === undefined) continue;
    if (isDict(found)) {
      if (found.size > 0 && matchesInDict(found, pattern, run)) return true;
    } else if (Array.isArray(found)) {
      if (found.some((member) => matchesMember(member, pattern, run))) return true;
    } else if (pattern.matchesValue(found, run.allowance)) return true;
  }
  return false;
}

function matchesMember(member: Value, pattern: Pattern, run: Run): boolean {
  return (
    (isDict(member) && matchesInDict(member, pattern, run)) || pattern.matchesValue(member, run.allowance)
  );
}

function matchesInDict(target: Dict, pattern: Pattern, run: Run): boolean {
  const { inner } = pattern;
  if (inner.text === '*' || target.has(inner.text)) return true;
  if (!pattern.wildcard && inner.splits.length === 0) return false;
  if (run.failed?.get(pattern)?.has(target)) return false;
  if (matchesAny(target, inner.splits, run)) return true;
  if (pattern.wildcard) {
    for (const child of target.values()) if (matchesChild(child, inner, run)) return true;
  }
  noteFailure(run, pattern, target);
  return false;
}

function noteFailure(run: Run, pattern: Pattern, target: Dict): void {
  run.failed ??= new Map();
  const failed = run.failed.get(pattern);
  if (failed) failed.add(target);
  else run.failed.set(pattern, new Set([target]));
}

function matchesChild(child: Value, pattern: Pattern, run: Run): boolean {
  if (isDict(child)) return matchesInDict(child, pattern, run);
  if (!Array.isArray(child)) return pattern.matchesValue(child, run.allowance);
  return child.some((item) => pattern.matchesValue(item, run.allowance));
}
