import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { outliveUnexpected } from '../../../../src/programs/daemon/unexpected.ts';
import { keptLog } from '../../../support/attacker.ts';

test('daemons - an error that nobody caught is logged, and only a hundred within a minute end the program', () => {
  const { log, lines } = keptLog();
  let [nowMs, ends] = [0, 0];
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const outlive = outliveUnexpected(clock, log, () => ends++);
  for (let i = 0; i < 99; i++) outlive(new Error('a mistake of ours'));
  assert.match(lines.at(-1) ?? '', /Something unexpected went wrong \(99 times so far\): a mistake of ours/);
  nowMs = 60_001;
  for (let i = 0; i < 99; i++) outlive('no error at all');
  assert.equal(ends, 0);
  outlive(new Error('again'));
  assert.equal(ends, 1);
  assert.match(lines.at(-1) ?? '', /100 times within 60 seconds: the program ends/);
});
