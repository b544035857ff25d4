/** The tree of a Python regular expression, and the error for text that is none. */
import type { ErrorCode } from '../../errors/codes.ts';
import { BrineError } from '../../errors/errors.ts';
import type { CharMatcher, Fold } from './chars.ts';

/** A pattern that Python's `re` would refuse as well, or that exceeds a limit of ours. */
export class PatternError extends BrineError {
  static override readonly errorCode: ErrorCode = 'pattern-invalid';
  override readonly name = 'PatternError';
  readonly pattern: string;
  /** What is wrong, in the words of Python's `re.error`, without the position. */
  readonly reason: string;
  /** Index of the fault in the pattern, in characters; undefined when the pattern as a whole is at fault. */
  readonly position: number | undefined;

  constructor(pattern: string, reason: string, position?: number) {
    const shown = pattern.length > 200 ? `${pattern.slice(0, 200)}…` : pattern;
    const where = position === undefined ? '' : ` at position ${position}`;
    super(`Invalid regular expression '${shown}': ${reason}${where}`);
    this.pattern = pattern;
    this.reason = reason;
    this.position = position;
  }

  /** Python's `str(re.error)`: `nothing to repeat at position 0`. */
  get pythonMessage(): string {
    return this.position === undefined ? this.reason : `${this.reason} at position ${this.position}`;
  }
}

/** The places an assertion without width can ask for. */
export type AssertedPlace =
  'textStart' | 'lineStart' | 'textEnd' | 'finalEnd' | 'lineEnd' | 'boundary' | 'notBoundary';

/** A node of the tree. */
export type Node =
  | { readonly op: 'one'; readonly matcher: CharMatcher }
  | { readonly op: 'place'; readonly place: AssertedPlace; readonly ascii: boolean }
  | { readonly op: 'sequence'; readonly items: readonly Node[] }
  | { readonly op: 'branch'; readonly items: readonly Node[] }
  | { readonly op: 'group'; readonly index: number; readonly body: Node }
  | {
      readonly op: 'repeat';
      readonly min: number;
      /** Infinity without an upper bound. */
      readonly max: number;
      readonly mode: 'greedy' | 'lazy' | 'possessive';
      readonly body: Node;
    }
  /** Width is that of a look-behind in characters, undefined for a look-ahead. */
  | {
      readonly op: 'look';
      readonly width: number | undefined;
      readonly negated: boolean;
      readonly body: Node;
    }
  | { readonly op: 'atomic'; readonly body: Node }
  | { readonly op: 'backreference'; readonly group: number; readonly fold: Fold }
  | { readonly op: 'conditional'; readonly group: number; readonly yes: Node; readonly no: Node };

/** A pattern read completely. */
export interface SyntaxTree {
  readonly root: Node;
  /** Number of capturing groups, group 0 not counted. */
  readonly groupCount: number;
  readonly groupNames: ReadonlyMap<string, number>;
}

/** The smallest and greatest number of characters a node takes. */
export function widthOf(
  node: Node,
  groups: ReadonlyMap<number, readonly [number, number]>,
): [number, number] {
  switch (node.op) {
    case 'one':
      return [1, 1];
    case 'place':
    case 'look':
      return [0, 0];
    case 'sequence':
      return node.items
        .map((item) => widthOf(item, groups))
        .reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
    case 'branch':
      return spread(node.items.map((item) => widthOf(item, groups)));
    case 'group':
    case 'atomic':
      return widthOf(node.body, groups);
    case 'repeat': {
      const [low, high] = widthOf(node.body, groups);
      return [low * node.min, high === 0 ? 0 : high * node.max];
    }
    case 'backreference':
      return [...(groups.get(node.group) ?? [0, Infinity])];
    case 'conditional':
      return spread([widthOf(node.yes, groups), widthOf(node.no, groups)]);
  }
}

function spread(widths: readonly (readonly [number, number])[]): [number, number] {
  return [Math.min(...widths.map(([low]) => low)), Math.max(...widths.map(([, high]) => high))];
}
