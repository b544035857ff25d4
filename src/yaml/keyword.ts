/** `key=value` texts, as Salt finds them on command lines and, for publishes of old clients, on the minion. */
import type { Value } from '../values/value.ts';
import { yamlifyArgument } from './yamlify.ts';

/** Python's `^([^\d\W][\w.-]*)=(?!=)(.*)$`: a trailing newline is dropped, one inside makes it no keyword. */
const KEYWORD = /^([\p{L}\p{Nl}\p{No}_][\p{L}\p{N}_.-]*)=(?!=)([^\n]*)\n?$/u;

/** Splits `key=value` without reading the value (3006.16 salt/utils/args.py `parse_kwarg`); undefined: no keyword. */
export function splitKeyword(text: string): { name: string; text: string } | undefined {
  const match = KEYWORD.exec(text);
  return match ? { name: match[1] as string, text: match[2] as string } : undefined;
}

/** Splits `key=value` and reads the value as YAML; undefined when the text is no keyword. */
export function parseKeyword(text: string): { name: string; value: Value } | undefined {
  const split = splitKeyword(text);
  return split && { name: split.name, value: yamlifyArgument(split.text) };
}
