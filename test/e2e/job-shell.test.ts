/**
 * A command that comes straight from a job runs in a shell, by whatever way the job came; a call of another module has
 * none.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiFleet } from '../support/api/api-fleet.ts';
import { ours, runProgram, until } from '../support/fleet.ts';

const COMMAND = 'echo a b | wc -w';

test('jobs with commands - a shell runs them, and none what modules call', async (t) => {
  const api = await ApiFleet.start(t);
  const { fleet } = api;
  fleet.write(fleet.path('srv'), 'words.sh', ['#!/bin/sh', 'echo "$#:$1:$2"']);
  fleet.write(fleet.path('srv'), 'shells.sls', [
    'in a shell:',
    `  cmd.run: [{name: '${COMMAND}'}]`,
    'called by a state:',
    `  module.run: [{cmd.run: [{cmd: '${COMMAND}'}]}]`,
    'given:',
    `  cmd.script: [{name: 'salt://words.sh'}, {args: "one 'two three'"}]`,
    'behind:',
    "  cmd.script: [{name: 'words.sh one two'}, {source: 'salt://words.sh'}]",
  ]);
  fleet.write(fleet.path('srv'), 'orch.sls', [
    'step:',
    `  salt.function: [{name: cmd.run}, {tgt: web1}, {arg: ['${COMMAND}']}]`,
  ]);
  const scheduled = fleet.path('scheduled');
  await fleet.joinMinion('web1', [
    `schedule: {start: {function: cmd.run, args: ['echo a b | wc -w > ${scheduled}'], hours: 1, run_on_start: True}}`,
    `mine_functions: {words: [{mine_function: cmd.run}, '${COMMAND}']}`,
  ]);
  const answer = async (...words: string[]): Promise<unknown> => (await fleet.json(words))['web1'];

  await t.test('salt', async () => {
    assert.equal((await fleet.salt(['web1', 'cmd.run', COMMAND])).stdout, 'web1:\n    2\n');
    for (const option of [['-b', '1'], ['--static'], ['--subset', '1'], ['--module-executors=direct_call']])
      assert.match((await fleet.salt([...option, 'web1', 'cmd.run', COMMAND])).stdout, /^ {4}2$/m);
    const several = await answer(
      'web1',
      'cmd.run,cmd.run_stdout,cmd.retcode',
      COMMAND,
      ',',
      COMMAND,
      ',',
      'exit 3; x',
    );
    assert.deepEqual(several, { 'cmd.run': '2', 'cmd.run_stdout': '2', 'cmd.retcode': 3 });
    assert.equal(await answer('web1', 'cmd.run', COMMAND, 'python_shell=False'), 'a b | wc -w');
    assert.equal(await answer('web1', 'cmd.run', '[echo, a b, "|"]'), 'a b |');
    const failed = await fleet.salt(['web1', 'cmd.run', 'uptime; echo 1', 'python_shell=False']);
    assert.match(
      failed.stdout,
      /^web1:\n {4}ERROR: \[Errno 2\] No such file or directory: 'uptime;': Unable to run /,
    );
  });

  await t.test('salt-call and the API', async () => {
    const words = ['-c', fleet.path('web1'), '--out=txt', 'cmd.run', COMMAND];
    assert.equal((await runProgram(join(ours.folder, 'salt-call'), words)).stdout, 'local: 2\n');
    api.token = await api.logIn();
    for (const client of ['local', 'local_batch']) {
      const { json } = await api.run({ client, tgt: 'web1', fun: 'cmd.run', arg: [COMMAND] });
      assert.deepEqual(json.return, [{ web1: '2' }], client);
    }
  });

  await t.test('runners, orchestrations and the schedule', async () => {
    const executed = await fleet.run('salt-run', ['salt.execute', 'web1', 'cmd.run', `["${COMMAND}"]`]);
    assert.match(executed.stdout, /^ {4}2$/m);
    const orchestrated = await fleet.run('salt-run', ['state.orchestrate', 'orch']);
    assert.match(orchestrated.stdout, /web1:\n +2\n/);
    await until(
      'the schedule has run',
      () => existsSync(scheduled) && readFileSync(scheduled, 'utf8') !== '',
    );
    assert.equal(readFileSync(scheduled, 'utf8'), '2\n');
  });

  await t.test('states, and what modules call', async () => {
    const states = Object.values((await answer('web1', 'state.apply', 'shells')) as object) as {
      __id__: string;
      changes: Record<string, unknown>;
    }[];
    const changes = new Map(states.map((state) => [state.__id__, state.changes]));
    assert.equal(changes.get('in a shell')?.['stdout'], '2');
    assert.deepEqual(changes.get('called by a state'), { 'cmd.run': 'a b | wc -w' });
    assert.equal(changes.get('given')?.['stdout'], '2:one:two three');
    assert.equal(changes.get('behind')?.['stdout'], '2:one:two');
    assert.deepEqual(await answer('web1', 'mine.get', 'web1', 'words'), { web1: 'a b | wc -w' });
    const script = (await answer('web1', 'cmd.script', 'salt://words.sh', 'a "b c"')) as { stdout: string };
    assert.equal(script.stdout, '2:a:b c');
  });
});
