import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadMasterConfig } from '../../../../src/config/load.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import type { BackendSpec } from '../../../../src/plugins/shared/auth/backend.ts';
import { ConfiguredAuth } from '../../../../src/plugins/registry/auth/configured.ts';
import { ExternalLogins } from '../../../../src/programs/master/auth/logins.ts';
import { Throttle } from '../../../../src/programs/master/auth/throttle.ts';
import { forgetExpiredTokens } from '../../../../src/programs/master/expired-tokens.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { openTokens } from '../../../../src/storage/tokens/open.ts';
import { JumpingClock } from '../../runtime/client/fake-master.ts';

/** Everybody whose password is his name; keeps rules for some, and knows what `some()` is as a target. */
const SYSTEM: BackendSpec = {
  name: 'own',
  doc: '',
  make: () => ({
    authenticate: ({ username, password }) => Promise.resolve(username === password.reveal()),
    groups: () => Promise.resolve(['ops']),
    acl: ({ username }) => Promise.resolve(username === 'ruled' ? ['test.ruled'] : undefined),
    processAcl: (rules) =>
      Promise.resolve(
        rules.flatMap((rule): Value[] =>
          isDict(rule) && rule.has('some()') ? [dict({ web1: ['a'] }), dict({ web2: ['a'] })] : [rule],
        ),
      ),
  }),
};

function opened(
  t: TestContext,
  lines: readonly string[],
): { logins: ExternalLogins; clock: JumpingClock; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'logins-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const rules = [
    'external_auth: {own: {alice: [test.ping, {"some()": [a]}], ops%: [test.group], ruled: [test.no]}}',
  ];
  writeFileSync(join(folder, 'master'), [`cachedir: ${folder}`, ...rules, ...lines, ''].join('\n'));
  const opts = loadMasterConfig({ configDir: folder, env: {}, log: silentLogger });
  const clock = new JumpingClock();
  const auth = new ConfiguredAuth({ opts: opts.toDict(), clock, log: silentLogger, custom: () => SYSTEM });
  const throttle = new Throttle(clock, systemRandom);
  const tokens = openTokens(opts.toDict());
  const deps = { opts, auth, tokens, throttle, clock, random: systemRandom, log: silentLogger };
  return { logins: new ExternalLogins(deps), clock, folder };
}

const as = (name: string, more: Record<string, Value> = {}): Dict =>
  dict({ eauth: 'own', username: name, password: name, ...more });

async function rulesOf(found: ReturnType<ExternalLogins['byEauth']>): Promise<Value[]> {
  const one = await found;
  assert.ok('rights' in one && one.rights.kind === 'limited');
  return one.rights.rules.map(({ rule }) => rule);
}

async function tokenOf(logins: ExternalLogins, load: Dict): Promise<Dict> {
  const made = await logins.makeToken(load, 'local');
  if ('error' in made) assert.fail(made.reason);
  return made;
}

const LIFE = (token: Dict): number => Number(token.get('expire')) - Number(token.get('start'));

test('log-ins - rules of groups, of the system itself, and those that only it understands, also by token', async (t) => {
  const { logins } = opened(t, ['roles: {r: {users: [ruled], rules: [test.role]}}']);
  const alices = ['test.ping', dict({ web1: ['a'] }), dict({ web2: ['a'] }), 'test.group'];
  assert.deepEqual(await rulesOf(logins.byEauth(as('alice'), 'local')), alices);
  const token = (await tokenOf(logins, as('alice'))).get('token') ?? null;
  assert.deepEqual(await rulesOf(logins.byToken(dict({ token }))), alices);
  assert.deepEqual(await rulesOf(logins.byEauth(as('ruled'), 'local')), ['test.ruled', 'test.role']);
});

test('tokens - keep_acl_in_token keeps the rules that the system gave', async (t) => {
  const { logins } = opened(t, ['keep_acl_in_token: True']);
  const made = await tokenOf(logins, as('ruled'));
  assert.deepEqual(made.get('auth_list'), ['test.ruled']);
  assert.deepEqual(await rulesOf(logins.byToken(dict({ token: made.get('token') ?? null }))), ['test.ruled']);
  const alices = await tokenOf(logins, as('alice'));
  assert.equal(alices.get('auth_list'), null);
  assert.equal((await rulesOf(logins.byToken(dict({ token: alices.get('token') ?? null })))).length, 4);
});

test('tokens - token_expire, and who may ask for another time', async (t) => {
  const wanted = { token_expire: 60 };
  const standard = opened(t, ['token_expire: 1000']);
  assert.equal(LIFE(await tokenOf(standard.logins, as('alice', wanted))), 1000);
  const all = opened(t, ['token_expire: 1000', 'token_expire_user_override: True']);
  assert.equal(LIFE(await tokenOf(all.logins, as('alice', wanted))), 60);
  assert.equal(LIFE(await tokenOf(all.logins, as('alice', { token_expire: 'soon' }))), 1000);
  const some = opened(t, ['token_expire: 1000', 'token_expire_user_override: {own: [alice]}']);
  assert.equal(LIFE(await tokenOf(some.logins, as('alice', wanted))), 60);
  assert.equal(LIFE(await tokenOf(some.logins, as('bob', wanted))), 1000);
});

test('tokens - those whose time is over are of no use, and are forgotten', async (t) => {
  const { logins, clock, folder } = opened(t, ['token_expire: 100']);
  const [first, second] = [await tokenOf(logins, as('alice')), await tokenOf(logins, as('bob'))];
  await clock.sleep(101_000);
  const found = await logins.byToken(dict({ token: first.get('token') ?? null }));
  assert.ok('error' in found && found.reason === 'the token is not known, or no longer');
  const later = await tokenOf(logins, as('alice'));
  const opts = loadMasterConfig({ configDir: folder, env: {}, log: silentLogger });
  await forgetExpiredTokens(opts, { clock, log: silentLogger });
  const left = await openTokens(opts.toDict()).list();
  assert.deepEqual(left, [later.get('token')]);
  assert.ok(!left.includes(String(second.get('token'))));
});
