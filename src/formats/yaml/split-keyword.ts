/** Which texts are `key=value`, without reading the value: for programs that have no other use for YAML. */

/** Python's `^([^\d\W][\w.-]*)=(?!=)(.*)$`: a trailing newline is dropped, one inside makes it no keyword. */
const KEYWORD = /^([\p{L}\p{Nl}\p{No}_][\p{L}\p{N}_.-]*)=(?!=)([^\n]*)\n?$/u;

/** Splits `key=value` without reading the value (3006.16 salt/utils/args.py `parse_kwarg`); undefined: no keyword. */
export function splitKeyword(text: string): { name: string; text: string } | undefined {
  const match = KEYWORD.exec(text);
  return match ? { name: match[1] as string, text: match[2] as string } : undefined;
}
