/** Patterns of paths and policies in Vault, for one minion (3006.16 salt/utils/vault.py `expand_pattern_lists`). */
import { VaultError } from '../../../network/http/vault-client.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Value } from '../../../python/values/value.ts';

/** Paths that one entry may mean for one minion: each is asked for by itself. */
const PATHS_MAX = 256;

/**
 * The paths of a pattern such as `roles/{pillar[roles]}/{minion}`; a list gives a path for each of its values.
 * @returns undefined when there is nothing for one of its fields
 */
export function pathsOf(pattern: string, fields: ReadonlyMap<string, Value>): string[] | undefined {
  let paths = [''];
  let at = 0;
  for (const match of pattern.matchAll(/\{([^{}]*)\}/g)) {
    const value = fieldOf(match[1] ?? '', fields);
    if (value === undefined) return undefined;
    const before = pattern.slice(at, match.index);
    const texts = (Array.isArray(value) ? value : [value]).map((one) => `${before}${pyStr(one)}`);
    paths = paths.flatMap((path) => texts.map((text) => path + text));
    if (paths.length > PATHS_MAX)
      throw new VaultError(`the pattern ${pattern} means more than ${PATHS_MAX} paths`);
    at = match.index + match[0].length;
  }
  return paths.map((path) => path + pattern.slice(at));
}

/**
 * The policies of patterns, in small letters, as Vault knows them.
 * @param unresolved is told of a pattern that there is nothing for
 */
export function policiesOf(
  patterns: readonly string[],
  fields: ReadonlyMap<string, Value>,
  unresolved: (pattern: string) => void,
): string[] {
  return patterns.flatMap((pattern) => {
    const policies = pathsOf(pattern, fields);
    if (policies === undefined) unresolved(pattern);
    return (policies ?? []).map((policy) => policy.toLowerCase());
  });
}

/** `pillar[a][b]`, as Python's format strings follow it. */
function fieldOf(text: string, fields: ReadonlyMap<string, Value>): Value | undefined {
  const [name = '', ...keys] = text.split('[').map((part) => part.replace(/\]$/, ''));
  let value = fields.get(name);
  for (const key of keys) {
    const index = /^\d+$/.test(key) ? Number(key) : undefined;
    if (isDict(value)) value = value.get(index ?? key);
    else value = Array.isArray(value) && index !== undefined ? value[index] : undefined;
  }
  return value;
}
