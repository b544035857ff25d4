/** Whether NATS brings messages to the disk: what its servers say, and what a member says of it. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { clusterSettings } from '../../../../src/config/cluster.ts';
import { parseJson } from '../../../../src/formats/json/text.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { askSyncing, readSyncing, syncingAdvice } from '../../../../src/runtime/cluster/nats-syncing.ts';

/** What nats-server 2.9.10 says at `/varz`, as far as it is looked at. */
const OLD =
  '{"server_name":"n1","version":"2.9.10","jetstream":{"config":{"max_memory":18957385728,"max_storage":60289155072,"store_dir":"/js"}}}';
/** What 2.10.27 says: the interval is in nanoseconds, and `sync_always` is left out where it is false. */
const varz = (more: string): string =>
  `{"server_name":"n1","version":"2.10.27","jetstream":{"config":{"store_dir":"/js","sync_interval":120000000000${more}}}}`;

function advice(text: string): string {
  const said = syncingAdvice(readSyncing('http://n1:8222', parseJson(text)));
  return said === undefined ? '' : `${said.what} ${said.next}`;
}

test('NATS syncing - a server that syncs each message needs no advice', () => {
  assert.equal(advice(varz(',"sync_always":true')), '');
});

test('NATS syncing - one that does not is told what to write, and an old one that it cannot', () => {
  assert.match(
    advice(varz('')),
    /^The NATS server n1 \(http:\/\/n1:8222\) acknowledges .* every 120 s\. .*lost\. Write sync_interval: always/,
  );
  assert.match(
    advice(OLD),
    /now and then\. .* Its version, 2\.9\.10, cannot do otherwise: take 2\.10\.0 or newer/,
  );
  assert.match(advice('{"version":"2.10.27"}'), /is not known: JetStream does not run there\./);
  assert.match(advice('[]'), /is not known: it is no NATS server\./);
});

test('NATS syncing - each server is asked at its address, and one that does not answer is named', async (t) => {
  const server = createServer((request, answer) => {
    answer.statusCode = request.url === '/varz' ? 200 : 404;
    answer.end(varz(',"sync_always":true'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const there = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = settingsWith([there, await closedAddress(t)]);
  const [first, second] = await askSyncing(settings, systemClock);
  assert.deepEqual(first, { does: 'always', server: `n1 (${there})` });
  assert.equal(second?.does, 'not known');
});

test('NATS syncing - the option takes addresses of HTTP and nothing else', () => {
  assert.deepEqual(settingsWith('https://n1:8222').natsMonitoring, ['https://n1:8222']);
  assert.deepEqual(settingsWith(null).natsMonitoring, []);
  for (const wrong of ['n1:8222', 'tls://n1:4222', 'http://user:x@n1:8222', 8222])
    assert.throws(() => settingsWith([wrong]), /nats_monitoring takes addresses such as http:\/\/nats1:8222/);
});

function settingsWith(monitoring: Value): NonNullable<ReturnType<typeof clusterSettings>> {
  const cluster = dict({ id: 'c', member: 'a', nats: ['nats://n1:4222'], nats_monitoring: monitoring });
  const opts = { get: () => cluster, raw: () => null } as unknown as Parameters<typeof clusterSettings>[0];
  const settings = clusterSettings(opts);
  assert.ok(settings);
  return settings;
}

/** An address at which nobody listens any more. */
async function closedAddress(t: TestContext): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  t.diagnostic(`nobody listens at ${port}`);
  return `http://127.0.0.1:${port}`;
}
