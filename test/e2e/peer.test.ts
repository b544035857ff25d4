import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fleet, ours, runProgram } from '../support/fleet.ts';

test('peers - a minion publishes, runs runners and copies scheduled jobs as far as its master allows', async (t) => {
  const fleet = await Fleet.create(t, [
    'auto_accept: True',
    'peer: {one: [test.*, schedule.add, cmd.run_stdout]}',
    'peer_run: {one: [test.arg, manage.*]}',
  ]);
  await fleet.startMaster();
  await Promise.all([fleet.joinMinion('one'), fleet.joinMinion('two')]);
  const answer = async (id: string, ...words: string[]): Promise<unknown> =>
    (await fleet.json([id, ...words]))[id];
  const both = await answer('one', 'publish.publish', '*', 'test.echo', 'hello');
  assert.deepEqual(both, { one: 'hello', two: 'hello' });
  const arg = await answer('one', 'publish.full_data', 'two', 'test.arg_clean', "['x', 'b=[1]']");
  assert.deepEqual(arg, { two: { ret: { args: ['x'], kwargs: { b: [1] } } } });
  const refused = async (id: string, ...words: string[]): Promise<string> => {
    const { code, stdout } = await fleet.salt([id, ...words]);
    assert.notEqual(code, 0, words.join(' '));
    return stdout;
  };
  assert.match(
    await refused('one', 'publish.publish', '*', 'cmd.run', 'id'),
    /The minion one may not publish cmd\.run; the option peer would have to allow it/,
  );
  assert.match(
    await refused('one', 'publish.publish', 'nobody', 'test.ping'),
    /no minion of this master fits/,
  );
  // what a template asks for is still a mapping
  const template = "string={{ salt['publish.publish']('*', 'cmd.run', 'id') | length }}";
  assert.equal(await answer('one', 'slsutil.renderer', template, 'default_renderer=jinja'), '0');
  const piped = await answer('one', 'publish.publish', 'two', 'cmd.run_stdout', 'echo a b | wc -w');
  assert.deepEqual(piped, { two: '2' });
  assert.match(await refused('two', 'publish.full_data', '*', 'test.ping'), /the option peer would have to/);
  assert.deepEqual(await answer('one', 'publish.runner', 'test.arg', "['-5', '#a', 'k=--x', '--y']"), {
    args: [-5, '#a', '--y'],
    kwargs: { k: '--x' },
  });
  assert.match(
    await refused('two', 'publish.runner', 'manage.up'),
    /may not run manage\.up; the option peer_run/,
  );
  const caller = join(ours.folder, 'salt-call');
  const called = await runProgram(caller, [
    '-c',
    fleet.path('one'),
    '--out',
    'json',
    'publish.publish',
    'two',
    'test.ping',
  ]);
  assert.deepEqual(JSON.parse(called.stdout), { local: { two: true } });
  // beside the master's configuration a minion's functions ask the master themselves
  copyFileSync(join(fleet.masterDir, 'master'), fleet.path('one', 'master'));
  const besides = async (...words: string[]): Promise<unknown> => {
    const { stdout } = await runProgram(caller, ['-c', fleet.path('one'), '--out', 'json', ...words]);
    return (JSON.parse(stdout) as { local: unknown }).local;
  };
  const asked = (await besides('saltutil.cmd', 'two', 'test.echo', "['hi']")) as Record<
    string,
    { ret: unknown }
  >;
  assert.deepEqual([Object.keys(asked), asked['two']?.ret], [['two'], 'hi']);
  const listed = (await besides('saltutil.wheel', 'key.list', 'accepted')) as {
    return: { minions: string[] };
  };
  assert.deepEqual(listed.return.minions, ['one', 'two']);
  await answer('one', 'schedule.add', 'nightly', 'function=test.ping', 'hours=3');
  const copied = (await answer('one', 'schedule.copy', 'nightly', 'two')) as { comment: string };
  assert.equal(copied.comment, 'Copied Job nightly from schedule to minion(s).');
  assert.match(String(await answer('two', 'schedule.list')), /nightly/);
  // what was not copied is no success, and stays where it was
  assert.match(
    await refused('one', 'schedule.move', 'nightly', 'nobody'),
    /no servers answered the published schedule\.add command: the option peer/,
  );
  assert.match(String(await answer('one', 'schedule.list')), /nightly/);
});
