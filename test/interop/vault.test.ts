/** Secrets of Vault that minions read with tokens of their master, one of the two being a real one. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Fleet, ours, type Programs } from '../support/fleet.ts';
import { startHttpStandIn } from '../support/http-stand-in.ts';
import { interop } from './real-salt.ts';

/**
 * A Vault with one secret that makes tokens, each for one use and, where it is asked to, in a wrapping for one opening.
 */
async function startVault(t: TestContext): Promise<{ readonly url: string; readonly wrapped: string[] }> {
  const wrapped: string[] = [];
  const open = new Map<string, string>();
  const tokens = new Set<string>();
  let made = 0;
  const { url } = await startHttpStandIn(t, ({ method, path, headers }) => {
    const token = headers.get('x-vault-token') ?? '';
    const [bare = ''] = path.replace('/v1/', '').split('?');
    const nobody = { status: 403, body: '{"errors": ["permission denied"]}' };
    if (bare === 'auth/token/lookup-self' && token === 't-own')
      return {
        body: `{"data": {"id": "t-own", "accessor": "a", "ttl": 3600, "num_uses": 0, "renewable": false, "creation_time": ${Math.floor(Date.now() / 1000)}, "policies": ["root"]}}`,
      };
    if (bare.startsWith('auth/token/create')) {
      if (token !== 't-own') return nobody;
      const name = `t-${++made}`;
      tokens.add(name);
      const auth = `{"client_token": "${name}", "accessor": "a", "lease_duration": 60, "renewable": false, "num_uses": 1}`;
      if (!headers.has('x-vault-wrap-ttl')) return { body: `{"auth": ${auth}}` };
      open.set(`w-${made}`, auth);
      return {
        body: `{"wrap_info": {"token": "w-${made}", "accessor": "a", "ttl": 30, "creation_time": "${new Date().toISOString()}", "creation_path": "${bare}"}}`,
      };
    }
    if (bare.startsWith('sys/wrapping/')) {
      const auth = open.get(token);
      if (auth === undefined) return { status: 400, body: '{"errors": ["wrapping token is not valid"]}' };
      if (bare.endsWith('lookup'))
        return {
          body: `{"data": {"creation_path": "auth/token/create", "creation_time": "${new Date().toISOString()}", "creation_ttl": 30}}`,
        };
      open.delete(token);
      wrapped.push(token);
      return { body: `{"auth": ${auth}}` };
    }
    if (bare.startsWith('sys/internal'))
      return { body: '{"data": {"type": "kv", "path": "secret/", "options": null}}' };
    if (method !== 'GET' || bare !== 'secret/app') return { status: 404, body: '{"errors": []}' };
    return tokens.delete(token) ? { body: '{"data": {"user": "sam"}}' } : nobody;
  });
  return { url, wrapped };
}

interop(
  'secrets of Vault are read with tokens of the other kind of master',
  async (t, real: Programs, version) => {
    const { url, wrapped } = await startVault(t);
    const options = [
      'auto_accept: True',
      `vault: {url: '${url}', auth: {method: token, token: t-own}}`,
      "peer_run: {'.*': [vault.get_config, vault.generate_token, vault.generate_new_token]}",
    ];
    for (const [master, minion] of [
      [ours, real],
      [real, ours],
    ] as const) {
      const fleet = await Fleet.create(t, options);
      await fleet.startMaster(master);
      await fleet.joinMinion('web1', ['vault: {config_location: master}'], minion);
      const before = wrapped.length;
      assert.deepEqual(await fleet.json(['web1', 'vault.read_secret', 'secret/app'], master), {
        web1: { user: 'sam' },
      });
      // 3006 knows no wrapping
      assert.equal(wrapped.length - before, version === '3007' ? 1 : 0, `${master.name} to ${minion.name}`);
      await fleet.destroy();
    }
  },
);
