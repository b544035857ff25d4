import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, parseAmount } from '../../../src/runtime/client/amount.ts';
import {
  checkLimit,
  parseLimit,
  parseSteps,
  planSteps,
  reachesLimit,
} from '../../../src/cli/options/rollout-plan.ts';

const plan = (steps: string, total: number): number[] => planSteps(parseSteps(steps), total);
const stops = (limit: string, failures: number, ran: number): boolean =>
  reachesLimit(parseLimit(limit), failures, ran);

test('amounts - numbers and percentages as --batch takes them', () => {
  assert.deepEqual(parseAmount('3'), { kind: 'count', value: 3 });
  assert.deepEqual(parseAmount('10%'), { kind: 'percent', value: 10 });
  assert.deepEqual(parseAmount('%10'), { kind: 'percent', value: 10 });
  for (const wrong of ['', '0', '-1', '1.5', '0%', 'x', '10%%', '1e3', '%'])
    assert.equal(parseAmount(wrong), undefined, wrong);
  const of = (text: string, total: number): number =>
    amountOf(parseAmount(text) ?? { kind: 'count', value: 0 }, total);
  assert.equal(of('10%', 3), 1);
  assert.equal(of('50%', 3), 1);
  assert.equal(of('99%', 3), 2);
  assert.equal(of('100%', 3), 3);
  assert.equal(of('7', 3), 3);
});

test('canary - steps grow, and those that add nobody are left out', () => {
  assert.deepEqual(plan('1,10%,100%', 100), [1, 10, 100]);
  assert.deepEqual(plan('1,10%,100%', 5), [1, 5]);
  assert.deepEqual(plan('5,2,50%', 20), [5, 10]);
  assert.deepEqual(plan('1,100%', 0), []);
  assert.throws(() => parseSteps('1,,5'), /option --canary: "1,,5" is no list of steps/);
});

test('canary - the limit is a number of failures, or a share of those that ran', () => {
  assert.equal(stops('1', 0, 5), false);
  assert.equal(stops('2', 1, 5), false);
  assert.equal(stops('2', 2, 5), true);
  assert.equal(stops('5%', 1, 20), true);
  assert.equal(stops('5%', 1, 21), false);
  assert.equal(stops('5%', 0, 1), false);
  assert.equal(checkLimit('5%'), '5%');
  assert.throws(() => parseLimit('few'), /option --abort-on: "few" is neither/);
});
