/**
 * Node groups: named compound targets of the master's configuration (3006.16 salt/utils/minions.py `nodegroup_comp`).
 */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { isOperator, MAX_WORDS, parseEngineWord, splitWords } from './words.ts';
import { TargetError } from './target.ts';

/** Groups nested deeper than this are refused. */
const MAX_NESTING = 100;

/** A configured group that cannot be used as it is written: for Salt it is one without minions. */
export class UnusableGroupError extends SaltInvocationError {
  constructor(message: string) {
    super(message, { code: 'target-invalid' });
  }
}

/** The words a group stands for. */
export interface ExpandedGroup {
  readonly words: readonly string[];
  /** Unknown groups, groups inside themselves, values that are no target. The parts concerned are left out. */
  readonly faults: readonly TargetError[];
}

/**
 * The words a group stands for, groups inside it included.
 * @param nodegroups the option `nodegroups`: names to a text or a list of words
 * @throws TargetError when the expansion exceeds a limit
 */
export function expandNodegroup(name: string, nodegroups: Dict): ExpandedGroup {
  const expansion = new Expansion(nodegroups);
  const words = expansion.top(name);
  return { words, faults: expansion.faults };
}

/**
 * What a client sends instead of a node group or of `N@` words: a compound target without any
 * (3006.16 salt/client/__init__.py `_prep_pub`).
 *
 * @param tgtType `nodegroup` (then `tgt` is a name) or `compound`; other types come back unchanged
 * @param configFile named in the error, as Salt does
 * @throws SaltInvocationError `Node group X unavailable in FILE`
 * @throws UnusableGroupError for a group that cannot be used as it is written. Salt compat: Salt leaves out a part of
 *   it, so that the rest cannot be read or means other minions.
 */
export function expandTargetNodegroups(
  tgt: Value,
  tgtType: string,
  nodegroups: Dict,
  configFile = 'the master config file',
): { tgt: Value; tgtType: string } {
  if (tgtType !== 'nodegroup' && tgtType !== 'compound') return { tgt, tgtType };
  const resolve = (name: string): readonly string[] => {
    if (!nodegroups.has(name)) {
      const near = didYouMean(name, namesOf(nodegroups));
      throw new SaltInvocationError(
        `Node group ${name} unavailable in ${configFile}${near === '' ? '' : `.${near}`}`,
        { code: 'target-invalid' },
      );
    }
    const { words, faults } = expandNodegroup(name, nodegroups);
    const [fault] = faults;
    if (fault === undefined) return words;
    throw new UnusableGroupError(`${fault.message} Correct nodegroups in ${configFile}.`);
  };
  // Salt compat: the words of a named group are looked through once more.
  const given = tgtType === 'nodegroup' ? resolve(pyStr(tgt)) : wordsOf(tgt);
  const words = given.flatMap((word) => (isGroupWord(word) ? resolve(word.slice(2)) : [word]));
  return { tgt: words.join(' '), tgtType: 'compound' };
}

function wordsOf(tgt: Value): readonly string[] {
  return Array.isArray(tgt) ? tgt.map(pyStr) : splitWords(pyStr(tgt)).map(({ word }) => word);
}

const namesOf = (nodegroups: Dict): string[] => [...nodegroups.keys()].map(pyStr);

const isGroupWord = (word: string): boolean => word.length > 2 && word.startsWith('N@');

class Expansion {
  readonly faults: TargetError[] = [];
  readonly #nodegroups: Dict;
  readonly #open = new Set<string>();
  /** The group that was asked for; the faults of those inside it are its own. */
  #asked = '';
  #count = 0;

  constructor(nodegroups: Dict) {
    this.#nodegroups = nodegroups;
  }

  top(name: string): readonly string[] {
    this.#asked = name;
    const own = this.#definition(name);
    if (!own) return [];
    if (own.some(isGroupWord)) return this.#expand(name, own);
    this.#take(own.length);
    return joined(own) ?? own;
  }

  #nested(name: string): readonly string[] {
    if (this.#open.has(name)) {
      return this.#fault(
        `Nodegroup '${this.#asked}' cannot be used: '${name}' contains itself (${[...this.#open, name].join(', ')}).`,
      );
    }
    const own = this.#definition(name);
    if (!own) return [];
    const words = this.#expand(name, own);
    return joined(own) ?? words;
  }

  #expand(name: string, own: readonly string[]): string[] {
    if (this.#open.size >= MAX_NESTING) {
      throw new TargetError(`Nodegroup '${name}' is nested more than ${MAX_NESTING} deep`);
    }
    this.#open.add(name);
    const words: string[] = [];
    for (const word of own) {
      this.#take(1);
      if (isGroupWord(word)) for (const inner of this.#nested(word.slice(2))) words.push(inner);
      else words.push(word);
    }
    this.#open.delete(name);
    return words.length > 0 ? ['(', ...words, ')'] : [];
  }

  #take(count: number): void {
    this.#count += count;
    if (this.#count > MAX_WORDS) throw new TargetError(`Nodegroup expands to more than ${MAX_WORDS} words`);
  }

  #definition(name: string): readonly string[] | undefined {
    const value = this.#nodegroups.get(name);
    if (typeof value === 'string') return splitWords(value).map(({ word }) => word);
    if (Array.isArray(value)) return value.flatMap((item) => this.#listItem(pyStr(item)));
    const group = `Nodegroup '${this.#asked}' cannot be used: `;
    this.#fault(
      value === undefined
        ? `${group}it names a group that does not exist, '${name}'.${didYouMean(name, namesOf(this.#nodegroups))}`
        : `${group}'${name}' is ${pyStr(value)}, and must be a compound target as text, or a list of its words.`,
    );
    return undefined;
  }

  /**
   * An item of a list is one word, so that a value may contain blanks (`G@os:Red Hat`). Salt compat: no id and no name
   * of a group does; an item such as `N@webs and not web2` is a target of its own, where Salt looks for a group of that
   * name.
   */
  #listItem(item: string): string[] {
    const words = splitWords(item).map(({ word }) => word);
    const parsed = parseEngineWord(item);
    const isGroup = parsed?.engine === 'N';
    if (words.length < 2 || (isGroup && this.#nodegroups.has(parsed.pattern))) return [item];
    const isName = isGroup || parsed === undefined || parsed.engine === 'L';
    const isTarget = words[0] === 'not' || words.some(isOperator);
    return isTarget && (isName || words[0] === 'not') ? ['(', ...words, ')'] : [item];
  }

  #fault(message: string): string[] {
    this.faults.push(new TargetError(message));
    return [];
  }
}

/**
 * Plain words stand for a list of ids, or for a regular expression when one of them looks like it; undefined when the
 * words are a compound target.
 */
function joined(words: readonly string[]): readonly string[] | undefined {
  if (words.some((word) => isOperator(word) || word.includes('*') || /^[A-Z]@/.test(word))) return undefined;
  const engine = words.some((word) => /[([{\\?}\])]/.test(word)) ? 'E' : 'L';
  return [`${engine}@${words.join(',')}`];
}

/** The option `nodegroups` as a mapping; anything else counts as none. */
export function nodegroupsOf(value: Value | undefined): Dict {
  if (isDict(value)) return value;
  const groups: Dict = new Map();
  if (Array.isArray(value)) {
    for (const item of value) if (isDict(item)) for (const [name, words] of item) groups.set(name, words);
  }
  return groups;
}
