/**
 * The complete matcher for Python regular expressions: priorities, groups, look-around, back-references, as `re` has
 * them. It backtracks, so every step is paid from an allowance; a pattern that needs more ends with an error instead
 * of a standstill.
 */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';
import { equalFolded, inCategory } from './chars.ts';
import { compileProgram, Op, type Instruction, type Program } from './program.ts';
import type { AssertedPlace, SyntaxTree } from './syntax.ts';

/** A pattern and a text that together need more steps than allowed. */
export class PatternBudgetError extends BrineError {
  static override readonly errorCode: ErrorCode = 'pattern-too-costly';
  override readonly name = 'PatternBudgetError';

  constructor(pattern: string) {
    const shown = pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern;
    super(
      `Regular expression '${shown}' takes too many steps on this text; make its repetitions less ambiguous`,
    );
  }
}

/** Steps that may still be spent; shared by all matches of one task, so that the task as a whole is bounded. */
export class StepAllowance {
  remaining: number;
  constructor(steps: number) {
    this.remaining = steps;
  }
}

/** Start and end of every group in the text, in pairs; -1 for groups that took no part. */
export type Spans = readonly number[];

/** Where a match may end: anywhere, only at the end of the text, or anywhere but where it began. */
export type Ending = 'anywhere' | 'textEnd' | 'advanced';

/** Kinds of entries on the stack of things to try next or to take back. Each entry is four numbers. */
const CHOICE = 0;
const RESTORE = 1;
const SHRINK = 2;
const GROW = 3;

/** Numbers on that stack (128 MiB); a pattern that would need more is given up. */
const MAX_STACK = 16 * 1024 * 1024;

/** Matches one pattern; holds no state between matches. */
export class BacktrackMatcher {
  readonly #program: Program;
  readonly #pattern: string;

  constructor(pattern: string, tree: SyntaxTree) {
    this.#pattern = pattern;
    this.#program = compileProgram(tree);
  }

  /**
   * Matches at exactly one position of a text.
   * @returns the groups' places, or undefined
   * @throws PatternBudgetError when the allowance is used up
   */
  matchAt(text: string, start: number, allowance: StepAllowance, ending: Ending): Spans | undefined {
    const run = new Run(this.#pattern, this.#program, text, allowance);
    const end = run.execute(0, start, ending);
    if (end < 0) return undefined;
    const spans = run.registers.slice(0, (this.#program.groupCount + 1) * 2);
    spans[0] = start;
    spans[1] = end;
    for (let i = 2; i < spans.length; i += 2) {
      if ((spans[i + 1] as number) < 0) spans[i] = -1;
    }
    return spans;
  }
}

class Run {
  /** Group spans first, then counter and last position of each loop. */
  readonly registers: number[];
  readonly #stack: number[] = [];
  readonly #program: Program;
  readonly #text: string;
  readonly #allowance: StepAllowance;
  readonly #pattern: string;

  constructor(pattern: string, program: Program, text: string, allowance: StepAllowance) {
    this.#pattern = pattern;
    this.#program = program;
    this.#text = text;
    this.#allowance = allowance;
    this.registers = new Array<number>(program.registerCount).fill(-1);
  }

  /** Runs from an instruction until it accepts; the end position, or -1. Choices left over are dropped. */
  execute(start: number, from: number, ending: Ending): number {
    const floor = this.#stack.length;
    const { code } = this.#program;
    let pc = start;
    let position = from;
    for (;;) {
      if (--this.#allowance.remaining < 0) throw new PatternBudgetError(this.#pattern);
      const instruction = code[pc] as Instruction;
      let next = -1;
      if (instruction.op === Op.accept) {
        if (this.#mayEnd(position, from, ending)) {
          this.#dropChoices(floor);
          return position;
        }
      } else if (instruction.op === Op.one) {
        const width = this.#oneAt(instruction.matcher.has(this.#codeAt(position)), position);
        if (width > 0) {
          position += width;
          next = pc + 1;
        }
      } else {
        this.#position = position;
        next = this.#step(instruction, pc);
        position = this.#position;
      }
      if (next < 0) {
        next = this.#backtrack(floor);
        if (next < 0) return -1;
        position = this.#position;
      }
      pc = next;
    }
  }

  #position = 0;

  #mayEnd(position: number, from: number, ending: Ending): boolean {
    if (ending === 'anywhere') return true;
    return ending === 'textEnd' ? position === this.#text.length : position > from;
  }

  #oneAt(matches: boolean, position: number): number {
    if (!matches || position >= this.#text.length) return 0;
    return this.#codeAt(position) > 0xffff ? 2 : 1;
  }

  #codeAt(position: number): number {
    return this.#text.codePointAt(position) ?? -1;
  }

  /** Runs one instruction that is neither a character nor the end; the next one's index, or -1 on failure. */
  #step(instruction: Instruction, pc: number): number {
    switch (instruction.op) {
      case Op.place:
        return isAtPlace(this.#text, this.#position, instruction.place, instruction.ascii) ? pc + 1 : -1;
      case Op.jump:
        return instruction.to;
      case Op.split:
        this.#push(CHOICE, instruction.second, this.#position, 0);
        return pc + 1;
      case Op.save:
        this.#set(instruction.register, this.#position);
        return pc + 1;
      case Op.saveEnd:
        this.#set(instruction.register - 1, this.registers[instruction.start] as number);
        this.#set(instruction.register, this.#position);
        return pc + 1;
      case Op.run:
        return this.#runOfOne(instruction, pc);
      case Op.loopStart:
        this.#set(instruction.register, 0);
        this.#set(instruction.register + 1, -1);
        return pc + 1;
      case Op.loopTest:
        return this.#loopTest(instruction, pc);
      case Op.loopEnter:
        this.#set(instruction.register, (this.registers[instruction.register] as number) + 1);
        this.#set(instruction.register + 1, this.#position);
        return pc + 1;
      case Op.look:
        return this.#look(instruction, pc);
      case Op.atomic: {
        const end = this.execute(pc + 1, this.#position, 'anywhere');
        this.#position = end;
        return end < 0 ? -1 : instruction.next;
      }
      case Op.backreference:
        return this.#backreference(instruction, pc);
      case Op.conditional:
        return (this.registers[instruction.group * 2 + 1] as number) >= 0 ? pc + 1 : instruction.no;
      case Op.one:
      case Op.accept:
        return -1;
    }
  }

  /** A repeated single character: one entry on the stack stands for all its lengths. */
  #runOfOne(instruction: Extract<Instruction, { op: typeof Op.run }>, pc: number): number {
    const { matcher, min, max, mode } = instruction;
    const start = this.#position;
    let position = start;
    let count = 0;
    let shortest = start;
    const wanted = mode === 'lazy' ? min : max;
    while (count < wanted) {
      const width = this.#oneAt(matcher.has(this.#codeAt(position)), position);
      if (width === 0) break;
      position += width;
      count++;
      if (count === min) shortest = position;
    }
    this.#allowance.remaining -= count;
    if (count < min) return -1;
    this.#position = position;
    if (mode === 'greedy' && position > shortest) this.#push(SHRINK, pc, shortest, position);
    if (mode === 'lazy' && count < max) this.#push(GROW, pc, position, count);
    return pc + 1;
  }

  #loopTest(instruction: Extract<Instruction, { op: typeof Op.loopTest }>, pc: number): number {
    const count = this.registers[instruction.register] as number;
    const last = this.registers[instruction.register + 1] as number;
    if (count < instruction.min) return pc + 1;
    if (count >= instruction.max || this.#position === last) return instruction.exit;
    if (instruction.lazy) {
      this.#push(CHOICE, pc + 1, this.#position, 0);
      return instruction.exit;
    }
    this.#push(CHOICE, instruction.exit, this.#position, 0);
    return pc + 1;
  }

  #look(instruction: Extract<Instruction, { op: typeof Op.look }>, pc: number): number {
    const here = this.#position;
    const from = instruction.width === undefined ? here : this.#back(here, instruction.width);
    const saved = instruction.negated ? this.registers.slice() : undefined;
    const found = from >= 0 && this.execute(pc + 1, from, 'anywhere') >= 0;
    if (saved) saved.forEach((value, i) => (this.registers[i] = value));
    this.#position = here;
    return found === instruction.negated ? -1 : instruction.next;
  }

  /** The position a number of characters back, or -1 when the text begins before. */
  #back(position: number, count: number): number {
    let at = position;
    for (let i = 0; i < count; i++) {
      if (at <= 0) return -1;
      at -= at >= 2 && this.#codeAt(at - 2) > 0xffff ? 2 : 1;
    }
    return at;
  }

  #backreference({ group, fold }: Extract<Instruction, { op: typeof Op.backreference }>, pc: number): number {
    const start = this.registers[group * 2] as number;
    const end = this.registers[group * 2 + 1] as number;
    if (start < 0 || end < start) return -1;
    const wanted = this.#text.slice(start, end);
    this.#allowance.remaining -= wanted.length;
    if (fold === 'none') {
      if (!this.#text.startsWith(wanted, this.#position)) return -1;
      this.#position += wanted.length;
      return pc + 1;
    }
    for (const char of wanted) {
      const code = this.#codeAt(this.#position);
      if (code < 0 || !equalFolded(char.codePointAt(0) as number, code, fold)) return -1;
      this.#position += code > 0xffff ? 2 : 1;
    }
    return pc + 1;
  }

  #push(kind: number, a: number, b: number, c: number): void {
    if (this.#stack.length > MAX_STACK) throw new PatternBudgetError(this.#pattern);
    this.#stack.push(kind, a, b, c);
  }

  #set(register: number, value: number): void {
    this.#push(RESTORE, register, this.registers[register] as number, 0);
    this.registers[register] = value;
  }

  /** Takes back what was done since the last choice above `floor` and takes its other way; -1 when none is left. */
  #backtrack(floor: number): number {
    const stack = this.#stack;
    while (stack.length > floor) {
      const c = stack.pop() as number;
      const b = stack.pop() as number;
      const a = stack.pop() as number;
      const kind = stack.pop() as number;
      if (kind === RESTORE) {
        this.registers[a] = b;
        continue;
      }
      if (kind === CHOICE) {
        this.#position = b;
        return a;
      }
      const next = kind === SHRINK ? this.#shrink(a, b, c) : this.#grow(a, b, c);
      if (next >= 0) return next;
    }
    return -1;
  }

  #shrink(pc: number, shortest: number, position: number): number {
    const at = this.#back(position, 1);
    if (at > shortest) this.#push(SHRINK, pc, shortest, at);
    this.#position = at;
    return pc + 1;
  }

  #grow(pc: number, position: number, count: number): number {
    const { matcher, max } = this.#program.code[pc] as Extract<Instruction, { op: typeof Op.run }>;
    const width = this.#oneAt(matcher.has(this.#codeAt(position)), position);
    if (width === 0) return -1;
    if (count + 1 < max) this.#push(GROW, pc, position + width, count + 1);
    this.#position = position + width;
    return pc + 1;
  }

  /** Forgets the choices above `floor` but keeps what undoes the registers for the choices below. */
  #dropChoices(floor: number): void {
    const stack = this.#stack;
    let to = floor;
    for (let from = floor; from < stack.length; from += 4) {
      if (stack[from] !== RESTORE) continue;
      for (let k = 0; k < 4; k++) stack[to + k] = stack[from + k] as number;
      to += 4;
    }
    stack.length = to;
  }
}

/** True when an assertion without width holds at a position. */
function isAtPlace(text: string, position: number, place: AssertedPlace, ascii: boolean): boolean {
  switch (place) {
    case 'textStart':
      return position === 0;
    case 'lineStart':
      return position === 0 || text.charCodeAt(position - 1) === 0x0a;
    case 'textEnd':
      return position === text.length;
    case 'finalEnd':
      return position === text.length || (position === text.length - 1 && text.charCodeAt(position) === 0x0a);
    case 'lineEnd':
      return position === text.length || text.charCodeAt(position) === 0x0a;
    case 'boundary':
    case 'notBoundary': {
      // Python: neither holds in an empty text.
      if (text.length === 0) return false;
      const before = position > 0 && isWordAt(text, previous(text, position), ascii);
      const after = position < text.length && isWordAt(text, position, ascii);
      return (before !== after) === (place === 'boundary');
    }
  }
}

function previous(text: string, position: number): number {
  return position - (position >= 2 && (text.codePointAt(position - 2) ?? 0) > 0xffff ? 2 : 1);
}

function isWordAt(text: string, position: number, ascii: boolean): boolean {
  return inCategory('word', text.codePointAt(position) ?? 0, ascii);
}
