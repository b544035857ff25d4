/** Messages for log servers, as they leave. */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import { parseJson } from '../../../../src/formats/json/text.ts';
import type { Document } from 'bson';
import { until } from '../../../support/fleet.ts';
import { decode } from '../../../../src/formats/wire/msgpack.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { ZmtpConnection } from '../../../../src/network/transport/zmtp/connection.ts';
import { LogQueue } from '../../../../src/programs/daemon/log-queue.ts';
import { startHttpStandIn } from '../../../support/http-stand-in.ts';
import { startMongo } from '../../../support/mongo-stand-in.ts';
import { fakeClock } from '../../../support/module-context.ts';
import { StreamChannel } from '../../../../src/host/log-network.ts';
import type { Logging } from '../../../../src/host/log-sinks.ts';
import { logHandlers } from '../../../../src/programs/daemon/log-handlers.ts';
import { setupLogging } from '../../../../src/host/log-sinks.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';

function logging(options: Record<string, Value>): Logging {
  const opts = new Map(Object.entries(options));
  const { make, faults } = logHandlers({ raw: (name) => opts.get(name) });
  assert.deepEqual(faults, []);
  return setupLogging({ level: 'quiet', name: 'salt.master', further: make });
}

function promised<T>(): { readonly kept: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const kept = new Promise<T>((done) => (resolve = done));
  return { kept, resolve };
}

const LINE = 'from https://user:canary@host/x';

test('log handlers - logstash_udp_handler sends JSON of both versions at its level, and no credential', async (t) => {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address();
  for (const version of [0, 1]) {
    const handler = dict({ host: '127.0.0.1', port, version, msg_type: 'x', log_level: 'info' });
    const { logger } = logging({ logstash_udp_handler: handler });
    logger.debug('not at this level');
    logger.info(LINE);
    const [sent] = (await once(server, 'message')) as [Buffer];
    const told = JSON.parse(sent.toString()) as Record<string, unknown>;
    assert.equal(version === 0 ? told['@type'] : told['type'], 'x');
    assert.match(String(version === 0 ? told['@message'] : told['message']), /^from https:\/\/.*@host\/x$/);
    assert.doesNotMatch(sent.toString(), /canary/);
    assert.match(String(told['@timestamp']), /^\d{4}-.*T.*\.\d{3}Z$/);
  }
});

test('log handlers - fluent_handler sends tag, time and message in each of its forms', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  for (const [kind, field, level] of [
    ['logstash', 'message', undefined],
    ['graylog', 'message', 4],
    ['gelf', 'short_message', 4],
  ] as const) {
    const handler = dict({ host: '127.0.0.1', port, payload_type: kind, tags: ['one', 'two'] });
    const { logger } = logging({ fluent_handler: handler, log_level: 'warning' });
    logger.warning('text');
    await once(server, 'connection');
    const [sent] = (await once(sockets.at(-1) as Socket, 'data')) as [Buffer];
    const [tag, seconds, told] = decode(sent, 'local') as [Value, Value, Dict];
    assert.equal(tag, 'one');
    assert.ok(Number(seconds) > 1_700_000_000);
    assert.ok(isDict(told));
    assert.equal(told.get(field), 'text');
    assert.equal(told.get('level'), level);
  }
});

test('log handlers - logstash_zmq_handler connects, and sends JSON to who has subscribed', async (t) => {
  const sockets: Socket[] = [];
  const got = promised<Dict>();
  const server = createServer((socket) => {
    sockets.push(socket);
    const connection: ZmtpConnection = new ZmtpConnection(
      socket,
      { type: 'SUB', messageBytesMax: 100_000, clock: systemClock },
      {
        ready: () => connection.send([Buffer.from([1])]),
        message: (_, [message]) => got.resolve(parseJson(String(message)) as Dict),
        closed: () => undefined,
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const handler = dict({ address: `tcp://127.0.0.1:${port}`, version: 1, log_level: 'info' });
  const { logger } = logging({ logstash_zmq_handler: handler });
  logger.info(LINE);
  const told = await got.kept;
  assert.deepEqual(
    [told.get('@version'), told.get('levelname'), told.get('type'), told.get('tags')],
    [1, 'INFO', 'logstash', ['salt']],
  );
  assert.match(String(told.get('message')), /^from https:\/\/(?!.*canary).*@host\/x$/);
});

test('log handlers - sentry_handler posts envelopes at its own level, without what is excluded', async (t) => {
  const arrived = promised<void>();
  const server = await startHttpStandIn(t, ({ body }) => {
    if (body.includes('the last')) arrived.resolve();
    return { status: 200, body: '{}' };
  });
  const dsn = `requests+http://key:canary@127.0.0.1:${server.port}/behind/7`;
  const handler = dict({
    ...{ dsn, site: 'here', name: 'host1', context: ['place', 'other'] },
    ...{ exclude_patterns: ['noise [0-9]+'], string_max_length: 12 },
  });
  const { logger } = logging({
    sentry_handler: handler,
    log_level: 'debug',
    grains: dict({ place: 'rack' }),
  });
  logger.warning('not at this level');
  logger.error('some noise 12');
  logger.error('0123456789abcdef');
  logger.critical('the last');
  await arrived.kept;
  assert.equal(server.taken.length, 2);
  const [first] = server.taken;
  assert.equal(first?.path, '/behind/api/7/envelope/');
  assert.equal(
    first?.headers.get('x-sentry-auth'),
    'Sentry sentry_version=7, sentry_client=salt-log, sentry_key=key, sentry_secret=canary',
  );
  const [head, kind, event] = (first?.body ?? '')
    .split('\n')
    .map((line) => (line === '' ? undefined : JSON.parse(line)));
  assert.equal(kind.type, 'event');
  assert.equal(kind.length, Buffer.byteLength((first?.body ?? '').split('\n')[2] ?? ''));
  assert.equal(head.event_id, event.event_id);
  assert.match(event.event_id, /^[0-9a-f]{32}$/);
  assert.deepEqual(
    [event.level, event.logger, event.server_name, event.message, event.tags],
    ['error', 'salt.master', 'host1', { formatted: '0123456789ab' }, { site: 'here', place: 'rack' }],
  );
  assert.doesNotMatch(first?.body ?? '', /canary/);
});

test('log handlers - log4mongo_handler inserts documents', async (t) => {
  const mongo = await startMongo(t);
  const handler = dict({
    host: '127.0.0.1',
    port: mongo.port,
    database_name: 'logs',
    collection: 'salt',
    write_concern: 1,
  });
  const { logger } = logging({ log4mongo_handler: handler, log_level: 'info' });
  logger.info(LINE);
  logger.warning('second');
  const kept = (): Document[] => mongo.collections.get('salt') ?? [];
  await until('the documents', () => kept().length === 2);
  const [first, second] = kept();
  assert.deepEqual(
    [first?.['level'], first?.['loggerName'], second?.['level'], second?.['message']],
    ['INFO', 'salt.master', 'WARNING', 'second'],
  );
  assert.match(String(first?.['message']), /^from https:\/\/(?!.*canary).*@host\/x$/);
  assert.ok(first?.['timestamp'] instanceof Date);
});

test('log handlers - what a server does not take is kept up to a bound, and tried again with a later message', async () => {
  let nowMs = 0;
  const clock = { ...fakeClock(0), monotonicMs: () => nowMs };
  const sent: number[] = [];
  let answer: () => Promise<void> = () => Promise.reject(new Error('down'));
  const queue = new LogQueue<number>((batch) => {
    sent.push(batch.length);
    return answer();
  }, clock);
  for (let i = 0; i < 1100; i++) queue.send(i);
  await settled();
  assert.deepEqual([queue.dropped, sent], [100, [1]]);
  queue.send(-1);
  await settled();
  assert.deepEqual(sent, [1], 'too soon');
  [nowMs, answer] = [10_000, () => Promise.resolve()];
  queue.send(-1);
  await settled();
  assert.deepEqual(
    [queue.dropped, sent.length, sent.slice(1)],
    [102, 11, Array.from({ length: 10 }, () => 100)],
  );
});

test('log handlers - a stream that has kept all it may looks for its server again', async (t) => {
  const server = createServer((socket) => void socket.once('data', () => socket.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  // at no time is it time to connect
  let nowMs = NaN;
  const { port } = server.address() as AddressInfo;
  const channel = new StreamChannel(
    { host: '127.0.0.1', port },
    { ...systemClock, monotonicMs: () => nowMs },
  );
  for (let i = 0; i < 20; i++) channel.send(Buffer.alloc(100_000));
  assert.ok(channel.dropped > 0);
  nowMs = 0;
  channel.send(Buffer.alloc(100_000));
  await once(server, 'connection');
});

/** What waits for nothing but promises has been done. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('log handlers - what is wrong with the options is told', () => {
  const faultsOf = (name: string, given: Value): string =>
    logHandlers({ raw: (one) => (one === name ? given : undefined) }).faults.join();
  assert.match(
    faultsOf('logstash_udp_handler', dict()),
    /No messages go to logstash_udp_handler: host is missing/,
  );
  assert.match(faultsOf('logstash_udp_handler', dict({ host: 'h', port: 'x' })), /port must be a number/);
  assert.match(faultsOf('logstash_udp_handler', dict({ host: 'h', port: 1, version: 2 })), /no version 2/);
  assert.match(faultsOf('fluent_handler', 'h'), /must be a mapping/);
  assert.match(faultsOf('logstash_zmq_handler', dict()), /address is missing/);
  assert.match(faultsOf('logstash_zmq_handler', dict({ address: 'udp://h:1' })), /must be tcp:\/\/HOST:PORT/);
  assert.match(faultsOf('logstash_zmq_handler', dict({ address: 'tcp://h:1', hwm: 0 })), /hwm must be/);
  assert.match(
    faultsOf('sentry_handler', dict({ project: 1 })),
    /dsn is missing, or servers, public_key, secret_key/,
  );
  assert.match(
    faultsOf('sentry_handler', dict({ dsn: 'x' })),
    /^No messages go to sentry_handler: dsn must be/,
  );
  assert.match(
    faultsOf('sentry_handler', dict({ dsn: 'https://k@h/1', exclude_patterns: ['('] })),
    /no regular/,
  );
  assert.match(faultsOf('log4mongo_handler', dict({ host: 'h' })), /database_name is missing/);
});
