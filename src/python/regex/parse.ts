/** Reads Python regular expressions (3.11 `re`, text patterns) into a tree. Error texts and positions are Python's. */
import { anyMatcher, CharSet, literalMatcher, type Fold, type SetItem } from './chars.ts';
import { readClassEscape, readEscape, type EscapeContext } from './escape.ts';
import { PatternReader } from './reader.ts';
import { widthOf, type Node, type AssertedPlace, type SyntaxTree } from './syntax.ts';

/** Parentheses deeper than this are refused (Python ends with a RecursionError, somewhat deeper). */
const MAX_DEPTH = 150;
/** Python's MAXREPEAT. */
const MAX_REPEAT = 4294967295;

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly ascii: boolean;
  readonly verbose: boolean;
}

/** Options a caller may switch on, as Python's `re.I` and its like. */
export type FlagOptions = Partial<Flags>;

const FLAG_LETTERS: ReadonlyMap<string, keyof Flags | undefined> = new Map([
  ['i', 'ignoreCase'],
  ['m', 'multiline'],
  ['s', 'dotAll'],
  ['a', 'ascii'],
  ['x', 'verbose'],
  ['u', undefined],
  ['t', undefined],
  ['L', undefined],
]);

/**
 * Reads a pattern.
 * @throws PatternError with the position of the fault
 */
export function parsePattern(pattern: string, flags: FlagOptions = {}): SyntaxTree {
  return new PatternParser(pattern, flags).parse();
}

class PatternParser implements EscapeContext {
  readonly reader: PatternReader;
  #flags: Flags;
  readonly #groupNames = new Map<string, number>();
  /** Widths of the groups that are closed, by number. */
  readonly #closed = new Map<number, readonly [number, number]>();
  #groupCount = 0;
  /** The first group that a look-behind being read may not refer to, plus one. */
  #behindLimit: number | undefined;
  /** Conditions on numbered groups, with their positions: checked when all groups are known. */
  readonly #conditions = new Map<number, number>();

  constructor(pattern: string, flags: FlagOptions) {
    this.reader = new PatternReader(pattern);
    const off = { ignoreCase: false, multiline: false, dotAll: false, ascii: false, verbose: false };
    this.#flags = { ...off, ...flags };
  }

  parse(): SyntaxTree {
    const root = this.#alternatives(0);
    if (this.reader.next !== undefined) throw this.reader.error('unbalanced parenthesis');
    for (const [group, position] of this.#conditions) {
      if (group > this.#groupCount) throw this.reader.errorAt(`invalid group reference ${group}`, position);
    }
    return { root, groupCount: this.#groupCount, groupNames: this.#groupNames };
  }

  get fold(): Fold {
    if (!this.#flags.ignoreCase) return 'none';
    return this.#flags.ascii ? 'ascii' : 'unicode';
  }

  get ascii(): boolean {
    return this.#flags.ascii;
  }

  #alternatives(depth: number): Node {
    if (depth > MAX_DEPTH) throw this.reader.error(`more than ${MAX_DEPTH} nested groups`);
    const items = [this.#sequence(depth, depth === 0)];
    while (this.reader.take('|')) items.push(this.#sequence(depth, false));
    return items.length === 1 ? (items[0] as Node) : { op: 'branch', items };
  }

  #sequence(depth: number, first: boolean): Node {
    const items: Node[] = [];
    for (;;) {
      const token = this.reader.next;
      if (token === undefined || token === '|' || token === ')') break;
      this.reader.advance();
      if (this.#flags.verbose && this.#skipVerbose(token)) continue;
      if (token === '(') {
        const node = this.#parenthesis(depth, first && items.length === 0);
        if (node) items.push(node);
      } else if (isQuantifier(token)) this.#quantifier(token, items);
      else items.push(this.#atom(token));
    }
    return items.length === 1 ? (items[0] as Node) : { op: 'sequence', items };
  }

  #skipVerbose(token: string): boolean {
    if (' \t\n\r\v\f'.includes(token)) return true;
    if (token !== '#') return false;
    for (let c = this.reader.advance(); c !== undefined && c !== '\n';) c = this.reader.advance();
    return true;
  }

  #atom(token: string): Node {
    if (token.startsWith('\\')) return readEscape(token, this);
    if (token === '[') return this.#set();
    if (token === '.') return { op: 'one', matcher: anyMatcher(this.#flags.dotAll) };
    if (token === '^') return this.#place(this.#flags.multiline ? 'lineStart' : 'textStart');
    if (token === '$') return this.#place(this.#flags.multiline ? 'lineEnd' : 'finalEnd');
    return { op: 'one', matcher: literalMatcher(token.codePointAt(0) as number, this.fold) };
  }

  #place(place: AssertedPlace): Node {
    return { op: 'place', place, ascii: this.#flags.ascii };
  }

  #quantifier(token: string, items: Node[]): void {
    const here = this.reader.position;
    const bounds = this.#bounds(token, here);
    if (!bounds) {
      items.push({ op: 'one', matcher: literalMatcher(0x7b, this.fold) });
      return;
    }
    const body = items.pop();
    const start = here - 1;
    if (!body || body.op === 'place') throw this.reader.errorAt('nothing to repeat', start);
    // A group around a repetition is taken off while reading, so only a bare repetition is a double one.
    if (body.op === 'repeat' && !this.#wrapped.has(body)) throw this.reader.errorAt('multiple repeat', start);
    const mode = this.reader.take('?') ? 'lazy' : this.reader.take('+') ? 'possessive' : 'greedy';
    items.push({ op: 'repeat', min: bounds[0], max: bounds[1], mode, body });
  }

  /** Repetitions and places that stood in parentheses of their own and may be repeated again. */
  readonly #wrapped = new WeakSet<Node>();

  #bounds(token: string, here: number): [number, number] | undefined {
    if (token === '?') return [0, 1];
    if (token === '*') return [0, Infinity];
    if (token === '+') return [1, Infinity];
    if (this.reader.next === '}') return undefined;
    const low = this.reader.takeWhile(/^[0-9]$/);
    const high = this.reader.take(',') ? this.reader.takeWhile(/^[0-9]$/) : low;
    if (!this.reader.take('}')) {
      this.reader.seek(here);
      return undefined;
    }
    const min = low === '' ? 0 : Number(low);
    const max = high === '' ? Infinity : Number(high);
    if (min >= MAX_REPEAT || (max !== Infinity && max >= MAX_REPEAT)) {
      throw this.reader.errorAt('the repetition number is too large', here);
    }
    if (max < min) throw this.reader.errorAt('min repeat greater than max repeat', here);
    return [min, max];
  }

  #set(): Node {
    const here = this.reader.position - 1;
    const negated = this.reader.take('^');
    const items: SetItem[] = [];
    for (;;) {
      const token = this.#setToken(here);
      if (token === ']' && items.length > 0) break;
      const low = this.#setMember(token);
      if (!this.reader.take('-')) {
        items.push(low);
        continue;
      }
      const end = this.#setToken(here);
      if (end === ']') {
        items.push(low, { kind: 'range', low: 0x2d, high: 0x2d });
        break;
      }
      items.push(this.#range(token, low, end));
    }
    return { op: 'one', matcher: this.#setMatcher(items, negated) };
  }

  #setMatcher(items: readonly SetItem[], negated: boolean): CharSet | ReturnType<typeof literalMatcher> {
    const [only] = items;
    const single = !negated && items.length === 1 && only?.kind === 'range' && only.low === only.high;
    return single ? literalMatcher(only.low, this.fold) : new CharSet(items, negated, this.fold);
  }

  #setToken(here: number): string {
    const token = this.reader.advance();
    if (token === undefined) throw this.reader.errorAt('unterminated character set', here);
    return token;
  }

  #setMember(token: string): SetItem {
    if (token.startsWith('\\')) return readClassEscape(token, this);
    const code = token.codePointAt(0) as number;
    return { kind: 'range', low: code, high: code };
  }

  #range(token: string, low: SetItem, end: string): SetItem {
    const high = this.#setMember(end);
    if (low.kind !== 'range' || high.kind !== 'range' || high.low < low.low) {
      throw this.reader.error(`bad character range ${token}-${end}`, [...token].length + 1 + [...end].length);
    }
    return { kind: 'range', low: low.low, high: high.low };
  }

  /** What follows an opening parenthesis; undefined when it is no node (comments, flags). */
  #parenthesis(depth: number, first: boolean): Node | undefined {
    const start = this.reader.position - 1;
    if (!this.reader.take('?')) return this.#group(depth, start, undefined);
    const kind = this.#extensionToken();
    if (kind === 'P') return this.#pythonExtension(depth, start);
    if (kind === ':') return this.#unwrap(this.#body(depth, start));
    if (kind === '#') return this.#comment(start);
    if (kind === '=' || kind === '!' || kind === '<') return this.#look(depth, start, kind);
    if (kind === '(') return this.#conditional(depth, start);
    if (kind === '>') return { op: 'atomic', body: this.#body(depth, start) };
    if (FLAG_LETTERS.has(kind) || kind === '-') return this.#inlineFlags(depth, start, kind, first);
    throw this.reader.error(`unknown extension ?${kind}`, [...kind].length + 1);
  }

  #extensionToken(): string {
    const token = this.reader.advance();
    if (token === undefined) throw this.reader.error('unexpected end of pattern');
    return token;
  }

  #body(depth: number, start: number): Node {
    const flags = this.#flags;
    const body = this.#alternatives(depth + 1);
    this.#flags = flags;
    if (!this.reader.take(')')) throw this.reader.errorAt('missing ), unterminated subpattern', start);
    return body;
  }

  /** Python takes plain parentheses off at the end of the sequence, so what was inside may be repeated again. */
  #unwrap(body: Node): Node {
    if (body.op === 'place') return { op: 'sequence', items: [body] };
    if (body.op === 'repeat') this.#wrapped.add(body);
    return body;
  }

  #group(depth: number, start: number, name: string | undefined): Node {
    const index = ++this.#groupCount;
    if (name !== undefined) {
      const earlier = this.#groupNames.get(name);
      if (earlier !== undefined) {
        const reason = `redefinition of group name '${name}' as group ${index}; was group ${earlier}`;
        throw this.reader.error(reason, [...name].length + 1);
      }
      this.#groupNames.set(name, index);
    }
    const body = this.#body(depth, start);
    this.#closed.set(index, widthOf(body, this.#closed));
    return { op: 'group', index, body };
  }

  #pythonExtension(depth: number, start: number): Node {
    if (this.reader.take('<')) {
      const name = this.reader.until('>', 'group name');
      this.#checkName(name);
      return this.#group(depth, start, name);
    }
    if (this.reader.take('=')) {
      const name = this.reader.until(')', 'group name');
      this.#checkName(name);
      return this.reference(this.#namedGroup(name), [...name].length + 1);
    }
    const token = this.#extensionToken();
    throw this.reader.error(`unknown extension ?P${token}`, [...token].length + 2);
  }

  #checkName(name: string): void {
    if (!/^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]*$/u.test(name)) {
      throw this.reader.error(`bad character in group name '${name}'`, [...name].length + 1);
    }
  }

  #namedGroup(name: string): number {
    const index = this.#groupNames.get(name);
    if (index === undefined) throw this.reader.error(`unknown group name '${name}'`, [...name].length + 1);
    return index;
  }

  /** A back-reference; `offset` is how far back its text began, for errors. */
  reference(group: number, offset: number): Node {
    if (group > this.#groupCount) throw this.reader.error(`invalid group reference ${group}`, offset - 1);
    if (!this.#closed.has(group)) throw this.reader.error('cannot refer to an open group', offset);
    this.#checkBehind(group);
    return { op: 'backreference', group, fold: this.fold };
  }

  #checkBehind(group: number): void {
    if (this.#behindLimit === undefined) return;
    if (!this.#closed.has(group)) throw this.reader.error('cannot refer to an open group');
    if (group >= this.#behindLimit) {
      throw this.reader.error('cannot refer to group defined in the same lookbehind subpattern');
    }
  }

  #comment(start: number): undefined {
    for (;;) {
      if (this.reader.next === undefined) throw this.reader.errorAt('missing ), unterminated comment', start);
      if (this.reader.advance() === ')') return undefined;
    }
  }

  #look(depth: number, start: number, kind: string): Node {
    let sign = kind;
    const behind = kind === '<';
    const outer = this.#behindLimit;
    if (behind) {
      sign = this.#extensionToken();
      if (sign !== '=' && sign !== '!') {
        throw this.reader.error(`unknown extension ?<${sign}`, [...sign].length + 2);
      }
      this.#behindLimit ??= this.#groupCount + 1;
    }
    const body = this.#body(depth, start);
    this.#behindLimit = outer;
    if (!behind) return { op: 'look', width: undefined, negated: sign === '!', body };
    const [low, high] = widthOf(body, this.#closed);
    if (low !== high) throw this.reader.errorWhole('look-behind requires fixed-width pattern');
    return { op: 'look', width: low, negated: sign === '!', body };
  }

  #conditional(depth: number, start: number): Node {
    const name = this.reader.until(')', 'group name');
    const group = this.#conditionGroup(name);
    this.#checkBehind(group);
    const yes = this.#sequence(depth + 1, false);
    const no: Node = this.reader.take('|') ? this.#sequence(depth + 1, false) : { op: 'sequence', items: [] };
    if (this.reader.next === '|') throw this.reader.error('conditional backref with more than two branches');
    if (!this.reader.take(')')) throw this.reader.errorAt('missing ), unterminated subpattern', start);
    return { op: 'conditional', group, yes, no };
  }

  #conditionGroup(name: string): number {
    const length = [...name].length;
    if (!/^\s*\+?[0-9_]+\s*$/.test(name)) {
      this.#checkName(name);
      return this.#namedGroup(name);
    }
    const group = Number(name.replaceAll('_', ''));
    if (group === 0) throw this.reader.error('bad group number', length + 1);
    const position = this.reader.position - length - 1;
    if (!this.#conditions.has(group)) this.#conditions.set(group, position);
    return group;
  }

  #inlineFlags(depth: number, start: number, letter: string, first: boolean): Node | undefined {
    const { on, off, global } = readFlags(this.reader, letter);
    const changed = { ...this.#flags };
    for (const name of on) changed[name] = true;
    for (const name of off) changed[name] = false;
    if (global) {
      if (!first) throw this.reader.errorAt('global flags not at the start of the expression', start);
      this.#flags = changed;
      return undefined;
    }
    const outer = this.#flags;
    this.#flags = changed;
    const body = this.#body(depth, start);
    this.#flags = outer;
    return on.length + off.length === 0 ? this.#unwrap(body) : { op: 'sequence', items: [body] };
  }
}

const isQuantifier = (token: string): boolean => '*+?{'.includes(token);

interface InlineFlags {
  readonly on: readonly (keyof Flags)[];
  readonly off: readonly (keyof Flags)[];
  /** True for `(?i)`, false for `(?i:…)`. */
  readonly global: boolean;
}

function readFlags(reader: PatternReader, letter: string): InlineFlags {
  const on: (keyof Flags)[] = [];
  const off: (keyof Flags)[] = [];
  let seenType = '';
  let token: string | undefined = letter;
  while (token !== '-' && token !== ')' && token !== ':') {
    const flag = FLAG_LETTERS.get(token);
    if (token === 'L') {
      throw reader.error("bad inline flags: cannot use 'L' flag with a str pattern");
    }
    if (token === 'a' || token === 'u') {
      if (seenType !== '' && seenType !== token) {
        throw reader.error("bad inline flags: flags 'a', 'u' and 'L' are incompatible");
      }
      seenType = token;
    }
    if (flag) on.push(flag);
    token = nextFlag(reader, 'missing -, : or )', ')-:');
  }
  if (token === ')') return { on, off, global: true };
  if (token === '-') {
    token = nextFlag(reader, 'missing flag', '');
    while (token !== ':') {
      if ('aLu'.includes(token)) {
        throw reader.error("bad inline flags: cannot turn off flags 'a', 'u' and 'L'");
      }
      const flag = FLAG_LETTERS.get(token);
      if (flag) off.push(flag);
      token = nextFlag(reader, 'missing :', ':');
    }
  }
  if (on.some((flag) => off.includes(flag))) {
    throw reader.error('bad inline flags: flag turned on and off', 1);
  }
  return { on, off, global: false };
}

function nextFlag(reader: PatternReader, missing: string, ends: string): string {
  const token = reader.advance();
  if (token === undefined) throw reader.error(missing);
  if ((token.length === 1 && ends.includes(token)) || FLAG_LETTERS.has(token)) return token;
  throw reader.error(/^\p{L}$/u.test(token) ? 'unknown flag' : missing, [...token].length);
}
