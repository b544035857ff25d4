/** Makes the parsed forms of the simple target types. */
import { compileGlob } from '../../python/text/fnmatch.ts';
import { compilePattern } from '../../python/regex/pattern.ts';
import { strip } from '../../python/values/text.ts';
import { SubdictMatcher, type LeafMode } from '../../formats/data/subdict-match.ts';
import { DEFAULT_DELIMITER } from '../../formats/data/traverse.ts';
import { parseIpNetwork } from '../../python/ipaddress.ts';
import {
  TargetError,
  type DataTarget,
  type DataType,
  type GlobTarget,
  type IpcidrTarget,
  type ListTarget,
  type PcreTarget,
} from './target.ts';

/** Longer globs and expressions are refused. */
const MAX_PATTERN_CHARS = 65_536;
/** Levels of a grain or pillar expression. */
const MAX_LEVELS = 100;
/** Ids in a list. */
const MAX_IDS = 200_000;

/** @throws TargetError when it is too long */
export function globTerm(pattern: string): GlobTarget {
  checkLength(pattern);
  return { type: 'glob', glob: compileGlob(pattern) };
}

/** @throws PatternError when it is no regular expression */
export function pcreTerm(pattern: string): PcreTarget {
  return { type: 'pcre', pattern: compilePattern(pattern) };
}

/**
 * The ids of a list that is written with commas. Salt compat: blanks beside the commas are no part of an id, as on the
 * command line; elsewhere Salt looks for a minion whose name begins with one, and leaves it out without a word.
 */
export function listedIds(text: string): string[] {
  return text
    .split(',')
    .map((id) => strip(id))
    .filter((id) => id !== '');
}

/** A list written with commas, or given one by one. */
export function listTerm(ids: string | readonly string[]): ListTarget {
  const list = typeof ids === 'string' ? listedIds(ids) : ids;
  if (list.length > MAX_IDS) throw new TargetError(`List of more than ${MAX_IDS} ids`);
  return { type: 'list', ids: new Set(list) };
}

/** @throws TargetError when it has too many levels or is too long */
export function dataTerm(
  type: DataType,
  expression: string,
  delimiter = DEFAULT_DELIMITER,
  minionDelimiter = delimiter,
): DataTarget {
  checkLength(expression);
  const mode = LEAF_MODES[type];
  const make = (separator: string): SubdictMatcher => {
    if (separator !== '' && expression.split(separator, MAX_LEVELS + 1).length > MAX_LEVELS) {
      throw new TargetError(`Expression of more than ${MAX_LEVELS} levels`);
    }
    return new SubdictMatcher(expression, { delimiter: separator, mode });
  };
  const matcher = make(delimiter);
  return { type, matcher, minionMatcher: minionDelimiter === delimiter ? matcher : make(minionDelimiter) };
}

const LEAF_MODES: Readonly<Record<DataType, LeafMode>> = {
  grain: 'glob',
  grain_pcre: 'regex',
  pillar: 'glob',
  pillar_pcre: 'regex',
  pillar_exact: 'exact',
};

/** Undefined for text that is neither an address nor a network. */
export function ipcidrTerm(text: string): IpcidrTarget | undefined {
  const network = parseIpNetwork(text);
  return network && { type: 'ipcidr', network };
}

/** @throws TargetError when a pattern is too long */
export function checkLength(pattern: string): void {
  if (pattern.length > MAX_PATTERN_CHARS) {
    throw new TargetError(`Pattern longer than ${MAX_PATTERN_CHARS} characters`);
  }
}
