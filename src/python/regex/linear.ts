/**
 * The fast matcher for Python regular expressions without look-around, back-references and atomic groups: it only says
 * yes or no, in time proportional to the text, whatever the pattern. All ways through the pattern are followed at once;
 * the sets of places reached are remembered, so that names of the same shape cost one look-up per character.
 */
import { inCategory, type CharMatcher } from './chars.ts';
import { PatternBudgetError, type StepAllowance } from './backtrack.ts';
import type { Node, AssertedPlace, SyntaxTree } from './syntax.ts';

/** Repetitions are written out; patterns that become longer than this are left to the other matcher. */
const MAX_INSTRUCTIONS = 20_000;
/** Remembered sets; when there are more, all are forgotten. */
const MAX_STATES = 1000;
/** Larger sets are not remembered: looking them up would cost more than it saves. */
const MAX_REMEMBERED_PLACES = 200;
/** Remembered steps of one set over characters above 127; when there are more, all are forgotten. */
const MAX_RARE_STEPS = 64;

/**
 * Where a match has to lie: at the start (`re.match`), anywhere (`re.search`), over the whole text (`re.fullmatch`).
 */
export type Anchor = 'start' | 'anywhere' | 'whole';

type Instruction =
  | { readonly op: 'one'; readonly matcher: CharMatcher }
  | { readonly op: 'place'; readonly place: AssertedPlace; readonly ascii: boolean }
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'accept' };

/** What stood before a position, as far as places ask for it. */
const AT_START = 0;
const NEWLINE = 1;
const ASCII_WORD = 2;
const UNICODE_WORD = 3;
const OTHER = 4;

/** Symbols beside characters: the end of the text, and a newline that is its last character. */
const END = 128;
const FINAL_NEWLINE = 129;

/** A set of places in the pattern and what stood before. */
interface State {
  readonly places: readonly number[];
  readonly before: number;
  /** By symbol; filled in when first needed. */
  readonly next: (State | undefined)[];
  readonly rare: Map<number, State>;
}

const makeState = (places: readonly number[], before: number): State => ({
  places,
  before,
  next: new Array<State | undefined>(130).fill(undefined),
  rare: new Map(),
});

const ACCEPTED = makeState([], OTHER);
const REJECTED = makeState([], OTHER);

/** Matches one pattern; remembers what it learnt about it, within bounds. */
export class LinearMatcher {
  /** How often all remembered sets were forgotten. */
  flushes = 0;
  readonly #pattern: string;
  readonly #code: readonly Instruction[];
  readonly #hasPlaces: boolean;
  readonly #initial: Readonly<Record<Anchor, State>>;
  readonly #automata = new Map<Anchor, Map<string, State>>();
  readonly #visited: Uint32Array;
  #round = 0;

  private constructor(pattern: string, code: readonly Instruction[]) {
    this.#pattern = pattern;
    this.#code = code;
    this.#hasPlaces = code.some(({ op }) => op === 'place');
    this.#visited = new Uint32Array(code.length);
    const start = (): State => makeState([0], this.#hasPlaces ? AT_START : OTHER);
    this.#initial = { start: start(), anywhere: start(), whole: start() };
  }

  /** A matcher for a tree, or undefined when the pattern needs the other one. */
  static compile(pattern: string, tree: SyntaxTree): LinearMatcher | undefined {
    if (sizeOf(tree.root) > MAX_INSTRUCTIONS) return undefined;
    const code: Instruction[] = [];
    emit(tree.root, code);
    code.push({ op: 'accept' });
    return new LinearMatcher(pattern, code);
  }

  /**
   * True when there is a match.
   * @param allowance pays for sets that are not remembered yet
   * @throws PatternBudgetError when it is used up
   */
  test(text: string, anchor: Anchor, allowance: StepAllowance): boolean {
    let state = this.#initial[anchor];
    for (let position = 0; position < text.length; position++) {
      const unit = text.charCodeAt(position);
      if (unit < 128) {
        const symbol = unit === 0x0a && position === text.length - 1 ? FINAL_NEWLINE : unit;
        state = state.next[symbol] ?? this.#step(state, symbol, unit, anchor, allowance);
      } else {
        const code = text.codePointAt(position) as number;
        if (code > 0xffff) position++;
        state = state.rare.get(code) ?? this.#step(state, -1, code, anchor, allowance);
      }
      if (state === ACCEPTED) return true;
      if (state === REJECTED) return false;
    }
    return (state.next[END] ?? this.#step(state, END, -1, anchor, allowance)) === ACCEPTED;
  }

  /** The set after one more symbol; `code` is -1 at the end of the text. */
  #step(state: State, symbol: number, code: number, anchor: Anchor, allowance: StepAllowance): State {
    const following = this.#follow(state, symbol, code, anchor, allowance);
    if (symbol >= 0) state.next[symbol] = following;
    else {
      if (state.rare.size >= MAX_RARE_STEPS) state.rare.clear();
      state.rare.set(code, following);
    }
    return following;
  }

  #follow(state: State, symbol: number, code: number, anchor: Anchor, allowance: StepAllowance): State {
    const { reached, accepted, cost } = this.#reach(state, symbol, code);
    allowance.remaining -= cost;
    if (allowance.remaining < 0) throw new PatternBudgetError(this.#pattern);
    if (accepted && (anchor !== 'whole' || symbol === END)) return ACCEPTED;
    if (symbol === END) return REJECTED;
    const places = new Set<number>();
    for (const place of reached) {
      const instruction = this.#code[place];
      if (instruction?.op === 'one' && instruction.matcher.has(code)) places.add(place + 1);
    }
    if (anchor === 'anywhere') places.add(0);
    if (places.size === 0) return REJECTED;
    return this.#remember([...places], this.#hasPlaces ? kindOf(code) : OTHER, anchor);
  }

  /** The characters that may come next, and whether the pattern may end here. */
  #reach(state: State, symbol: number, code: number): { reached: number[]; accepted: boolean; cost: number } {
    if (this.#round === 0xffffffff) {
      this.#visited.fill(0);
      this.#round = 0;
    }
    const round = ++this.#round;
    const stack = [...state.places];
    const reached: number[] = [];
    let accepted = false;
    let cost = 0;
    while (stack.length > 0) {
      const place = stack.pop() as number;
      if (this.#visited[place] === round) continue;
      this.#visited[place] = round;
      cost++;
      const instruction = this.#code[place] as Instruction;
      switch (instruction.op) {
        case 'one':
          reached.push(place);
          break;
        case 'place':
          if (holds(instruction.place, instruction.ascii, state.before, symbol, code)) stack.push(place + 1);
          break;
        case 'split':
          stack.push(instruction.first, instruction.second);
          break;
        case 'jump':
          stack.push(instruction.to);
          break;
        case 'accept':
          accepted = true;
      }
    }
    return { reached, accepted, cost };
  }

  #remember(places: readonly number[], before: number, anchor: Anchor): State {
    let states = this.#automata.get(anchor);
    if (!states) this.#automata.set(anchor, (states = new Map()));
    if (places.length > MAX_REMEMBERED_PLACES) return makeState(places, before);
    const key = `${before}:${[...places].sort((a, b) => a - b).join()}`;
    const known = states.get(key);
    if (known) return known;
    if (states.size >= MAX_STATES) {
      states.clear();
      this.flushes++;
    }
    const state = makeState(places, before);
    states.set(key, state);
    return state;
  }
}

function kindOf(code: number): number {
  if (code === 0x0a) return NEWLINE;
  if (inCategory('word', code, true)) return ASCII_WORD;
  return inCategory('word', code, false) ? UNICODE_WORD : OTHER;
}

function holds(place: AssertedPlace, ascii: boolean, before: number, symbol: number, code: number): boolean {
  switch (place) {
    case 'textStart':
      return before === AT_START;
    case 'lineStart':
      return before === AT_START || before === NEWLINE;
    case 'textEnd':
      return symbol === END;
    case 'finalEnd':
      return symbol === END || symbol === FINAL_NEWLINE;
    case 'lineEnd':
      return symbol === END || code === 0x0a;
    case 'boundary':
    case 'notBoundary': {
      // Python: neither holds in an empty text.
      if (before === AT_START && symbol === END) return false;
      const wordBefore = before === ASCII_WORD || (before === UNICODE_WORD && !ascii);
      const wordAfter = code >= 0 && inCategory('word', code, ascii);
      return (wordBefore !== wordAfter) === (place === 'boundary');
    }
  }
}

/** The number of instructions a node becomes; Infinity for what this matcher cannot do. */
function sizeOf(node: Node): number {
  switch (node.op) {
    case 'one':
    case 'place':
      return 1;
    case 'sequence':
      return node.items.reduce((sum, item) => sum + sizeOf(item), 0);
    case 'branch':
      return node.items.reduce((sum, item) => sum + 2 + sizeOf(item), 0);
    case 'group':
      return sizeOf(node.body);
    case 'repeat': {
      if (node.mode === 'possessive') return Infinity;
      const copies = node.max === Infinity ? node.min + 1 : node.max;
      // A body of no size repeated for ever would still have to be written out.
      return copies * (sizeOf(node.body) + 2);
    }
    case 'look':
    case 'atomic':
    case 'backreference':
    case 'conditional':
      return Infinity;
  }
}

function emit(node: Node, code: Instruction[]): void {
  switch (node.op) {
    case 'one':
      code.push({ op: 'one', matcher: node.matcher });
      return;
    case 'place':
      code.push({ op: 'place', place: node.place, ascii: node.ascii });
      return;
    case 'sequence':
      for (const item of node.items) emit(item, code);
      return;
    case 'branch':
      emitBranch(node.items, code);
      return;
    case 'group':
      emit(node.body, code);
      return;
    case 'repeat':
      emitRepeat(node, code);
      return;
    case 'look':
    case 'atomic':
    case 'backreference':
    case 'conditional':
      throw new Error(`${node.op} has no place here`);
  }
}

function emitBranch(items: readonly Node[], code: Instruction[]): void {
  const jumps: { to: number }[] = [];
  items.forEach((item, i) => {
    const split = { op: 'split' as const, first: code.length + 1, second: 0 };
    if (i < items.length - 1) code.push(split);
    emit(item, code);
    const jump = { op: 'jump' as const, to: 0 };
    jumps.push(jump);
    code.push(jump);
    split.second = code.length;
  });
  for (const jump of jumps) jump.to = code.length;
}

function emitRepeat({ min, max, body }: Extract<Node, { op: 'repeat' }>, code: Instruction[]): void {
  for (let i = 0; i < min; i++) emit(body, code);
  if (max === Infinity) {
    const top = code.length;
    const split = { op: 'split' as const, first: top + 1, second: 0 };
    code.push(split);
    emit(body, code);
    code.push({ op: 'jump', to: top });
    split.second = code.length;
    return;
  }
  const splits: { second: number }[] = [];
  for (let i = min; i < max; i++) {
    const split = { op: 'split' as const, first: code.length + 1, second: 0 };
    splits.push(split);
    code.push(split);
    emit(body, code);
  }
  for (const split of splits) split.second = code.length;
}
