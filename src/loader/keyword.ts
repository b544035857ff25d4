/**
 * `key=value` texts and the YAML reading of argument texts, as Salt does on the command line and, for publishes of
 * old clients, on the minion (3006.16 salt/utils/args.py: `parse_kwarg`, `yamlify_arg`).
 */
import { isDict, isFloat, isInt, type Value } from '../values/value.ts';
import { loadYaml } from './pending.ts';

/** Python's `^([^\d\W][\w.-]*)=(?!=)(.*)$`: a trailing newline is dropped, one inside makes it no keyword. */
const KEYWORD = /^([\p{L}\p{Nl}\p{No}_][\p{L}\p{N}_.-]*)=(?!=)([^\n]*)\n?$/u;

/** Splits `key=value` without reading the value; undefined when the text is no keyword. */
export function splitKeyword(text: string): { name: string; text: string } | undefined {
  const match = KEYWORD.exec(text);
  return match ? { name: match[1] as string, text: match[2] as string } : undefined;
}

/** Splits `key=value` and reads the value; undefined when the text is no keyword. */
export function parseKeyword(text: string): { name: string; value: Value } | undefined {
  const split = splitKeyword(text);
  return split && { name: split.name, value: yamlifyArgument(split.text) };
}

/** Reads an argument's text as YAML where Salt does; else returns the text (the table in cli.md, section 2). */
export function yamlifyArgument(text: string): Value {
  const bare = text.trim();
  if (bare === '' || bare === '---' || bare === '...') return text;
  if (/[\t\r\n]/.test(text)) return text;
  if (text.includes('_') && /^[0-9_]*$/.test(bare)) return text;
  if (text === 'None') return null;
  try {
    return acceptParsed(text, bare, loadYaml(text));
  } catch {
    return text;
  }
}

function acceptParsed(text: string, bare: string, value: Value): Value {
  if (text.includes('#')) return typeof value === 'string' || value === null ? text : value;
  if (isDict(value)) return text.startsWith('{') ? value : text;
  if (Array.isArray(value)) return text.startsWith('[') ? value : text;
  if (value === '' && (text === '|' || text === '!')) return text;
  if (value === null) return bare.startsWith('#') || text === '!' ? text : null;
  return typeof value === 'string' || typeof value === 'boolean' || isInt(value) || isFloat(value)
    ? value
    : text;
}
