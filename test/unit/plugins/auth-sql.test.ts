import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOneUser, readAuthSql, withoutPassword } from '../../../src/plugins/shared/auth/auth-sql.ts';
import { systemClock } from '../../../src/host/clock.ts';
import { silentLogger } from '../../../src/host/log.ts';
import { Secret } from '../../../src/host/secret.ts';
import { postgresBackend } from '../../../src/plugins/postgres/auth.ts';
import { dict } from '../../../src/python/values/value.ts';

test('auth_sql - places become values of the statement, never parts of it', () => {
  const values = ['username', 'password'];
  const salts = 'SELECT username FROM users WHERE username = "{0}" AND password = SHA2("{1}", 256)';
  assert.deepEqual(readAuthSql(salts, 'question'), {
    sql: 'SELECT username FROM users WHERE username = ? AND password = SHA2(?, 256)',
    values,
  });
  assert.deepEqual(readAuthSql("SELECT 1 WHERE a = '{}' AND b = {} AND c = '{{0}}x'", 'question'), {
    sql: "SELECT 1 WHERE a = ? AND b = ? AND c = '{0}x'",
    values,
  });
  assert.deepEqual(readAuthSql("f('{1}', {0}, '{1}')", 'number'), {
    sql: 'f($1, $2, $1)',
    values: ['password', 'username'],
  });
  for (const [sql, wanted] of [
    ["SELECT 1 WHERE a LIKE '%{0}' AND b = {1}", /is not all of the text/],
    ['SELECT 1 WHERE a = {0}', /lets in everybody/],
    ['SELECT 1', /lets in everybody/],
    ['SELECT {0}, {1}, {2}', /has \{2\}/],
  ] as const)
    assert.match(String(readAuthSql(sql, 'question')), wanted);
});

test('auth_sql - one row, of the name that was typed', () => {
  const as = (username: string) => ({ username, password: new Secret('pass') });
  assert.equal(isOneUser([['diana']], as('diana')), true);
  assert.equal(isOneUser([[7]], as('diana')), true);
  assert.equal(isOneUser([['Diana Prince']], as('diana')), true);
  assert.equal(isOneUser([], as('diana')), false);
  assert.equal(isOneUser([['diana'], ['diana']], as('diana')), false);
  assert.equal(isOneUser([['diana']], as('Diana')), false);
  assert.equal(isOneUser([['diana']], as('diana ')), false);
  assert.equal(withoutPassword("near 'pass' at", as('x')), "near '***' at");
});

test('postgres_auth - an error names the options as they are written', async () => {
  const backend = postgresBackend.make({
    opts: dict({
      postgres_auth: {
        hostname: '127.0.0.1',
        // nobody listens there
        port: 1,
        username: 'salt',
        password: 'hidden',
        database: 'users',
        auth_sql: "SELECT name FROM users WHERE name = '{0}' AND password = '{1}'",
      },
    }),
    config: new Map(),
    clock: systemClock,
    log: silentLogger,
  });
  await assert.rejects(
    async () => backend.authenticate({ username: 'diana', password: new Secret('pass') }),
    /do postgres_auth: hostname and postgres_auth: port name it\?/,
  );
  await backend.close?.();
});
