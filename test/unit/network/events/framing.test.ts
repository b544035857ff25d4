import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { EventBusReader, EventBusWriter } from '../../../../src/network/events/bus-client.ts';
import { EventBusServer } from '../../../../src/network/events/bus-server.ts';
import { encodeEvent, EventReader, parseEvent } from '../../../../src/network/events/framing.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { folder, keptLog } from '../../../support/attacker.ts';
import { until } from '../../../support/fleet.ts';

const event = (tag: string, value: Value): Buffer =>
  encodeEvent(tag, dict({ value }), systemClock, 1024 * 1024);

test('event framing - a stream split at every byte gives the same events', () => {
  const frames = [
    event('a', 1),
    event('b/c', 'x'.repeat(300)),
    event('d', Buffer.alloc(70_000, 200)),
    event('e', null),
  ];
  const small = Buffer.concat([frames[0] as Buffer, frames[1] as Buffer, frames[3] as Buffer]);
  for (let at = 0; at <= small.length; at++) {
    const reader = new EventReader();
    const first = reader.push(small.subarray(0, at));
    const second = reader.push(small.subarray(at));
    const tags = [...first.bodies, ...second.bodies].map((body) => parseEvent(body)?.tag);
    assert.deepEqual(tags, ['a', 'b/c', 'e'], `split at ${at}`);
    assert.deepEqual(Buffer.concat([first.whole, second.whole]), small);
  }
  const reader = new EventReader();
  const bodies = [...Buffer.concat(frames)].flatMap((byte) => reader.push(Buffer.from([byte])).bodies);
  assert.deepEqual(
    bodies.map((body) => parseEvent(body)?.tag),
    ['a', 'b/c', 'd', 'e'],
  );
});

test('event framing - frames that others pack differently are read too', () => {
  const body = Buffer.concat([Buffer.from('t\n\n'), encode({ a: 1 }, 'local')]);
  const forms = [
    encode({ body, head: {} }, 'local'),
    encode({ head: { mid: 'x' }, body }, 'local'),
    encode({ head: {}, body: body.toString('latin1') }, 'local'),
    encode({ head: {}, body, more: [1, 2, 3] }, 'local'),
  ];
  for (const form of forms) {
    const reader = new EventReader();
    const bodies = [...form].flatMap((byte) => reader.push(Buffer.from([byte])).bodies);
    assert.equal(bodies.length, 1);
    assert.equal(parseEvent(bodies[0] as Buffer)?.tag, 't');
  }
});

test('event framing - what is no stream of events is noticed, and announced terabytes are not waited for', () => {
  const garbage = [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.from([0xc1]),
    encode([1], 'local'),
    encode({ head: {} }, 'local'),
    encode({ head: {}, body: 7 }, 'local'),
  ];
  garbage.push(Buffer.from('82a46865616480a4626f6479c6ffffffff00', 'hex'));
  for (const bytes of garbage)
    assert.throws(() => new EventReader().push(bytes), { name: /Msgpack/ }, bytes.toString('hex'));
});

test('event framing - bodies without a tag or with broken data are no events', () => {
  assert.equal(parseEvent(Buffer.from('no separator')), undefined);
  assert.equal(parseEvent(Buffer.from('\n\nno tag')), undefined);
  const broken = parseEvent(Buffer.from('tag\n\n\xc1', 'latin1'));
  assert.throws(() => broken?.data);
});

async function bus(
  t: TestContext,
): Promise<{ pub: string; pull: string; server: EventBusServer; lines: string[] }> {
  const root = folder(t);
  const { log, lines } = keptLog();
  const [pub, pull] = [join(root, 'pub'), join(root, 'pull')];
  const server = new EventBusServer({
    pubPath: pub,
    pullPath: pull,
    pubMode: 0o600,
    readerQueueBytesMax: 1024 * 1024,
    log,
  });
  await server.start();
  t.after(() => server.close());
  return { pub, pull, server, lines };
}

const writerOf = (t: TestContext, path: string, queueBytesMax: number): EventBusWriter => {
  const writer = new EventBusWriter({ path, clock: systemClock, eventBytesMax: 1024 * 1024, queueBytesMax });
  t.after(() => writer.close());
  return writer;
};

test('event bus - garbage cuts its writer off, and nobody else', async (t) => {
  const { pub, pull, server, lines } = await bus(t);
  const heard: string[] = [];
  const reader = await EventBusReader.connect(
    pub,
    () => true,
    ({ tag }) => heard.push(tag),
  );
  t.after(() => reader.close());
  const writer = writerOf(t, pull, 1024);
  writer.fire('before', dict({}));
  await until('it was heard', () => heard.length === 1);
  const rogue = connect(pull);
  rogue.on('error', () => undefined);
  rogue.write('GET / HTTP/1.1\r\n\r\n');
  await until('it was cut off', () => server.counters.malformedWriters === 1);
  writer.fire('after', dict({}));
  await until('it was heard', () => heard.length === 2);
  assert.deepEqual(heard, ['before', 'after']);
  assert.equal(lines.length, 1);
});

test('event bus - a reader that does not read is cut off, and holds up nobody', async (t) => {
  const { pub, pull, server } = await bus(t);
  const deaf = connect(pub);
  deaf.pause();
  t.after(() => deaf.destroy());
  let heard = 0;
  const reader = await EventBusReader.connect(
    pub,
    () => true,
    () => heard++,
  );
  t.after(() => reader.close());
  const writer = writerOf(t, pull, 64 * 1024 * 1024);
  for (let i = 0; i < 100; i++) writer.fire('x', dict({ filler: 'y'.repeat(50_000) }));
  await until('it was cut off', () => server.counters.slowReadersCut === 1);
  await until('the other has heard everything', () => heard === 100);
});

test('event bus - while the hub is away, events wait in a bounded queue and the rest is counted', async (t) => {
  const { pull, server } = await bus(t);
  const away = writerOf(t, `${pull}-nowhere`, 100_000);
  for (let i = 0; i < 1000; i++) away.fire('x', dict({ filler: 'y'.repeat(1000) }));
  assert.ok(away.counters.dropped >= 890, `${away.counters.dropped} dropped`);
  server.close();
});

test('event bus - a reader of something that is no bus is told that it is gone', async (t) => {
  const path = join(folder(t), 'pub');
  const { createServer } = await import('node:net');
  const server = createServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.after(() => server.close());
  await new Promise<void>((resolve, reject) => {
    EventBusReader.connect(
      path,
      () => true,
      () => reject(new Error('an event')),
      resolve,
    ).catch(reject);
  });
});
