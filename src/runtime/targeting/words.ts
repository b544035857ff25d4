/** The words of compound targets. */

/** Longer compound targets are refused. */
export const MAX_WORDS = 100_000;

/** A word and where it begins. */
export interface Word {
  readonly word: string;
  /** Index in the target's text, in UTF-16 units. */
  readonly position: number;
}

/** One matcher word taken apart: `G|@os|Debian` is engine `G`, delimiter `|`, pattern `os|Debian`. */
export interface EngineWord {
  readonly engine: string;
  readonly delimiter: string | undefined;
  readonly pattern: string;
}

// U+FEFF is a space to JavaScript and none to Python; the others the other way round.
const WORD = /(?:\ufeff|[^\s\x1c-\x1f\x85])+/g;
const ENGINE_WORD = /^(?:([GPIJ])([^\n])?|([LNSER]))@([^\n]+)\n?$/u;

/** Splits at white space, as Python's `str.split()`. */
export function splitWords(text: string): Word[] {
  return Array.from(text.matchAll(WORD), (match) => ({ word: match[0], position: match.index }));
}

/** True for the words that are no matchers. */
export function isOperator(word: string): boolean {
  return word === 'and' || word === 'or' || word === 'not' || word === '(' || word === ')';
}

/** Takes a word with an engine apart; undefined for globs (3006.16 salt/utils/minions.py `parse_target`). */
export function parseEngineWord(word: string): EngineWord | undefined {
  if (!word.includes('@')) return undefined;
  const match = ENGINE_WORD.exec(word);
  if (!match) return undefined;
  const [, dataEngine, delimiter, engine, pattern = ''] = match;
  return { engine: dataEngine ?? engine ?? '', delimiter, pattern };
}
