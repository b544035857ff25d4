/**
 * Reads compound targets (`G@os:Debian and not ( web* or L@a,b )`) into a tree.
 * Follows 3006.16 salt/matchers/compound_match.py and salt/utils/minions.py `_check_compound_minions`, which hand the
 * words to Python's `eval`; here a parser does, so that a fault has a place.
 */
import { messageOf } from '../errors/errors.ts';
import type { Dict } from '../values/value.ts';
import { simplify } from './compound-simplify.ts';
import { expandNodegroup } from './nodegroups.ts';
import { TargetError, type CompoundNode, type CompoundTarget, type DataType, type Term } from './target.ts';
import { dataTerm, globTerm, ipcidrTerm, listTerm, pcreTerm } from './terms.ts';
import { isOperator, MAX_WORDS, parseEngineWord, type EngineWord, type Word } from './words.ts';

/** Words other than plain ids and lists; each of them costs a look at every minion. */
const MAX_PATTERN_WORDS = 1000;
/** Parentheses deeper than this are refused. */
const MAX_DEPTH = 100;

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
  return new CompoundParser(words, options).parse();
}

class CompoundParser {
  private readonly words: readonly Word[];
  private readonly options: CompoundOptions;
  private readonly faults: TargetError[] = [];
  private readonly listed: string[] = [];
  private readonly terms = new Map<string, Term | undefined>();
  private minionFault: TargetError | undefined;
  private masterFault: TargetError | undefined;
  private index = 0;
  private depth = 0;

  constructor(words: readonly Word[], options: CompoundOptions) {
    this.options = options;
    this.words = this.replaceNodegroups(words);
    if (this.words.length > MAX_WORDS)
      throw new TargetError(`Compound target of more than ${MAX_WORDS} words`);
  }

  parse(): CompoundTarget {
    const root = this.alternatives();
    const rest = this.words[this.index];
    if (rest?.word === ')') throw faultAt(rest, 'unexpected right parenthesis');
    if (rest) throw faultAt(rest, `'and' or 'or' expected before '${rest.word}'`);
    return {
      type: this.options.type,
      root: simplify(root),
      listed: this.listed,
      faults: this.faults,
      minionFault: this.minionFault,
      masterFault: this.masterFault,
    };
  }

  private replaceNodegroups(words: readonly Word[]): readonly Word[] {
    return words.flatMap((word) => {
      const engineWord = parseEngineWord(word.word);
      if (engineWord?.engine !== 'N') return [word];
      const group = expandNodegroup(engineWord.pattern, this.options.nodegroups);
      this.faults.push(...group.faults);
      return group.words.map((inner) => ({ word: inner, position: word.position }));
    });
  }

  private alternatives(): CompoundNode {
    const of = [this.conjunction()];
    while (this.take('or')) of.push(this.conjunction());
    return of.length === 1 ? (of[0] as CompoundNode) : { op: 'or', of };
  }

  private conjunction(): CompoundNode {
    const of = [this.operand()];
    // `a not b` means `a and not b`
    while (this.take('and') || this.words[this.index]?.word === 'not') of.push(this.operand());
    return of.length === 1 ? (of[0] as CompoundNode) : { op: 'and', of };
  }

  private operand(): CompoundNode {
    if (this.take('not')) return { op: 'not', of: this.primary(true) };
    return this.primary(false);
  }

  private primary(negated: boolean): CompoundNode {
    const word = this.words[this.index];
    if (!word) throw this.endFault();
    if (word.word === '(') return this.parentheses(word);
    if (isOperator(word.word)) throw faultAt(word, `matcher expected instead of '${word.word}'`);
    this.index++;
    return this.term(word, negated);
  }

  private parentheses(open: Word): CompoundNode {
    if (++this.depth > MAX_DEPTH) throw faultAt(open, `parentheses nested more than ${MAX_DEPTH} deep`);
    this.index++;
    if (this.take(')')) {
      this.depth--;
      // Python reads `( )` as an empty tuple, which is false to a minion and no set to the master.
      this.masterFault ??= faultAt(open, 'empty parentheses');
      return { op: 'nobody' };
    }
    const inner = this.alternatives();
    this.depth--;
    if (this.take(')')) return inner;
    const rest = this.words[this.index];
    if (rest) throw faultAt(rest, `'and', 'or' or ')' expected before '${rest.word}'`);
    this.minionFault ??= faultAt(open, 'parenthesis never closed');
    return inner;
  }

  private take(word: string): boolean {
    if (this.words[this.index]?.word !== word) return false;
    this.index++;
    return true;
  }

  private endFault(): TargetError {
    const last = this.words[this.words.length - 1];
    return last
      ? faultAt(last, `matcher expected after '${last.word}'`)
      : new TargetError('Empty compound target');
  }

  private term(word: Word, negated: boolean): CompoundNode {
    if (!this.terms.has(word.word)) {
      this.terms.set(word.word, this.readTerm(word));
      const patterns = this.terms.size - this.cheapTerms;
      if (patterns > MAX_PATTERN_WORDS) {
        throw faultAt(
          word,
          `more than ${MAX_PATTERN_WORDS} words with patterns; name minions with L@ instead`,
        );
      }
    }
    const term = this.terms.get(word.word);
    if (!term) return { op: 'nobody' };
    if (term.type === 'list' && !negated) this.listed.push(...term.ids);
    return { op: 'term', term };
  }

  private cheapTerms = 0;

  /** The matcher of a word; undefined when it can match nobody. */
  private readTerm(word: Word): Term | undefined {
    const engineWord = parseEngineWord(word.word);
    try {
      const term = engineWord ? this.engineTerm(engineWord, word) : globTerm(word.word);
      const cheap = term?.type === 'list' || (term?.type === 'glob' && term.glob.literal !== undefined);
      if (cheap || !term) this.cheapTerms++;
      return term;
    } catch (error) {
      if (error instanceof TargetError && error.position !== undefined) throw error;
      throw faultAt(word, messageOf(error), error);
    }
  }

  private engineTerm({ engine, delimiter, pattern }: EngineWord, word: Word): Term | undefined {
    const dataType = this.dataType(engine);
    if (dataType) {
      const term = dataTerm(dataType, pattern, delimiter);
      if (term.matcher.fault !== undefined) this.faults.push(faultAt(word, term.matcher.fault));
      return term;
    }
    if (engine === 'L') return listTerm(pattern);
    if (engine === 'E') return pcreTerm(pattern);
    if (engine === 'R') throw faultAt(word, 'R@ needs the range library, which is not supported');
    const term = ipcidrTerm(pattern);
    if (!term) this.faults.push(faultAt(word, `Invalid IP/CIDR target: ${pattern}`));
    return term;
  }

  private dataType(engine: string): DataType | undefined {
    const exact = this.options.type === 'compound_pillar_exact';
    if (engine === 'G') return 'grain';
    if (engine === 'P') return 'grain_pcre';
    if (engine === 'I') return exact ? 'pillar_exact' : 'pillar';
    if (engine === 'J') return exact ? 'pillar_exact' : 'pillar_pcre';
    return undefined;
  }
}

function faultAt(word: Word, reason: string, cause?: unknown): TargetError {
  return new TargetError(`Invalid compound target: ${reason}`, word.position, cause);
}
