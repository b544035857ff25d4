/** The options `auth.ldap.*` (salt/auth/ldap.py, 3006.16), read once, and what is wrong with them. */
import type { DirectorySettings, LdapScope } from '../../../network/ldap/directory.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** How a directory is asked. */
export interface LdapSettings extends DirectorySettings {
  readonly baseDn: string;
  readonly scope: LdapScope;
  /** Whom to bind as: for searches where there is a `bindpw`, else the user himself, with `{{ username }}` in it. */
  readonly bindDn: string;
  readonly bindPassword: string;
  /** Searches are made without binding. */
  readonly isAnonymous: boolean;
  /** Finds the user's entry, with `{{ username }}` in it. */
  readonly filter: string;
  readonly groups: LdapGroupSettings;
  readonly stripDomains: readonly string[];
}

/** How the groups of a user are found. */
export interface LdapGroupSettings {
  readonly kind: 'posix' | 'activedirectory' | 'freeipa';
  readonly groupOu: string;
  readonly groupClass: string;
  readonly groupAttribute: string;
  readonly accountAttribute: string;
  readonly personType: string;
  /** For FreeIPA. */
  readonly groupBaseDn: string;
  readonly groupFilter: string;
}

const SCOPES = ['base', 'one', 'sub'] as const;
/** Not in Salt, which waits as long as the system does. */
const TIMEOUT_SECONDS = 10;

/** @param opts the master's whole configuration */
export function readLdapSettings(opts: Dict): LdapSettings {
  const value = (name: string): Value | undefined => opts.get(`auth.ldap.${name}`);
  const text = (name: string, standard = ''): string => {
    const found = value(name) ?? null;
    return found === null || found === false ? standard : pyStr(found);
  };
  const flag = (name: string): boolean => truthy(value(name) ?? null);
  const uri = text('uri');
  const schema = flag('tls') ? 'ldaps' : 'ldap';
  const domains = value('minion_stripdomains');
  const seconds = toNumber(value('timeout') ?? null) ?? TIMEOUT_SECONDS;
  return {
    urls:
      uri === ''
        ? [`${schema}://${text('server', 'localhost')}:${text('port', '389')}`]
        : uri.split(/[\s,]+/).filter((url) => url !== ''),
    startTls: flag('starttls'),
    verify: !flag('no_verify'),
    caFile: text('cacertfile') || undefined,
    tlsSettings: { ca: 'auth.ldap.cacertfile' },
    timeoutMs: Math.max(0.1, seconds) * 1000,
    optionNames: 'auth.ldap.uri, auth.ldap.server and auth.ldap.tls',
    baseDn: text('basedn'),
    scope: SCOPES[Number(text('scope', '2'))] ?? 'sub',
    bindDn: text('binddn'),
    bindPassword: text('bindpw'),
    isAnonymous: flag('anonymous'),
    filter: text('filter'),
    groups: {
      kind: flag('activedirectory') ? 'activedirectory' : flag('freeipa') ? 'freeipa' : 'posix',
      groupOu: value('groupou') === undefined ? 'Groups' : text('groupou'),
      groupClass: text('groupclass', 'posixGroup'),
      groupAttribute: text('groupattribute', 'memberOf'),
      accountAttribute: text('accountattributename', 'memberUid'),
      personType: text('persontype', 'person'),
      groupBaseDn: text('group_basedn'),
      groupFilter: text('group_filter'),
    },
    stripDomains: Array.isArray(domains) ? domains.map(pyStr) : [],
  };
}

/** What keeps these settings from working, as a sentence without its full stop. */
export function ldapFault(opts: Dict): string | undefined {
  const settings = readLdapSettings(opts);
  const { urls, startTls, bindDn, bindPassword, isAnonymous, filter, groups } = settings;
  const odd = urls.find((url) => !/^ldaps?:\/\//.test(url) || !URL.canParse(url));
  if (urls.length === 0 || odd !== undefined)
    return `auth.ldap.uri is ${odd ?? 'empty'}; addresses begin with ldap:// or ldaps://`;
  if (startTls && urls.some((url) => url.startsWith('ldaps:')))
    return 'auth.ldap.starttls and auth.ldap.tls exclude each other';
  // Salt compat: Salt lets in everybody then who gives the name of a member, whatever the password
  if (isAnonymous && truthy(opts.get('auth.ldap.auth_by_group_membership_only') ?? null))
    return 'auth.ldap.auth_by_group_membership_only with auth.ldap.anonymous lets people in without a password: take one of them out';
  const searches = isAnonymous || bindPassword !== '';
  if (!searches && bindDn === '')
    return 'auth.ldap.binddn does not say whom to bind as (the user by a name with {{ username }}, or with auth.ldap.bindpw an account that searches), and auth.ldap.anonymous is off';
  if (bindPassword !== '' && bindDn === '') return 'auth.ldap.bindpw is set, and auth.ldap.binddn is not';
  if (searches && filter === '' && (bindPassword !== '' || bindDn === ''))
    return 'auth.ldap.filter does not say how to find a user, e.g. uid={{ username }}';
  if (!SCOPES.some((_, at) => pyStr(opts.get('auth.ldap.scope') ?? 2) === String(at)))
    return 'auth.ldap.scope is 0 for the base, 1 for one level, 2 for all below';
  if (groups.kind === 'freeipa' && (groups.groupBaseDn === '' || groups.groupFilter === ''))
    return 'auth.ldap.freeipa needs auth.ldap.group_basedn and auth.ldap.group_filter';
  const template = [bindDn, filter, groups.groupFilter].find((each) => /\{[{%]/.test(filled(each, () => '')));
  return template === undefined
    ? undefined
    : `${template} has more of a template in it than {{ username }}, which is all that is filled in`;
}

/** A text with the name in the place of `{{ username }}`. */
export function filled(template: string, username: () => string): string {
  return template.replace(/\{\{-?\s*username\s*-?\}\}/g, username);
}

/** A text as a value in a filter (RFC 4515): whatever is in it, it stays one value. */
export function escapeFilter(text: string): string {
  return text.replace(/[\\*()\0]/g, hex);
}

/** A text as a value in a distinguished name (RFC 4514). */
export function escapeDn(text: string): string {
  return text.replace(/[\\,+"<>;=#\0]|^ | $/g, hex);
}

function hex(character: string): string {
  return `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** The value of the first part of a distinguished name: `web` of `cn=web,ou=Groups`. */
export function firstValue(dn: string): string {
  const first = /^[^=]*=((?:\\.|[^,+\\])*)/s.exec(dn)?.[1] ?? dn;
  return first.replace(/\\([0-9a-f]{2})|\\(.)/gis, (_all, code: string | undefined, plain: string) =>
    code === undefined ? plain : String.fromCharCode(parseInt(code, 16)),
  );
}
