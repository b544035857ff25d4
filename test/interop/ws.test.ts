/** The ws transport between ours and a real Salt 3007; 3006 has none. */
import assert from 'node:assert/strict';
import { ours } from '../support/fleet.ts';
import { createFleet, interop, joinThroughPending, untilAnswers } from './real-salt.ts';

const WS = ['transport: ws'];
const MASTER = [...WS, 'gather_job_timeout: 5', 'loop_interval: 2'];

interop('a real minion joins our master over ws', async (t, real, version) => {
  if (version === '3006') return t.skip('3006 has no ws');
  const fleet = await createFleet(t, MASTER);
  await fleet.startMaster();
  await joinThroughPending(fleet, 'r1', { minion: real, keys: ours, options: WS });
  await untilAnswers(fleet, 'r1', ours);
  assert.deepEqual(await fleet.json(['r1', 'test.echo', 'grün'], real), { r1: 'grün' });
});

interop('our minion joins a real master over ws', async (t, real, version) => {
  if (version === '3006') return t.skip('3006 has no ws');
  const fleet = await createFleet(t, MASTER);
  await fleet.startMaster(real);
  await joinThroughPending(fleet, 'o1', { minion: ours, keys: real, options: WS });
  await untilAnswers(fleet, 'o1', ours);
  assert.deepEqual(await fleet.json(['o1', 'test.echo', 'grün'], ours), { o1: 'grün' });
});
