/**
 * `vault.*` on a stand-in that speaks Vault's interface: both engines, every way to log in, and tokens of the master.
 */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { parseJson, toJson } from '../../../../../src/formats/json/text.ts';
import { systemClock } from '../../../../../src/host/clock.ts';
import { silentLogger } from '../../../../../src/host/log.ts';
import { VaultClient } from '../../../../../src/network/http/vault-client.ts';
import {
  dict,
  isDict,
  type Dict,
  type DictInit,
  type Value,
} from '../../../../../src/python/values/value.ts';
import { startHttpStandIn } from '../../../../support/http-stand-in.ts';
import { fakeContext } from '../../../../support/module-context.ts';

const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  format: 'pem',
  type: 'pkcs8',
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly body: string;
}

const ANSWERS: Readonly<Record<string, string>> = {
  'POST auth/approle/login': '{"auth": {"client_token": "t-role"}}',
  'POST sys/wrapping/unwrap': '{"auth": {"client_token": "t-unwrapped"}}',
  'POST sys/wrapping/lookup': '{"data": {"creation_path": "auth/token/create"}}',
  'GET kv1/a': '{"data": {"user": "u", "n": 1}}',
  'GET kv2/data/a': '{"data": {"data": {"user": "u2"}, "metadata": {"version": 3}}}',
  'POST kv2/data/a': '{"data": {"version": 4}}',
  'POST kv2/destroy/a': '',
  'DELETE kv1/a': '',
  'GET kv1/?list=true': '{"data": {"keys": ["a", "b"]}}',
  'GET kv2/metadata?list=true': '{"data": {"keys": ["a"]}}',
};
const GOOD = new Set(['t-plain', 't-role', 't-unwrapped', 't-master']);

/** A Vault, and what it was asked. */
async function startVault(t: TestContext): Promise<{ readonly url: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const { url } = await startHttpStandIn(t, ({ method, path, headers, body }) => {
    const bare = path.replace('/v1/', '');
    const token = headers.get('x-vault-token') ?? '';
    asked.push({ method, path: bare, token, body: body.toString() });
    const isLogin = bare.startsWith('auth/') || bare.startsWith('sys/wrapping');
    if (!isLogin && !GOOD.has(token)) return { status: 403, body: '{"errors": ["permission denied"]}' };
    if (bare.startsWith('sys/internal')) {
      const mount = bare.split('/')[4] ?? '';
      return {
        body: `{"data": {"type": "kv", "path": "${mount}/", "options": ${mount === 'kv2' ? '{"version": "2"}' : 'null'}}}`,
      };
    }
    const answer = ANSWERS[`${method} ${bare}`];
    if (answer === undefined) return { status: 404, body: '{"errors": []}' };
    return answer === '' ? { status: 204, body: '' } : { body: answer };
  });
  return { url, asked };
}

type Call = (fun: string, args: Value[], kwargs?: DictInit) => Promise<Value>;

/** Calls functions of one minion, each as a job of its own; the master answers what `generate` and `config` give. */
function caller(
  t: TestContext,
  vault: DictInit,
  generate?: () => Dict,
  config: () => Dict = () => new Map(),
): { call: Call; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'vault-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'pki'));
  writeFileSync(join(folder, 'pki', 'minion.pem'), KEY);
  const call: Call = (fun, args, kwargs = {}) => {
    const opts = dict({ cachedir: folder, pki_dir: join(folder, 'pki'), __role: 'minion', vault });
    const context = fakeContext({
      id: 'm1',
      opts,
      clock: systemClock,
      services: {
        request: (load) =>
          Promise.resolve(load.get('fun') === 'vault.get_config' ? config() : (generate?.() ?? new Map())),
      },
    });
    return context.functions.call(`vault.${fun}`, args, dict(kwargs));
  };
  return { call, folder };
}

test('vault - reads, writes, lists and removes secrets of both engines, with the returns of Salt', async (t) => {
  const { url, asked } = await startVault(t);
  const { call } = caller(t, { config_location: 'local', url, auth: { method: 'token', token: 't-plain' } });
  assert.deepEqual(await call('read_secret', ['kv1/a']), dict({ user: 'u', n: 1 }));
  assert.equal(await call('read_secret', ['kv2/a', 'user']), 'u2');
  assert.deepEqual(
    await call('read_secret', ['kv2/a'], { metadata: true }),
    dict({ data: { user: 'u2' }, metadata: { version: 3 } }),
  );
  assert.equal(await call('read_secret', ['kv1/none'], { default: 'x' }), 'x');
  await assert.rejects(call('read_secret', ['kv1/none']), /Failed to read secret! Vault answers 404/);
  await assert.rejects(call('read_secret', ['kv1/a', 'none']), /Failed to read secret! KeyError: 'none'/);
  assert.deepEqual(await call('write_secret', ['kv2/a'], { user: 'w' }), dict({ version: 4 }));
  assert.equal(asked.at(-1)?.body, '{"data": {"user": "w"}}');
  assert.equal(await call('write_raw', ['kv1/none', dict({ a: 1 })]), false);
  assert.equal(await call('delete_secret', ['kv1/a']), true);
  assert.equal(await call('destroy_secret', ['kv2/a', 1, 2]), true);
  assert.equal(asked.at(-1)?.body, '{"versions": [1, 2]}');
  assert.equal(await call('destroy_secret', ['kv1/a', 1]), false);
  assert.deepEqual(await call('list_secrets', ['kv1/']), dict({ keys: ['a', 'b'] }));
  assert.deepEqual(await call('list_secrets', ['kv2/']), dict({ keys: ['a'] }));
  assert.ok(asked.every(({ token }) => token === 't-plain'));
});

test('vault - logs in by AppRole, in the words of 3006 and of 3007', async (t) => {
  const { url, asked } = await startVault(t);
  const auth = { method: 'approle', role_id: 'r', secret_id: 's' };
  for (const vault of [
    { config_location: 'local', url, auth },
    { config_location: 'local', server: { url }, auth },
  ]) {
    assert.equal(await caller(t, vault).call('read_secret', ['kv1/a', 'user']), 'u');
    assert.equal(asked.at(-1)?.token, 't-role');
  }
  assert.equal(asked[0]?.body, '{"role_id": "r", "secret_id": "s"}');
});

test('vault - a wrapped token is unwrapped once and kept in a file for its owner', async (t) => {
  const { url, asked } = await startVault(t);
  const vault = { config_location: 'local', url, auth: { method: 'wrapped_token', token: 'wrap' } };
  const { call, folder } = caller(t, vault);
  for (let times = 0; times < 2; times++) assert.equal(await call('read_secret', ['kv1/a', 'user']), 'u');
  assert.equal(asked.filter(({ path }) => path === 'sys/wrapping/unwrap').length, 1);
  assert.equal(statSync(join(folder, 'salt_vault_token')).mode & 0o777, 0o600);
  assert.equal(await call('clear_token_cache', []), true);
  assert.equal(await call('clear_token_cache', []), false);
});

test('vault - a token of the master is used as often as it may be', async (t) => {
  const { url, asked } = await startVault(t);
  let given = 0;
  const token = (more: DictInit) => (): Dict => {
    given++;
    return dict({
      url,
      token: 't-master',
      lease_duration: 100,
      issued: Math.round(Date.now() / 1000),
      ...more,
    });
  };
  const once = caller(t, {}, token({ uses: 1 }));
  for (let times = 0; times < 2; times++)
    assert.equal(await once.call('read_secret', ['kv1/a', 'user']), 'u');
  assert.equal(given, 2);
  assert.equal(existsSync(join(once.folder, 'salt_vault_token')), false);
  assert.ok(asked.every((one) => one.token === 't-master'));
  given = 0;
  const kept = caller(t, {}, token({ uses: 3, token_backend: 'disk' }));
  await kept.call('read_secret', ['kv1/a']);
  const facts = parseJson(readFileSync(join(kept.folder, 'salt_vault_token'), 'utf8'));
  assert.ok(isDict(facts));
  assert.equal(toJson(facts.get('uses') ?? null), '2');
  for (let times = 0; times < 2; times++) await kept.call('read_secret', ['kv1/a']);
  assert.equal(given, 1);
  assert.equal(existsSync(join(kept.folder, 'salt_vault_token')), false);
});

test('vault - a token of the master comes in a wrapping, which is opened once and only if it is of a token', async (t) => {
  const { url, asked } = await startVault(t);
  const config =
    (more: DictInit = {}, info: DictInit = { token: 'wrap', creation_path: 'auth/token/create' }) =>
    () =>
      dict({
        server: { url, namespace: null, verify: null },
        auth: { method: 'token', token: { wrap_info: info }, token_lifecycle: {} },
        cache: { backend: 'session' },
        wrap_info_nested: ['auth:token'],
        misc_data: { 'token:num_uses': 1 },
        ...more,
      });
  assert.equal(await caller(t, {}, undefined, config()).call('read_secret', ['kv1/a', 'user']), 'u');
  assert.deepEqual(
    asked.slice(0, 2).map(({ path, token }) => [path, token]),
    [
      ['sys/wrapping/lookup', 'wrap'],
      ['sys/wrapping/unwrap', 'wrap'],
    ],
  );
  assert.equal(asked.at(-1)?.token, 't-unwrapped');
  const plain = config({ auth: { method: 'token', token: { client_token: 't-master', num_uses: 1 } } });
  assert.equal(await caller(t, {}, undefined, plain).call('read_secret', ['kv1/a', 'user']), 'u');
  assert.equal(asked.at(-1)?.token, 't-master');
  const refused = (answer: () => Dict): Promise<Value> =>
    caller(t, {}, undefined, answer).call('read_secret', ['kv1/a']);
  await assert.rejects(
    refused(config({ auth: { method: 'approle' } })),
    /the master gives approle, and only tokens/,
  );
  await assert.rejects(
    refused(() => dict({ error: 'No policies matched minion.' })),
    /No policies matched/,
  );
  const gone = await startHttpStandIn(t, () => ({
    status: 400,
    body: '{"errors": ["wrapping token is not valid"]}',
  }));
  await assert.rejects(
    refused(config({ server: { url: gone.url } })),
    /the wrapping from the master is none that Vault knows \(it answers 400 \(wrapping token is not valid\)\)/,
  );
  const swapped = await startHttpStandIn(t, () => ({ body: '{"data": {"creation_path": "cubbyhole/x"}}' }));
  await assert.rejects(refused(config({ server: { url: swapped.url } })), /comes from cubbyhole\/x, and not/);
});

test('vault - a kept token that is refused is replaced', async (t) => {
  const { url } = await startVault(t);
  const { call, folder } = caller(t, {}, () =>
    dict({ url, token: 't-master', lease_duration: 9, issued: 0, uses: 0 }),
  );
  const kept = { url, token: 't-old', lease_duration: 100, issued: Math.round(Date.now() / 1000) };
  writeFileSync(join(folder, 'salt_vault_token'), JSON.stringify(kept));
  assert.equal(await call('read_secret', ['kv1/a', 'user']), 'u');
});

test('vault - what the master refuses is said with what to do', async (t) => {
  const say = (answer: Dict): Promise<Value> => caller(t, {}, () => answer).call('read_secret', ['kv1/a']);
  await assert.rejects(
    say(new Map()),
    /its option peer_run must allow the minion vault\.get_config, or vault\.generate_token/,
  );
  await assert.rejects(say(dict({ error: 'No policies matched minion' })), /No policies matched minion/);
});

test('vault - an option that is not whole, or asks for what is not served, is refused', () => {
  const make = (options: Value): VaultClient =>
    new VaultClient({ options, clock: systemClock, log: silentLogger });
  assert.throws(() => make(null), /the option `vault` is missing/);
  assert.throws(() => make(dict({ config_location: 'nowhere' })), /there are local and master/);
  assert.throws(() => make(dict({ issue: { type: 'approle' } })), /masters give tokens only/);
});
