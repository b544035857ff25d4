import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { encodeEvent } from '../../../../src/network/events/framing.ts';
import { KeptFeed } from '../../../../src/network/events/kept-feed.ts';
import { KeptFeedReader } from '../../../../src/network/events/kept-feed-reader.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { folder, keptLog } from '../../../support/attacker.ts';
import { until } from '../../../support/fleet.ts';

const event = (tag: string): Buffer => encodeEvent(tag, dict({}), systemClock, 1024);

async function feedOf(t: TestContext, keptBytesMax: number) {
  const path = join(folder(t), 'feed.ipc');
  const { log, lines } = keptLog();
  const feed = new KeptFeed({ path, keptBytesMax, random: systemRandom, log });
  await feed.start();
  t.after(() => feed.close());
  return { path, feed, lines };
}

async function read(path: string, wants: (tag: string) => boolean = () => true) {
  const seen: string[] = [];
  const state = { last: 0, stream: '', first: 0, isClosed: false };
  const reader = await KeptFeedReader.connect(path, {
    wants,
    begins: (stream, first) => Object.assign(state, { stream, first }),
    events: (wanted, last) => {
      for (const { number, event: one } of wanted) seen.push(`${number} ${one.tag}`);
      state.last = last;
    },
    closed: () => (state.isClosed = true),
  });
  return { reader, seen, state };
}

test('kept feed - events wait for their reader, and come again until they are confirmed', async (t) => {
  const { path, feed } = await feedOf(t, 1_000_000);
  feed.push(event('a'), 1);
  feed.push(Buffer.concat([event('b'), event('c')]), 2);
  const one = await read(path);
  await until('all came', () => one.state.last === 3);
  assert.deepEqual(one.seen, ['1 a', '2 b', '3 c']);
  one.reader.confirm(1);
  one.reader.close();
  const two = await read(path);
  await until('the rest came', () => two.state.last === 3);
  assert.deepEqual(two.seen.slice(-2), ['2 b', '3 c']);
  assert.equal(two.state.stream, one.state.stream);
  two.reader.confirm(3);
  feed.push(event('d'), 1);
  await until('the next came', () => two.state.last === 4);
  assert.equal(two.seen[two.seen.length - 1], '4 d');
  two.reader.close();
});

test('kept feed - a reader that stays away costs so many bytes, and what is dropped is told once', async (t) => {
  const { path, feed, lines } = await feedOf(t, 500);
  for (let i = 0; i < 100; i++) feed.push(event(`tag/${i}`), 1);
  assert.ok(feed.counters.dropped > 80, `${feed.counters.dropped} dropped`);
  assert.equal(lines.filter((line) => line.includes('the oldest are dropped')).length, 1);
  const late = await read(path);
  await until('what is left came', () => late.state.last === 100);
  assert.equal(late.state.first, feed.counters.dropped + 1);
  late.reader.close();
});

test('kept feed - a reader that does not read is let go before what is on its way to it grows', async (t) => {
  const { path, feed } = await feedOf(t, 200_000);
  const socket = connect(path);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  const closed = once(socket, 'close');
  await until('it is adopted', () => feed.hasReader);
  const large = encodeEvent('large', dict({ text: 'x'.repeat(50_000) }), systemClock, 100_000);
  for (let i = 0; i < 100; i++) feed.push(large, 1);
  await until('it is let go', () => !feed.hasReader);
  socket.resume();
  await closed;
});

test('kept feed - a new reader takes the place of the one before', async (t) => {
  const { path, feed } = await feedOf(t, 1_000_000);
  const one = await read(path);
  await until('it is greeted', () => one.state.stream !== '');
  const two = await read(path, (tag) => tag === 'b');
  await until('the first is let go', () => one.state.isClosed);
  feed.push(Buffer.concat([event('a'), event('b')]), 2);
  await until('they came', () => two.state.last === 2);
  assert.deepEqual(two.seen, ['2 b']);
  two.reader.close();
});
