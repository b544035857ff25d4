import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../src/host/clock.ts';
import { silentLogger } from '../../../src/host/log.ts';
import { Secret } from '../../../src/host/secret.ts';
import type { AuthBackend } from '../../../src/plugins/shared/auth/backend.ts';
import { ldapBackend } from '../../../src/plugins/ldap/auth.ts';
import { escapeDn, escapeFilter, firstValue } from '../../../src/plugins/ldap/auth/settings.ts';
import { dict, type DictInit } from '../../../src/python/values/value.ts';
import { startLdapStandIn, type LdapStandIn, type StandInEntry } from '../../support/ldap-stand-in.ts';

const BASE = 'dc=example,dc=com';
const READER = `cn=reader,${BASE}`;
const ENTRIES: readonly StandInEntry[] = [
  { dn: READER, password: 'bind-secret', attributes: { cn: ['reader'] } },
  {
    dn: `uid=alice,ou=People,${BASE}`,
    password: 'alice-secret',
    attributes: { uid: ['alice'], objectClass: ['person'], memberOf: [`cn=Web\\2c old,ou=Groups,${BASE}`] },
  },
  {
    dn: `uid=bob,ou=People,${BASE}`,
    password: 'bob-secret',
    attributes: { uid: ['bob'], objectClass: ['person'] },
  },
  {
    dn: `cn=ops,ou=Groups,${BASE}`,
    attributes: {
      cn: ['ops'],
      objectClass: ['posixGroup', 'group'],
      memberUid: ['alice'],
      member: [`uid=alice,ou=People,${BASE}`],
    },
  },
  {
    dn: `cn=all,ou=Groups,${BASE}`,
    attributes: { cn: ['all'], objectClass: ['posixGroup'], memberUid: ['alice', 'bob'] },
  },
  { dn: `cn=WEB1.int,ou=Servers,${BASE}`, attributes: { cn: ['WEB1.int'], objectClass: ['computer'] } },
  { dn: `cn=*,ou=Servers,${BASE}`, attributes: { cn: ['*'], objectClass: ['computer'] } },
];
const SEARCHING = {
  'auth.ldap.binddn': READER,
  'auth.ldap.bindpw': 'bind-secret',
  'auth.ldap.filter': 'uid={{ username }}',
};
const ITSELF = { 'auth.ldap.binddn': `uid={{ username }},ou=People,${BASE}` };

async function opened(
  t: TestContext,
  more: Record<string, string | boolean | number | string[]>,
  anonymous = false,
): Promise<{ backend: AuthBackend; server: LdapStandIn }> {
  const server = await startLdapStandIn(t, ENTRIES, { anonymous });
  const opts = dict({
    'auth.ldap.server': '127.0.0.1',
    'auth.ldap.port': server.port,
    'auth.ldap.basedn': BASE,
    'auth.ldap.timeout': 5,
    ...more,
  });
  const context = { opts, config: new Map(), clock: systemClock, log: silentLogger };
  assert.equal(ldapBackend.fault?.(context), undefined);
  return { backend: ldapBackend.make(context), server };
}

const as = (username: string, password: string) => ({ username, password: new Secret(password) });

test('ldap - whoever can bind as the entry that fits his name is let in', async (t) => {
  for (const [more, anonymous] of [
    [SEARCHING, false],
    [ITSELF, false],
    [{ 'auth.ldap.anonymous': true, 'auth.ldap.filter': 'uid={{username}}' }, true],
  ] as const) {
    const { backend, server } = await opened(t, more, anonymous);
    assert.equal(await backend.authenticate(as('alice', 'alice-secret')), true);
    for (const [name, password] of [
      ['alice', 'bob-secret'],
      ['nobody', 'alice-secret'],
      ['alice', ''],
      [' alice', 'alice-secret'],
      ['', 'alice-secret'],
      ['EXTERNAL', 'x'],
    ] as const)
      assert.equal(await backend.authenticate(as(name, password)), false, `${name} ${password}`);
    assert.ok(!server.asked.join().includes('secret'));
  }
});

test('ldap - a name is a value, never a part of a filter or of a distinguished name', async (t) => {
  const names = [
    '*',
    'a*',
    'alice)(uid=*',
    'x)(|(uid=*',
    '*)(objectClass=*',
    'alice\\2a',
    'a\\',
    '(',
    '|',
    'é"',
  ];
  const searching = await opened(t, SEARCHING);
  for (const name of names) {
    assert.equal(await searching.backend.authenticate(as(name, 'alice-secret')), false, name);
    assert.equal(searching.server.asked.at(-1), `search ${BASE} (uid=${JSON.stringify(name)})`);
    assert.deepEqual(await searching.backend.groups?.(as(name, '')), [], name);
    assert.match(searching.server.asked.at(-1) ?? '', /^search \S+ \(&\(memberUid="/);
  }
  const itself = await opened(t, ITSELF);
  assert.equal(await itself.backend.authenticate(as(`alice,ou=People,${BASE}`, 'alice-secret')), false);
  assert.equal(itself.server.asked.at(-1)?.startsWith('bind uid=alice\\2cou\\3dPeople\\2c'), true);
  assert.equal(escapeFilter('a*(b)\\\0'), 'a\\2a\\28b\\29\\5c\\00');
  assert.equal(escapeDn(' a,b+c=d '), '\\20a\\2cb\\2bc\\3dd\\20');
  assert.equal(firstValue('cn=a\\, b\\3d,ou=x'), 'a, b=');
});

test('ldap - groups in the three ways', async (t) => {
  const groupsOf = async (more: Record<string, string | boolean>, name = 'alice'): Promise<string[]> => {
    const { backend } = await opened(t, { ...SEARCHING, ...more });
    return [...((await backend.groups?.(as(name, 'x'))) ?? [])].sort();
  };
  assert.deepEqual(await groupsOf({}), ['all', 'ops']);
  assert.deepEqual(await groupsOf({}, 'bob'), ['all']);
  assert.deepEqual(await groupsOf({}, 'nobody'), []);
  const ofPerson = { 'auth.ldap.groupou': '', 'auth.ldap.accountattributename': 'uid' };
  assert.deepEqual(await groupsOf({ ...ofPerson, 'auth.ldap.groupclass': 'person' }), ['Web, old']);
  assert.deepEqual(
    await groupsOf({ ...ofPerson, 'auth.ldap.activedirectory': true, 'auth.ldap.groupclass': 'group' }),
    ['ops'],
  );
  const freeIpa = {
    'auth.ldap.freeipa': true,
    'auth.ldap.accountattributename': 'member',
    'auth.ldap.group_basedn': `ou=Groups,${BASE}`,
    'auth.ldap.group_filter': '(|(memberUid={{ username }})(member=uid={{ username }}*))',
  };
  assert.deepEqual(await groupsOf(freeIpa), ['ops']);
  const { backend } = await opened(t, ITSELF);
  assert.deepEqual(await backend.groups?.(as('alice', 'wrong')), []);
  assert.deepEqual(await backend.groups?.(as('alice', 'alice-secret')), ['ops', 'all']);
});

test('ldap - rules for the computers below a base', async (t) => {
  const { backend } = await opened(t, { ...SEARCHING, 'auth.ldap.minion_stripdomains': ['.int'] });
  const rules = ['test.*', dict({ [`ldap(ou=Servers,${BASE})`]: ['test.ping'], 'db*': ['cmd.run'] })];
  assert.deepEqual(await backend.processAcl?.(rules), [
    'test.*',
    dict({ web1: ['test.ping'] }),
    dict({ 'db*': ['cmd.run'] }),
  ]);
});

test('ldap - a directory that is away, or that refuses the searching account, is an error that names neither password', async (t) => {
  const { backend, server } = await opened(t, { ...SEARCHING, 'auth.ldap.bindpw': 'other-secret' });
  const fails = async (one: AuthBackend, wanted: RegExp): Promise<void> => {
    const error = await one.authenticate(as('alice', 'alice-secret')).catch((reason: unknown) => reason);
    assert.ok(error instanceof Error);
    assert.match(error.message, wanted);
    assert.ok(!error.message.includes('secret'));
  };
  await fails(backend, /refuses cn=reader,dc=example,dc=com/);
  const gone = await startLdapStandIn(t, []);
  const uri = `ldap://127.0.0.1:1 ldap://127.0.0.1:${server.port}`;
  const second = await opened(t, { ...SEARCHING, 'auth.ldap.uri': uri });
  assert.equal(await second.backend.authenticate(as('alice', 'alice-secret')), true);
  await fails(
    (await opened(t, { ...SEARCHING, 'auth.ldap.uri': 'ldap://127.0.0.1:1' })).backend,
    /No LDAP server answered/,
  );
  await fails(
    (await opened(t, { ...SEARCHING, 'auth.ldap.starttls': true })).backend,
    /No LDAP server answered/,
  );
  assert.deepEqual(gone.asked, []);
});

test('ldap - settings that cannot work are told at the start', () => {
  const fault = (more: DictInit): string | undefined =>
    ldapBackend.fault?.({ opts: dict(more), config: new Map(), clock: systemClock, log: silentLogger });
  assert.match(fault({}) ?? '', /auth\.ldap\.binddn does not say/);
  assert.match(fault({ ...SEARCHING, 'auth.ldap.filter': '' }) ?? '', /auth\.ldap\.filter/);
  assert.match(fault({ ...SEARCHING, 'auth.ldap.filter': '{% if x %}' }) ?? '', /all that is filled in/);
  assert.match(fault({ ...SEARCHING, 'auth.ldap.uri': 'http://x' }) ?? '', /ldap:\/\/ or ldaps/);
  assert.match(fault({ ...SEARCHING, 'auth.ldap.tls': true, 'auth.ldap.starttls': true }) ?? '', /exclude/);
  assert.match(fault({ ...SEARCHING, 'auth.ldap.scope': 9 }) ?? '', /scope/);
  assert.match(fault({ ...SEARCHING, 'auth.ldap.freeipa': true }) ?? '', /group_basedn/);
  assert.match(
    fault({ ...ITSELF, 'auth.ldap.anonymous': true, 'auth.ldap.auth_by_group_membership_only': true }) ?? '',
    /without a password/,
  );
});
