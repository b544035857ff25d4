/**
 * Reads compound targets (`G@os:Debian and not ( web* or L@a,b )`) into a tree.
 * Follows 3006.16 salt/matchers/compound_match.py and salt/utils/minions.py `_check_compound_minions`, which hand the
 * words to Python's `eval`; here a parser does, so that a fault has a place.
 */
import type { Dict } from '../../python/values/value.ts';
import { countNodes, simplify } from './compound-simplify.ts';
import { faultAt, TermReader } from './compound-term.ts';
import { expandNodegroup } from './nodegroups.ts';
import { TargetError, type CompoundNode, type CompoundTarget } from './target.ts';
import { isOperator, MAX_WORDS, parseEngineWord, type Word } from './words.ts';

/** Parentheses deeper than this are refused. */
const MAX_DEPTH = 100;
/** Parts that every minion has to be compared with, after ids are collected. */
const MAX_NODES = 3000;

/** What the words mean besides themselves. */
export interface CompoundOptions {
  readonly type: CompoundTarget['type'];
  /** The groups behind `N@`. */
  readonly nodegroups: Dict;
}

/**
 * Reads the words of a compound target.
 * @throws TargetError with the position of the fault
 */
export function parseCompound(words: readonly Word[], options: CompoundOptions): CompoundTarget {
  const faults: TargetError[] = [];
  const expanded = replaceNodegroups(words, options.nodegroups, faults);
  return new CompoundParser(expanded, options.type, faults).parse();
}

/** Puts the words of the groups in the place of `N@group`. */
function replaceNodegroups(words: readonly Word[], nodegroups: Dict, faults: TargetError[]): readonly Word[] {
  const out: Word[] = [];
  const known = new Map<string, readonly string[]>();
  for (const word of words) {
    const engineWord = parseEngineWord(word.word);
    if (engineWord?.engine !== 'N') {
      out.push(word);
      continue;
    }
    let inner = known.get(engineWord.pattern);
    if (!inner) {
      const group = expandNodegroup(engineWord.pattern, nodegroups);
      faults.push(...group.faults.map(({ message }) => new TargetError(message, word.position)));
      known.set(engineWord.pattern, (inner = group.words));
    }
    if (out.length + inner.length > MAX_WORDS) throw tooLong();
    for (const text of inner) out.push({ word: text, position: word.position });
  }
  if (out.length > MAX_WORDS) throw tooLong();
  return out;
}

const tooLong = (): TargetError => new TargetError(`Compound target of more than ${MAX_WORDS} words`);

class CompoundParser {
  readonly #words: readonly Word[];
  readonly #type: CompoundTarget['type'];
  readonly #reader: TermReader;
  #minionFault: TargetError | undefined;
  #masterFault: TargetError | undefined;
  #index = 0;
  #depth = 0;

  constructor(words: readonly Word[], type: CompoundTarget['type'], faults: readonly TargetError[]) {
    this.#words = words;
    this.#type = type;
    this.#reader = new TermReader(type);
    this.#reader.faults.push(...faults);
  }

  parse(): CompoundTarget {
    const root = simplify(this.#alternatives());
    const rest = this.#words[this.#index];
    if (rest?.word === ')') throw faultAt(rest, 'unexpected right parenthesis');
    if (rest) throw faultAt(rest, `'and' or 'or' expected before '${rest.word}'`);
    if (countNodes(root) > MAX_NODES)
      throw new TargetError(`Compound target of more than ${MAX_NODES} parts`);
    return {
      type: this.#type,
      root,
      listed: this.#reader.listed,
      faults: this.#reader.faults,
      minionFault: this.#minionFault,
      masterFault: this.#masterFault,
    };
  }

  #alternatives(): CompoundNode {
    const of = [this.#conjunction()];
    while (this.#take('or')) of.push(this.#conjunction());
    return of.length === 1 ? (of[0] as CompoundNode) : { op: 'or', of };
  }

  #conjunction(): CompoundNode {
    const of = [this.#operand()];
    // `a not b` means `a and not b`
    while (this.#take('and') || this.#words[this.#index]?.word === 'not') of.push(this.#operand());
    return of.length === 1 ? (of[0] as CompoundNode) : { op: 'and', of };
  }

  #operand(): CompoundNode {
    if (this.#take('not')) return { op: 'not', of: this.#primary(true) };
    return this.#primary(false);
  }

  #primary(negated: boolean): CompoundNode {
    const word = this.#words[this.#index];
    if (!word) throw this.#endFault();
    if (word.word === '(') return this.#parentheses(word);
    if (isOperator(word.word)) throw faultAt(word, `matcher expected instead of '${word.word}'`);
    this.#index++;
    return this.#reader.read(word, negated);
  }

  #parentheses(open: Word): CompoundNode {
    if (++this.#depth > MAX_DEPTH) throw faultAt(open, `parentheses nested more than ${MAX_DEPTH} deep`);
    this.#index++;
    if (this.#take(')')) {
      this.#depth--;
      // Python reads `( )` as an empty tuple, which is false to a minion and no set to the master.
      this.#masterFault ??= faultAt(open, 'empty parentheses');
      return { op: 'nobody' };
    }
    const inner = this.#alternatives();
    this.#depth--;
    if (this.#take(')')) return inner;
    const rest = this.#words[this.#index];
    if (rest) throw faultAt(rest, `'and', 'or' or ')' expected before '${rest.word}'`);
    this.#minionFault ??= faultAt(open, 'parenthesis never closed');
    return inner;
  }

  #take(word: string): boolean {
    if (this.#words[this.#index]?.word !== word) return false;
    this.#index++;
    return true;
  }

  #endFault(): TargetError {
    const last = this.#words[this.#words.length - 1];
    return last
      ? faultAt(last, `matcher expected after '${last.word}'`)
      : new TargetError('Empty compound target');
  }
}
