/** Scheduled jobs, the mine and beacons, on the built programs. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { decode } from '../../src/formats/wire/msgpack.ts';
import { Fleet } from '../support/fleet.ts';

test('schedule - jobs run by themselves, mine data is shared, beacons tell', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster(['auto_accept: True', "mine_get: {'m.*': ['.*']}"]);
  await fleet.startMaster();
  const ran = fleet.path('ran');
  const watched = fleet.path('watched');
  writeFileSync(watched, '');
  const minion = await fleet.joinMinion('m1', [
    `schedule: {start: {function: cmd.run, args: ['echo x >> ${ran}'], hours: 1, run_on_start: True}}`,
    'mine_functions: {test.ping: [], mine_alias: [{mine_function: test.arg}, a], hidden: {mine_function: test.ping, allow_tgt: nobody}}',
    `beacons: {log: [{file: ${watched}, tags: {found: {regex: '.*hit.*'}}}]}`,
    'start_event_grains: [id]',
  ]);
  const ask = async (...words: string[]): Promise<unknown> => (await fleet.json(['m1', ...words]))['m1'];
  const runnerEvents = (tag: string, count: number): ReturnType<Fleet['run']> =>
    fleet.run('salt-run', ['state.event', tag, `count=${count}`, '--out', 'json']);

  await t.test('a job of the configuration', async () => {
    await minion.logged('Running scheduled job: start with jid');
    const status = (await ask('schedule.job_status', 'start')) as Record<string, unknown>;
    assert.equal(status['_seconds'], 3600);
    assert.match(String(status['_last_run']), /^\d{4}-\d\d-\d\dT/);
    assert.equal(existsSync(ran) ? readFileSync(ran, 'utf8') : 'x\n', 'x\n');
  });

  await t.test(
    'a job that is added, returns as a job that began on the minion, and is persisted',
    async () => {
      const event = runnerEvents('salt/job/*/ret/m1', 1);
      const added = await ask(
        ...[
          'schedule.add',
          'often',
          'function=test.arg',
          'job_args=["a", 1]',
          'seconds=1',
          'metadata={k: v}',
        ],
      );
      assert.deepEqual(added, {
        comment: 'Added job: often to schedule.',
        result: true,
        changes: { often: 'added' },
      });
      await minion.logged('Running scheduled job: often with jid', 2);
      const saved = (await ask('schedule.list', 'offline=True', 'return_yaml=False')) as object;
      assert.ok('often' in saved);
      assert.equal((await event).code, 0);
      const deleted = (await ask('schedule.delete', 'often')) as { comment: string };
      assert.equal(deleted.comment, 'Deleted Job often from schedule.');
      const jobs = await fleet.run('salt-run', [
        'jobs.list_jobs',
        'search_function=test.arg',
        '--out',
        'json',
      ]);
      const listed = Object.values(
        JSON.parse(jobs.stdout) as Record<string, { Target: string; Metadata: object }>,
      );
      assert.ok(listed.length >= 1 && listed.every(({ Target }) => Target === 'm1'));
      assert.ok('_TS' in (listed[0]?.Metadata ?? {}));
    },
  );

  await t.test('salt-call speaks with the running minion', async () => {
    const call = await fleet.run('salt-call', [
      '-c',
      fleet.path('m1'),
      '--out',
      'json',
      'schedule.list',
      'return_yaml=False',
    ]);
    const { local } = JSON.parse(call.stdout) as { local: Record<string, { function: string }> };
    assert.equal(local['start']?.function, 'cmd.run');
  });

  await t.test('the mine', async () => {
    await fleet.joinMinion('m2');
    const get = async (...words: string[]): Promise<unknown> =>
      (await fleet.json(['m2', 'mine.get', ...words]))['m2'];
    assert.deepEqual(await get('*', 'mine_alias'), { m1: { args: ['a'], kwargs: {} } });
    assert.deepEqual(await get('*', 'hidden'), {});
    const kept = decode(readFileSync(fleet.path('m/cache/minions/m1/mine.p')), 'local') as Map<
      string,
      unknown
    >;
    assert.deepEqual([...kept.keys()], ['test.ping', 'mine_alias', 'hidden']);
    assert.equal(await ask('mine.flush'), true);
    assert.deepEqual(await get('*', 'mine_alias'), {});
  });

  await t.test('a beacon', async () => {
    const event = runnerEvents('salt/beacon/m1/log/found', 1);
    await new Promise((resolve) => setImmediate(resolve));
    let isDone = false;
    void event.then(() => (isDone = true));
    for (let line = 0; line < 40 && !isDone; line++) {
      writeFileSync(watched, `a hit ${line}\n`, { flag: 'a' });
      await Promise.race([event, ask('test.sleep', '0.5')]);
    }
    const { stdout } = await event;
    assert.match(stdout, /"match": "yes"/);
    const available = (await ask('beacons.list_available', 'return_yaml=False')) as string[];
    assert.ok(available.includes('inotify'));
  });
});
