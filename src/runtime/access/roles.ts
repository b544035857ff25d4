/**
 * Roles: named bundles of rules, given to users and groups wherever they log in. Not Salt's, but ours:
 *
 *     roles:
 *       deployers:
 *         users: [alice]
 *         groups: [ops]
 *         rules:
 *           - 'G@role:web': [state.apply]
 *           - '@jobs'
 *
 * The rules are in the forms of `external_auth`, so that one module decides on all of them.
 */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { given, type Identity } from './auth-list.ts';
import type { GivenRule } from './question.ts';

/** The rules of all roles that a user, or one of his groups, has. @param roles the option */
export function rulesOfRoles(roles: Dict, { name, groups }: Identity): GivenRule[] {
  return [...roles].flatMap(([role, said]) => {
    if (!isDict(said)) return [];
    const isHis =
      textsOf(said.get('users')).includes(name) ||
      textsOf(said.get('groups')).some((group) => groups.includes(group));
    return isHis ? given(said.get('rules') ?? null, `role ${pyStr(role)}`) : [];
  });
}

/** What is wrong with the option, by role; sentences without full stops. */
export function faultsOfRoles(roles: Dict): Map<string, string> {
  const faults = new Map<string, string>();
  for (const [role, said] of roles) {
    const name = `roles:${pyStr(role)}`;
    if (!isDict(said)) faults.set(name, 'a role is a mapping of users, groups and rules');
    else {
      const odd = [...said.keys()].map(pyStr).find((key) => !FIELDS.has(key));
      if (odd !== undefined) faults.set(name, `a role has users, groups and rules, and no ${odd}`);
      else if (!Array.isArray(said.get('rules'))) faults.set(name, 'it has no list of rules');
    }
  }
  return faults;
}

const FIELDS: ReadonlySet<string> = new Set(['users', 'groups', 'rules']);

function textsOf(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(pyStr) : [];
}
