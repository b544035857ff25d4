/**
 * A tree of masters on the built programs: a top master, a master below it, a master below that one, minions on each.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import { Fleet } from '../support/fleet.ts';
import { addressOf, createBelow, joinSyndic, keptReturns, ORDERS, untilKept } from '../support/tree.ts';

test(
  'syndic - three levels: everybody answers once, whoever is away has a name, nothing is lost under way',
  { timeout: 120_000 },
  async (t) => {
    const top = await Fleet.create(t);
    const roots = `file_roots: {base: ['${top.path('srv')}']}`;
    const options = [...ORDERS, 'syndic_wait: 10', roots];
    top.configureMaster(options);
    const mid = await createBelow(t, [addressOf(top)], options);
    const low = await createBelow(t, [addressOf(mid)], ['auto_accept: True', roots]);
    await Promise.all([top, mid, low].map((fleet) => fleet.startMaster()));
    const syndics = await Promise.all([joinSyndic(mid, 's-mid'), joinSyndic(low, 's-low')]);
    await Promise.all([
      top.joinMinion('on-top'),
      mid.joinMinion('on-mid'),
      low.joinMinion('low-a'),
      low.joinMinion('low-b', ['grains: {role: web}']),
    ]);
    const all = ['low-a', 'low-b', 'on-mid', 'on-top'];

    await t.test('a command on top ends with the last answer', async () => {
      const beganMs = performance.now();
      const answers = await top.json(['*', 'test.ping']);
      assert.deepEqual(Object.keys(answers).sort(), all);
      assert.ok(performance.now() - beganMs < 8_000, 'it has waited for something else than answers');
      assert.deepEqual(await top.json(['-G', 'role:web', 'test.echo', 'hi']), { 'low-b': 'hi' });
      assert.deepEqual(await top.json(['-C', 'low-* and not G@role:web', 'test.ping']), { 'low-a': true });
      const { stdout } = await top.salt(['-L', 'low-a,nobody', 'test.ping']);
      assert.match(stdout, /low-a:\n {4}True\n/);
      assert.match(stdout, /nobody:\n {4}Minion did not return/);
    });

    await t.test(
      'the job cache on top has each return once, also of --async, and the list of minions',
      async () => {
        const tags: string[] = [];
        const reader = await EventBusReader.connect(
          top.path('m', 'run', 'master_event_pub.ipc'),
          (tag) => tag.includes('/ret/'),
          ({ tag }) => tags.push(tag),
        );
        const { stdout } = await top.salt(['--async', '*', 'cmd.run', 'echo x', '--metadata', '{k: v}']);
        const jid = /job ID: (\d{20})/.exec(stdout)?.[1] as string;
        const returns = await untilKept(top, jid, 4);
        reader.close();
        assert.deepEqual(Object.keys(returns).sort(), all);
        assert.deepEqual(tags.sort(), all.map((id) => `salt/job/${jid}/ret/${id}`).sort());
        const listed = await top.run('salt-run', ['--out=json', 'jobs.list_job', jid]);
        assert.deepEqual((JSON.parse(listed.stdout) as { Minions: string[] }).Minions, all);
        // every level has it, and every level has only its own
        assert.deepEqual(Object.keys(await keptReturns(low, jid)).sort(), ['low-a', 'low-b']);
        assert.deepEqual(Object.keys(await keptReturns(mid, jid)).sort(), ['low-a', 'low-b', 'on-mid']);
      },
    );

    await t.test('a state run gives each result once, on every level', async () => {
      top.write(top.path('srv'), 'site.sls', ['{{ grains.id }}:', '  test.succeed_with_changes: []']);
      const results = await top.json(['*', 'state.apply', 'site']);
      assert.deepEqual(Object.keys(results).sort(), all);
      for (const [id, states] of Object.entries(results)) {
        const told = Object.entries(states as Record<string, { result: boolean }>);
        assert.deepEqual(
          told.map(([tag, { result }]) => [tag, result]),
          [[`test_|-${id}_|-${id}_|-succeed_with_changes`, true]],
        );
      }
      const listed = await top.run('salt-run', [
        '--out=json',
        'jobs.list_jobs',
        'search_function=state.apply',
      ]);
      const jobs = Object.keys(JSON.parse(listed.stdout) as object);
      assert.equal(jobs.length, 1);
      assert.deepEqual(await keptReturns(top, String(jobs[0])), results);
    });

    await t.test('a job of the lowest master goes up, too', async () => {
      await low.json(['low-a', 'test.echo', 'from below']);
      const jobs = await low.run('salt-run', ['--out=json', 'jobs.list_jobs', 'search_function=test.echo']);
      const jid = Object.keys(JSON.parse(jobs.stdout) as object).pop() as string;
      assert.deepEqual(await untilKept(top, jid, 1), { 'low-a': 'from below' });
    });

    await t.test('a syndic that is away is named within seconds, and catches up', async () => {
      const [, lowSyndic] = syndics;
      await lowSyndic.stop('SIGKILL');
      const beganMs = performance.now();
      const { stdout } = await top.salt(['--out=json', '--static', '*', 'test.ping']);
      assert.deepEqual(Object.keys(JSON.parse(stdout) as object).sort(), ['on-mid', 'on-top']);
      const told = await top.salt(['*', 'test.ping']);
      assert.match(
        told.stdout,
        /syndic\/s-low:\n {4}Minion did not return. \[Not connected\]\n.*was not connected/,
      );
      assert.ok(performance.now() - beganMs < 20_000, 'it took long');
      const { stdout: below } = await low.salt(['--async', '*', 'test.echo', 'meanwhile']);
      const jid = /job ID: (\d{20})/.exec(below)?.[1] as string;
      await untilKept(low, jid, 2);
      await joinSyndic(low, 's-low');
      assert.deepEqual(await untilKept(top, jid, 2), { 'low-a': 'meanwhile', 'low-b': 'meanwhile' });
      const cursor = low.path('m', 'cache', 'syndic', 'cursor.json');
      assert.match(readFileSync(cursor, 'utf8'), /^\{"\d{8}":\d+\}$/);
    });
  },
);
