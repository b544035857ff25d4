/** Turns the tree of a regular expression into a list of instructions for the backtracking matcher. */
import type { CharMatcher, Fold } from './chars.ts';
import type { Node, AssertedPlace, SyntaxTree } from './syntax.ts';

/** The kinds of instructions. */
export const Op = {
  one: 0,
  place: 1,
  jump: 2,
  split: 3,
  save: 4,
  saveEnd: 5,
  run: 6,
  loopStart: 7,
  loopTest: 8,
  loopEnter: 9,
  look: 10,
  atomic: 11,
  backreference: 12,
  conditional: 13,
  accept: 14,
} as const;

/** One instruction; after most of them the next in the list follows. */
export type Instruction =
  | { readonly op: typeof Op.one; readonly matcher: CharMatcher }
  | { readonly op: typeof Op.place; readonly place: AssertedPlace; readonly ascii: boolean }
  | { readonly op: typeof Op.jump; to: number }
  /** Tries the next instruction first and `second` when that fails. */
  | { readonly op: typeof Op.split; second: number }
  | { readonly op: typeof Op.save; readonly register: number }
  /** Ends a group: start and end become visible together, as in Python. */
  | { readonly op: typeof Op.saveEnd; readonly register: number; readonly start: number }
  | {
      readonly op: typeof Op.run;
      readonly matcher: CharMatcher;
      readonly min: number;
      readonly max: number;
      readonly mode: 'greedy' | 'lazy' | 'possessive';
    }
  | { readonly op: typeof Op.loopStart; readonly register: number }
  | {
      readonly op: typeof Op.loopTest;
      readonly register: number;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
      exit: number;
    }
  | { readonly op: typeof Op.loopEnter; readonly register: number }
  | {
      readonly op: typeof Op.look;
      readonly width: number | undefined;
      readonly negated: boolean;
      next: number;
    }
  | { readonly op: typeof Op.atomic; next: number }
  | { readonly op: typeof Op.backreference; readonly group: number; readonly fold: Fold }
  | { readonly op: typeof Op.conditional; readonly group: number; no: number }
  | { readonly op: typeof Op.accept };

/** A compiled pattern. */
export interface Program {
  readonly code: readonly Instruction[];
  readonly groupCount: number;
  /** Two for each group (0 included), one more for each group's open start, two for each loop. */
  readonly registerCount: number;
}

/** Compiles a tree. */
export function compileProgram(tree: SyntaxTree): Program {
  const compiler = new Compiler(tree.groupCount);
  compiler.emit(tree.root);
  compiler.code.push({ op: Op.accept });
  return { code: compiler.code, groupCount: tree.groupCount, registerCount: compiler.registers };
}

class Compiler {
  readonly code: Instruction[] = [];
  registers: number;
  readonly #groupCount: number;

  constructor(groupCount: number) {
    this.#groupCount = groupCount;
    this.registers = (groupCount + 1) * 3;
  }

  emit(node: Node): void {
    switch (node.op) {
      case 'one':
        this.code.push({ op: Op.one, matcher: node.matcher });
        return;
      case 'place':
        this.code.push({ op: Op.place, place: node.place, ascii: node.ascii });
        return;
      case 'sequence':
        for (const item of node.items) this.emit(item);
        return;
      case 'branch':
        this.#branch(node.items);
        return;
      case 'group':
        this.#group(node.index, node.body);
        return;
      case 'repeat':
        this.#repeat(node);
        return;
      case 'look': {
        const look = { op: Op.look, width: node.width, negated: node.negated, next: 0 };
        this.#inner(look, node.body);
        return;
      }
      case 'atomic':
        this.#inner({ op: Op.atomic, next: 0 }, node.body);
        return;
      case 'backreference':
        this.code.push({ op: Op.backreference, group: node.group, fold: node.fold });
        return;
      case 'conditional':
        this.#conditional(node.group, node.yes, node.no);
    }
  }

  #branch(items: readonly Node[]): void {
    const jumps: { to: number }[] = [];
    items.forEach((item, i) => {
      if (i === items.length - 1) {
        this.emit(item);
        return;
      }
      const split = { op: Op.split, second: 0 };
      this.code.push(split);
      this.emit(item);
      const jump = { op: Op.jump, to: 0 };
      jumps.push(jump);
      this.code.push(jump);
      split.second = this.code.length;
    });
    for (const jump of jumps) jump.to = this.code.length;
  }

  #group(index: number, body: Node): void {
    const start = (this.#groupCount + 1) * 2 + index;
    this.code.push({ op: Op.save, register: start });
    this.emit(body);
    this.code.push({ op: Op.saveEnd, register: index * 2 + 1, start });
  }

  #repeat(node: Extract<Node, { op: 'repeat' }>): void {
    const { min, max, mode, body } = node;
    if (body.op === 'one') {
      this.code.push({ op: Op.run, matcher: body.matcher, min, max, mode });
      return;
    }
    if (mode === 'possessive') {
      this.#inner({ op: Op.atomic, next: 0 }, { ...node, mode: 'greedy' });
      return;
    }
    const register = this.registers;
    this.registers += 2;
    this.code.push({ op: Op.loopStart, register });
    const test = { op: Op.loopTest, register, min, max, lazy: mode === 'lazy', exit: 0 };
    const top = this.code.length;
    this.code.push(test, { op: Op.loopEnter, register });
    this.emit(body);
    this.code.push({ op: Op.jump, to: top });
    test.exit = this.code.length;
  }

  /** A part that is matched on its own: it ends with its own accept. */
  #inner(head: Extract<Instruction, { next: number }>, body: Node): void {
    this.code.push(head);
    this.emit(body);
    this.code.push({ op: Op.accept });
    head.next = this.code.length;
  }

  #conditional(group: number, yes: Node, no: Node): void {
    const test = { op: Op.conditional, group, no: 0 };
    this.code.push(test);
    this.emit(yes);
    const jump = { op: Op.jump, to: 0 };
    this.code.push(jump);
    test.no = this.code.length;
    this.emit(no);
    jump.to = this.code.length;
  }
}
