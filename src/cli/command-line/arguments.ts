/** The words behind a function's name, as they are published (salt/utils/args.py `parse_input`, 3006.16). */
import { parseKeyword } from '../../formats/yaml/keyword.ts';
import { splitKeyword } from '../../formats/yaml/split-keyword.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { yamlifyArgument } from '../../formats/yaml/yamlify.ts';

/**
 * Positional values, and behind them one mapping of all keywords when there are any.
 * @param noParse keywords whose values stay text
 */
export function parseArguments(words: readonly string[], noParse: readonly string[] = []): Value[] {
  const positional: Value[] = [];
  const keywords: Dict = new Map();
  for (const word of words) {
    const keyword = splitKeyword(word);
    if (keyword === undefined) positional.push(yamlifyArgument(word));
    else
      keywords.set(
        keyword.name,
        noParse.includes(keyword.name) ? keyword.text : (parseKeyword(word)?.value ?? null),
      );
  }
  if (keywords.size > 0) positional.push(new Map<Value, Value>([['__kwarg__', true], ...keywords]));
  return positional;
}

/** Keywords that `--no-parse` names. */
export function noParseNames(value: Value | undefined): string[] {
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' ? value.split(',').map((name) => name.trim()) : [];
}

/** Integers that look like job ids go as text (salt/utils/args.py `condition_input`). */
export function keepJidsText(values: readonly Value[]): Value[] {
  return values.map((value) =>
    typeof value === 'bigint' && /^\d{20}$/.test(String(value)) ? String(value) : value,
  );
}

/** Several functions were named, but their arguments do not fit them. */
export class CompoundArgumentsError extends Error {
  override readonly name = 'CompoundArgumentsError';
}

/**
 * Splits the words of a command with several functions into one list for each (salt/utils/parsers.py, 3006.16).
 * @param separator `--args-separator`
 * @throws CompoundArgumentsError
 */
export function splitCompound(words: readonly string[], functions: number, separator: string): string[][] {
  const alone = words.filter((word) => word === separator).length;
  const groups = alone === functions - 1 ? splitAlone(words, separator) : splitInside(words, separator);
  if (groups.length > functions)
    throw new CompoundArgumentsError('Cannot execute compound command with more arguments than commands.');
  if (groups.length < functions)
    throw new CompoundArgumentsError('Cannot execute compound command without defining all arguments.');
  return groups;
}

function splitAlone(words: readonly string[], separator: string): string[][] {
  const groups: string[][] = [[]];
  for (const word of words) {
    if (word === separator) groups.push([]);
    else groups[groups.length - 1]?.push(word);
  }
  return groups;
}

/** Salt compat: the older style, in which a separator at the edge of a word, or inside it, ends a group. */
function splitInside(words: readonly string[], separator: string): string[][] {
  const groups: string[][] = [[]];
  for (const word of words) {
    const pieces = word.split(separator);
    pieces.forEach((piece, index) => {
      if (index > 0) groups.push([]);
      if (piece !== '') groups[groups.length - 1]?.push(piece);
    });
  }
  return groups;
}

/**
 * The ids behind `-L`. Salt compat: with a comma, blanks mean nothing, also to `salt-cp`, whose blanks are parts of ids
 * in Salt; without one they separate. Nobody has the empty name that two commas leave between them.
 */
export function splitIds(text: string): string[] {
  const words = text.includes(',') ? text.replaceAll(' ', '').split(',') : text.split(/\s+/);
  return words.filter((word) => word !== '');
}
