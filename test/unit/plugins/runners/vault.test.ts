import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { startHttpStandIn } from '../../../support/http-stand-in.ts';
import { runMasterFunctionOn } from '../../../support/master-functions.ts';

test('runners - vault.show_policies says what the patterns mean for a minion, as that of Salt 3006.16', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vault-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const cached = join(folder, 'cache', 'minions', 'Web1');
  mkdirSync(cached, { recursive: true });
  writeFileSync(
    join(cached, 'data.p'),
    encode(
      dict({
        grains: dict({ os: 'Debian', id: 'Web1' }),
        pillar: dict({ roles: ['Web', 'db'], more: ['a', 'b'], deep: dict({ a: 1 }) }),
      }),
      'local',
    ),
  );
  const configure = (line: string): void =>
    writeFileSync(
      join(folder, 'master'),
      [`root_dir: ${folder}`, `cachedir: ${folder}/cache`, 'user: root', line, ''].join('\n'),
    );
  const show = async (): Promise<unknown> =>
    (await runMasterFunctionOn(folder, 'runner', 'vault.show_policies', { arg: ['Web1'] })).get('return');
  configure('');
  assert.deepEqual(await show(), ['saltstack/minion/web1', 'saltstack/minions']);
  configure(
    "vault: {policies: ['{grains[os]}', 'role/{pillar[roles]}', 'x/{pillar[deep][a]}/{minion}', '{pillar[none]}', 'two/{pillar[roles]}/{pillar[more]}', '{minion}-{grains[id]}']}",
  );
  assert.deepEqual(await show(), [
    'debian',
    'role/web',
    'role/db',
    'x/1/web1',
    'two/web/a',
    'two/web/b',
    'two/db/a',
    'two/db/b',
    'web1-web1',
  ]);
});

/**
 * A master with one accepted minion and a Vault that makes tokens.
 * @returns what calls its functions in the minion's name
 */
async function masterOf(t: TestContext): Promise<{
  ask: (fun: string, words: string, ...args: Value[]) => Promise<Dict>;
  asked: { readonly wrap: string | undefined; readonly body: unknown }[];
  url: string;
}> {
  const asked: { readonly wrap: string | undefined; readonly body: unknown }[] = [];
  const { url } = await startHttpStandIn(t, ({ path, headers, body }) => {
    const wrap = headers.get('x-vault-wrap-ttl');
    asked.push({ wrap, body: JSON.parse(body.toString()) as unknown });
    if (!path.startsWith('/v1/auth/token/create')) return { status: 404, body: '{}' };
    const info = `{"token": "w-1", "ttl": 30, "creation_time": "2026-11-27T07:00:00.5Z", "creation_path": "${path.slice(4)}"}`;
    return {
      body: wrap
        ? `{"auth": null, "wrap_info": ${info}}`
        : '{"auth": {"client_token": "t-1", "lease_duration": 60, "renewable": true}}',
    };
  });
  const folder = mkdtempSync(join(tmpdir(), 'vault-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  mkdirSync(join(folder, 'pki', 'minions'), { recursive: true });
  writeFileSync(join(folder, 'pki', 'minions', 'web1'), publicKey.export({ format: 'pem', type: 'spki' }));
  const signature = sign('sha1', Buffer.from('web1'), privateKey).toString('base64');
  const ask = async (fun: string, words: string, ...args: Value[]): Promise<Dict> => {
    const vault = `vault: {url: '${url}', auth: {token: t-own}${words}}`;
    const lines = [
      `root_dir: ${folder}`,
      `pki_dir: ${folder}/pki`,
      `cachedir: ${folder}/cache`,
      'user: root',
    ];
    writeFileSync(join(folder, 'master'), [...lines, vault, ''].join('\n'));
    // minions of Salt send bytes
    const arg = ['web1', new Uint8Array(Buffer.from(signature)), ...args];
    const ret = (await runMasterFunctionOn(folder, 'runner', `vault.${fun}`, { arg })).get('return');
    assert.ok(isDict(ret), String(ret));
    return ret;
  };
  return { ask, asked, url };
}

test('runners - vault.get_config gives a token in a wrapping, as that of Salt 3007.8', async (t) => {
  const { ask, asked, url } = await masterOf(t);
  const info = {
    token: 'w-1',
    ttl: 30,
    creation_time: Date.parse('2026-11-27T07:00:01Z') / 1000,
    creation_path: 'auth/token/create',
  };
  const rest = {
    cache: {
      backend: 'session',
      clear_attempt_revocation: 60,
      clear_on_unauthorized: true,
      config: 3600,
      expire_events: false,
      kv_metadata: 'connection',
      secret: 'ttl',
    },
    server: { url, namespace: null, verify: null },
  };
  const lifecycle = { minimum_ttl: 10, renew_increment: null };
  assert.deepEqual(
    await ask('get_config', ''),
    dict({
      auth: { method: 'token', token_lifecycle: lifecycle, token: { wrap_info: info } },
      ...rest,
      wrap_info_nested: ['auth:token'],
      misc_data: { 'token:num_uses': 1 },
    }),
  );
  assert.ok(asked[0]);
  assert.equal(asked[0].wrap, '30s');
  const { meta, ...body } = asked[0].body as { readonly meta: Record<string, string> };
  assert.deepEqual(body, { num_uses: 1, policies: ['saltstack/minion/web1', 'saltstack/minions'] });
  assert.match(meta['saltstack-jid'] ?? '', /^\d{20}$/);
  assert.deepEqual([meta['saltstack-minion'], meta['saltstack-user']], ['web1', 'UNKNOWN']);
  assert.deepEqual(
    await ask('generate_new_token', ', issue: {wrap: 2m, token: {params: {num_uses: 5, ttl: 1h}}}'),
    dict({ server: rest.server, auth: {}, wrap_info: info, misc_data: { num_uses: 5 } }),
  );
  assert.equal(asked[1]?.wrap, '2m');
  assert.deepEqual(
    await ask('get_config', '', false, null, true),
    dict({ auth: { method: 'token', token_lifecycle: lifecycle }, ...rest, wrap_info_nested: [] }),
  );
  assert.equal(asked.length, 2);
});

test('runners - tokens without a wrapping, and what is asked for with them', async (t) => {
  const { ask, asked } = await masterOf(t);
  const free = ', issue: {wrap: false, allow_minion_override_params: true}';
  const plain = await ask('get_config', free, false, dict({ num_uses: 7, policies: ['root'] }));
  const auth = plain.get('auth');
  const token = isDict(auth) ? auth.get('token') : undefined;
  assert.ok(isDict(token));
  assert.deepEqual([token.get('client_token'), token.get('num_uses')], ['t-1', 7]);
  assert.deepEqual([asked[0]?.wrap, plain.has('misc_data')], [undefined, false]);
  assert.deepEqual((asked[0]?.body as { policies: string[] }).policies, [
    'saltstack/minion/web1',
    'saltstack/minions',
  ]);
  // the way of 3006: no wrapping, whatever is configured
  assert.equal((await ask('generate_token', '')).get('token'), 't-1');
  assert.equal(asked[1]?.wrap, undefined);
  const upgraded = await ask('generate_token', '', false, null, null, true);
  assert.ok(upgraded.has('wrap_info_nested'));
  assert.match(
    String((await ask('get_config', ', policies: []')).get('error')),
    /No policies matched minion/,
  );
});
