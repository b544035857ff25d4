/** Two masters of one cluster on the built programs, with a NATS server that goes away and comes back. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '../../src/host/clock.ts';
import { untilAllAnswer } from '../support/cluster/stage.ts';
import { startDatabase, type DatabaseServer } from '../support/database-servers.ts';
import { Fleet, namesIn, until, type Daemon } from '../support/fleet.ts';

const UNREACHED =
  /the cluster cannot be reached \(NATS at nats:\/\/127\.0\.0\.1:\d+\), and the other masters would not know of it/i;

/** A master that is to be a member, not started. @param isTold whether minions are told where it is */
async function memberOf(
  t: TestContext,
  server: DatabaseServer,
  member: string,
  more = '',
  options: readonly string[] = [],
  isTold = false,
): Promise<Fleet> {
  const fleet = await Fleet.create(t);
  const nats = `nats: ['nats://127.0.0.1:${server.port}'], replicas: 1`;
  const address = isTold ? `, minion_address: '127.0.0.1:${fleet.retPort}'` : '';
  fleet.configureMaster([`cluster: {id: fleet1, member: ${member}, ${nats}${address}${more}}`, ...options]);
  return fleet;
}

async function run(fleet: Fleet, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fleet.run('salt-run', args);
  assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
  return stdout.trim();
}

/** Joins a member to the cluster, as its operators do. */
async function joinCluster(first: Fleet, further: Fleet, name: string): Promise<void> {
  const status = JSON.parse(await run(first, 'cluster.status', '--out=json')) as { fingerprint: string };
  const joining = further.start('salt-run', [
    '-c',
    further.masterDir,
    'cluster.join',
    `fingerprint=${status.fingerprint}`,
  ]);
  await joining.logged('fingerprint=');
  const fingerprint = /fingerprint=([0-9a-f:]+)/.exec(joining.log)?.[1] ?? '';
  assert.deepEqual(
    await run(first, 'cluster.pending', '--out=json', '--out-indent=-1'),
    JSON.stringify({ [name]: fingerprint }).replace(':', ': '),
  );
  const wrong = await first.run('salt-run', ['cluster.accept', name, `fingerprint=${status.fingerprint}`]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stdout + wrong.stderr, /Nothing was handed over\./);
  await run(first, 'cluster.accept', name, `fingerprint=${fingerprint}`);
  assert.equal(await joining.exited, 0, joining.log);
}

async function accepted(by: Fleet, at: Fleet, id: string, options: readonly string[] = []): Promise<Daemon> {
  const minion = at.startMinion(id, options);
  await until(`the key of ${id} waits`, () => namesIn(by.path('m', 'pki', 'minions_pre')).includes(id));
  const { code, stdout } = await by.run('salt-key', ['-y', '-a', id]);
  assert.equal(code, 0, stdout);
  await minion.logged('Minion is ready to receive requests');
  return minion;
}

/** Waits until the job cache of a master has these returns. */
async function untilReturned(fleet: Fleet, jid: string, expected: Record<string, unknown>): Promise<void> {
  const untilMs = systemClock.monotonicMs() + 30_000;
  for (;;) {
    const found = JSON.parse(await run(fleet, 'jobs.lookup_jid', jid, '--out=json')) as object;
    if (isDeepStrictEqual(found, expected)) return;
    if (systemClock.monotonicMs() > untilMs) return assert.deepEqual(found, expected);
  }
}

function spooled(fleet: Fleet): string[] {
  const folder = fleet.path('m', 'cache', 'cluster', 'spool');
  return existsSync(folder) ? readdirSync(folder) : [];
}

test(
  'cluster - two masters are one fleet; without NATS what cannot be decided is refused, and nothing is lost',
  { timeout: 180_000 },
  async (t) => {
    const server = await startDatabase(t, 'nats');
    const a = await memberOf(t, server, 'a');
    const b = await memberOf(t, server, 'b');

    await t.test('a master that is no member says how it becomes one', async () => {
      const { code, stdout, stderr } = await a.run('salt-master', []);
      assert.notEqual(code, 0);
      assert.match(
        stdout + stderr,
        /no member of the cluster fleet1 yet\. On the first master: salt-run cluster\.init/,
      );
    });

    await t.test('one makes the cluster, another joins it with the keys that operators compare', async () => {
      assert.match(await run(a, 'cluster.init'), /The cluster fleet1 is made; 0 jobs/);
      await a.startMaster();
      const again = await a.run('salt-run', ['cluster.init']);
      assert.match(again.stdout + again.stderr, /The master is running\. Stop it/);
      await joinCluster(a, b, 'b');
      await b.startMaster();
      const key = (fleet: Fleet): string => readFileSync(fleet.path('m', 'pki', 'master.pub'), 'utf8');
      assert.equal(key(b), key(a));
    });

    await t.test(
      'a key is accepted on either, a job reaches the minions of both, each job cache has all of it',
      async () => {
        await accepted(b, a, 'wa');
        await accepted(a, b, 'wb');
        const both = { wa: true, wb: true };
        for (const fleet of [a, b]) assert.deepEqual(await fleet.json(['*', 'test.ping']), both);
        const jobs = async (fleet: Fleet): Promise<unknown> =>
          JSON.parse(await run(fleet, 'jobs.list_jobs', 'search_function=test.ping', '--out=json'));
        const [ofA, ofB] = [await jobs(a), await jobs(b)];
        assert.deepEqual(ofB, ofA);
        const [jid = ''] = Object.keys(ofA as object);
        for (const fleet of [a, b])
          assert.deepEqual(JSON.parse(await run(fleet, 'jobs.lookup_jid', jid, '--out=json')), both);
        // a minion's data are known to the master that it has never spoken to
        const { stdout } = await b.salt(['-G', 'id:wa', '--preview-target']);
        assert.match(stdout, /wa/);
      },
    );

    await t.test('a key that is deleted on one is gone on the other', async () => {
      await accepted(a, b, 'gone');
      assert.equal((await a.run('salt-key', ['-y', '-d', 'gone'])).code, 0);
      await until('the key is gone on b', () => !namesIn(b.path('m', 'pki', 'minions')).includes('gone'));
      assert.deepEqual(namesIn(b.path('m', 'pki', 'minions')), ['wa', 'wb']);
    });

    await t.test('NATS goes away and comes back', async () => {
      const asked = await a.salt(['--async', '--out=json', 'w*', 'test.sleep', '3']);
      const jid = /\d{20}/.exec(asked.stdout)?.[0] ?? '';
      await server.kill();
      const { stdout, stderr } = await b.salt(['*', 'test.ping']);
      assert.match(stdout + stderr, UNREACHED);
      const decided = await b.run('salt-key', ['-y', '-d', 'wa']);
      assert.notEqual(decided.code, 0);
      assert.match(decided.stdout + decided.stderr, UNREACHED);
      assert.deepEqual(namesIn(b.path('m', 'pki', 'minions')), ['wa', 'wb']);
      await untilReturned(a, jid, { wa: true });
      await untilReturned(b, jid, { wb: true });
      assert.ok(spooled(a).length > 0 && spooled(b).length > 0, 'both wait on the disk');
      await server.start();
      for (const fleet of [a, b]) await untilReturned(fleet, jid, { wa: true, wb: true });
      await until('nothing waits any more', () => spooled(a).length + spooled(b).length === 0);
      assert.deepEqual(await b.json(['*', 'test.ping']), { wa: true, wb: true });
    });

    await t.test('a master that was away catches up', async () => {
      await b.master?.stop();
      await a.json(['wa', 'test.echo', 'meanwhile']);
      await b.startMaster();
      const found = JSON.parse(
        await run(b, 'jobs.list_jobs', 'search_function=test.echo', '--out=json'),
      ) as object;
      assert.equal(Object.keys(found).length, 1);
      const status = JSON.parse(await run(b, 'cluster.status', '--out=json')) as {
        members: Record<string, { duty: boolean }>;
      };
      assert.deepEqual(Object.keys(status.members), ['a', 'b']);
      assert.equal(Object.values(status.members).filter(({ duty }) => duty).length, 1);
    });
  },
);

test(
  'cluster - masters with keys of their own, which a key that minions trust has signed',
  { timeout: 120_000 },
  async (t) => {
    const server = await startDatabase(t, 'nats', []);
    const own = (member: string): Promise<Fleet> =>
      memberOf(t, server, member, ', own_keys: true', ['master_sign_pubkey: true'], true);
    const [a, b] = [await own('a'), await own('b')];
    const shared = await memberOf(t, server, 'c');
    const key = (fleet: Fleet, name: string): string => readFileSync(fleet.path('m', 'pki', name), 'utf8');
    assert.match(await run(a, 'cluster.init'), /The cluster fleet1 is made/);
    await a.startMaster();
    await joinCluster(a, b, 'b');
    await b.startMaster();
    assert.equal(key(b, 'master_sign.pem'), key(a, 'master_sign.pem'));
    assert.notEqual(key(b, 'master.pub'), key(a, 'master.pub'));

    await t.test(
      'a master that is told to have the key of the others is refused, and keeps its own',
      async () => {
        const joining = shared.start('salt-run', [
          ...['-c', shared.masterDir, 'cluster.join', 'fingerprint=00'],
        ]);
        await joining.logged('fingerprint=');
        const fingerprint = /fingerprint=([0-9a-f:]+)/.exec(joining.log)?.[1] ?? '';
        await run(a, 'cluster.accept', 'c', `fingerprint=${fingerprint}`);
        assert.equal(await joining.exited, 1);
        assert.match(joining.log, /have keys of their own\. Set own_keys: True/);
        assert.ok(!existsSync(shared.path('m', 'pki', 'cluster')));
      },
    );

    await t.test(
      'minions go from one to the other and trust both, also where they have learned of it',
      async () => {
        const masters = [a, b].map(({ retPort }) => `'127.0.0.1:${retPort}'`).join(', ');
        const options = [
          ...[`master: [${masters}]`, 'master_type: failover', 'master_alive_interval: 1'],
          ...['verify_master_pubkey_sign: true', 'master_sign_key_name: master_sign'],
        ];
        for (const id of ['wa', 'wl']) {
          const folder = a.path(id, 'pki');
          mkdirSync(folder, { recursive: true });
          writeFileSync(join(folder, 'master_sign.pub'), key(a, 'master_sign.pub'));
        }
        await accepted(b, a, 'wa', options);
        const learner = await accepted(b, a, 'wl', options.slice(3));
        await learner.logged('The master is one of a cluster of 2');
        await untilAllAnswer(b, ['wa', 'wl'], 30_000);
        await a.master?.stop();
        await untilAllAnswer(b, ['wa', 'wl'], 30_000);
      },
    );

    await t.test('the doctor says what is wrong, and what is not', async () => {
      const found = async (): Promise<{ state: string; codes: string[] }> => {
        const said = JSON.parse(await run(b, 'cluster.doctor', '--out=json')) as {
          state: string;
          findings: { code: string }[];
        };
        return { state: said.state, codes: said.findings.map(({ code }) => code) };
      };
      const untilMs = systemClock.monotonicMs() + 15_000;
      // the duty of the one that was stopped is free for a while
      while ((await found()).codes.includes('duty-free')) assert.ok(systemClock.monotonicMs() < untilMs);
      assert.deepEqual(await found(), { state: 'warning', codes: ['nats-payload-small', 'nats-sync'] });
      await server.kill();
      assert.deepEqual(await found(), {
        state: 'ill',
        codes: ['nats-server-away', 'member-down', 'nats-sync'],
      });
    });
  },
);

test('cluster - a master that starts before NATS waits for it, and can be ended meanwhile', async (t) => {
  const server = await startDatabase(t, 'nats');
  const a = await memberOf(t, server, 'a');
  await run(a, 'cluster.init');
  await server.stop();
  const waiting = a.start('salt-master', ['-c', a.masterDir, '-l', 'info']);
  await waiting.logged('This master waits for the cluster');
  const { stdout, stderr } = await a.salt(['*', 'test.ping']);
  assert.match(stdout + stderr, /The salt master could not be contacted/);
  assert.equal(await waiting.stop(), 0, waiting.log);
  const again = a.start('salt-master', ['-c', a.masterDir, '-l', 'info']);
  await again.logged('This master waits for the cluster');
  await server.start();
  await again.logged('This master is the member a of the cluster');
  await accepted(a, a, 'late');
  assert.deepEqual(await a.json(['*', 'test.ping']), { late: true });
  assert.equal(await again.stop(), 0, again.log);
});
