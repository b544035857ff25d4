import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { createLogger, type LogRecord } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import type { SdbContext } from '../../../../src/plugins/shared/sdb/sdb-driver.ts';
import { HASH_CHARS, sdbGet, sdbGetOrSetHash, sdbSet } from '../../../../src/plugins/registry/sdb/sdb.ts';
import { UNSERVED_SDB_DRIVERS } from '../../../../src/config/sdb-drivers.ts';
import { SDB_TABLE } from '../../../../src/plugins/registry/sdb/table.generated.ts';
import { dict, type DictInit } from '../../../../src/python/values/value.ts';
import { startHttpStandIn, type HttpTaken } from '../../../support/http-stand-in.ts';

const CANARY = /canary/;

/** What is logged stands in `logged`. */
function context(opts: DictInit): SdbContext & { readonly logged: string[] } {
  const logged: string[] = [];
  const write = ({ message, error }: LogRecord): void => void logged.push(`${message} ${String(error)}`);
  return {
    opts: dict(opts),
    clock: systemClock,
    random: systemRandom,
    log: createLogger('test', [{ level: 0, write }]),
    query: () => Promise.resolve(dict({ error: 'HTTP 403: Forbidden', body: 'canary-body' })),
    logged,
  };
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'sdb-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('sdb - every driver of Salt is served, or refused by its name with what to take in its place', async () => {
  const salts = [
    'cache',
    'confidant',
    'consul',
    'couchdb',
    'env',
    'etcd',
    'keyring',
    'memcached',
    'redis',
    'rest',
  ];
  for (const driver of [...salts, 'sqlite3', 'tism', 'vault', 'yaml']) {
    if (SDB_TABLE.has(driver)) continue;
    assert.ok(UNSERVED_SDB_DRIVERS.has(driver), driver);
    await assert.rejects(
      sdbGet(context({ p: { driver } }), 'sdb://p/a'),
      new RegExp(
        `^CommandExecutionError: The sdb profile p names Salt's driver ${driver}, which is not served here; .+\\.$`,
      ),
    );
  }
  await assert.rejects(
    sdbGet(context({ p: { driver: '__proto__' } }), 'sdb://p/a'),
    /there is none of that name/,
  );
});

test('sdb - a hash is made once, of the characters asked for', async (t) => {
  const ctx = context({ lite: { driver: 'sqlite3', database: join(folder(t), 'a.sqlite') } });
  const form = { length: 20, chars: HASH_CHARS };
  const made = await sdbGetOrSetHash(ctx, 'sdb://lite/pw', form);
  assert.match(String(made), /^[a-z0-9!@#$%^&*(\-_=+)]{20}$/);
  assert.equal(await sdbGetOrSetHash(ctx, 'sdb://lite/pw', form), made);
  assert.equal(await sdbGetOrSetHash(ctx, 'sdb://lite/x', { length: 3, chars: 'é' }), 'ééé');
});

test('sdb - a query for SQLite that wants other values than there are is refused', async (t) => {
  const database = join(folder(t), 'a.sqlite');
  const queries: readonly (readonly [string, string])[] = [
    ['SELECT value FROM sdb WHERE key=?', '?'],
    ['SELECT value FROM sdb WHERE key=:key OR key=:kind', ':kind'],
  ];
  for (const [get_query, other] of queries) {
    const ctx = context({ lite: { driver: 'sqlite3', database, get_query } });
    await assert.rejects(sdbGet(ctx, 'sdb://lite/pw'), (error: Error) => {
      assert.equal(
        error.message,
        `The sdb profile lite: its get_query wants a value for ${other}, and there is :key only.`,
      );
      return true;
    });
  }
  const quoted = "SELECT value FROM sdb WHERE key=:key AND '?' != ':kind' -- ?";
  const ctx = context({ lite: { driver: 'sqlite3', database, get_query: quoted } });
  assert.equal(await sdbGet(ctx, 'sdb://lite/pw'), null);
});

test('sdb - json files are read as JSON, and a broken file is named without its text', async (t) => {
  const path = join(folder(t), 'a.json');
  const ctx = context({ p: { driver: 'json', files: [path] } });
  writeFileSync(path, '{"db": {"password": "x"}}');
  assert.equal(await sdbGet(ctx, 'sdb://p/db:password'), 'x');
  writeFileSync(path, '{"db": canary-secret');
  await assert.rejects(sdbGet(ctx, 'sdb://p/db'), (error: Error) => {
    assert.match(error.message, /^The sdb profile p: the file .*a\.json cannot be understood/);
    assert.doesNotMatch(error.message, CANARY);
    return true;
  });
});

test('sdb - yaml files that are encrypted are refused', async () => {
  const ctx = context({ p: { driver: 'yaml', files: [], gpg: true } });
  await assert.rejects(sdbGet(ctx, 'sdb://p/a'), /nothing is decrypted here/);
});

test('sdb - the cache does not lead out of its folder', async (t) => {
  const ctx = context({ cachedir: folder(t), p: { driver: 'cache', bank: 'a' } });
  await assert.rejects(sdbGet(ctx, 'sdb://p/k?bank=../../etc'), /sdb profile p/);
  await assert.rejects(sdbGet(ctx, 'sdb://p/../../k'), /sdb profile p/);
});

test('sdb - what a web server refuses is told without its address and its answer', async () => {
  const ctx = context({ p: { driver: 'rest', a: { url: 'http://host.example/{{ t }}/canary-path' } } });
  await assert.rejects(sdbGet(ctx, 'sdb://p/a?t=canary-token'), (error: Error) => {
    assert.equal(error.message, 'The sdb profile p: host.example gave no value for a: HTTP 403: Forbidden.');
    return true;
  });
});

/** A Vault that gives a token for a role. */
function vault(request: HttpTaken): { status?: number; body?: string } {
  const { path, headers, body } = request;
  if (path === '/v1/auth/approle/login') {
    const isRight = body === '{"role_id": "role", "secret_id": "canary-secret-id"}';
    return isRight ? { body: '{"auth": {"client_token": "canary-token"}}' } : { status: 400, body: '{}' };
  }
  if (headers.get('x-vault-token') !== 'canary-token')
    return { status: 403, body: '{"errors": ["permission denied"]}' };
  if (path.startsWith('/v1/sys/internal/'))
    return { body: '{"data": {"type": "kv", "path": "deep/kv/", "options": {"version": "2"}}}' };
  return path === '/v1/deep/kv/data/app%20one/db'
    ? { body: '{"data": {"data": {"pw": "canary-value"}}}' }
    : { status: 404, body: '{"errors": []}' };
}

test('sdb - vault gets a token for a role, and asks the mount of a path', async (t) => {
  const { url, taken } = await startHttpStandIn(t, vault);
  const auth = { method: 'approle', role_id: 'role', secret_id: 'canary-secret-id' };
  const ctx = context({ v: { driver: 'vault' }, vault: { url: `${url}/`, namespace: 'team', auth } });
  assert.equal(await sdbGet(ctx, 'sdb://v/deep/kv/app one/db/pw'), 'canary-value');
  assert.equal(taken[0]?.headers.get('x-vault-namespace'), 'team');
  assert.doesNotMatch(ctx.logged.join('\n'), CANARY);
});

for (const [what, auth, sentence] of [
  [
    'a role that is wrong',
    { method: 'approle', role_id: 'role', secret_id: 'canary-wrong' },
    /gives no token for the role/,
  ],
  [
    'a token that is wrong',
    { method: 'token', token: 'canary-wrong' },
    /Vault answers 403 \(permission denied\)/,
  ],
  ['no token', { method: 'token' }, /vault:auth:token is missing/],
  [
    'another method',
    { method: 'userpass', token: 'canary-x' },
    /method is userpass, and there are token, approle and wrapped_token/,
  ],
] as const)
  test(`sdb - vault with ${what} says so, and no secret`, async (t) => {
    const { url } = await startHttpStandIn(t, vault);
    const ctx = context({ v: { driver: 'vault' }, vault: { url, auth } });
    for (const work of [
      () => sdbGet(ctx, 'sdb://v/deep/kv/a/b'),
      () => sdbSet(ctx, 'sdb://v/deep/kv/a/b', 'canary-new'),
    ])
      await assert.rejects(work(), (error: Error) => {
        assert.match(error.message, sentence);
        assert.doesNotMatch(`${String(error)} ${ctx.logged.join('\n')}`, CANARY);
        return true;
      });
  });

test('sdb - vault does not take its token to another server', async (t) => {
  const other = await startHttpStandIn(t, () => ({ body: '{}' }));
  const redirect = { status: 307, headers: { location: `${other.url}/v1/x` }, body: '' };
  const { url } = await startHttpStandIn(t, () => redirect);
  const ctx = context({
    v: { driver: 'vault' },
    vault: { url, auth: { method: 'token', token: 'canary-token' } },
  });
  await assert.rejects(sdbGet(ctx, 'sdb://v/a/b'), /Vault answers 307/);
  assert.equal(other.taken.length, 0);
});

test('sdb - vault without its option, or with tokens of a master, is refused', async () => {
  await assert.rejects(
    sdbGet(context({ v: { driver: 'vault' } }), 'sdb://v/a/b'),
    /the option `vault` is missing/,
  );
  const opts = { v: { driver: 'vault' }, vault: { config_location: 'master' } };
  await assert.rejects(
    sdbGet(context(opts), 'sdb://v/a/b'),
    /only functions of minions ask masters for tokens/,
  );
});

test('sdb - a text is made once where a bank of the cache does not have the key', async (t) => {
  const ctx = context({ cachedir: folder(t), p: { driver: 'cache', bank: 'a' } });
  const made = await sdbGetOrSetHash(ctx, 'sdb://p/key', { length: 8, chars: HASH_CHARS });
  assert.match(String(made), /^.{8}$/);
  assert.equal(await sdbGetOrSetHash(ctx, 'sdb://p/key', { length: 8, chars: HASH_CHARS }), made);
});

test('sdb - an address of a profile that there is not comes back as it is, and the log says which and what is near', async () => {
  const ctx = context({ secrets: { driver: 'env' }, other: 'text' });
  assert.equal(await sdbGet(ctx, 'sdb://secret/canary'), 'sdb://secret/canary');
  assert.equal(await sdbSet(ctx, 'sdb://other/canary', 'x'), false);
  assert.equal(await sdbGet(ctx, 'sdb://secrets'), 'sdb://secrets');
  assert.equal(await sdbGet(ctx, 'plain text'), 'plain text');
  assert.equal(ctx.logged.length, 3);
  assert.match(ctx.logged[0] ?? '', /^There is no sdb profile 'secret', .* Did you mean 'secrets'\?/);
  assert.match(ctx.logged[1] ?? '', /^There is no sdb profile 'other',/);
  assert.match(ctx.logged[2] ?? '', /sdb:\/\/PROFILE\/KEY/);
  assert.doesNotMatch(ctx.logged.join(''), CANARY);
});
