/**
 * `ldap`: a directory is asked: whose entry it is, whether he can bind with his password, his groups
 * (salt/auth/ldap.py, 3006.16).
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { BackendSpec, Credentials } from '../shared/auth/backend.ts';
import { withDirectory, type LdapSession } from '../../network/ldap/directory.ts';
import { ldapGroups } from './auth/groups.ts';
import {
  escapeDn,
  escapeFilter,
  filled,
  ldapFault,
  readLdapSettings,
  type LdapSettings,
} from './auth/settings.ts';

/** The backend. */
export const ldapBackend: BackendSpec = {
  name: 'ldap',
  doc: 'A directory: the options `auth.ldap.*`.',
  fault: ({ opts }) => ldapFault(opts),
  make: ({ opts, log }) => {
    const settings = readLdapSettings(opts);
    warnOfPlainText(settings, log);
    return {
      authenticate: (credentials) =>
        withDirectory(settings, (session) => bindAsUser(session, settings, credentials, log)),
      groups: (credentials) =>
        withDirectory(settings, async (session) =>
          (await bindForGroups(session, settings, credentials, log))
            ? ldapGroups(session, settings, credentials.username)
            : [],
        ),
      processAcl: (rules) => expandedRules(rules, settings),
    };
  },
};

/** Salt compat: Salt says nothing. */
function warnOfPlainText({ urls, startTls }: LdapSettings, log: Logger): void {
  const plain = urls.find((url) => url.startsWith('ldap:') && !startTls && !isLocal(new URL(url).hostname));
  if (plain !== undefined)
    log.warning(
      `Passwords go to ${plain} as they are typed, and can be read on the way: set auth.ldap.starttls or auth.ldap.tls.`,
    );
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}

/**
 * Whether the user can bind. His entry is looked for by the account of `binddn` and `bindpw`, or by nobody
 * (`anonymous`); without these he binds by the name that `binddn` makes of his own.
 *
 * Salt compat: with `anonymous` and without `bindpw` Salt searches nothing, so that `filter` has no effect.
 */
async function bindAsUser(
  session: LdapSession,
  settings: LdapSettings,
  { username, password }: Credentials,
  log: Logger,
): Promise<boolean> {
  // an empty password is an anonymous bind (RFC 4513, 5.1.2), which servers let through whatever the name
  if (password.reveal() === '' || !isPlain(username)) return false;
  const dn = await dnOf(session, settings, username, log);
  return dn !== undefined && session.bind(dn, password.reveal());
}

async function dnOf(
  session: LdapSession,
  settings: LdapSettings,
  username: string,
  log: Logger,
): Promise<string | undefined> {
  const { bindDn, filter, baseDn, scope } = settings;
  if (!doesSearch(settings)) return bindName(bindDn, username);
  await bindForSearch(session, settings);
  const found = await session.search({
    base: baseDn,
    scope,
    filter: filled(filter, () => escapeFilter(username)),
    attributes: ['1.1'],
  });
  if (found.length > 1) log.error(`More than one entry fits ${username}: auth.ldap.filter is too wide`);
  const dn = found.length === 1 ? found[0]?.dn : undefined;
  return dn === '' ? undefined : dn;
}

function doesSearch({ bindDn, bindPassword, isAnonymous, filter }: LdapSettings): boolean {
  return bindPassword !== '' || (isAnonymous && (bindDn === '' || filter !== ''));
}

async function bindForSearch(session: LdapSession, { bindDn, bindPassword }: LdapSettings): Promise<void> {
  if (bindPassword === '') return;
  if (!(await session.bind(bindDn, bindPassword)))
    throw new CommandExecutionError(
      `the LDAP server refuses ${bindDn}: see auth.ldap.binddn and auth.ldap.bindpw`,
    );
}

async function bindForGroups(
  session: LdapSession,
  settings: LdapSettings,
  credentials: Credentials,
  log: Logger,
): Promise<boolean> {
  if (!doesSearch(settings)) return bindAsUser(session, settings, credentials, log);
  await bindForSearch(session, settings);
  return true;
}

/**
 * The name by which a user binds himself: a distinguished name, or such as `{{ username }}@example.com`. What is
 * neither could be taken for the name of a way to authenticate.
 */
function bindName(template: string, username: string): string | undefined {
  const isDn = template.includes('=');
  const name = filled(template, () => (isDn ? escapeDn(username) : username));
  return /[=@\\]/.test(name) ? name : undefined;
}

/** Directories pass over blanks around a name, so that it would be another name to the rules than to the directory. */
function isPlain(username: string): boolean {
  return username === username.trim() && username !== '' && !/[\u0000-\u001f\u007f]/.test(username);
}

/** Rules for `ldap(BASE)`: each computer below it by the name of its entry, as the id of a minion. */
async function expandedRules(rules: readonly Value[], settings: LdapSettings): Promise<Value[]> {
  if (!rules.some((rule) => isDict(rule) && [...rule.keys()].some((key) => baseOf(key) !== undefined)))
    return [...rules];
  return withDirectory(settings, async (session) => {
    await bindForSearch(session, settings);
    const expanded: Value[] = [];
    for (const rule of rules) {
      if (!isDict(rule)) expanded.push(rule);
      else
        for (const [target, functions] of rule)
          for (const each of await targetsOf(session, settings, target))
            expanded.push(single(each, functions));
    }
    return expanded;
  });
}

function single(target: Value, functions: Value): Dict {
  return new Map([[target, functions]]);
}

function baseOf(target: Value): string | undefined {
  return typeof target === 'string' ? /^ldap\((.*)\)$/s.exec(target)?.[1] : undefined;
}

async function targetsOf(session: LdapSession, settings: LdapSettings, target: Value): Promise<Value[]> {
  const base = baseOf(target);
  if (base === undefined) return [target];
  const found = await session.search({
    base,
    scope: 'sub',
    filter: '(objectClass=computer)',
    attributes: ['cn'],
  });
  return found.flatMap(({ values }) => {
    const name = values.get('cn')?.[0]?.toLowerCase();
    const domain = settings.stripDomains.find((each) => name?.endsWith(each));
    const id = domain === undefined ? name : name?.slice(0, -domain.length);
    // the id becomes the target of a rule, where other characters would be patterns
    return id !== undefined && /^[\w.-]+$/.test(id) ? [id] : [];
  });
}
