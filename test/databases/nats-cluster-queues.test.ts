/** Queues of a cluster: an item that was put in at one master is taken out at any, once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killMaster, startMembers, startNats } from '../support/cluster/stage.ts';
import type { Fleet } from '../support/fleet.ts';

async function queue(fleet: Fleet, ...words: string[]): Promise<unknown> {
  const [fun = '', ...more] = words;
  // an item that is there already and an empty queue are answers here
  const argv = [`queue.${fun}`, ...more, '--out=json', '--exit-codes=salt'];
  const { code, stdout, stderr } = await fleet.run('salt-run', argv);
  assert.equal(code, 0, stdout + stderr);
  return JSON.parse(stdout);
}

test(
  'cluster queues - each item is there once, and taken once, by whichever master',
  { timeout: 120_000 },
  async (t) => {
    const [server] = await startNats(t, 1);
    assert.ok(server !== undefined);
    const members = await startMembers(t, [server], ['a', 'b']);
    const [a, b] = members.map(({ fleet }) => fleet);
    const [first] = members;
    assert.ok(a !== undefined && b !== undefined && first !== undefined);

    await t.test('what is put in here is seen there, in its order, and a second time refused', async () => {
      assert.equal(await queue(a, 'insert', 'work', 'one'), true);
      assert.equal(await queue(b, 'insert', 'work', "['two', 'three']"), true);
      assert.equal(
        await queue(b, 'insert', 'work', 'one'),
        'Item already exists in this queue. sqlite error: UNIQUE constraint failed: work.name',
      );
      for (const fleet of [a, b]) {
        assert.deepEqual(await queue(fleet, 'list_items', 'work'), ['one', 'two', 'three']);
        assert.equal(await queue(fleet, 'list_length', 'work'), 3);
        assert.deepEqual(await queue(fleet, 'list_queues'), ['work']);
      }
    });
    await t.test('what is taken at the same time at both is taken once', async () => {
      const items = Array.from({ length: 12 }, (_, n) => `item${n}`);
      await queue(a, 'delete', 'work', 'two');
      await queue(a, 'insert', 'work', JSON.stringify(items));
      const taken = await Promise.all([a, b, a, b].map((fleet) => queue(fleet, 'pop', 'work', '4')));
      const all = taken.flat() as string[];
      assert.equal(new Set(all).size, all.length, 'none twice');
      const rest = (await queue(b, 'pop', 'work', 'all')) as string[];
      assert.deepEqual([...all, ...rest].sort(), [...items, 'one', 'three'].sort());
      assert.deepEqual(await queue(a, 'list_items', 'work'), []);
    });
    await t.test('what could not be handed on is in the queue again', async () => {
      await queue(a, 'insert', 'work', 'later');
      await killMaster(first);
      const failed = await a.run('salt-run', ['queue.process_queue', 'work']);
      assert.match(failed.stdout + failed.stderr, /could not be fired, because no master runs here/);
      const fired = (await queue(b, 'process_queue', 'work')) as { items: string[]; backend: string };
      assert.deepEqual([fired.items, fired.backend], [['later'], 'sqlite']);
      assert.equal(await queue(b, 'list_length', 'work'), 0);
    });
    await t.test('calls of runners', async () => {
      await queue(b, 'insert_runner', 'test.arg', 'queue=calls', 'backend=sqlite');
      assert.equal(await queue(b, 'list_length', 'calls'), 1);
      await b.run('salt-run', ['queue.process_runner', 'queue=calls', 'backend=sqlite']);
      assert.equal(await queue(b, 'list_length', 'calls'), 0);
    });
    await t.test('without NATS they are refused in one sentence', async () => {
      await server.kill();
      const { code, stdout, stderr } = await b.run('salt-run', ['queue.pop', 'work']);
      assert.notEqual(code, 0);
      assert.match(stdout + stderr, /NATS cannot be reached at nats:\/\/127\.0\.0\.1:\d+/);
    });
  },
);
