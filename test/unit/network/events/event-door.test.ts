/** The door for events of one's own jobs: who hears what, and what a stranger at it can do. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { EventBusReader } from '../../../../src/network/events/bus-client.ts';
import { EventDoor, isListenerDigest, listenerDigest } from '../../../../src/network/events/event-door.ts';
import { encodeEvent, EventReader } from '../../../../src/network/events/framing.ts';
import { tags } from '../../../../src/network/events/tags.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';

const [MINE, YOURS] = ['20260101000000000001', '20260101000000000002'] as const;
const SECRET = { mine: 'a'.repeat(64), yours: 'b'.repeat(64) };

interface Place {
  readonly door: EventDoor;
  readonly path: string;
  fire(tag: string, data?: Dict): void;
  /** Connects; `heard` fills with tags. */
  guest(secret: string): Promise<{ readonly heard: string[]; readonly reader: EventBusReader }>;
}

async function opened(t: TestContext, readerQueueBytesMax = 1_000_000): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'door-'));
  const path = join(folder, 'd.ipc');
  const door = new EventDoor({ path, readerQueueBytesMax, log: silentLogger });
  const readers: EventBusReader[] = [];
  t.after(() => {
    for (const reader of readers) reader.close();
    door.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await door.start();
  return {
    door,
    path,
    fire: (tag, data = dict({})) =>
      door.push(new EventReader().push(encodeEvent(tag, data, systemClock, 1_000_000)).bodies),
    guest: async (secret) => {
      const heard: string[] = [];
      const reader = await EventBusReader.connectAsGuest(
        path,
        secret,
        () => true,
        ({ tag }) => heard.push(tag),
      );
      readers.push(reader);
      return { heard, reader };
    },
  };
}

/** Resolves when the last of the events fired so far has been heard. */
async function heardLast(place: Place, guest: { readonly heard: string[] }, jid: string): Promise<string[]> {
  const last = tags.jobReturn(jid, 'last');
  place.fire(last);
  while (!guest.heard.includes(last)) await systemClock.sleep(1);
  return guest.heard.filter((tag) => tag !== last);
}

test('event door - whoever published a job hears its events and those of no other', async (t) => {
  const place = await opened(t);
  const [mine, yours] = [await place.guest(SECRET.mine), await place.guest(SECRET.yours)];
  place.fire(tags.jobReturn(MINE, 'before'));
  place.fire(tags.listening(MINE), dict({ listener: listenerDigest(SECRET.mine) }));
  place.fire(tags.listening(YOURS), dict({ listener: listenerDigest(SECRET.yours) }));
  place.fire(tags.listening('20260101000000000003'), dict({ listener: 'c'.repeat(64) }));
  place.fire(tags.jobNew(MINE), dict({ minions: ['web1'] }));
  place.fire(tags.jobReturn(YOURS, 'db1'));
  place.fire(tags.jobReturn(MINE, 'web1'));
  place.fire(`salt/run/${MINE}/ret`);
  place.fire(`syndic/below/${MINE}`, dict({ minions: ['far1'] }));
  for (const id of ['web1', 'db1', 'far1']) place.fire(tags.minionDisconnected(id));
  for (const tag of ['salt/auth', 'salt/key', MINE, 'salt/minion/web1/start', `salt/job/${MINE}x/ret/web1`])
    place.fire(tag);
  assert.deepEqual(await heardLast(place, mine, MINE), [
    tags.jobNew(MINE),
    tags.jobReturn(MINE, 'web1'),
    `salt/run/${MINE}/ret`,
    `syndic/below/${MINE}`,
    tags.minionDisconnected('web1'),
    tags.minionDisconnected('far1'),
  ]);
  assert.deepEqual(await heardLast(place, yours, YOURS), [tags.jobReturn(YOURS, 'db1')]);
});

test('event door - the digest, which requests and the bus show, opens nothing', async (t) => {
  const place = await opened(t);
  const mine = await place.guest(SECRET.mine);
  const thief = await place.guest(listenerDigest(SECRET.mine));
  place.fire(tags.listening(MINE), dict({ listener: listenerDigest(SECRET.mine) }));
  place.fire(tags.listening(YOURS), dict({ listener: listenerDigest(listenerDigest(SECRET.mine)) }));
  place.fire(tags.jobReturn(MINE, 'web1'));
  assert.deepEqual(await heardLast(place, mine, MINE), [tags.jobReturn(MINE, 'web1')]);
  assert.deepEqual(await heardLast(place, thief, YOURS), []);
  await assert.rejects(place.guest(SECRET.mine), /has closed the connection/, 'a secret is one connection’s');
});

test('event door - who says something else is sent away, and who says nothing makes room', async (t) => {
  const place = await opened(t);
  const sockets: Socket[] = [];
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  const stranger = (): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect({ path: place.path }, () => resolve(socket));
      socket.on('error', () => undefined);
      sockets.push(socket);
    });
  for (const text of ['x'.repeat(64) + '\n', 'a'.repeat(80), `GET / HTTP/1.1\r\n${'h'.repeat(100)}`]) {
    const socket = await stranger();
    const ended = new Promise((resolve) => socket.on('close', resolve));
    socket.resume();
    socket.write(text);
    await ended;
  }
  const mine = await place.guest(SECRET.mine);
  place.fire(tags.listening(MINE), dict({ listener: listenerDigest(SECRET.mine) }));
  for (let i = 0; i < 600; i++) await stranger();
  const late = await place.guest(SECRET.yours);
  assert.ok(place.door.readers <= 512);
  assert.ok(place.door.counters.crowdedOut >= 88);
  assert.deepEqual(await heardLast(place, mine, MINE), [], 'one with a job is left alone');
  place.fire(tags.listening(YOURS), dict({ listener: listenerDigest(SECRET.yours) }));
  assert.deepEqual(await heardLast(place, late, YOURS), []);
});

test('event door - one that reads nothing is cut off, and the others go on', async (t) => {
  const place = await opened(t, 1000);
  const slow = await new Promise<Socket>((resolve) => {
    const socket = connect({ path: place.path }, () => resolve(socket));
  });
  slow.on('error', () => undefined);
  t.after(() => slow.destroy());
  slow.write(`${SECRET.yours}\n`);
  await new Promise((resolve) => slow.once('readable', resolve));
  place.fire(tags.listening(YOURS), dict({ listener: listenerDigest(SECRET.yours) }));
  for (let i = 0; i < 2000 && place.door.readers > 0; i++)
    place.fire(tags.jobReturn(YOURS, 'db1'), dict({ return: 'x'.repeat(5000) }));
  assert.equal(place.door.readers, 0);
  assert.equal(place.door.counters.slowReadersCut, 1);
  const mine = await place.guest(SECRET.mine);
  place.fire(tags.listening(MINE), dict({ listener: listenerDigest(SECRET.mine) }));
  assert.deepEqual(await heardLast(place, mine, MINE), []);
});

test('event door - a digest is 64 hexadecimal digits', () => {
  assert.ok(isListenerDigest(listenerDigest('x')));
  for (const value of ['', 'A'.repeat(64), 'a'.repeat(63), 'a'.repeat(65), 1, null, undefined])
    assert.equal(isListenerDigest(value), false);
});
