/**
 * Signed returns: `minion_sign_messages` on one side, `require_minion_sign_messages` and `drop_messages_signature_fail`
 * on the other.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ours, type Programs } from '../support/fleet.ts';
import { createFleet, interop, untilAnswers } from './real-salt.ts';

interop('our master demands signed returns of a real minion', (t, real) => signed(t, ours, real));
interop('a real master demands signed returns of our minion', (t, real) => signed(t, real, ours));

async function signed(t: TestContext, masters: Programs, minions: Programs): Promise<void> {
  const fleet = await createFleet(t);
  fleet.configureMaster([
    'require_minion_sign_messages: True',
    'drop_messages_signature_fail: True',
    'auto_accept: True',
    'gather_job_timeout: 3',
  ]);
  await fleet.startMaster(masters);
  await fleet.joinMinion('signs', ['minion_sign_messages: True'], minions);
  await fleet.joinMinion('silent', [], minions);
  await untilAnswers(fleet, 'signs', ours);
  const { stdout } = await fleet.salt(['-t', '3', '--out', 'txt', '*', 'test.echo', '{ü: [1, null, 3.5]}']);
  assert.match(stdout, /^signs: \{'ü': \[1, None, 3\.5\]\}$/m);
  assert.doesNotMatch(stdout, /^silent: \{'ü'/m);
}
