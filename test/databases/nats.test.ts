import assert from 'node:assert/strict';
import { jetstreamManager } from '@nats-io/jetstream';
import { test, type TestContext } from 'node:test';
import type { PeerCertificate } from 'node:tls';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { systemClock } from '../../src/host/clock.ts';
import { natsKind } from '../../src/plugins/nats/returner.ts';
import type { ReturnStore } from '../../src/plugins/shared/returner/return-store.ts';
import { dict, type Value } from '../../src/python/values/value.ts';
import { checkReturnStore, contractLoad, contractReturn } from '../support/return-store-contract.ts';
import { connectNats } from '../../src/network/nats/connect.ts';
import { checkingServers } from '../../src/network/nats/server-identity.ts';
import { NatsStreams } from '../../src/network/nats/stream.ts';
import { certificate, startDatabase, type DatabaseServer } from '../support/database-servers.ts';

const JID = '20261122020000000001';

function open(
  t: TestContext,
  { port }: DatabaseServer,
  more: [string, Value][] = [],
  timeoutMs = 5000,
): ReturnStore {
  const options = new Map<string, Value>([['servers', [`127.0.0.1:${port}`]], ...more]);
  const store = natsKind.open({
    options,
    timeoutMs,
    connectionsMax: 2,
    keepJobsSeconds: 3600,
    clock: systemClock,
  });
  t.after(() => store.close());
  return store;
}

async function look(t: TestContext, { port }: DatabaseServer): Promise<NatsConnection> {
  const nats = await connect({ servers: `127.0.0.1:${port}` });
  t.after(() => nats.close());
  return nats;
}

/** What JetStream says of a stream. */
async function stream(nats: NatsConnection, name: string): Promise<{ messages: number; max_age: number }> {
  const info = (await nats.request(`$JS.API.STREAM.INFO.${name}`)).json<{
    state: { messages: number };
    config: { max_age: number };
  }>();
  return { messages: info.state.messages, max_age: info.config.max_age };
}

test('nats - JetStream keeps the contract of stores', { timeout: 60_000 }, async (t) => {
  const server = await startDatabase(t, 'nats');
  const nats = await look(t, server);
  const countEvents = async (): Promise<number> => (await stream(nats, 'SALT_EVENTS')).messages;
  await checkReturnStore(open(t, server), open(t, server), { countEvents });
  assert.equal((await stream(nats, 'SALT_EVENTS')).messages, 0, 'events are removed by age, too');
  assert.equal((await stream(nats, 'SALT_JOBS')).max_age, 3600 * 1e9);
});

test('nats - streams that nobody has made are made by the first that writes', async (t) => {
  const server = await startDatabase(t, 'nats');
  const store = open(t, server);
  assert.equal(await store.load(JID), undefined);
  const other = open(t, server, [
    ['subject_prefix', 'other.site'],
    ['stream_prefix', 'OTHER'],
  ]);
  await other.saveReturns([contractReturn(JID, 'm1')]);
  assert.equal((await other.returns(JID)).size, 1);
  assert.equal((await store.returns(JID)).size, 0);
});

test('nats - a return that is larger than a message may be is kept in pieces', async (t) => {
  const server = await startDatabase(t, 'nats');
  const store = open(t, server);
  const great = 'grün '.repeat(600_000);
  await store.saveReturns([contractReturn(JID, 'm1', { return: great }), contractReturn(JID, 'm2')]);
  await store.saveReturns([contractReturn(JID, 'm1', { return: great })]);
  const returns = await store.returns(JID);
  assert.ok(returns.get('m1')?.get('return') === great);
  assert.equal(returns.size, 2);
  assert.ok((await store.lastReturns('test.echo')).get('m1') === great);
});

test('nats - who subscribes gets loads, returns and events as they are written', async (t) => {
  for (const more of [[], ['-js=false']]) {
    const server = await startDatabase(t, 'nats', more);
    const nats = await look(t, server);
    const heard: string[] = [];
    nats.subscribe('salt.>', {
      callback: (_error, message) => void heard.push(`${message.subject} ${message.string()}`),
    });
    await nats.flush();
    const store = open(t, server);
    await store.createSchema();
    await store.saveLoads([{ jid: JID, load: contractLoad(JID) }]);
    await store.saveReturns([contractReturn(JID, 'web.1 ü')]);
    await store.saveEvents([{ tag: `salt/job/${JID}/new`, data: dict({ jid: JID }) }], 'ma');
    await nats.flush();
    assert.deepEqual(
      heard.map((line) => line.split(' ', 1)[0]),
      [
        `salt.job.${JID}.load`,
        `salt.job.${JID}.ret.web%2E1%20%C3%BC`,
        'salt.minion.web%2E1%20%C3%BC.test%2Eecho',
        `salt.event.salt.job.${JID}.new`,
      ],
    );
    assert.match(
      heard[3] ?? '',
      /\{"tag": "salt\/job\/\d+\/new", "data": \{"jid": "\d+"\}, "master_id": "ma"\}$/,
    );
  }
});

test('nats - a server without JetStream takes what is written and says that nothing can be looked up', async (t) => {
  const server = await startDatabase(t, 'nats', ['-js=false']);
  const store = open(t, server);
  assert.deepEqual(await store.createSchema(), []);
  await store.saveReturns([contractReturn(JID, 'm1', { return: 'x'.repeat(2_000_000) })]);
  await assert.rejects(store.returns(JID), /keeps no messages.*nats-server -js/);
});

test(
  'nats - says which server is down, and goes on by itself when it is back',
  { timeout: 60_000 },
  async (t) => {
    const server = await startDatabase(t, 'nats');
    const store = open(t, server, [], 700);
    await store.saveReturns([contractReturn(JID, 'm1')]);
    await server.stop();
    await assert.rejects(store.saveReturns([contractReturn(JID, 'm2')]));
    await assert.rejects(store.saveReturns([contractReturn(JID, 'm2')]), {
      message: new RegExp(`^NATS cannot be reached at 127\\.0\\.0\\.1:${server.port}: .*ECONNREFUSED`),
    });
    await server.start();
    await store.saveReturns([contractReturn(JID, 'm2')]);
    assert.equal((await store.returns(JID)).size, 2);

    server.pause();
    await assert.rejects(store.saveReturns([contractReturn(JID, 'm3')]), /timeout|did not answer/);
    server.resume();
    await store.saveReturns([contractReturn(JID, 'm3')]);
    assert.equal((await store.returns(JID)).size, 3);
  },
);

test('nats - name and password are used and never told', async (t) => {
  const server = await startDatabase(t, 'nats', ['--user', 'salt', '--pass', 'sesame']);
  const login = (password: string): [string, Value][] => [
    ['user', 'salt'],
    ['password', password],
  ];
  await assert.rejects(
    open(t, server, login('wrong-one')).saveReturns([contractReturn(JID, 'm1')]),
    (error: Error) => {
      assert.match(error.message, /Authorization Violation/i);
      assert.doesNotMatch(error.message, /wrong-one/);
      return true;
    },
  );
  await open(t, server, login('sesame')).saveReturns([contractReturn(JID, 'm1')]);
});

test('nats - a stream that a server cannot keep as often as wanted is refused with what to do', async (t) => {
  const server = await startDatabase(t, 'nats', []);
  const nats = await connectNats(
    { servers: [`nats://127.0.0.1:${server.port}`] },
    { name: 'test', timeoutMs: 5_000 },
  );
  t.after(() => nats.close());
  const streams = await NatsStreams.open(nats, {
    timeoutMs: 5_000,
    clock: systemClock,
    report: () => undefined,
  });
  await assert.rejects(
    streams.create({ name: 'S', subjects: ['s.>'], replicas: 3, maxAgeMs: 0, perSubject: -1 }),
    /^UnreachableError: NATS does not make the stream S, of which 3 servers keep each message: .* set replicas: 1 in the option cluster/,
  );
});

test('nats - a stream is caught up with though its last places have no message', async (t) => {
  const server = await startDatabase(t, 'nats', []);
  const nats = await connectNats(
    { servers: [`nats://127.0.0.1:${server.port}`] },
    { name: 'test', timeoutMs: 5_000 },
  );
  t.after(() => nats.close());
  const streams = await NatsStreams.open(nats, {
    timeoutMs: 5_000,
    clock: systemClock,
    report: () => undefined,
  });
  const settings = { name: 'S', subjects: ['s.>'], replicas: 1, maxAgeMs: 0, perSubject: -1 };
  await streams.create(settings);
  for (const subject of ['s.a', 's.b', 's.c', 's.d']) await streams.append(subject, Buffer.from(subject));
  const manager = await jetstreamManager(nats);
  // as when a server of a cluster has refused them
  for (const place of [3, 4]) await manager.streams.deleteMessage('S', place);
  assert.deepEqual(await streams.range('S'), { first: 1, last: 4 });
  for (const after of [0, 1, 2, 3, 4]) {
    const taken: string[] = [];
    const reading = await streams.catchUp(
      { stream: 'S', subject: 's.>' },
      after,
      ({ subject }) => void taken.push(subject),
    );
    assert.deepEqual(taken, ['s.a', 's.b'].slice(after), `after ${after}`);
    await reading.stop();
  }
  const broken = streams.catchUp({ stream: 'S', subject: 's.>' }, 0, () => {
    throw new Error('not taken');
  });
  await assert.rejects(broken, /not taken/);
});

test('nats - over TLS the certificate has to be of the authority, and for the server that was asked for', async (t) => {
  const servers = async (name: string): Promise<DatabaseServer> =>
    startDatabase(t, 'nats', [
      ...['--tls', '--tlscert', certificate(`${name}.crt`), '--tlskey', certificate(`${name}.key`)],
    ]);
  const [own, elsewhere] = await Promise.all(['address', 'elsewhere'].map(servers));
  assert.ok(own !== undefined && elsewhere !== undefined);
  const connected = async (port: number, host: string, tlsCa: string): Promise<void> => {
    const access = { servers: [`tls://${host}:${port}`], tlsCa: certificate(tlsCa) };
    await (await connectNats(access, { name: 'test', timeoutMs: 5000 })).close();
  };
  await connected(own.port, '127.0.0.1', 'address.crt');
  await assert.rejects(connected(own.port, 'localhost', 'address.crt'), /altnames.*localhost/);
  await assert.rejects(connected(own.port, '127.0.0.1', 'other-ca.crt'), /certificate/);
  await assert.rejects(connected(elsewhere.port, '127.0.0.1', 'ca.crt'), /altnames.*127\.0\.0\.1/);
  // a certificate for localhost is none for an address that the configuration names
  const { checkServerIdentity: check } = checkingServers(['127.0.0.2:4222'], {});
  const peer = { subject: { CN: 'x' }, subjectaltname: 'DNS:localhost' } as unknown as PeerCertificate;
  assert.match(check('localhost', peer)?.message ?? '', /127\.0\.0\.2/);
  assert.equal(checkingServers(['localhost:4222'], {}).checkServerIdentity('localhost', peer), undefined);
  const store = open(t, own, [['tls_ca', certificate('address.crt')]]);
  assert.equal(await store.load(JID), undefined);
  await assert.rejects(open(t, elsewhere, [['tls_ca', certificate('ca.crt')]]).load(JID), /altnames/);
});
