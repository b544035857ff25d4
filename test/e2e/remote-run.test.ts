/** `salt-run -a`: the master runs the function, and the exit code is that of a run in this process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fleet } from '../support/fleet.ts';

test('salt-run -a - ends as without, also when the function fell short or did not take its arguments', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster(["external_auth: {auto: {fred: ['@runner']}}"]);
  await fleet.startMaster();
  const login = ['-a', 'auto', '--username=fred', '--password=x'];
  for (const [words, wanted] of [
    [['test.arg', 'x'], 0],
    [['jobs.lookup_jid', '20250101000000000000'], 2],
    [['cache.grains', 'nosuch'], 2],
    [['survey.hash', 'nosuch', 'test.ping'], 2],
    [['jobs.list_jobs', 'nosuch=1'], 1],
    [['fileserver.update', 'nosuch=1'], 1],
  ] as const) {
    const [remote, here] = await Promise.all([
      fleet.run('salt-run', [...login, ...words]),
      fleet.run('salt-run', words),
    ]);
    assert.deepEqual([remote.code, here.code], [wanted, wanted], `${words.join(' ')}: ${remote.stderr}`);
  }
});
