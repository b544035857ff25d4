/** Scheduled jobs, the mine and beacons, on the built programs. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { decode } from '../../src/formats/wire/msgpack.ts';
import { Fleet, until } from '../support/fleet.ts';

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
      await ask('schedule.skip_job', 'often', '2030-01-01T00:00:00');
      const modified = (await ask('schedule.modify', 'often', 'function=test.ping', 'seconds=3600')) as {
        comment: string;
      };
      assert.equal(modified.comment, 'Modified job: often in schedule.');
      const after = (await ask('schedule.job_status', 'often')) as Record<string, unknown>;
      assert.deepEqual(
        [after['seconds'], after['skip_explicit']],
        [3600, [{ time: '2030-01-01T00:00:00', time_fmt: '%Y-%m-%dT%H:%M:%S' }]],
      );
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
    const hidden = await fleet.salt(['m2', 'mine.get', '*', 'hidden']);
    assert.match(hidden.stdout, /ERROR: What is in the mine under hidden is not for m2/);
    assert.equal(hidden.code, 1);
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

test('schedule - what is configured and cannot be is said once, with what to do', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.configureMaster([
    'auto_accept: True',
    'schedule: {sweep: {function: manage.downn, seconds: 1}, never: {function: manage.up, run_on_start: True, returner: redis}}',
    'nodegroups: {loop: N@loop, none: N@webs}',
    'reactor: [{some/tag: /nonexistent/react.sls}]',
  ]);
  const master = await fleet.startMaster();
  const returns = fleet.path('returns');
  const minion = await fleet.joinMinion('m1', [
    'schedule: {tick: {function: test.pingg, seconds: 1}, never: {function: test.ping, run_on_start: True}}',
    'beacons: {diskusag: []}',
    'mine_functions: {uptime: {mine_function: test.echoo}}',
    'return: nowhere',
    'ext_job_cache: rawfile_json',
    `rawfile_json.filename: ${returns}`,
    'startup_states: sls',
    'sls_list: [nosuch]',
  ]);
  const once = (log: string, text: string): void => assert.equal(log.split(text).length, 2, text);

  await minion.logged('Running scheduled job: tick with jid', 3);
  await minion.logged('startup_states: state.sls of');
  await until(
    'the return of startup_states in the file that ext_job_cache names',
    () => existsSync(returns) && readFileSync(returns, 'utf8').includes('"fun": "state.sls"'),
  );
  for (let i = 0; i < 2; i++) await fleet.json(['m1', 'test.ping']);
  await minion.logged('Returner nowhere.returner could not be loaded');
  for (const text of [
    `Scheduled job "tick" cannot run test.pingg: 'test.pingg' is not available. Did you mean 'test.ping'? Each of its runs fails`,
    'Scheduled job "never": it has no time and never runs, whatever run_on_start says',
    "Unable to process beacon diskusag: there is no beacon diskusag. Did you mean 'diskusage'?",
    "Function test.echoo in mine_functions not available (alias uptime); nothing is kept for it. Did you mean 'test.echo'?",
    'Returner nowhere.returner could not be loaded',
    "startup_states: state.sls of ['nosuch'] failed with exit code",
  ])
    once(minion.log, text);

  await master.logged('Running scheduled job: sweep', 3);
  await master.logged('Each of its runs fails until schedule in');
  for (const text of [
    `The master's scheduled job "sweep" cannot run manage.downn: 'manage.downn' is not available. Hint: there is no 'manage.downn'.`,
    'Scheduled job "never": it has no time and never runs',
    `The master's scheduled job "never": returner has no effect, as runners return to the job cache`,
    "Nodegroup 'loop' cannot be used: 'loop' contains itself (loop, loop). Correct nodegroups in",
    "Nodegroup 'none' cannot be used: it names a group that does not exist, 'webs'.",
    'The option reactor names /nonexistent/react.sls for the tag some/tag, and there is no such file',
  ])
    once(master.log, text);

  const refused = await fleet.run('salt', ['-N', 'loop', 'test.ping']);
  assert.equal(refused.code, 2);
  assert.match(refused.stdout, /Nodegroup 'loop' cannot be used: 'loop' contains itself/);
});
