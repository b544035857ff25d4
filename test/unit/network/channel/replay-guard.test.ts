import assert from 'node:assert/strict';
import { createHash, getRandomValues } from 'node:crypto';
import { test } from 'node:test';
import {
  ReplayGuard,
  SEEN,
  type Claim,
  type ReplayCheck,
} from '../../../../src/network/channel/replay-guard.ts';
import { TagSet } from '../../../../src/network/channel/tag-set.ts';
import { systemClock } from '../../../../src/host/clock.ts';

const ROUND_MS = 120_000;

/** A guard whose clock moves when told, and requests that are made of short texts. */
class TestGuard {
  readonly guard: ReplayGuard;
  nowMs = 0;
  beginnings = 0;

  constructor(limits: { minionsMax?: number; roundMax?: number } = {}) {
    this.guard = new ReplayGuard({
      clock: { ...systemClock, monotonicMs: () => this.nowMs },
      beginAnew: () => ++this.beginnings,
      ...limits,
    });
  }

  claim(id: string | undefined, text: string): Claim | typeof SEEN {
    return this.guard.claim(createHash('sha256').update(text).digest(), id);
  }

  /** Serves a request as a door does. */
  serve(id: string, text: string, ts: number): 'served' | 'seen' | 'too old' {
    const claim = this.claim(id, text);
    if (claim === SEEN) return 'seen';
    const isOld = ts <= claim.standing.servedUntil;
    this.guard.settle(claim, isOld ? { kind: 'session ended' } : { kind: 'genuine', ts });
    return isOld ? 'too old' : 'served';
  }

  settle(claim: Claim | typeof SEEN, outcome: ReplayCheck): void {
    assert.notEqual(claim, SEEN);
    this.guard.settle(claim as Claim, outcome);
  }
}

test('replay guard - a request is served once, in whatever name it comes', () => {
  const guard = new TestGuard();
  assert.equal(guard.serve('m1', 'a', 100), 'served');
  assert.equal(guard.serve('m1', 'a', 100), 'seen');
  assert.equal(guard.serve('m2', 'a', 101), 'seen');
  assert.equal(guard.serve('m2', 'b', 100), 'served');
});

test('replay guard - a request that is being served is refused until then, and after that', () => {
  const guard = new TestGuard();
  const first = guard.claim('m1', 'a');
  assert.equal(guard.claim('m1', 'a'), SEEN);
  guard.nowMs += 10 * ROUND_MS;
  assert.equal(guard.claim('m1', 'a'), SEEN, 'however long it takes');
  guard.settle(first, { kind: 'genuine', ts: 100 });
  assert.equal(guard.claim('m1', 'a'), SEEN);
});

test('replay guard - what was not genuine leaves no trace', () => {
  const guard = new TestGuard();
  for (let i = 0; i < 3; i++) guard.settle(guard.claim('m1', 'a'), { kind: 'refused' });
  assert.equal(guard.serve('m1', 'a', 100), 'served');
});

test('replay guard - what is forgotten is too old, however late it is played', () => {
  const guard = new TestGuard();
  assert.equal(guard.serve('m1', 'old', 100), 'served');
  for (let n = 1; n <= 6; n++) {
    guard.nowMs += ROUND_MS / 2;
    assert.notEqual(guard.serve('m1', 'old', 100), 'served', `after ${n / 2} rounds`);
    assert.equal(guard.serve('m1', `n${n}`, 100 + n * 60), 'served');
  }
});

test('replay guard - also from a minion that was silent ever since', () => {
  for (const rounds of [1, 2, 3, 10]) {
    const guard = new TestGuard();
    assert.equal(guard.serve('m1', 'old', 100), 'served');
    for (let n = 0; n < rounds; n++) {
      guard.nowMs += ROUND_MS;
      assert.equal(guard.serve('m2', `n${n}`, 100 + n), 'served');
    }
    assert.notEqual(guard.serve('m1', 'old', 100), 'served', `${rounds} rounds`);
  }
});

test('replay guard - a request whose worker died is never served again, and its sender goes on', () => {
  const guard = new TestGuard();
  guard.settle(guard.claim('m1', 'a'), { kind: 'lost' });
  for (let n = 0; n < 5; n++) {
    guard.nowMs += ROUND_MS;
    assert.equal(guard.serve('m1', 'a', 100), 'seen');
  }
  assert.equal(guard.serve('m1', 'b', 100), 'served');
});

test('replay guard - requests under way may overtake each other', () => {
  const guard = new TestGuard();
  assert.equal(guard.serve('m1', 'b', 110), 'served');
  guard.nowMs += ROUND_MS - 1;
  assert.equal(guard.serve('m1', 'a', 100), 'served');
  guard.nowMs += 1;
  assert.equal(guard.serve('m1', 'c', 105), 'served');
});

test('replay guard - after its session was ended a minion goes on with another clock, and old requests do not count', () => {
  const guard = new TestGuard();
  guard.serve('m1', 'a', 10_000);
  const slow = guard.claim('m1', 'slow');
  guard.nowMs += 2 * ROUND_MS;
  guard.serve('m2', 'x', 1);
  guard.nowMs += 2 * ROUND_MS;
  const before = guard.claim('m1', 'b');
  assert.ok(before !== SEEN && before.standing.servedUntil === 10_000);
  guard.settle(before, { kind: 'session ended' });
  const after = guard.claim('m1', 'c');
  assert.ok(after !== SEEN && after.standing.generation !== before.standing.generation);
  guard.settle(after, { kind: 'genuine', ts: 500 });
  guard.settle(slow, { kind: 'genuine', ts: 10_001 });
  for (let n = 0; n < 3; n++) {
    guard.nowMs += ROUND_MS;
    guard.serve('m2', `y${n}`, 2 + n);
  }
  const next = guard.claim('m1', 'd');
  assert.ok(next !== SEEN && next.standing.servedUntil === 500);
});

test('replay guard - when a round is full the next begins, and nothing is served twice', () => {
  const guard = new TestGuard({ roundMax: 100 });
  for (let n = 0; n < 1000; n++) assert.equal(guard.serve(`m${n % 7}`, `n${n}`, n), 'served');
  for (let n = 0; n < 1000; n++) {
    const claim = guard.claim(`m${n % 7}`, `n${n}`);
    if (claim === SEEN) continue;
    assert.ok(n <= claim.standing.servedUntil, `${n}`);
    guard.settle(claim, { kind: 'refused' });
  }
});

test('replay guard - when its memory is full all sessions end, rather than that it forgets somebody', () => {
  const guard = new TestGuard({ minionsMax: 10 });
  assert.equal(guard.beginnings, 1, 'and they end when it begins');
  for (let n = 0; n < 10; n++) guard.serve(`m${n}`, `n${n}`, 1);
  assert.equal(guard.beginnings, 1);
  guard.serve('m10', 'n10', 1);
  assert.equal(guard.beginnings, 2);
  const claim = guard.claim('m0', 'new');
  assert.ok(claim !== SEEN && claim.standing.sessionsFromMs === 2);
});

test('replay guard - ten thousand requests a second for two minutes take less than 20 MB', () => {
  const tags = new TagSet();
  const before = process.memoryUsage().arrayBuffers;
  const random = new Uint32Array(2 * 1_200_000);
  for (let at = 0; at < random.length; at += 10_000) getRandomValues(random.subarray(at, at + 10_000));
  const tag = (n: number): number =>
    (random[2 * n] as number) * 2 ** 21 + ((random[2 * n + 1] as number) >>> 11) + 1;
  for (let n = 0; n < 1_200_000; n++) tags.add(tag(n));
  assert.ok(tags.size > 1_199_990);
  for (let n = 0; n < 1_200_000; n += 1000) assert.ok(tags.has(tag(n)));
  assert.equal(tags.has(12_345), false);
  const tableBytes = process.memoryUsage().arrayBuffers - before - random.byteLength;
  assert.ok(tableBytes < 40 * 1024 * 1024, `${tableBytes} bytes, garbage of growing included`);
});
