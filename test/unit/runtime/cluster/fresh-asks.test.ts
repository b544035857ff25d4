import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, type Clock } from '../../../../src/host/clock.ts';
import { FreshAsks } from '../../../../src/runtime/cluster/fresh-asks.ts';

test('cluster calls - each is made once, and only about when it was sent', () => {
  let nowMs = 1_700_000_000_000;
  const clock: Clock = { ...systemClock, nowMs: () => nowMs, monotonicMs: () => nowMs - 1_600_000_000_000 };
  const asks = new FreshAsks(clock);
  const sentMs = nowMs;
  assert.equal(asks.refusal('a', sentMs), undefined);
  assert.equal(asks.refusal('b', sentMs - 14_000), undefined, 'clocks of masters differ');
  assert.match(asks.refusal('a', sentMs) ?? '', /made before/);
  assert.match(asks.refusal('c', sentMs + 16_000) ?? '', /16 s away from this master's clock/);
  assert.match(asks.refusal('d', Number.NaN) ?? '', /away from/);
  nowMs += 29_000;
  assert.match(asks.refusal('a', nowMs) ?? '', /made before/, 'as long as its time could pass');
  nowMs += 2_000;
  assert.match(asks.refusal('a', sentMs) ?? '', /31 s away/);
});
