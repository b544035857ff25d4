import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishAndWatch, watchPublished } from '../../../../src/runtime/client/watch-job.ts';
import type { JobNews } from '../../../../src/runtime/client/watch-state.ts';
import { ClientError } from '../../../../src/runtime/client/errors.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { FakeMaster, patience, type FakeMinion } from './fake-master.ts';

const job = { tgt: '*', tgtType: 'glob', fun: 'test.ping', arg: [], timeoutMs: 5000 };

async function words(news: AsyncIterable<JobNews>): Promise<string[]> {
  const out: string[] = [];
  for await (const item of news)
    out.push(item.kind === 'return' ? `return ${item.id}` : `${item.outcome.kind} ${item.id}`);
  return out;
}

test('watch - ends at once when everybody has returned', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: { value: 1 } });
  const { news } = await publishAndWatch(master.parts, job, patience);
  assert.deepEqual(await words(news), ['return a', 'return b']);
  assert.ok(master.clock.nowMs() < 100);
});

test('watch - the silent are asked after the time-out, and given up when they do not answer', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: {} });
  const { news } = await publishAndWatch(master.parts, job, patience);
  assert.deepEqual(await words(news), ['return a', 'no response b']);
  assert.equal(master.clock.nowMs(), 15_000);
  assert.deepEqual(
    master.published.map(({ fun, tgt }) => [fun, tgt]),
    [
      ['test.ping', '*'],
      ['saltutil.find_job', ['b']],
    ],
  );
});

test('watch - a question that the master refuses to publish does not end a job that was published', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: { value: 1, afterMs: 9_000 }, c: {} });
  const { client: own } = master.parts;
  const refused = new ClientError('The job was not published: The cluster cannot be reached');
  const client: typeof own = {
    publish: (options, listener) =>
      options.fun === 'saltutil.find_job' ? Promise.reject(refused) : own.publish(options, listener),
    follow: (jid, listener) => own.follow(jid, listener),
    forget: (jid) => own.forget(jid),
    onGap: (listener) => own.onGap(listener),
    onLink: (listener) => own.onLink(listener),
  };
  const { news } = await publishAndWatch({ ...master.parts, client }, job, patience);
  assert.deepEqual(await words(news), ['return a', 'return b', 'no response c']);
});

test('watch - of a minion that has not been here since its key was accepted this is said, unless it answers', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: {} });
  master.newcomers = ['a', 'b'];
  const { news } = await publishAndWatch(master.parts, job, patience);
  assert.deepEqual(await words(news), ['return a', 'not here yet b']);
});

test('watch - one whose connection was lost before its key was accepted is new, also when it comes meanwhile', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: {}, c: {}, d: { isRunning: false } });
  master.newcomers = ['b', 'd'];
  master.lost = new Map(['b', 'c', 'd'].map((id) => [id, '1969-12-31T23:59:50']));
  const { news } = await publishAndWatch(master.parts, job, patience);
  const found = words(news);
  master.link('d', true, '1970-01-01T00:00:01');
  assert.deepEqual((await found).sort(), [
    'never received c',
    'not here yet b',
    'not here yet d',
    'return a',
  ]);
});

test('watch - a minion that is at work is waited for, however long it takes', async () => {
  const master = new FakeMaster({ a: { value: 1, afterMs: 60_000, isRunning: true } });
  const { news } = await publishAndWatch(master.parts, { ...job, fun: 'test.sleep' }, patience);
  assert.deepEqual(await words(news), ['return a']);
  assert.equal(master.clock.nowMs(), 60_000);
});

test('watch - while returns come in, nobody is asked and nobody is given up', async () => {
  const minions = Array.from({ length: 20 }, (_, index) => [
    `m${index}`,
    { value: 1, afterMs: 1000 * (index + 1) },
  ]);
  const master = new FakeMaster(Object.fromEntries(minions) as Record<string, FakeMinion>);
  const { news } = await publishAndWatch(master.parts, { ...job, fun: 'test.sleep' }, patience);
  assert.equal((await words(news)).filter((word) => word.startsWith('return')).length, 20);
  assert.deepEqual(
    master.published.map(({ fun }) => fun),
    ['test.sleep'],
  );
});

test('watch - a minion that no longer runs the job is not waited for until the end of time', async () => {
  const master = new FakeMaster({ a: { isRunning: false } });
  const { news } = await publishAndWatch(master.parts, job, patience);
  assert.deepEqual(await words(news), ['no response a']);
  assert.ok(master.clock.nowMs() < 6000);
});

test('watch - named ids without a key come last', async () => {
  const master = new FakeMaster({ a: { value: 1 } });
  const options = { ...job, tgt: ['a', 'x'], tgtType: 'list' };
  const { news } = await publishAndWatch(master.parts, options, patience);
  assert.deepEqual(await words(news), ['return a', 'not known x']);
});

test('watch - an aborted watch says nothing more', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: {} });
  const stop = new AbortController();
  const { news } = await publishAndWatch({ ...master.parts, signal: stop.signal }, job, patience);
  assert.equal((await news.next()).value?.id, 'a');
  const rest = news.next();
  stop.abort();
  assert.equal((await rest).done, true);
  assert.ok(master.clock.nowMs() < 5000);
});

test('watch - a job of somebody else: first what the cache has, then what comes', async () => {
  const master = new FakeMaster({ a: {}, b: {} });
  master.stored = [dict({ id: 'a', return: 1, retcode: 0 })];
  const published = { jid: '7', minions: ['a', 'b'], missing: [], lost: new Map<string, string>() };
  const news = watchPublished(master.parts, published, patience);
  master.clock.after(10, () => master.fire('7', 'a', { return: 1, retcode: 0 }));
  master.clock.after(20, () => master.fire('7', 'b', { return: 2, retcode: 0 }));
  assert.deepEqual(await words(news), ['return a', 'return b']);
});

test('watch - a minion whose connection comes back in time is waited for like the others', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: { value: 1, afterMs: 3000 }, c: {} });
  master.lost = new Map([
    ['b', '2026-01-01T00:00:00'],
    ['c', '2026-01-01T00:00:00'],
  ]);
  const { news } = await publishAndWatch(master.parts, { ...job, fun: 'test.sleep' }, patience);
  assert.equal((await news.next()).value?.id, 'a');
  master.link('b', true, '2026-01-01T00:00:01');
  assert.deepEqual(await words(news), ['return b', 'never received c']);
  assert.equal(master.clock.nowMs(), 3000);
});

test('watch - a minion that was lost just before the job is waited for as long as it would be given the job when it comes back', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: { value: 1, afterMs: 4500 }, c: {}, d: {} });
  master.lost = new Map([
    ['b', '1970-01-01T00:00:00'],
    ['c', '1969-12-31T23:59:50'],
    ['d', '1969-12-31T23:00:00'],
  ]);
  const { news } = await publishAndWatch(master.parts, { ...job, fun: 'test.sleep' }, patience);
  assert.deepEqual(await words(news), ['return a', 'return b', 'never received d', 'never received c']);
  assert.equal(master.clock.nowMs(), 5000, 'no longer than the time-out');
});

test('watch - where a master stands alone, one that was lost just before the job is named in two seconds, or in the time-out', async () => {
  for (const [timeoutMs, namedMs] of [
    [5000, 2000],
    [1000, 1000],
  ] as const) {
    const master = new FakeMaster({ a: { value: 1 }, b: {} });
    master.isClustered = false;
    master.lost = new Map([['b', '1970-01-01T00:00:00']]);
    const { news } = await publishAndWatch(master.parts, job, { ...patience, timeoutMs });
    assert.deepEqual(await words(news), ['return a', 'never received b']);
    assert.equal(master.clock.nowMs(), namedMs);
  }
});

test('watch - one that cannot have been connected since the master was started is named with that, and nobody asks for it', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: {}, c: {} });
  Object.assign(master, { isClustered: false, strange: ['b', 'c'], newcomers: ['c'] });
  master.unseenSince = '1969-12-31T23:00:00';
  const { news } = await publishAndWatch(master.parts, job, patience);
  const silent: JobNews[] = [];
  for await (const item of news) if (item.kind === 'silent') silent.push(item);
  assert.deepEqual(
    silent.map((item) => item.kind === 'silent' && [item.id, item.outcome]),
    [
      ['b', { kind: 'not here yet', since: '1969-12-31T23:00:00' }],
      ['c', { kind: 'not here yet' }],
    ],
  );
  assert.deepEqual(
    master.published.map(({ fun }) => fun),
    ['test.ping'],
  );
});

test('watch - one that comes back after the master was started is waited for like the others', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: { value: 1, afterMs: 4000 } });
  Object.assign(master, { isClustered: false, strange: ['b'], unseenSince: '1970-01-01T00:00:00' });
  const { news } = await publishAndWatch(master.parts, { ...job, fun: 'test.sleep' }, patience);
  assert.equal((await news.next()).value?.id, 'a');
  master.link('b', true, '1970-01-01T00:00:01');
  assert.deepEqual(await words(news), ['return b']);
});

test('watch - nobody is given up whose return is in the job cache', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: {} });
  const { job: published, news } = await publishAndWatch(master.parts, job, patience);
  master.stored = [dict({ jid: published.jid, id: 'b', return: true, retcode: 0 })];
  assert.deepEqual(await words(news), ['return a', 'return b']);
});
