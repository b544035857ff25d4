/** One master's folder, used by a real master and by ours in turn. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { namesIn, ours } from '../support/fleet.ts';
import { createFleet, interop, joinThroughPending, restartMaster, untilAnswers } from './real-salt.ts';

interop('a real master takes over our folder, and we take it back', async (t, real) => {
  const fleet = await createFleet(t, ['gather_job_timeout: 5']);
  await fleet.startMaster();
  await joinThroughPending(fleet, 'o1', { minion: ours, keys: ours });
  const realMinion = await joinThroughPending(fleet, 'r1', { minion: real, keys: ours });
  // a real minion whose first events after its start meet the end of a master asks nothing more for a minute, whosever
  // it was
  await untilAnswers(fleet, 'r1', ours);
  const key = readFileSync(fleet.path('m', 'pki', 'master.pem'), 'utf8');
  const known = (): Record<string, string[]> =>
    Object.fromEntries(
      ['minions', 'minions_pre', 'minions_rejected', 'minions_denied'].map((name) => [
        name,
        namesIn(fleet.path('m', 'pki', name)).sort(),
      ]),
    );
  const before = known();
  assert.deepEqual(before['minions'], ['o1', 'r1']);
  for (const programs of [real, ours]) {
    await t.test(`${programs === ours ? 'our' : 'a real'} master on the other's folder`, async () => {
      await restartMaster(fleet, programs);
      await untilAnswers(fleet, 'o1', programs);
      await untilAnswers(fleet, 'r1', programs);
      assert.deepEqual(known(), before);
      assert.equal(readFileSync(fleet.path('m', 'pki', 'master.pem'), 'utf8'), key);
    });
  }
  assert.equal(realMinion.child.exitCode, null);
});
