/**
 * Log-ins by OpenID Connect as the master checks them: nobody is let in by a token that is not good in every respect.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock, type Clock } from '../../../src/host/clock.ts';
import { silentLogger } from '../../../src/host/log.ts';
import { Secret } from '../../../src/host/secret.ts';
import { nonceOf } from '../../../src/network/oidc/id-token.ts';
import type { AuthBackend } from '../../../src/plugins/shared/auth/backend.ts';
import { oidcBackend } from '../../../src/plugins/oidc/auth.ts';
import { dict, type Dict, type DictInit } from '../../../src/python/values/value.ts';
import { CLIENT, newKey, OidcStandIn, signedWithPublicKey, unsigned } from '../../support/oidc-stand-in.ts';

const SECRET = 'the secret of a log-in';
const OTHER_KEY = newKey('key-1');

function config(provider: OidcStandIn, more: DictInit = {}): Dict {
  return dict({
    '^issuer': provider.issuer,
    '^client_id': CLIENT.id,
    '^redirect_uri': 'https://salt.example.com/api/v2/session/oidc/callback',
    '^username_claim': 'preferred_username',
    ...more,
  });
}

const FOLDER = mkdtempSync(join(tmpdir(), 'brine-oidc-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

/** As a worker has it. Those of one master have one `cachedir`. */
function backendOf(
  provider: OidcStandIn,
  more: DictInit = {},
  clock: Clock = systemClock,
  cachedir: string = mkdtempSync(join(FOLDER, 'm-')),
): AuthBackend {
  const opts = dict({ cachedir });
  return oidcBackend.make({ opts, config: config(provider, more), clock, log: silentLogger });
}

function logsIn(backend: AuthBackend, token: string, username = 'olga', secret = SECRET): Promise<boolean> {
  return backend.authenticate({ username, password: new Secret(`${token}:${secret}`) });
}

test('auth oidc - a good token lets in once, and its groups are known', async (t) => {
  const provider = await OidcStandIn.start(t);
  const backend = backendOf(provider);
  const token = provider.signed(provider.claims(nonceOf(SECRET)));
  const credentials = { username: 'olga', password: new Secret(`${token}:${SECRET}`) };
  assert.equal(await backend.authenticate(credentials), true);
  assert.deepEqual(await backend.groups?.(credentials), ['ops']);
  assert.equal(await backend.authenticate(credentials), false, 'the token again');
  assert.equal(await logsIn(backend, `${token}A`), false, 'with another ending');
});

test('auth oidc - a token counts once for all workers of a master, and for those that take their place', async (t) => {
  const provider = await OidcStandIn.start(t);
  const cachedir = mkdtempSync(join(FOLDER, 'm-'));
  const worker = (): AuthBackend => backendOf(provider, {}, systemClock, cachedir);
  const workers = [worker(), worker(), worker()];
  const token = provider.signed(provider.claims(nonceOf(SECRET)));
  const at = await Promise.all(workers.map((each) => logsIn(each, token)));
  assert.equal(at.filter((isIn) => isIn).length, 1, 'at the same time');
  assert.equal(await logsIn(worker(), token), false, 'a worker that has just started');
  const folder = join(cachedir, 'oidc_used');
  const [name = '', ...more] = readdirSync(folder);
  assert.deepEqual(more, []);
  assert.ok(!token.includes(name));
  assert.deepEqual(
    [folder, join(folder, name)].map((path) => statSync(path).mode & 0o777),
    [0o700, 0o600],
  );
  utimesSync(join(folder, name), 1, 1);
  assert.equal(await logsIn(worker(), provider.signed(provider.claims(nonceOf(SECRET)))), true);
  assert.equal(readdirSync(folder).length, 1, 'what can be used no longer is forgotten');
});

test('auth oidc - when it cannot be written down that a token was used, nobody is let in', async (t) => {
  const provider = await OidcStandIn.start(t);
  const backend = backendOf(provider, {}, systemClock, '/dev/null');
  await assert.rejects(logsIn(backend, provider.signed(provider.claims(nonceOf(SECRET)))));
});

test('auth oidc - attacks', async (t) => {
  const provider = await OidcStandIn.start(t);
  const backend = backendOf(provider);
  const now = Math.floor(Date.now() / 1000);
  const good = (): Record<string, unknown> => provider.claims(nonceOf(SECRET));
  const saying = (claims: Record<string, unknown>): string => provider.signed({ ...good(), ...claims });
  const without = (name: string): string =>
    provider.signed(Object.fromEntries(Object.entries(good()).filter(([key]) => key !== name)));
  const byOther = (): string => {
    const own = provider.key;
    provider.key = OTHER_KEY;
    const token = provider.signed(good());
    provider.key = own;
    return token;
  };
  const attacks: Readonly<Record<string, string>> = {
    'no signature': unsigned(good()),
    'no signature, said otherwise': unsigned(good()).replace(
      /^[^.]*/,
      Buffer.from('{"alg":"NONE"}').toString('base64url'),
    ),
    'the public key as a secret': signedWithPublicKey(good(), provider),
    "another's key under the same name": byOther(),
    'an unknown key': provider.signed(good(), { alg: 'RS256', kid: 'key-9' }),
    'a key that the token brings along': provider.signed(good(), {
      alg: 'RS256',
      jwk: OTHER_KEY.jwk,
      kid: 'x',
    }),
    'an extension that must be understood': provider.signed(good(), {
      alg: 'RS256',
      kid: provider.key.kid,
      crit: ['x'],
      x: 1,
    }),
    'claims that were changed': provider
      .signed(good())
      .split('.')
      .map((part, at) =>
        at === 1 ? Buffer.from(JSON.stringify({ ...good(), sub: 'root' })).toString('base64url') : part,
      )
      .join('.'),
    'another issuer': saying({ iss: 'https://evil.example.com' }),
    'another audience': saying({ aud: 'another-client' }),
    'for several clients, made for another': saying({ aud: [CLIENT.id, 'x'], azp: 'x' }),
    'for several clients, not said for which': saying({ aud: [CLIENT.id, 'x'] }),
    expired: saying({ iat: now - 200, exp: now - 100 }),
    'of long ago, and good for long': saying({ iat: now - 3600, exp: now + 3600 }),
    'of the future': saying({ iat: now + 3600, exp: now + 7200 }),
    'not good yet': saying({ nbf: now + 3600 }),
    'another nonce': saying({ nonce: nonceOf('of another log-in') }),
    'no nonce': without('nonce'),
    'no time': without('iat'),
    'no end': without('exp'),
    'no name': without('preferred_username'),
    'no token': 'x',
    'too long': saying({ preferred_username: 'olga', filler: 'x'.repeat(20_000) }),
    ...Object.fromEntries(
      ['*', 'ops%', '^issuer', 'token:ci', 'ol\nga', 'ol\u202ega', ''].map((name) => [
        `the name ${JSON.stringify(name)}`,
        saying({ preferred_username: name }),
      ]),
    ),
  };
  for (const [attack, token] of Object.entries(attacks)) {
    const name = /^the name (.*)$/.exec(attack)?.[1];
    const isIn = await logsIn(backend, token, name === undefined ? 'olga' : String(JSON.parse(name)));
    assert.equal(isIn, false, attack);
  }
  assert.equal(await logsIn(backend, saying({}), 'root'), false, 'a good token, and another name');
  assert.equal(
    await logsIn(backend, saying({}), 'olga', 'guessed'),
    false,
    'a good token, without its secret',
  );
  assert.equal(await logsIn(backend, saying({}), 'olga', ''), false);
  assert.equal(await logsIn(backend, saying({}), 'olga'), true, 'and this is how it is good');
});

test('auth oidc - a provider that signs with a new key is asked for it, not more often than each half minute', async (t) => {
  const provider = await OidcStandIn.start(t);
  let nowMs = 1_000;
  const backend = backendOf(
    provider,
    {},
    { ...systemClock, nowMs: () => Date.now(), monotonicMs: () => nowMs },
  );
  const fresh = (): string => provider.signed({ ...provider.claims(nonceOf(SECRET)), jti: String(nowMs) });
  const asked = (): number => provider.server.taken.filter(({ path }) => path === '/keys').length;
  assert.equal(await logsIn(backend, fresh()), true);
  provider.key = newKey('key-2');
  assert.equal(await logsIn(backend, fresh()), false);
  assert.equal(asked(), 1);
  nowMs += 31_000;
  assert.equal(await logsIn(backend, fresh()), true);
  assert.equal(asked(), 2);
});

test('auth oidc - names and groups out of the claims that are configured', async (t) => {
  const provider = await OidcStandIn.start(t);
  const at = async (more: DictInit, username: string): Promise<readonly string[] | undefined> => {
    const backend = backendOf(provider, more);
    const token = provider.signed({
      ...provider.claims(nonceOf(SECRET)),
      'https://example.com/roles': ['admins'],
      realm_access: { roles: ['deep', 7] },
    });
    const credentials = { username, password: new Secret(`${token}:${SECRET}`) };
    return (await backend.authenticate(credentials)) ? backend.groups?.(credentials) : undefined;
  };
  assert.deepEqual(await at({ '^username_claim': 'sub' }, 'u-1'), ['ops']);
  assert.deepEqual(await at({ '^groups_claim': 'https://example.com/roles' }, 'olga'), ['admins']);
  assert.deepEqual(await at({ '^groups_claim': 'realm_access:roles' }, 'olga'), ['deep']);
  assert.deepEqual(await at({ '^groups_claim': 'none' }, 'olga'), []);
  assert.equal(
    await at({ '^username_claim': 'email' }, 'olga@example.com'),
    undefined,
    'not checked by the provider',
  );
  provider.person['email_verified'] = true;
  assert.deepEqual(await at({ '^username_claim': 'email' }, 'olga@example.com'), ['ops']);
});

test('auth oidc - a provider that cannot be trusted to be itself lets nobody in', async (t) => {
  const provider = await OidcStandIn.start(t);
  const token = provider.signed(provider.claims(nonceOf(SECRET)));
  for (const [what, change] of [
    [/names itself otherwise/, { issuer: 'https://evil.example.com' }],
    [/jwks_uri must be an address that begins with https/, { jwks_uri: 'http://evil.example.com/keys' }],
    [/does not say its token_endpoint/, { token_endpoint: 7 }],
  ] as const) {
    provider.misdeeds.description = (good) => ({ ...good, ...change });
    await assert.rejects(logsIn(backendOf(provider), token), what);
  }
});

test('auth oidc - settings that cannot work are told before the master starts', async (t) => {
  const provider = await OidcStandIn.start(t);
  const faultOf = (more: DictInit): string | undefined =>
    oidcBackend.fault?.({
      opts: new Map(),
      config: config(provider, more),
      clock: systemClock,
      log: silentLogger,
    });
  assert.equal(faultOf({}), undefined);
  assert.match(
    faultOf({ '^issuer': 'http://id.example.com' }) ?? '',
    /\^issuer must be an address that begins with https/,
  );
  assert.match(
    faultOf({ '^redirect_uri': 'https://salt.example.com/' }) ?? '',
    /must end with \/api\/v2\/session/,
  );
  assert.match(faultOf({ '^client_id': null }) ?? '', /\^client_id is not set/);
  assert.match(faultOf({ '^scopes': 'email' }) ?? '', /must have openid/);
  assert.match(faultOf({ '^client_secert': 'x' }) ?? '', /no setting \^client_secert/);
});
