/** How words of a command line become values. */
import { strip } from '../../python/values/text.ts';
import type { Value } from '../../python/values/value.ts';
import { loadYaml } from './load.ts';
import { YamlError } from './error.ts';

/**
 * The value of one word of a command line (3006.16 salt/utils/args.py yamlify_arg): YAML where the result is clearly
 * meant, else the word itself. Lists and mappings count only when the word starts with their bracket.
 *
 * Salt compat: a word stays what it is where YAML would lose a part of it or make another number of it, which Salt
 * allows: a comment, `! test -e /x`, `&name x`, `{ echo a; }`, `22:22` and `52:54:00:12:34:56` (numbers to the base of
 * 60), `1_000.5`.
 */
export function yamlifyArgument(text: string): Value {
  const stripped = strip(text);
  if (stripped === '' || stripped === '---' || stripped === '...') return text;
  if (/[\t\r\n]/.test(text)) return text;
  if (text === 'None') return null;
  const parsed = parsedOrSame(text);
  return isMeant(text, parsed) ? parsed : text;
}

function isMeant(text: string, parsed: Value): boolean {
  // a mapping without a colon is a group of commands
  if (parsed instanceof Map)
    return text.startsWith('{') && (parsed.size === 0 || withoutComment(text).includes(':'));
  if (Array.isArray(parsed)) return text.startsWith('[');
  if (parsed instanceof Uint8Array || text.includes('#')) return false;
  // a tag, an anchor and a block are marks of YAML that are left out of what is read; `!!int` says which type is meant
  if (typeof parsed === 'string' || parsed === null) return !/^\s*(?:[&|>]|!(?!!))/.test(text);
  return typeof parsed === 'boolean' || text.trimStart().startsWith('!!') || !/[_:]/.test(text);
}

const withoutComment = (text: string): string => text.split(/\s#/, 1)[0] ?? '';

function parsedOrSame(text: string): Value {
  try {
    return loadYaml(text);
  } catch (error) {
    if (error instanceof YamlError) return text;
    throw error;
  }
}
