/** The replacement text of Python's `re.sub`: `\1`, `\g<name>` and escapes. */
import type { PyMatch, PyPattern } from '../text/pcre.ts';
import { PyRaised } from './errors.ts';

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['\\', '\\'],
]);

/** @throws an error as of Python's `re.error` for groups that do not exist and unknown escapes */
export function expandTemplate(template: string, match: PyMatch, pattern: PyPattern): string {
  if (!template.includes('\\')) return template;
  return template.replace(
    /\\(?:g<([^>]*)>|([1-9]\d?)|(0[0-7]{0,2})|([^]))/g,
    (all: string, name?: string, number?: string, octal?: string, char?: string) => {
      const group = name ?? number;
      if (group !== undefined) {
        const key = /^\d+$/.test(group) ? Number(group) : group;
        const known = typeof key === 'number' ? key <= pattern.groupCount : pattern.groupNames.has(key);
        if (!known)
          throw new PyRaised(
            'ValueError',
            typeof key === 'number'
              ? `invalid group reference ${key} at position 1`
              : `unknown group name '${key}'`,
          );
        return match.group(key) ?? '';
      }
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8));
      const escape = ESCAPES.get(char ?? '');
      if (escape !== undefined) return escape;
      if (/[A-Za-z]/.test(char ?? ''))
        throw new PyRaised('ValueError', `bad escape \\${char ?? ''} at position ${template.indexOf(all)}`);
      return all;
    },
  );
}
