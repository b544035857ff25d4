/** `include_pat` and `exclude_pat`: globs, and regular expressions behind `E@` (salt/utils/stringutils.py, 3006.16). */
import { fnmatch } from '../../python/text/fnmatch.ts';
import { compilePattern } from '../../python/regex/pattern.ts';
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Value } from '../../python/values/value.ts';

/**
 * Makes the test of a path.
 * @param include a pattern or a list of which one must match; empty for all
 * @param exclude a pattern or a list of which none may match
 * @throws PatternError
 */
export function includeExclude(
  include: Value | undefined,
  exclude: Value | undefined,
): (path: string) => boolean {
  const isIncluded = truthy(include) ? anyOf(include as Value) : () => true;
  const isExcluded = truthy(exclude) ? anyOf(exclude as Value) : () => false;
  return (path) => isIncluded(path) && !isExcluded(path);
}

function anyOf(patterns: Value): (path: string) => boolean {
  const list = Array.isArray(patterns) ? patterns : [patterns];
  const tests = list.map(pyStr).map((text): ((path: string) => boolean) => {
    if (!text.startsWith('E@')) return (path) => fnmatch(path, text);
    const pattern = compilePattern(text.slice(2));
    return (path) => pattern.search(path) !== undefined;
  });
  return (path) => tests.some((test) => test(path));
}
