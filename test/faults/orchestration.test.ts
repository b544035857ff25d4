/**
 * Orchestrations survive whoever kills them: each is gone on with until it is done, and no step or minion is asked
 * twice.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusWriter } from '../../src/network/events/bus-client.ts';
import { dict } from '../../src/python/values/value.ts';
import { Fleet, until } from '../support/fleet.ts';

const JID = '20260303000000000001';
const MINIONS = ['one', 'three', 'two'];

/** A file to which steps write, and its lines. */
function sheet(fleet: Fleet, name: string): { path: string; lines: () => string[] } {
  const path = fleet.path(name);
  writeFileSync(path, '');
  return { path, lines: () => readFileSync(path, 'utf8').split('\n').filter(Boolean) };
}

/** A fleet with three minions; `srv` has its SLS. */
async function fleetOfThree(t: TestContext): Promise<Fleet> {
  const fleet = await Fleet.create(t);
  fleet.configureMaster([
    'auto_accept: True',
    'gather_job_timeout: 2',
    `file_roots: {base: [${fleet.path('srv')}]}`,
  ]);
  return fleet;
}

/** A step that writes a line to a sheet, a little slowly. */
function writing(path: string, line: string, more = '', tgt = 'one'): string {
  const command = `sleep 0.1; echo ${line} >> ${path}; sleep 0.2`;
  return `{salt.function: [{name: cmd.run}, {tgt: '${tgt}'}, {arg: ['${command}']}, {kwarg: {python_shell: true}}${more}]}`;
}

test('orchestration - killed again and again within batches, others and beside each other, each of its steps is done once', async (t) => {
  const fleet = await fleetOfThree(t);
  const { path, lines } = sheet(fleet, 'done');
  const sls = (name: string, ...text: string[]): void => fleet.write(fleet.path('srv'), `${name}.sls`, text);
  sls(
    'write',
    'write:',
    `  cmd.run: [{name: 'sleep 0.1; echo {{ pillar.word }} {{ grains.id }} >> ${path}; sleep 0.2'}]`,
  );
  sls(
    'outer',
    `begin: ${writing(path, 'begin')}`,
    'middle: {salt.runner: [{name: state.orchestrate}, {mods: middle}]}',
    'beside:',
    '  salt.parallel_runners:',
    '    - runners:',
    '        left: [{name: state.orchestrate}, {kwarg: {mods: side, pillar: {word: left}}}]',
    '        right: [{name: state.orchestrate}, {kwarg: {mods: side, pillar: {word: right}}}]',
    `end: ${writing(path, 'end')}`,
  );
  sls(
    'middle',
    "batch: {salt.state: [{tgt: '*'}, {sls: write}, {batch: 1}, {pillar: {word: batch}}]}",
    'inner: {salt.runner: [{name: state.orchestrate}, {mods: inner}]}',
  );
  sls(
    'inner',
    `two by two: ${writing(path, 'two', ', {batch: 2}', '*')}`,
    "all: {salt.state: [{tgt: '*'}, {sls: write}, {pillar: {word: all}}]}",
  );
  sls(
    'side',
    `{{ pillar.word }} a: ${writing(path, '{{ pillar.word }}-a')}`,
    `{{ pillar.word }} b: ${writing(path, '{{ pillar.word }}-b', '', 'two')}`,
  );
  await fleet.startMaster();
  await Promise.all(MINIONS.map((id) => fleet.joinMinion(id)));
  const words = ['-c', fleet.masterDir, 'state.orchestrate', 'outer'];
  let kills = 0;
  let run = fleet.start('salt-run', [...words, '--jid', JID]);
  for (;;) {
    const before = lines().length;
    await until(
      'something more is done, or all',
      () => lines().length > before || run.child.exitCode !== null,
    );
    if (run.child.exitCode !== null) break;
    if ((await run.stop('SIGKILL')) !== null) break;
    kills++;
    run = fleet.start('salt-run', [...words, `resume=${JID}`]);
  }
  assert.equal(await run.exited, 0, run.log);
  const each = (word: string): string[] => MINIONS.map((id) => `${word} ${id}`);
  assert.deepEqual(lines().sort(), [
    ...each('all'),
    ...each('batch'),
    'begin',
    'end',
    ...['left-a', 'left-b', 'right-a', 'right-b'],
    ...['two', 'two', 'two'],
  ]);
  t.diagnostic(`${kills} kills`);
  assert.ok(kills >= 8, `${kills} kills`);
});

test('orchestration - one that a reaction has started is interrupted with the reactor, told of, and gone on with', async (t) => {
  const fleet = await Fleet.create(t);
  const { path, lines } = sheet(fleet, 'done');
  const go = fleet.path('go');
  fleet.write(fleet.path('srv'), 'steps.sls', [
    `first: ${writing(path, 'first-{{ pillar.word }}')}`,
    'second:',
    '  salt.function:',
    '    - name: cmd.run',
    "    - tgt: '*'",
    '    - batch: 1',
    `    - arg: ['echo second >> ${path}; while [ ! -e ${go} ]; do sleep 0.1; done']`,
    '    - kwarg: {python_shell: true}',
    `third: ${writing(path, 'third')}`,
  ]);
  fleet.write(fleet.path('reactor'), 'react.sls', [
    'go:',
    '  runner.state.orchestrate:',
    "    - args: [{mods: steps}, {pillar: {word: {{ data['word'] }}}}]",
  ]);
  fleet.configureMaster([
    'auto_accept: True',
    'gather_job_timeout: 2',
    `file_roots: {base: [${fleet.path('srv')}]}`,
    `reactor: [{'my/release': [${fleet.path('reactor', 'react.sls')}]}]`,
  ]);
  const master = await fleet.startMaster();
  await Promise.all(MINIONS.map((id) => fleet.joinMinion(id)));
  await master.logged('The reactor is ready');
  const writer = new EventBusWriter({
    path: fleet.path('m', 'run', 'master_event_pull.ipc'),
    clock: systemClock,
    eventBytesMax: 1_000_000,
    queueBytesMax: 1_000_000,
  });
  t.after(() => writer.close());
  writer.fire('my/release', dict({ word: 'fired' }));
  await until('the second step is under way', () => lines().includes('second'));
  process.kill(master.children().get('salt-master Reactor') as number, 'SIGKILL');
  await master.logged('was interrupted while it executed');
  const [, jid = ''] = /job (\d{20})\)\. It is not run a second time/.exec(master.log) ?? [];
  writeFileSync(go, '');
  const { code, stdout } = await fleet.run('salt-run', ['state.orchestrate', 'steps', `resume=${jid}`]);
  assert.equal(code, 0, stdout);
  assert.deepEqual(lines(), ['first-fired', 'second', 'second', 'second', 'third']);
});
