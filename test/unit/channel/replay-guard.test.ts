import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ReplayGuard } from '../../../src/channel/replay-guard.ts';

/** A guard that is asked with nonces made of short texts. */
class TestGuard {
  readonly #guard: ReplayGuard;

  constructor(minionsMax?: number) {
    this.#guard = new ReplayGuard(minionsMax);
  }

  check(id: string, text: string, ts: number): string {
    return this.#guard.check(id, createHash('md5').update(text).digest('hex'), ts);
  }

  forget(id: string): void {
    this.#guard.forget(id);
  }
}

test('replay guard - a nonce is taken once per minion', () => {
  const guard = new TestGuard();
  assert.equal(guard.check('m1', 'a', 100), 'fresh');
  assert.equal(guard.check('m1', 'a', 100), 'seen');
  assert.equal(guard.check('m1', 'a', 101), 'seen');
  assert.equal(guard.check('m2', 'a', 100), 'fresh');
});

test('replay guard - what is older than the memory is refused, however late it is played', () => {
  const guard = new TestGuard();
  assert.equal(guard.check('m1', 'old', 100), 'fresh');
  for (let i = 0; i < 6000; i++) assert.equal(guard.check('m1', `n${i}`, 200 + Math.floor(i / 10)), 'fresh');
  assert.equal(guard.check('m1', 'old', 100), 'seen');
  assert.equal(guard.check('m1', 'n0', 200), 'seen');
});

test('replay guard - of many requests in one second none is ever taken twice', () => {
  const guard = new TestGuard();
  let taken = 0;
  for (let i = 0; i < 10_000; i++) if (guard.check('m1', `n${i}`, 100) === 'fresh') taken++;
  assert.ok(taken >= 4000, `${taken} were taken`);
  for (let i = 0; i < 10_000; i++) assert.equal(guard.check('m1', `n${i}`, 100), 'seen');
  assert.equal(guard.check('m1', 'next', 101), 'fresh', 'the next second goes on');
  for (let i = 0; i < 10_000; i++) assert.equal(guard.check('m1', `n${i}`, 100), 'seen');
});

test('replay guard - requests under way may overtake each other', () => {
  const guard = new TestGuard();
  assert.equal(guard.check('m1', 'b', 110), 'fresh');
  assert.equal(guard.check('m1', 'a', 100), 'fresh');
});

test('replay guard - a clock set back more than an hour is told apart, and works after a new session', () => {
  const guard = new TestGuard();
  assert.equal(guard.check('m1', 'a', 10_000), 'fresh');
  assert.equal(guard.check('m1', 'b', 10_000 - 3600), 'fresh');
  assert.equal(guard.check('m1', 'c', 10_000 - 3601), 'clock set back');
  guard.forget('m1');
  assert.equal(guard.check('m1', 'd', 10_000 - 3601), 'fresh');
});

test('replay guard - memory is bounded by the number of minions', () => {
  const guard = new TestGuard(10);
  for (let i = 0; i < 100; i++) guard.check(`m${i}`, 'n', 1);
  assert.equal(guard.check('m99', 'n', 1), 'seen');
  assert.equal(guard.check('m0', 'n', 1), 'fresh', 'the ones seen longest ago are forgotten');
});

test('replay guard - a nonce that is no hexadecimal number is never taken', () => {
  const guard = new ReplayGuard();
  assert.equal(guard.check('m1', 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz', 100), 'seen');
});
