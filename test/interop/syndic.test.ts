/**
 * A tree of masters with a real Salt in each place in turn: on top, as the master below with its syndic, as the minion.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ours, type Fleet, type Programs } from '../support/fleet.ts';
import { configureSyndic, joinSyndic, ORDERS, untilKept } from '../support/tree.ts';
import { BusWatch, createFleet, interop } from './real-salt.ts';

const OPTIONS = ['loop_interval: 2', 'gather_job_timeout: 2', 'syndic_wait: 3'];
/** Salt's commands wait for the syndic itself, which answers nothing, as for a silent minion. */
const PATIENCE = ['-t', '4'];

/** Who is what in a tree. */
interface Places {
  readonly top: Programs;
  readonly below: Programs;
  /** The syndic, when it is none of those. */
  readonly syndic?: Programs;
  readonly minions: Readonly<Record<string, Programs>>;
  /** Of all connections; zeromq. */
  readonly transport?: string;
}

async function grow(
  t: TestContext,
  { top, below, minions, syndic = below, transport = 'zeromq' }: Places,
): Promise<{ high: Fleet; low: Fleet }> {
  const way = `transport: ${transport}`;
  const high = await createFleet(t, [...OPTIONS, ...ORDERS, way]);
  await high.startMaster(top);
  const low = await createFleet(t, []);
  low.configureMaster([
    ...OPTIONS,
    'auto_accept: True',
    'syndic_master: 127.0.0.1',
    `syndic_master_port: ${high.retPort}`,
    way,
  ]);
  await low.startMaster(below);
  // Salt compat: Salt's syndic takes the publish port of the master above from its own files
  const ports = [`publish_port: ${high.publishPort}`, way];
  configureSyndic(low, 'syn', ports);
  await joinSyndic(low, 'syn', ports, syndic);
  for (const [id, programs] of Object.entries(minions))
    await low.joinMinion(id, [`grains: {place: ${id}}`, way], programs);
  return { high, low };
}

/** The same commands have the same results, whoever is where. @param top whose job cache it is */
async function commands(
  t: TestContext,
  high: Fleet,
  ids: readonly string[],
  programs: Programs,
  top = programs,
): Promise<void> {
  const each = <T>(value: T): Record<string, T> => Object.fromEntries(ids.map((id) => [id, value]));
  await t.test(`${programs.name} salt on top`, async () => {
    const ask = (...args: string[]): Promise<unknown> => high.json([...PATIENCE, ...args], programs);
    await untilEverybody(high, ids, programs);
    assert.deepEqual(await ask('*', 'cmd.run', 'echo hello'), each('hello'));
    const first = ids[0] as string;
    assert.deepEqual(await ask('-G', `place:${first}`, 'test.ping'), { [first]: true });
    assert.deepEqual(await ask('-C', `G@place:${first} or x`, 'test.echo', 'c'), {
      [first]: 'c',
    });
    const { stdout } = await high.salt(['--async', '*', 'test.echo', 'later'], programs);
    const jid = /job ID: (\d{20})/.exec(stdout)?.[1] as string;
    assert.deepEqual(await untilKept(high, jid, ids.length, top), each('later'));
  });
}

/** Minions have just subscribed; what is published in that moment passes them by. */
async function untilEverybody(high: Fleet, ids: readonly string[], programs: Programs): Promise<void> {
  let last = '';
  for (let tries = 0; tries < 6; tries++) {
    const answers = await high.json([...PATIENCE, '*', 'test.ping'], programs).catch(() => ({}));
    last = Object.entries(answers)
      .filter(([, value]) => value === true)
      .map(([id]) => id)
      .sort()
      .join();
    if (last === [...ids].sort().join()) return;
  }
  assert.fail(`${last} answer, and these should: ${ids.join()}`);
}

interop('a real master on top of ours', async (t, real) => {
  const { high, low } = await grow(t, { top: real, below: ours, minions: { o1: ours, r1: real } });
  const bus = await BusWatch.open(t, high);
  await commands(t, high, ['o1', 'r1'], real);
  await t.test('events of below are told under both names, and the list of minions', async () => {
    await low.json(['o1', 'event.send', 'my/tag', '{a: 1}']);
    assert.equal((await bus.event('my/tag')).get('id'), 'o1');
    assert.equal((await bus.event('syndic/syn/my/tag')).get('id'), 'o1');
    assert.ok(Array.isArray((await bus.event(/^syndic\/syn\/\d{20}$/)).get('minions')));
  });
});

interop('our master on top of a real one with its syndic', async (t, real) => {
  const { high } = await grow(t, { top: ours, below: real, minions: { o1: ours } });
  const bus = await BusWatch.open(t, high);
  await commands(t, high, ['o1'], ours);
  await commands(t, high, ['o1'], real, ours);
  assert.ok(bus.events.some(({ tag }) => /^syndic\/syn\/\d{20}$/.test(tag)));
  const { stdout } = await high.salt(['*', 'test.ping']);
  assert.doesNotMatch(stdout, /syn:/, 'a syndic is no minion that could be silent');
});

interop('a real minion below our syndic', async (t, real) => {
  const { high } = await grow(t, { top: ours, below: ours, minions: { r1: real } });
  await commands(t, high, ['r1'], ours);
  await commands(t, high, ['r1'], real, ours);
});

interop('our syndic beside a real master', async (t, real) => {
  const places = { top: ours, below: real, syndic: ours, minions: { o1: ours } };
  const { high } = await grow(t, places);
  await commands(t, high, ['o1'], ours);
});

for (const transport of ['tcp', 'ws'])
  for (const place of ['top', 'below'] as const)
    interop(`a syndic over ${transport}, with a real master ${place}`, async (t, real, version) => {
      if (transport === 'ws' && version === '3006') return t.skip('3006 has no ws');
      const masters = { top: ours, below: ours, [place]: real };
      const { high } = await grow(t, { ...masters, minions: { o1: ours }, transport });
      await untilEverybody(high, ['o1'], masters.top);
      assert.deepEqual(await high.json([...PATIENCE, 'o1', 'test.echo', 'x'], masters.top), { o1: 'x' });
    });
