/** `publish.*` between real and own programs. */
import assert from 'node:assert/strict';
import { ours, type Fleet, type Programs } from '../support/fleet.ts';
import { createFleet, interop, untilAnswers } from './real-salt.ts';

const OPTIONS = [
  'auto_accept: True',
  'loop_interval: 2',
  'peer: {m1: [test.*]}',
  'peer_run: {m1: [test.arg]}',
];

/**
 * What the functions of a minion give when its master publishes nothing: a real minion's cannot be told from nobody's
 * answer.
 */
interface Refusals {
  readonly publish: unknown;
  readonly runner: unknown;
}

async function publishes(fleet: Fleet, programs: Programs, refused: Refusals): Promise<void> {
  const ask = async (...words: string[]): Promise<unknown> =>
    (await fleet.json(['m1', ...words], programs))['m1'];
  assert.deepEqual(await ask('publish.publish', 'm1', 'test.echo', 'x'), { m1: 'x' });
  assert.deepEqual(await ask('publish.full_data', 'm1', 'test.arg_clean', "['a', 'k=[1]']"), {
    m1: { ret: { args: ['a'], kwargs: { k: [1] } } },
  });
  assert.deepEqual(await ask('publish.publish', 'm1', 'cmd.run', 'id'), refused.publish);
  assert.deepEqual(await ask('publish.runner', 'test.arg', "['a', 'k=5']"), {
    args: ['a'],
    kwargs: { k: 5 },
  });
  assert.deepEqual(await ask('publish.runner', 'manage.up'), refused.runner);
}

interop('a real minion publishes through our master', async (t, real) => {
  const fleet = await createFleet(t, OPTIONS);
  await fleet.startMaster();
  await fleet.joinMinion('m1', [], real);
  await untilAnswers(fleet, 'm1', ours);
  await publishes(fleet, ours, { publish: {}, runner: {} });
});

interop('our minion publishes through a real master', async (t, real) => {
  const fleet = await createFleet(t, OPTIONS);
  await fleet.startMaster(real);
  await fleet.joinMinion('m1');
  await untilAnswers(fleet, 'm1', real);
  await publishes(fleet, real, {
    publish:
      'ERROR: The master has not published the job: its option peer does not allow it, or no minion fits.',
    runner: {},
  });
});
