/** How grains of several sources become one mapping (3006.16 salt/loader/__init__.py, salt/utils/dictupdate.py). */
import { isDict, type Dict, type Value } from '../values/value.ts';

/**
 * Writes `from` into `into`.
 * @param deep `grains_deep_merge`: mappings below a key are merged instead of replaced
 */
export function mergeGrains(into: Dict, from: ReadonlyMap<Value, Value>, deep: boolean): void {
  for (const [key, value] of from) {
    const current = into.get(key);
    if (deep && isDict(current) && isDict(value)) mergeGrains(current, value, true);
    else into.set(key, value);
  }
}

/** Patterns compiled by {@link compileBlacklist}. */
export type Blacklist = readonly ((name: string) => boolean)[];

/**
 * Compiles `grains_blacklist`: each entry is a glob, and a regular expression for the whole name besides.
 * @param value the option's value; what is not a list of texts is ignored
 */
export function compileBlacklist(value: Value | undefined): Blacklist {
  if (!Array.isArray(value)) return [];
  return value.filter((x) => typeof x === 'string').map(matcher);
}

function matcher(pattern: string): (name: string) => boolean {
  const glob = globExpression(pattern);
  let whole: RegExp | undefined;
  try {
    whole = new RegExp(`^(?:${pattern})$`);
  } catch {
    // a glob need not be a regular expression
  }
  return (name) => glob.test(name) || whole?.test(name) === true;
}

function globExpression(pattern: string): RegExp {
  let out = '';
  for (let i = 0; i < pattern.length; i++) {
    const c = pattern.charAt(i);
    const end = c === '[' ? pattern.indexOf(']', i + (pattern.charAt(i + 1) === '!' ? 3 : 2)) : -1;
    if (c === '*') out += '[^]*';
    else if (c === '?') out += '[^]';
    else if (end > 0) {
      const set = pattern
        .slice(i + 1, end)
        .replaceAll('\\', '\\\\')
        .replace(/^\^/, '\\^')
        .replace(/^!/, '^');
      out += `[${set}]`;
      i = end;
    } else out += c.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  }
  try {
    return new RegExp(`^${out}$`);
  } catch {
    return /^\b$/;
  }
}

/** Removes the grains that a blacklist names, in place. */
export function removeBlacklisted(grains: Dict, blacklist: Blacklist): void {
  for (const key of [...grains.keys()]) {
    if (typeof key === 'string' && blacklist.some((matches) => matches(key))) grains.delete(key);
  }
}
