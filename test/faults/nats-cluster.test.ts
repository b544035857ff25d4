/** A cluster of masters on three NATS servers, of which each is killed in turn, and then a master. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { missingServers } from '../../scripts/database-programs.mjs';
import { systemClock } from '../../src/host/clock.ts';
import { startDatabase, type DatabaseServer } from '../support/database-servers.ts';
import { Fleet, freePort, namesIn, until } from '../support/fleet.ts';

const skip = missingServers(['nats']).length > 0 ? 'did not run: nats-server is not installed' : false;
/** NATS chooses a new leader within nine seconds; the rest is for a busy machine. */
const CHOICE_MS = 20_000;
const COMPLETE_MS = 60_000;

async function startServers(t: TestContext): Promise<DatabaseServer[]> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const address = (port: number): string => `nats://127.0.0.1:${port}`;
  return Promise.all(
    ports.map((port, index) =>
      startDatabase(t, 'nats', [
        ...['-n', `n${index}`, '--cluster_name', 'faults', '--cluster', address(port)],
        ...['--routes', ports.map(address).join(',')],
      ]),
    ),
  );
}

/** Waits until every server has all that the streams have: before that, the death of another one is the death of the majority. */
async function untilComplete(servers: readonly DatabaseServer[]): Promise<void> {
  const nats = await connect({ servers: servers.map(({ port }) => `127.0.0.1:${port}`) });
  const untilMs = systemClock.monotonicMs() + COMPLETE_MS;
  try {
    for (const stream of ['BRINE_faults_JOBS', 'BRINE_faults_FILES', 'BRINE_faults_STATE']) {
      for (;;) {
        const info = await jetstreamManager(nats)
          .then((manager) => manager.streams.info(stream))
          .catch(() => undefined);
        const replicas = info?.cluster?.replicas ?? [];
        if (replicas.length === 2 && replicas.every(({ current, offline }) => current && offline !== true))
          break;
        assert.ok(systemClock.monotonicMs() < untilMs, `${stream}: ${JSON.stringify(info?.cluster)}`);
      }
    }
  } finally {
    await nats.close();
  }
}

async function pinged(fleet: Fleet): Promise<string> {
  const { stdout, stderr } = await fleet.run('salt', ['*', 'test.ping', '--out=json', '--static']);
  try {
    return JSON.stringify(Object.entries(JSON.parse(stdout) as object).sort());
  } catch {
    return stdout + stderr;
  }
}

/** Runs `test.ping` on a master until all minions answer. @returns how long it took, ms */
async function untilAllAnswer(fleet: Fleet, expected: string, atMostMs: number): Promise<number> {
  const fromMs = systemClock.monotonicMs();
  for (;;) {
    const answer = await pinged(fleet);
    const tookMs = Math.round(systemClock.monotonicMs() - fromMs);
    if (answer === expected) return tookMs;
    assert.match(answer, /cluster cannot be reached|did not return|\[/i);
    assert.ok(tookMs < atMostMs, `after ${tookMs} ms: ${answer}`);
  }
}

test('faults - each NATS server of three and a master are killed', { skip, timeout: 300_000 }, async (t) => {
  const servers = await startServers(t);
  const nats = servers.map(({ port }) => `'nats://127.0.0.1:${port}'`).join(', ');
  const member = (name: string): Promise<Fleet> =>
    Fleet.create(t, [`cluster: {id: faults, member: ${name}, nats: [${nats}]}`]);
  const [a, b] = [await member('a'), await member('b')];
  const fingerprint = /fingerprint=([0-9a-f:]+)/;
  let made = '';
  const untilMs = systemClock.monotonicMs() + CHOICE_MS;
  // the servers first have to find each other
  while (!fingerprint.test(made)) {
    const { stdout, stderr } = await a.run('salt-run', ['cluster.init']);
    made = stdout;
    assert.ok(systemClock.monotonicMs() < untilMs, stdout + stderr);
  }
  await a.startMaster();
  const joining = b.start('salt-run', ['-c', b.masterDir, 'cluster.join', fingerprint.exec(made)?.[0] ?? '']);
  await joining.logged('fingerprint=');
  await a.run('salt-run', ['cluster.accept', 'b', fingerprint.exec(joining.log)?.[0] ?? '']);
  assert.equal(await joining.exited, 0, joining.log);
  const masterB = await b.startMaster();
  for (const [fleet, id] of [
    [a, 'wa'],
    [b, 'wb'],
  ] as const) {
    const minion = fleet.startMinion(id);
    await until('the key waits', () => namesIn(a.path('m', 'pki', 'minions_pre')).includes(id));
    await a.run('salt-key', ['-y', '-a', id]);
    await minion.logged('Minion is ready to receive requests');
  }
  const both = JSON.stringify([
    ['wa', true],
    ['wb', true],
  ]);
  for (const fleet of [a, b]) await untilAllAnswer(fleet, both, CHOICE_MS);

  for (const [index, server] of servers.entries()) {
    await server.kill();
    for (const fleet of [a, b]) {
      const tookMs = await untilAllAnswer(fleet, both, CHOICE_MS);
      t.diagnostic(`without n${index}: all answer after ${tookMs} ms`);
    }
    // nothing waits for the dead server: its readers have been made anew elsewhere
    for (const fleet of [a, b]) assert.equal(await pinged(fleet), both);
    await server.start();
    await untilComplete(servers);
  }

  for (const pid of masterB.children().values()) process.kill(pid, 'SIGKILL');
  await masterB.stop('SIGKILL');
  // whose minion does not answer is not in the mapping, as in Salt
  await untilAllAnswer(a, JSON.stringify([['wa', true]]), CHOICE_MS);
  const status = await a.run('salt-run', ['cluster.status', '--out=json']);
  assert.equal(status.code, 0, status.stderr);
  assert.deepEqual(Object.keys((JSON.parse(status.stdout) as { members: object }).members), ['a']);
  const { stdout } = await a.salt(['wa', 'test.ping', '--out=txt']);
  assert.equal(stdout.trim(), 'wa: True');
});
