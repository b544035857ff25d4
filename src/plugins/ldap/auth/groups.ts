/**
 * The groups of a user in a directory, in the three ways in which directories keep them (salt/auth/ldap.py `groups`,
 * 3006.16).
 */
import type { LdapEntry, LdapSession } from '../../../network/ldap/directory.ts';
import { escapeFilter, filled, firstValue, type LdapSettings } from './settings.ts';

/**
 * Salt compat: Salt writes the name into two of the filters as it was typed, so that a name like `*` is in all groups;
 * here it is escaped.
 */
export async function ldapGroups(
  session: LdapSession,
  settings: LdapSettings,
  username: string,
): Promise<string[]> {
  const ways = { posix: posixGroups, activedirectory: activeDirectoryGroups, freeipa: freeIpaGroups };
  return [...new Set(await ways[settings.groups.kind](session, settings, username))];
}

/** Groups that name their members, and entries of the user that name his groups. */
async function posixGroups(
  session: LdapSession,
  { baseDn, groups }: LdapSettings,
  username: string,
): Promise<string[]> {
  const { groupOu, accountAttribute, groupAttribute, groupClass } = groups;
  const found = await session.search({
    base: groupOu === '' ? baseDn : `ou=${groupOu},${baseDn}`,
    scope: 'sub',
    filter: `(&(${accountAttribute}=${escapeFilter(username)})(objectClass=${groupClass}))`,
    attributes: [accountAttribute, 'cn', groupAttribute],
  });
  return [
    ...found.filter((entry) => valuesOf(entry, accountAttribute).includes(username)).flatMap(commonName),
    ...found
      .filter(({ dn }) => firstValue(dn) === username)
      .flatMap((entry) => valuesOf(entry, groupAttribute).map(firstValue)),
  ];
}

async function activeDirectoryGroups(
  session: LdapSession,
  { baseDn, groups }: LdapSettings,
  username: string,
): Promise<string[]> {
  const { accountAttribute, personType, groupClass } = groups;
  const [user] = await session.search({
    base: baseDn,
    scope: 'sub',
    filter: `(&(${accountAttribute}=${escapeFilter(username)})(objectClass=${personType}))`,
    attributes: ['distinguishedName'],
  });
  if (user === undefined) return [];
  const found = await session.search({
    base: baseDn,
    scope: 'sub',
    filter: `(&(member=${escapeFilter(user.dn)})(objectClass=${groupClass}))`,
    attributes: ['cn'],
  });
  return found.flatMap(commonName);
}

async function freeIpaGroups(
  session: LdapSession,
  { groups }: LdapSettings,
  username: string,
): Promise<string[]> {
  const { groupBaseDn, groupFilter, accountAttribute, groupAttribute } = groups;
  const found = await session.search({
    base: groupBaseDn,
    scope: 'sub',
    filter: filled(groupFilter, () => escapeFilter(username)),
    attributes: [accountAttribute, groupAttribute, 'cn'],
  });
  return found
    .filter((entry) =>
      [...valuesOf(entry, accountAttribute), ...valuesOf(entry, groupAttribute)].some(
        (member) => firstValue(member) === username,
      ),
    )
    .map(({ dn }) => firstValue(dn));
}

function valuesOf({ values }: LdapEntry, attribute: string): readonly string[] {
  return values.get(attribute.toLowerCase()) ?? [];
}

function commonName(entry: LdapEntry): string[] {
  return valuesOf(entry, 'cn').slice(0, 1);
}
