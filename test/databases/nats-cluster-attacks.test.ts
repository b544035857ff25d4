/** What somebody who has recorded a request, or kept a token, tries at another master of the cluster. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { decode } from '../../src/formats/wire/msgpack.ts';
import { systemClock } from '../../src/host/clock.ts';
import type { Requester } from '../../src/network/transport/zmtp/requester.ts';
import { nonceOf } from '../../src/network/oidc/id-token.ts';
import { isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { Attacker, clearBytes, rawRequester, returnOf } from '../support/attacker.ts';
import { startMembers, startNats, killMaster, type MemberMaster } from '../support/cluster/stage.ts';
import { namesIn, until, type Fleet } from '../support/fleet.ts';
import { CLIENT, OidcStandIn } from '../support/oidc-stand-in.ts';

const REFUSED = 'bad load';

/** Two masters, and the ways to them. */
interface Stage {
  readonly members: readonly MemberMaster[];
  readonly fleets: readonly [Fleet, Fleet];
  readonly to: readonly [Requester, Requester];
}

async function staged(t: TestContext, options: readonly string[]): Promise<Stage> {
  const members = await startMembers(t, await startNats(t, 1), ['a', 'b'], ['auto_accept: True', ...options]);
  const [a, b] = members.map(({ fleet }) => fleet);
  assert.ok(a !== undefined && b !== undefined);
  return { members, fleets: [a, b], to: [rawRequester(t, a.retPort), rawRequester(t, b.retPort)] };
}

async function sent(to: Requester, bytes: Buffer): Promise<Value> {
  return decode(await to.request(bytes, 20_000), 'network');
}

function isServed(reply: Value): boolean {
  return reply instanceof Uint8Array;
}

let serial = 0;
const fresh = (): ReturnType<typeof returnOf> =>
  returnOf(`2026112100000000${String(++serial).padStart(4, '0')}`);

function elsewhere(fleet: Fleet, member: string): string {
  return fleet.path('m', 'cache', 'sessions.elsewhere', member);
}

test(
  'cluster attacks - a recorded request is served once, whichever masters it is sent to',
  { timeout: 120_000 },
  async (t) => {
    const { members, fleets, to } = await staged(t, []);
    const [a, b] = fleets;
    const victim = new Attacker(t, 'victim', a.retPort);
    assert.equal((await victim.authenticate()).kind, 'accepted');
    await until('b knows of the session', () => namesIn(elsewhere(b, 'a')).includes('victim'));
    await until('b knows the key', () => namesIn(b.path('m', 'pki', 'minions')).includes('victim'));
    const recorded: Buffer[] = [];
    const serve = async (at: Requester): Promise<void> => {
      const request = victim.request(fresh());
      recorded.push(request);
      assert.ok(isServed(await sent(at, request)));
    };
    const replay = async (when: string, ways: readonly Requester[] = to): Promise<void> => {
      for (const request of recorded)
        for (const way of ways) assert.equal(await sent(way, request), REFUSED, when);
    };

    await t.test('as behind a balancer, one request after the other reaches either', async () => {
      for (const way of [to[0], to[1], to[1], to[0]]) await serve(way);
      await replay('at both');
    });
    await t.test('at both masters at the same moment', async () => {
      for (let round = 0; round < 20; round++) {
        const request = victim.request(fresh());
        recorded.push(request);
        const replies = await Promise.all([to[1], to[0], to[1]].map((way) => sent(way, request)));
        assert.equal(replies.filter(isServed).length, 1, `round ${round}`);
      }
      await replay('after the race');
    });
    await t.test('each master has a session of its own, and neither ends the other', async () => {
      const other = new Attacker(t, 'victim', b.retPort);
      const before = victim.session;
      assert.equal((await other.authenticate()).kind, 'accepted');
      await until('a knows of it', () => namesIn(elsewhere(a, 'b')).includes('victim'));
      assert.notEqual(other.session.keyString.reveal(), before.keyString.reveal());
      for (const who of [other, victim])
        for (const way of to) {
          const request = who.request(fresh());
          recorded.push(request);
          assert.ok(isServed(await sent(way, request)));
        }
      await replay('with both sessions');
    });
    await t.test('the request server of the master that has given the session begins anew', async () => {
      const title = 'salt-master ReqServer MWorkerQueue';
      const pid = a.master?.children().get(title) ?? 0;
      process.kill(pid, 'SIGKILL');
      await until('it is back', () => (a.master?.children().get(title) ?? pid) !== pid);
      await replay('after the queue of a was killed');
      assert.equal(await sent(to[1], victim.request(fresh())), REFUSED, 'its session has ended');
      assert.equal((await victim.authenticate()).kind, 'accepted');
      await until('b knows of the new session', () =>
        readFileSync(`${elsewhere(b, 'a')}/victim`, 'utf8').includes(victim.session.keyString.reveal()),
      );
      await serve(to[1]);
      await replay('with the next session');
    });
    await t.test('the master that has given the session is dead', async () => {
      await killMaster(members[0] as MemberMaster);
      const request = victim.request(fresh());
      assert.equal(await sent(to[1], request), REFUSED, 'nobody can say whether it is new');
      await replay('at the other', [to[1]]);
      const again = new Attacker(t, 'victim', b.retPort);
      assert.equal((await again.authenticate()).kind, 'accepted');
      assert.ok(isServed(await sent(to[1], again.request(fresh()))), 'after a log-in there');
    });
  },
);

async function tokenOf(way: Requester, load: Record<string, string>): Promise<string | undefined> {
  const made = await sent(way, clearBytes({ cmd: 'mk_token', ...load }));
  return isDict(made) ? String(made.get('token')) : undefined;
}

async function standsFor(way: Requester, token: string): Promise<Dict> {
  const found = await sent(way, clearBytes({ cmd: 'get_token', token }));
  assert.ok(isDict(found));
  return found;
}

/** Asks until the answer is there; what is told to others takes a moment. */
async function untilAsked(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const untilMs = systemClock.monotonicMs() + 20_000;
  while (!(await isTrue())) assert.ok(systemClock.monotonicMs() < untilMs, what);
}

test(
  'cluster attacks - tokens open every master, revoked ones none, and a log-in counts once',
  { timeout: 120_000 },
  async (t) => {
    const provider = await OidcStandIn.start(t);
    const { members, fleets, to } = await staged(t, [
      'external_auth:',
      '  oidc:',
      `    ^issuer: ${provider.issuer}`,
      `    ^client_id: ${CLIENT.id}`,
      '    ^redirect_uri: https://salt.example.com/api/v2/session/oidc/callback',
      '    ^username_claim: preferred_username',
      '    olga: [test.ping]',
    ]);
    const [a, b] = fleets;
    const login = (): Record<string, string> => {
      const secret = `secret ${++serial}`;
      const token = provider.signed({ ...provider.claims(nonceOf(secret)), jti: String(serial) });
      return { eauth: 'oidc', username: 'olga', password: `${token}:${secret}` };
    };
    const dirOf = (fleet: Fleet): string => fleet.path('m', 'cache', 'tokens');

    await t.test('what a provider has signed lets in at one master, once', async () => {
      const used = login();
      assert.ok((await tokenOf(to[0], used)) !== undefined);
      for (const way of to) assert.equal(await tokenOf(way, used), undefined);
      for (let round = 0; round < 2; round++) {
        const raced = login();
        const made = await Promise.all(to.map((way) => tokenOf(way, raced)));
        assert.equal(made.filter((token) => token !== undefined).length, 1, `round ${round}`);
      }
    });
    await t.test('a token is good at the other master, and neither after it is revoked there', async () => {
      const token = (await tokenOf(to[0], login())) ?? '';
      await untilAsked('b knows it', async () => (await standsFor(to[1], token)).get('name') === 'olga');
      const kept = readFileSync(`${dirOf(b)}/${token}`);
      assert.equal((await b.run('salt-run', ['auth.del_token', token])).code, 0);
      await untilAsked('a has forgotten it', async () => (await standsFor(to[0], token)).size === 0);
      assert.equal((await standsFor(to[1], token)).size, 0);
      // a copy that was kept is revoked as well
      writeFileSync(`${dirOf(a)}/${token}`, kept, { mode: 0o600 });
      await untilAsked('a removes it', async () => (await standsFor(to[0], token)).size === 0);
      assert.ok(!namesIn(dirOf(b)).includes(token));
    });
    await t.test('one that is revoked while a master is away is revoked there when it is back', async () => {
      const token = (await tokenOf(to[1], login())) ?? '';
      await until('a knows it', () => namesIn(dirOf(a)).includes(token));
      await a.master?.stop();
      assert.equal((await b.run('salt-run', ['auth.del_token', token])).code, 0);
      const other = (await tokenOf(to[1], login())) ?? '';
      await a.startMaster();
      await until('a is told', () => namesIn(dirOf(a)).includes(other) && !namesIn(dirOf(a)).includes(token));
    });
    await t.test(
      'one that is revoked here while NATS is away is revoked at all when it is back',
      async () => {
        const token = (await tokenOf(to[0], login())) ?? '';
        await until('b knows it', () => namesIn(dirOf(b)).includes(token));
        const relays = members[0]?.relays ?? [];
        for (const relay of relays) relay.cut();
        await a.master?.logged('The cluster cannot be reached');
        assert.equal((await a.run('salt-run', ['auth.del_token', token])).code, 0);
        assert.equal(await tokenOf(to[0], login()), undefined, 'nobody can say whether it was used');
        for (const relay of relays) relay.mend();
        await until('b is told', () => !namesIn(dirOf(b)).includes(token));
      },
    );
    await t.test('a token of a program, which is made on one, and revoked on the other', async () => {
      const words = ['auth.token_create', 'deploy', "rules=['test.ping']", '--out', 'json'];
      assert.equal((await a.run('salt-run', words)).code, 0);
      const there = b.path('m', 'pki', 'api_tokens');
      await until('b knows it', () => readdirSync(there).includes('deploy'));
      assert.equal((await b.run('salt-run', ['auth.token_revoke', 'deploy'])).code, 0);
      await until('a has forgotten it', () => !namesIn(a.path('m', 'pki', 'api_tokens')).includes('deploy'));
    });
  },
);
