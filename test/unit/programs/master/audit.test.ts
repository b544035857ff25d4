import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../../../src/host/log.ts';
import { Audit, EVENTS_A_SECOND } from '../../../../src/programs/master/auth/audit.ts';
import type { Dict } from '../../../../src/python/values/value.ts';
import { fakeClock } from '../../../support/module-context.ts';

test('audit - a flood of refusals of one address has a bounded number of events, and says how many it left out', async () => {
  const clock = fakeClock();
  const events: Dict[] = [];
  const audit = new Audit((_, data) => void events.push(data), silentLogger, clock);
  const refuse = (from: string): void =>
    audit.refused({
      user: 'mallory',
      type: 'user',
      client: 'local',
      funs: ['test.ping'],
      from,
      reason: 'no',
    });
  for (let n = 0; n < 1000; n++) refuse(`10.0.0.1:${n}`);
  assert.equal(events.length, EVENTS_A_SECOND);
  refuse('10.0.0.2:1');
  assert.equal(events.length, EVENTS_A_SECOND + 1, 'another address has its own');
  await clock.sleep(1000);
  refuse('10.0.0.1:5');
  assert.equal(events.at(-1)?.get('left_out'), 1000 - EVENTS_A_SECOND);
  refuse('10.0.0.1:6');
  assert.equal(events.at(-1)?.has('left_out'), false);
  assert.deepEqual([audit.refusals, audit.leftOut], [1003, 1000 - EVENTS_A_SECOND]);
});
