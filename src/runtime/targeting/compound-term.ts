/** Reads the single words of compound targets: `web*`, `G@os:Debian`, `L@a,b`. */
import { messageOf } from '../../errors/errors.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { TargetError, type CompoundNode, type CompoundTarget, type DataType } from './target.ts';
import { checkLength, dataTerm, ipcidrTerm, listTerm, pcreTerm } from './terms.ts';
import { parseEngineWord, type EngineWord, type Word } from './words.ts';

/** Words that are more than names of minions; each of them costs a look at every minion. */
const MAX_PATTERN_WORDS = 1000;

/** Makes an error that names a word's place. */
export function faultAt(word: Word, reason: string, cause?: unknown): TargetError {
  return new TargetError(`Invalid compound target: ${reason}`, word.position, cause);
}

/** Reads words and remembers what is to be told about them. */
export class TermReader {
  /** Words that can never match but do not make the target invalid. */
  readonly faults: TargetError[] = [];
  /** The ids of lists that do not stand behind `not`, in the order given. */
  readonly listed: string[] = [];
  readonly #type: CompoundTarget['type'];
  /** Words read before: a word that comes up again means the same. */
  readonly #nodes = new Map<string, CompoundNode>();
  #patternWords = 0;

  constructor(type: CompoundTarget['type']) {
    this.#type = type;
  }

  /**
   * The node of a word.
   * @param negated true directly behind `not`
   * @throws TargetError naming the word's place
   */
  read(word: Word, negated: boolean): CompoundNode {
    const node = this.#nodes.get(word.word) ?? this.#readFirst(word);
    if (node.op === 'term' && ++this.#patternWords > MAX_PATTERN_WORDS) {
      throw faultAt(word, `more than ${MAX_PATTERN_WORDS} words with patterns; name minions with L@ instead`);
    }
    if (node.op === 'ids' && !negated && /^L@./s.test(word.word)) {
      for (const id of node.ids) this.listed.push(id);
    }
    return node;
  }

  #readFirst(word: Word): CompoundNode {
    try {
      const engineWord = parseEngineWord(word.word);
      const node = engineWord ? this.#engineNode(engineWord, word) : globNode(word.word);
      this.#nodes.set(word.word, node);
      return node;
    } catch (error) {
      if (error instanceof TargetError && error.position !== undefined) throw error;
      throw faultAt(word, messageOf(error), error);
    }
  }

  #engineNode({ engine, delimiter, pattern }: EngineWord, word: Word): CompoundNode {
    const dataType = this.#dataType(engine);
    if (dataType) {
      const term = dataTerm(dataType, pattern, delimiter);
      if (term.matcher.fault !== undefined) this.faults.push(faultAt(word, term.matcher.fault));
      return { op: 'term', term };
    }
    if (engine === 'L') return { op: 'ids', ids: listTerm(pattern).ids };
    if (engine === 'E') return { op: 'term', term: pcreTerm(pattern) };
    if (engine === 'R') throw faultAt(word, 'R@ needs the range library, which is not supported');
    const term = ipcidrTerm(pattern);
    if (term) return { op: 'term', term };
    this.faults.push(faultAt(word, `Invalid IP/CIDR target: ${pattern}`));
    return { op: 'nobody' };
  }

  #dataType(engine: string): DataType | undefined {
    const exact = this.#type === 'compound_pillar_exact';
    if (engine === 'G') return 'grain';
    if (engine === 'P') return 'grain_pcre';
    if (engine === 'I') return exact ? 'pillar_exact' : 'pillar';
    if (engine === 'J') return exact ? 'pillar_exact' : 'pillar_pcre';
    return undefined;
  }
}

function globNode(pattern: string): CompoundNode {
  checkLength(pattern);
  const glob = compileGlob(pattern);
  if (glob.literal !== undefined) return { op: 'ids', ids: new Set([glob.literal]) };
  return { op: 'term', term: { type: 'glob', glob } };
}
