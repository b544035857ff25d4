import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  findGroup,
  findUser,
  groupIdsOf,
  listGroups,
  listUsers,
  type AccountSources,
} from '../../../src/host/users.ts';

const PASSWD = `root:x:0:0:root:/root:/bin/bash
web:x:33:33:Web, Room 1:/var/www:/usr/sbin/nologin
web:x:34:34:second of the name::
broken:line
+::::::
notanumber:x:a:b:::
`;
const GROUP = 'root:x:0:\nweb:x:33:\nadm:x:4:web,syslog\nempty:x:5:\n';

function sources(t: TestContext, answers: Record<string, string> = {}): AccountSources & { asked: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-users-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [passwdPath, groupPath] = [join(folder, 'passwd'), join(folder, 'group')];
  writeFileSync(passwdPath, PASSWD);
  writeFileSync(groupPath, GROUP);
  const asked: string[] = [];
  const ask = (argv: readonly string[]): Promise<string | undefined> => {
    asked.push(argv.join(' '));
    return Promise.resolve(answers[argv.join(' ')]);
  };
  return { passwdPath, groupPath, ask, asked };
}

test('users - the local files answer by name and by number', async (t) => {
  const from = sources(t);
  const web = {
    name: 'web',
    uid: 33,
    gid: 33,
    gecos: 'Web, Room 1',
    home: '/var/www',
    shell: '/usr/sbin/nologin',
  };
  assert.deepEqual(await findUser('web', from), web);
  assert.deepEqual(await findUser(33, from), web);
  assert.deepEqual(await findGroup('adm', from), { name: 'adm', gid: 4, members: ['web', 'syslog'] });
  assert.equal((await findGroup(5, from))?.name, 'empty');
  assert.deepEqual(from.asked, []);
});

test('users - who is not in the files is asked for, once and harmlessly', async (t) => {
  const from = sources(t, {
    'getent -- passwd ldap': 'ldap:*:9000:9001:From LDAP:/home/ldap:/bin/sh\n',
    'getent -- group 9001': 'people:*:9001:\n',
    'getent -- passwd 33x': 'web:x:33:33::/:/bin/sh\n',
  });
  assert.equal((await findUser('ldap', from))?.uid, 9000);
  assert.equal((await findGroup(9001, from))?.name, 'people');
  assert.equal(await findUser('33x', from), undefined);
  assert.equal(await findUser('-s', from), undefined);
  assert.deepEqual(from.asked, [
    'getent -- passwd ldap',
    'getent -- group 9001',
    'getent -- passwd 33x',
    'getent -- passwd -s',
  ]);
  for (const key of ['', 'a:b', 'a\nb', 'a\0b', -1]) assert.equal(await findUser(key, from), undefined);
  assert.equal(from.asked.length, 4);
});

test('users - groups of a user: the system first, then the local file', async (t) => {
  const web = await findUser('web', sources(t));
  assert.ok(web);
  assert.deepEqual(await groupIdsOf(web, sources(t, { 'id -G -- web': '33 4 9001\n' })), [33, 4, 9001]);
  assert.deepEqual(await groupIdsOf(web, sources(t)), [33, 4]);
  assert.deepEqual(await groupIdsOf(web, sources(t, { 'id -G -- web': 'nonsense' })), [33, 4]);
});

test('users - lists: each name once, broken lines left out', async (t) => {
  assert.deepEqual(
    (await listUsers(sources(t))).map((user) => user.name),
    ['root', 'web'],
  );
  const from = sources(t, { 'getent group': 'one:x:1:a\n' });
  assert.deepEqual(await listGroups(from), [{ name: 'one', gid: 1, members: ['a'] }]);
});

test('users - the real system knows root', async () => {
  assert.equal((await findUser(0))?.name, 'root');
  assert.ok((await listUsers()).some((user) => user.uid === 0));
});
