/** Looking values up in nested data by `key:sub:0`, as Salt does everywhere (3006.16 salt/utils/data.py). */
import { resolvePlainScalar } from '../yaml/scalar.ts';
import { toPyInt } from '../../python/conversions.ts';
import { isPySpace, strip } from '../../python/values/text.ts';
import { isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';

/** Salt's `DEFAULT_TARGET_DELIM`. */
export const DEFAULT_DELIMITER = ':';

/** A key path: text to be split, one integer, or the levels one by one. */
export type KeyPath = string | number | readonly Value[];

/**
 * Follows a key path through mappings and lists (Salt's `traverse_dict_and_list`).
 *
 * On a list, an integer looks into the members that are mappings first and then counts from either end; any other word
 * takes the first member mapping that has it. On a mapping, a word that is missing is tried again as the YAML value it
 * spells, so `1` finds the integer key and `true` the boolean one.
 *
 * @returns the value found (null included) or `fallback`
 */
export function traverse<T = undefined>(
  data: Value,
  path: KeyPath,
  options: { readonly fallback?: T; readonly delimiter?: string } = {},
): Value | T {
  const words = pathWords(path, options.delimiter ?? DEFAULT_DELIMITER);
  const found = followPath(data, compilePath(words));
  return found === undefined ? (options.fallback as T) : found;
}

function pathWords(path: KeyPath, delimiter: string): readonly Value[] {
  if (typeof path === 'number') return [path];
  if (typeof path !== 'string') return path;
  return delimiter === '' ? [path] : path.split(delimiter);
}

/** One level of a key path; what else the word may mean is found out when it is first needed. */
class PathStep {
  readonly word: Value;
  #spelledKey: Value | undefined;
  #listIndex: number | undefined | null = null;

  constructor(word: Value) {
    this.word = word;
  }

  /** The key that the word spells in YAML; the word itself when it spells nothing else. */
  get spelled(): Value {
    this.#spelledKey ??= typeof this.word === 'string' ? keySpelledBy(this.word) : this.word;
    return this.#spelledKey;
  }

  /** The integer the word is, for lists. */
  get index(): number | undefined {
    if (this.#listIndex !== null) return this.#listIndex;
    const index = toPyInt(this.word);
    this.#listIndex = index === undefined ? undefined : Number(index);
    return this.#listIndex;
  }
}

/** A key path prepared to be followed in many data. */
export type CompiledPath = readonly PathStep[];

/** Prepares a key path, split already, for {@link followPath}. */
export function compilePath(words: readonly Value[]): CompiledPath {
  return words.map((word) => new PathStep(word));
}

/** As {@link traverse}; undefined when there is no such value. */
export function followPath(data: Value, path: CompiledPath): Value | undefined {
  let here: Value | undefined = data;
  for (const step of path) {
    if (here instanceof Map) here = stepIntoDict(here, step);
    else if (Array.isArray(here)) here = stepIntoList(here, step);
    else if (typeof here === 'string' && isIndex(step.word)) here = [...here].at(step.word);
    else return undefined;
    if (here === undefined) return undefined;
  }
  return here;
}

/** The value of a key, found by Python's equality: 1, 1.0 and true are one key. */
function lookUp(mapping: Dict, key: Value): Value | undefined {
  const direct = mapping.get(key);
  if (direct !== undefined || typeof key === 'string') return direct;
  if (key === null || Array.isArray(key) || isDict(key)) return undefined;
  for (const [other, value] of mapping) {
    if (typeof other !== 'string' && valuesEqual(other, key)) return value;
  }
  return undefined;
}

function stepIntoDict(mapping: Dict, step: PathStep): Value | undefined {
  const direct = lookUp(mapping, step.word);
  if (direct !== undefined) return direct;
  return step.spelled === step.word ? undefined : lookUp(mapping, step.spelled);
}

function stepIntoList(list: readonly Value[], { index, word }: PathStep): Value | undefined {
  const key = index ?? word;
  for (const member of list) {
    const found = isDict(member) ? lookUp(member, key) : undefined;
    if (found !== undefined) return found;
  }
  return index === undefined ? undefined : list.at(index);
}

const isIndex = (word: Value): word is number => typeof word === 'number' && Number.isInteger(word);

/**
 * The key a word spells in YAML (Salt's `yamlify_arg` as far as keys go: numbers, booleans, null, quoted text). Words
 * that spell lists or mappings are no keys and come back unchanged.
 */
function keySpelledBy(word: string): Value {
  if (PLAIN_NAME.test(word) && !SPELLS_VALUE.test(word)) return word;
  const bare = strip(word);
  if (bare === '' || /[\t\r\n]/.test(word) || /^[0-9_]*_[0-9_]*$/.test(bare)) return word;
  if (word === 'None') return null;
  if (word.includes('#')) return keyBeforeComment(word);
  const quoted = /^(?:'([^']*)'|"([^"\\]*)")$/.exec(bare);
  if (quoted) return quoted[1] ?? quoted[2] ?? '';
  return isPlain(bare) ? resolvePlainScalar(bare) : word;
}

/** Salt reads a word with `#` as YAML only where that gives no text. */
function keyBeforeComment(word: string): Value {
  const bare = strip(word.replace(/\s#.*$/, ''));
  const key = isPlain(bare) && !bare.includes('#') ? resolvePlainScalar(bare) : word;
  return typeof key === 'string' || key === null ? word : key;
}

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const SPELLS_VALUE =
  /^(?:None|null|Null|NULL|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;

/** True for text that YAML would read as one plain scalar. */
function isPlain(text: string): boolean {
  const first = text.charAt(0);
  if (/[[\]{},&*!|>'"%@`]/.test(first)) return false;
  if (/[-?:]/.test(first) && (text.length === 1 || isPySpace(text.charAt(1)))) return false;
  return !/:(?:\s|$)/.test(text);
}
