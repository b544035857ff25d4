import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { createLogger } from '../../../../src/host/log.ts';
import { dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { vaultPillar } from '../../../../src/runtime/pillar/ext/vault.ts';
import { startHttpStandIn } from '../../../support/http-stand-in.ts';

const SECRETS: ReadonlyMap<string, string> = new Map([
  ['/v1/secret/minions/m1', '{"data": {"own": "canary-1", "list": [1]}}'],
  ['/v1/secret/roles/web', '{"data": {"web": {"a": 1}}}'],
  ['/v1/secret/roles/db', '{"data": {"web": {"b": 2}}}'],
  ['/v1/kv/data/app', '{"data": {"data": {"app": "canary-2"}}}'],
]);

interface Asked {
  readonly value: Value;
  readonly logged: string;
}

/** The pillar that an entry gives minion m1, whose pillar so far has its roles. */
async function ask(t: TestContext, settings: Value | DictInit, token = 'canary-token'): Promise<Asked> {
  const { url } = await startHttpStandIn(t, ({ path, headers }) => {
    if (headers.get('x-vault-token') !== 'canary-token')
      return { status: 403, body: '{"errors": ["permission denied"]}' };
    if (path.startsWith('/v1/sys/')) {
      const mount = path.split('/')[6] === 'kv' ? ['kv', '2'] : ['secret', '1'];
      return {
        body: `{"data": {"type": "kv", "path": "${mount[0]}/", "options": {"version": "${mount[1]}"}}}`,
      };
    }
    const body = SECRETS.get(path);
    return body === undefined ? { status: 404, body: '{"errors": []}' } : { body };
  });
  const logged: string[] = [];
  const log = createLogger('test', [{ level: 0, write: ({ message }) => void logged.push(message) }]);
  const given = typeof settings === 'string' ? settings : dict(settings as DictInit);
  const context = {
    minionId: 'm1',
    grains: new Map<Value, Value>(),
    pillar: dict({ roles: ['web', 'db'], deep: { at: 'app' } }),
    opts: dict({ vault: { url, auth: { method: 'token', token } } }),
    log,
    errors: [],
  };
  return { value: await vaultPillar(systemClock)(given, context), logged: logged.join('\n') };
}

test('pillar vault - gives the secret of a path, of both engines', async (t) => {
  const own = await ask(t, 'path=secret/minions/{minion}');
  assert.deepEqual(own.value, dict({ own: 'canary-1', list: [1] }));
  assert.doesNotMatch(own.logged, /canary/);
  assert.deepEqual((await ask(t, 'path=kv/{pillar[deep][at]}')).value, dict({ app: 'canary-2' }));
});

test('pillar vault - a list in the pattern means several paths, merged and nested', async (t) => {
  const { value } = await ask(t, { conf: 'path=secret/roles/{pillar[roles]}', nesting_key: 'roles' });
  assert.deepEqual(value, dict({ roles: { web: { a: 1, b: 2 } } }));
});

test('pillar vault - what is not there is left out', async (t) => {
  assert.deepEqual((await ask(t, 'path=secret/nothing')).value, new Map());
  const unresolved = await ask(t, 'path=secret/{pillar[nothing]}');
  assert.deepEqual(unresolved.value, new Map());
  assert.match(unresolved.logged, /Could not resolve pillar path pattern secret\/\{pillar\[nothing\]\}/);
});

test('pillar vault - a token that is refused fails the pillar, and is not told', async (t) => {
  await assert.rejects(ask(t, 'path=secret/minions/{minion}', 'canary-wrong'), (error: Error) => {
    assert.match(error.message, /the secret secret\/minions\/m1 cannot be read: Vault answers 403/);
    assert.doesNotMatch(error.message, /canary/);
    return true;
  });
  await assert.rejects(ask(t, 'secret/salt'), /names no path/);
  await assert.rejects(ask(t, 'path=secret/../sys/raw'), /leads out of itself/);
});
