/** The functions and states of `mongodb` on a server that is a stand-in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { startMongo } from '../../../support/mongo-stand-in.ts';
import { fakeStateContext, runState } from '../../../support/state-context.ts';

interface Role {
  readonly role: string;
  readonly db: string;
}

test('mongodb - users, databases and documents', async (t) => {
  const mongo = await startMongo(t);
  const users = new Map<string, Role[]>([['ann', [{ role: 'read', db: 'shop' }]]]);
  const rolesIn = (command: object): Role[] => (command as { roles: Role[] }).roles;
  mongo.answers.set('buildInfo', () => ({ version: '7.0.5' }));
  mongo.answers.set('listDatabases', () => ({ databases: [{ name: 'admin' }, { name: 'shop' }] }));
  mongo.answers.set('usersInfo', ({ usersInfo }) => ({
    users: [...users]
      .filter(([user]) => usersInfo === 1 || usersInfo === user)
      .map(([user, roles]) => ({ user, db: 'shop', roles })),
  }));
  mongo.answers.set('createUser', (command) => {
    const name = String(command['createUser']);
    if (users.has(name)) return { ok: 0, code: 51003, errmsg: `User "${name}" already exists` };
    users.set(name, rolesIn(command));
    return {};
  });
  mongo.answers.set('grantRolesToUser', (command) => {
    users.get(String(command['grantRolesToUser']))?.push(...rolesIn(command));
    return {};
  });
  mongo.answers.set('revokeRolesFromUser', (command) => {
    const name = String(command['revokeRolesFromUser']);
    const gone = new Set(rolesIn(command).map(({ role }) => role));
    users.set(name, users.get(name)?.filter(({ role }) => !gone.has(role)) ?? []);
    return {};
  });
  mongo.answers.set('dropUser', (command) => {
    users.delete(String(command['dropUser']));
    return {};
  });

  const opts = dict({ id: 'minion', 'mongodb.host': '127.0.0.1', 'mongodb.port': mongo.port });
  const ctx = fakeStateContext({ opts });
  const testing = fakeStateContext({ opts, test: true });
  const call = (fun: string, ...args: readonly Value[]): Promise<Value> =>
    ctx.functions.call(`mongodb.${fun}`, args);
  const at = dict({ host: '127.0.0.1', port: mongo.port, database: 'shop' });
  const state = async (where: typeof ctx, fun: string, kwargs: Dict): Promise<Value[]> => {
    const made = await runState(where, fun, kwargs);
    assert.ok(isDict(made));
    return ['result', 'comment', 'changes'].map((key) => made.get(key) ?? null);
  };

  assert.deepEqual(await call('db_list'), ['admin', 'shop']);
  assert.equal(await call('db_exists', 'nosuch'), false);
  assert.equal(await call('version'), '7.0.5');
  assert.equal(await call('user_roles_exists', 'ann', '["read"]', 'shop'), true);
  assert.equal(await call('user_roles_exists', 'ann', '["write"]', 'shop'), false);
  assert.equal(await call('user_roles_exists', 'ann', '[', 'shop'), 'Roles provided in wrong format');
  assert.equal(await call('user_create', 'ann', 'pw'), false);

  const wanted = dict({ name: 'ann', passwd: 'pw', roles: ['write'] });
  const ofAnn = new Map([...wanted, ...at]);
  const changes = dict({ ann: { database: 'shop', roles: { old: ['read'], new: ['write'] } } });
  assert.deepEqual(await state(testing, 'mongodb_user.present', ofAnn), [
    null,
    'The roles of user ann will be changed',
    changes,
  ]);
  assert.deepEqual(users.get('ann'), [{ role: 'read', db: 'shop' }]);
  assert.deepEqual(await state(ctx, 'mongodb_user.present', ofAnn), [
    true,
    'The roles of user ann have been changed',
    changes,
  ]);
  assert.deepEqual(users.get('ann'), [{ role: 'write', db: 'shop' }]);
  assert.deepEqual(await state(ctx, 'mongodb_user.present', ofAnn), [
    true,
    'User ann is already present',
    dict(),
  ]);
  const joe = new Map([...dict({ name: 'joe', passwd: 'pw' }), ...at]);
  assert.deepEqual(await state(ctx, 'mongodb_user.present', joe), [
    true,
    'User joe has been created',
    dict({ joe: 'Present' }),
  ]);
  assert.deepEqual(await state(ctx, 'mongodb_user.absent', new Map([...dict({ name: 'joe' }), ...at])), [
    true,
    'User joe has been removed',
    dict({ joe: 'Absent' }),
  ]);
  assert.deepEqual(await state(testing, 'mongodb_database.absent', dict({ name: 'shop' })), [
    null,
    'Database shop is present and needs to be removed',
    dict(),
  ]);
  assert.deepEqual(await state(ctx, 'mongodb_user.present', new Map([...joe, ['port', 'x']])), [
    false,
    'Port (x) is not an integer.',
    dict(),
  ]);

  assert.equal(await call('insert', '[{"_id": "a", "n": 1}, {"_id": "b", "n": 2.5}]', 'goods'), true);
  assert.deepEqual(await call('find', 'goods', '{"_id": "a"}'), [dict({ _id: 'a', n: 1 })]);
  assert.equal(
    await call('update_one', '{"_id": "x"} {"n": 3}', 'goods'),
    'Did not find any result. You should try an insert before.',
  );
  assert.match(String(await call('update_one', '{"_id": "x"}', 'goods')), /does not contain a valid/);
  assert.equal(await call('remove', 'goods', '{"_id": "a"}'), '1 objects removed');
  assert.match(String(await call('remove', 'goods')), /^filter must be/);
});
