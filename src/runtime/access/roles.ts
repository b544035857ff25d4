/**
 * Roles: named bundles of rules, given to users, groups and API tokens. Not Salt's, but ours:
 *
 *     roles:
 *       deployers:
 *         users: [alice]
 *         groups: [ops]
 *         tokens: [ci]
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
import { faultOfRules } from './rule-forms.ts';

/** An API token, to the rules. */
export interface TokenIdentity {
  readonly name: string;
  /** The roles that it was made with. */
  readonly roles: readonly string[];
  /** Rules of its own. */
  readonly rules: readonly Value[];
}

/** The rules of all roles that a user, or one of his groups, has. @param roles the option */
export function rulesOfRoles(roles: Dict, { name, groups }: Identity): GivenRule[] {
  return rulesWhere(
    roles,
    (_, said) =>
      textsOf(said.get('users')).includes(name) ||
      textsOf(said.get('groups')).some((group) => groups.includes(group)),
  );
}

/** The rules of an API token: its own, and those of its roles as they are today. @param roles the option */
export function rulesOfToken(roles: Dict, token: TokenIdentity): GivenRule[] {
  return [
    ...given([...token.rules], `API token ${token.name}`),
    ...rulesWhere(
      roles,
      (role, said) => token.roles.includes(role) || textsOf(said.get('tokens')).includes(token.name),
    ),
  ];
}

function rulesWhere(roles: Dict, isHis: (role: string, said: Dict) => boolean): GivenRule[] {
  return [...roles].flatMap(([role, said]) =>
    isDict(said) && isHis(pyStr(role), said) ? given(said.get('rules') ?? null, `role ${pyStr(role)}`) : [],
  );
}

/** What is wrong with the option, by role; sentences without full stops. */
export function faultsOfRoles(roles: Dict): Map<string, string> {
  const faults = new Map<string, string>();
  for (const [role, said] of roles) {
    const fault = isDict(said) ? faultOfRole(said) : 'a role is a mapping of users, groups, tokens and rules';
    if (fault !== undefined) faults.set(`roles:${pyStr(role)}`, fault);
  }
  return faults;
}

function faultOfRole(said: Dict): string | undefined {
  const odd = [...said.keys()].map(pyStr).find((key) => !FIELDS.has(key));
  if (odd !== undefined) return `a role has users, groups, tokens and rules, and no ${odd}`;
  const noList = HOLDERS.find((key) => said.has(key) && !Array.isArray(said.get(key)));
  if (noList !== undefined) return `${noList} is no list of names`;
  const rules = said.get('rules');
  return Array.isArray(rules) ? faultOfRules(rules) : 'it has no list of rules';
}

const HOLDERS = ['users', 'groups', 'tokens'] as const;
const FIELDS: ReadonlySet<string> = new Set([...HOLDERS, 'rules']);

function textsOf(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(pyStr) : [];
}
