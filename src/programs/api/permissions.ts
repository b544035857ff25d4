/**
 * What somebody who has logged in may do, as `/login` tells it (salt/netapi/__init__.py `sum_permissions`, 3006.16).
 */
import { pyRepr } from '../../python/values/repr.ts';
import { isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';

/**
 * The rules of a user, of everybody, and of his groups.
 * @param eauth what `external_auth` says of the system by which he has logged in
 * @param token what the master says of him: `name`, `groups`
 * @returns each once, texts first; an empty mapping without any
 */
export function permissionsOf(eauth: Value | undefined, token: Dict): Value {
  if (!isDict(eauth)) return new Map();
  const groups = token.get('groups');
  const names: Value[] = [token.get('name') ?? null, '*'];
  if (Array.isArray(groups))
    for (const group of groups) if (typeof group === 'string') names.push(`${group}%`);
  const rules: Value[] = [];
  for (const name of names) {
    const given = eauth.get(name);
    if (!Array.isArray(given)) continue;
    for (const rule of given) if (!rules.some((known) => valuesEqual(known, rule))) rules.push(rule);
  }
  const texts = rules.filter((rule) => typeof rule === 'string').sort();
  const others = rules.filter((rule) => typeof rule !== 'string');
  const sorted = [...texts, ...others.sort((a, b) => (pyRepr(a) < pyRepr(b) ? -1 : 1))];
  return sorted.length === 0 ? new Map() : sorted;
}
