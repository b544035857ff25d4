/** The rules that a part of `external_auth`, or `publisher_acl`, has for one user and his groups. */
import { expressionMatch } from '../../python/text/expression-match.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { GivenRule } from './question.ts';

/** Who somebody is to the rules. */
export interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * The rules of all entries that fit a user (salt/utils/minions.py `fill_auth_list`, 3006.16): his name, `group%` of
 * each of his groups, and `*`, which is for those whom no entry names. With `permissive_acl` the entry `*` is nobody's,
 * which is what Salt does, not what it says of the option.
 *
 * Salt compat: Salt takes the name that was typed for a pattern and the entries for the texts, so that whoever can log
 * in under a name like `*` or `a.*` has other people's rules. Here names are compared as they stand.
 * @param source what the rules are said to be from, before the entry's name
 */
export function rulesOf(
  entries: Dict,
  { name, groups }: Identity,
  { source, permissive }: { readonly source: string; readonly permissive: boolean },
): GivenRule[] {
  const found: GivenRule[] = [];
  let isNamed = false;
  for (const [key, list] of entries) {
    const entry = pyStr(key);
    if (entry.startsWith('^') || entry === '*') continue;
    const isGroup = entry.endsWith('%');
    if (isGroup ? !groups.includes(entry.replace(/%+$/, '')) : entry !== name) continue;
    isNamed ||= !isGroup;
    found.push(...given(list, `${source} ${entry}`));
  }
  const everybody = entries.get('*');
  if (!permissive && !isNamed && everybody !== undefined) found.push(...given(everybody, `${source} *`));
  return found;
}

/** The rules of all patterns that fit a user (salt/utils/master.py `get_values_of_matching_keys`, 3006.16). */
export function rulesOfPatterns(entries: Dict, name: string, source: string): GivenRule[] {
  return [...entries].flatMap(([pattern, list]) =>
    expressionMatch(name, pyStr(pattern)) ? given(list, `${source} ${pyStr(pattern)}`) : [],
  );
}

/** Rules as `GivenRule`s. @param list a list of rules, or one of them */
export function given(list: Value, source: string): GivenRule[] {
  if (isDict(list)) return [...list].map(([key, value]) => ({ rule: new Map([[key, value]]), source }));
  const rules = Array.isArray(list) ? list : list === null ? [] : [list];
  return rules.map((rule) => ({ rule, source }));
}
