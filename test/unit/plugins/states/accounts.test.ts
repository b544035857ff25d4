import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { callState, type FakeStateOptions } from '../../../support/state-context.ts';

type Functions = NonNullable<FakeStateOptions['functions']>;

async function run(fun: string, args: Dict, functions: Functions, isTest = false) {
  const result = await callState(fun, args, { functions, test: isTest });
  return [result.get('result'), result.get('comment'), result.get('changes')];
}

const GROUP = dict({ name: 'ops', passwd: 'x', gid: 50, members: ['ann'] });

test('states of group - a new group, one with other members, and one that is to go', async () => {
  const there = { 'group.info': GROUP };
  const args = (more: Record<string, Value>): Dict => dict({ name: 'ops', ...more });
  assert.deepEqual(await run('group.present', args({ gid: 50 }), there), [
    true,
    'Group ops is present and up to date',
    dict(),
  ]);
  assert.deepEqual(await run('group.present', args({ members: [] }), there, true), [
    null,
    "The following group attributes are set to be changed:\ndelusers: {'ann'}\n",
    dict(),
  ]);
  assert.deepEqual((await run('group.present', args({}), { 'group.info': dict() }, true)).slice(0, 2), [
    null,
    'Group ops set to be added',
  ]);
  const taken = { 'group.info': dict(), 'group.getent': [dict({ name: 'web', gid: 60 })] };
  assert.equal(
    (await run('group.present', args({ gid: 60 }), taken))[1],
    'Group ops is not present but gid 60 is already taken by group web',
  );
  assert.deepEqual(await run('group.absent', args({}), { ...there, 'group.delete': true }), [
    true,
    'Removed group ops',
    dict({ ops: '' }),
  ]);
});

const USER = dict({
  ...{ name: 'ann', uid: 500, gid: 500, groups: ['ann', 'ops'], home: '/', shell: '/bin/sh' },
  ...{ fullname: 'Ann', roomnumber: '', workphone: '', homephone: '', other: '' },
});

const ACCOUNTS: Functions = {
  'user.info': USER,
  'group.info': ([name]) =>
    name === 'nosuch' ? dict() : dict({ gid: name === 'ann' ? 500 : name === 'web' ? 700 : 600 }),
  'file.group_to_gid': ([name]) => (name === 'ann' ? 500 : name === 'nosuch' ? '' : 600),
  'file.gid_to_group': ([gid]) => (gid === 500 ? 'ann' : 'ops'),
  'shadow.info': dict({ passwd: '$6$a$b', lstchg: 1, min: 0, max: 99999, warn: 7, inact: -1, expire: -1 }),
  'shadow.default_hash': '!',
};

test('states of user - differences are listed, passwords are not shown, ids are refused', async () => {
  const args = (more: Record<string, Value>): Dict => dict({ name: 'ann', ...more });
  assert.deepEqual(await run('user.present', args({ shell: '/bin/sh' }), ACCOUNTS), [
    true,
    'User ann is present and up to date',
    dict(),
  ]);
  const changed = args({ shell: '/bin/bash', password: 'secret', groups: ['web'], maxdays: 90 });
  const comment = String((await run('user.present', changed, ACCOUNTS, true))[1]);
  assert.match(comment, /^The following user attributes are set to be changed:\ngroups: \['web'\]\n/);
  assert.match(comment, /shell: \/bin\/bash\npasswd: XXX-REDACTED-XXX\nmaxdays: 90\n$/);
  assert.match(
    String((await run('user.present', args({ uid: 7 }), ACCOUNTS))[1]),
    /Changing uid \(500 -> 7\) not permitted/,
  );
  assert.equal(
    (await run('user.present', args({ groups: ['nosuch'] }), ACCOUNTS))[1],
    'The following group(s) are not present: nosuch',
  );
  assert.equal(
    (await run('user.present', args({ fullname: 'a,b' }), ACCOUNTS))[1],
    "Unsupported char ',' in a,b",
  );
  assert.deepEqual(await run('user.absent', args({}), { 'user.info': dict() }), [
    true,
    'User ann is not present',
    dict(),
  ]);
});
