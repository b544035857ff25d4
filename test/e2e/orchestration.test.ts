/**
 * Orchestrations on the built programs: steps, what fails, an orchestration that is killed and gone on with, one that a
 * reaction starts.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusReader, EventBusWriter } from '../../src/network/events/bus-client.ts';
import type { BusEvent } from '../../src/network/events/framing.ts';
import { dict, isDict, type Dict } from '../../src/python/values/value.ts';
import { Fleet, until } from '../support/fleet.ts';

const KILLED = '20260202000000000001';
const PAUSED = '20260202000000000002';
const NESTED = '20260202000000000004';
const ENDED = '20260202000000000003';

test('orchestration - steps over minions, killed and gone on with, started by a reaction', async (t) => {
  const fleet = await Fleet.create(t);
  const sls = (name: string, ...lines: string[]): void =>
    fleet.write(fleet.path('srv'), `${name}.sls`, lines);
  const [count, go, parts, goOn] = ['count', 'go', 'parts', 'go-on'].map((name) => fleet.path(name)) as Four;
  sls('changes', 'it changes:', '  test.succeed_with_changes');
  sls('half', 'half:', '  test.configurable_test_state:', "    - result: {{ grains['id'] == 'one' }}");
  sls(
    'release',
    'last:',
    '  salt.runner: [{name: test.arg}, {word: {{ pillar.word }}}, {onchanges: [{salt: both}]}]',
    'both:',
    "  salt.state: [{tgt: 'one,two'}, {tgt_type: list}, {sls: changes}, {batch: 1}]",
    'inner:',
    '  salt.parallel_runners:',
    '    - runners:',
    '        first: [{name: state.orchestrate}, {kwarg: {mods: inner}}]',
    '        second: [{name: test.arg}]',
    '    - require: [{salt: both}]',
    'key.name_match:',
    '  salt.wheel: [{match: one}]',
  );
  sls('inner', 'ask:', '  salt.function: [{name: test.ping}, {tgt: first}, {tgt_type: nodegroup}]');
  sls(
    'fails',
    'some:',
    "  salt.state: [{tgt: '*'}, {sls: half}]",
    'never:',
    '  test.nop: [{require: [{salt: some}]}]',
    'nobody:',
    "  salt.function: [{name: test.ping}, {tgt: 'nobody*'}]",
    'a ghost among them:',
    '  salt.function: [{name: test.ping}, {tgt: [one, ghost]}, {tgt_type: list}]',
    'a ghost beside one:',
    '  salt.state: [{sls: changes}, {tgt: [one, ghost]}, {tgt_type: list}]',
    'handler:',
    '  salt.function: [{name: test.ping}, {tgt: one}, {onfail: [{salt: some}]}]',
  );
  sls(
    'slow',
    'first:',
    `  salt.function: [{name: cmd.run}, {tgt: one}, {arg: ['echo first >> ${count}']}, {kwarg: {python_shell: true}}]`,
    'second:',
    '  salt.function:',
    '    - name: cmd.run',
    "    - tgt: '*'",
    `    - arg: ['echo second >> ${count}; while [ ! -e ${go} ]; do sleep 0.1; done']`,
    '    - kwarg: {python_shell: true}',
    '    - require: [{salt: first}]',
    'third:',
    '  salt.function: [{name: test.echo}, {tgt: one}, {arg: [{{ pillar.word }}]}, {require: [{salt: second}]}]',
  );
  sls(
    'outer',
    'inner:',
    '  salt.runner: [{name: state.orchestrate}, {mods: parts}]',
    'last:',
    `  salt.function: [{name: cmd.run}, {tgt: one}, {arg: ['echo last >> ${parts}']}, {kwarg: {python_shell: true}}]`,
  );
  // the second minion of the batch waits
  sls(
    'parts',
    'begin:',
    `  salt.function: [{name: cmd.run}, {tgt: one}, {arg: ['echo begin >> ${parts}']}, {kwarg: {python_shell: true}}]`,
    'batch:',
    '  salt.function:',
    '    - name: cmd.run',
    "    - tgt: '*'",
    '    - batch: 1',
    `    - arg: ['echo part >> ${parts}; [ $(grep -c part ${parts}) -lt 2 ] || while [ ! -e ${goOn} ]; do sleep 0.1; done']`,
    '    - kwarg: {python_shell: true}',
  );
  sls(
    'paced',
    ...['begin', 'middle', 'end'].flatMap((id) => [
      `${id}:`,
      '  salt.function: [{name: test.ping}, {tgt: one}]',
    ]),
  );
  fleet.write(fleet.path('reactor'), 'react.sls', [
    'go:',
    '  runner.state.orchestrate:',
    "    - args: [{mods: slow}, {pillar: {word: {{ data['word'] }}}}]",
  ]);
  fleet.configureMaster([
    'auto_accept: True',
    'gather_job_timeout: 2',
    'nodegroups: {first: L@one}',
    `file_roots: {base: [${fleet.path('srv')}]}`,
    `reactor: [{'my/release': [${fleet.path('reactor', 'react.sls')}]}]`,
  ]);
  const master = await fleet.startMaster();
  await Promise.all([fleet.joinMinion('one'), fleet.joinMinion('two')]);
  const events: BusEvent[] = [];
  const bus = await EventBusReader.connect(
    fleet.path('m', 'run', 'master_event_pub.ipc'),
    (tag) => tag.startsWith('salt/run/'),
    (event) => void events.push(event),
  );
  t.after(() => bus.close());
  const orchestrate = async (...args: string[]) => {
    const { code, stdout, stderr } = await fleet.run('salt-run', [
      '--out',
      'json',
      'state.orchestrate',
      ...args,
    ]);
    const start = stdout.indexOf('{\n');
    assert.ok(start >= 0, stdout + stderr);
    const { data } = JSON.parse(stdout.slice(start)) as { data: Record<string, Record<string, StepResult>> };
    const results = Object.values(Object.values(data)[0] ?? {});
    return { code, stderr, steps: new Map(results.map((result) => [result.__id__, result])) };
  };

  await t.test('steps run in their order, in batches, beside each other and within each other', async () => {
    const { code, steps } = await orchestrate('release', 'pillar={"word": "hello"}');
    assert.equal(code, 0);
    assert.deepEqual(
      [...steps.values()].map(({ __id__, result }) => [__id__, result]),
      [
        ['both', true],
        ['last', true],
        ['inner', true],
        ['key.name_match', true],
      ],
    );
    assert.deepEqual(steps.get('last')?.changes, { return: { args: [], kwargs: { word: 'hello' } } });
    const told = (suffix: string): Dict[] =>
      events.filter(({ tag }) => tag.endsWith(suffix)).map(({ data }) => data);
    assert.deepEqual(
      told('/args').map((data) => data.get('type')),
      ['state', 'runner', 'runner', 'runner', 'wheel', 'function'].sort(
        (a, b) => ORDER.indexOf(a) - ORDER.indexOf(b),
      ),
    );
    const done = told('/progress').filter((data) => data.get('status') === 'done');
    assert.deepEqual(done.map((data) => data.get('id')).sort(), [
      'ask',
      'both',
      'inner',
      'key.name_match',
      'last',
    ]);
  });

  await t.test('a failing minion fails its step and what requires it; a handler takes care', async () => {
    const { code, steps, stderr } = await orchestrate('fails');
    assert.equal(code, 1);
    assert.equal(steps.get('some')?.comment, 'Run failed on minions: two');
    assert.equal(steps.get('never')?.comment, 'One or more requisite failed: fails.some');
    assert.equal(steps.get('nobody')?.comment, 'No minions responded');
    const why =
      'ghost: Minion did not return. [No response]\nNo key of this name is known to this master. See: salt-key -L';
    assert.equal(
      steps.get('a ghost among them')?.comment,
      `Running function test.ping failed on minions: ghost Function test.ping ran on one.\n${why}`,
    );
    assert.equal(steps.get('a ghost beside one')?.comment, `Run failed on minions: ghost\n${why}`);
    assert.equal(steps.get('handler')?.result, true);
    const [, folder] =
      /To go on after them: salt-run -c (\S+) state.orchestrate fails resume=\d+/.exec(stderr) ?? [];
    assert.equal(folder, fleet.masterDir);
  });

  await t.test('kill -9 in the middle: what was done is not done again, nobody is asked twice', async () => {
    const args = [
      '-c',
      fleet.masterDir,
      '--jid',
      KILLED,
      'state.orchestrate',
      'slow',
      'pillar={"word": "kept"}',
    ];
    const run = fleet.start('salt-run', args);
    await until('both minions are at work', () => linesOf(count).length === 3);
    const refused = await fleet.run('salt-run', ['state.orchestrate', 'slow', `resume=${KILLED}`]);
    assert.match(refused.stdout, /is still under way, in process \d+/);
    await run.stop('SIGKILL');
    writeFileSync(go, '');
    const { code, steps } = await orchestrate('slow', `resume=${KILLED}`);
    assert.equal(code, 0);
    assert.match(steps.get('first')?.comment ?? '', /not run again\)$/);
    assert.deepEqual(steps.get('third')?.changes, { ret: { one: 'kept' } });
    assert.deepEqual(linesOf(count), ['first', 'second', 'second']);
    const again = await fleet.run('salt-run', ['state.orchestrate', 'slow', `resume=${KILLED}`]);
    assert.equal(again.code, 1);
    assert.match(again.stdout, /There is nothing to resume/);
  });

  await t.test('kill -9 in a batch of one within another: both go on where they were', async () => {
    const run = fleet.start('salt-run', [
      '-c',
      fleet.masterDir,
      '--jid',
      NESTED,
      'state.orchestrate',
      'outer',
    ]);
    await until('the second minion is at work', () => linesOf(parts).length === 3);
    await run.stop('SIGKILL');
    writeFileSync(goOn, '');
    const { code, steps } = await orchestrate('outer', `resume=${NESTED}`);
    assert.equal(code, 0);
    assert.deepEqual(linesOf(parts), ['begin', 'part', 'part', 'last']);
    const { data } = (steps.get('inner')?.changes as NestedChanges).return;
    const inner = Object.values(Object.values(data)[0] ?? {});
    assert.match(inner[0]?.comment ?? '', /not run again\)$/);
    assert.match(inner[1]?.comment ?? '', /ran on (one, two|two, one)\.$/);
  });

  await t.test('it is paused, goes on, and is ended before a step while it runs', async () => {
    const order = async (...args: string[]): Promise<void> =>
      assert.equal((await fleet.run('salt-run', args)).code, 0, args.join(' '));
    const told = (jid: string, id: string): boolean =>
      events.some(
        ({ tag, data }) =>
          tag === `salt/run/${jid}/progress` && data.get('id') === id && data.get('status') === 'done',
      );
    await order('state.pause', PAUSED, 'middle');
    const paused = orchestrate('paced', '--jid', PAUSED);
    await until('the step before it is done', () => told(PAUSED, 'begin'));
    assert.equal(told(PAUSED, 'middle'), false);
    await order('state.resume', PAUSED, 'middle');
    assert.equal((await paused).code, 0);
    assert.equal(told(PAUSED, 'end'), true);
    await order('state.soft_kill', ENDED, 'middle');
    const { code, steps } = await orchestrate('paced', '--jid', ENDED);
    assert.deepEqual([...steps.keys()], ['begin', 'middle']);
    assert.equal(code, 1);
    assert.equal(steps.get('middle')?.result, false);
    assert.equal(
      steps.get('middle')?.comment,
      'The run was ended with state.soft_kill: this state and those behind it, 2 in all, have not run.',
    );
  });

  await t.test('a reaction starts one, with the event as pillar', async () => {
    const writer = new EventBusWriter({
      path: fleet.path('m', 'run', 'master_event_pull.ipc'),
      clock: systemClock,
      eventBytesMax: 1_000_000,
      queueBytesMax: 1_000_000,
    });
    t.after(() => writer.close());
    await master.logged('The reactor is ready');
    events.length = 0;
    writer.fire('my/release', dict({ word: 'fired' }));
    const ended = (): Dict | undefined =>
      events.find(({ tag, data }) => tag.endsWith('/ret') && data.get('fun') === 'runner.state.orchestrate')
        ?.data;
    await until('it ended', () => ended() !== undefined);
    assert.equal(ended()?.get('success'), true);
    assert.equal(ended()?.get('user'), 'Reactor');
    const value = ended()?.get('return');
    assert.ok(isDict(value) && value.get('retcode') === 0);
  });
});

/** A step as `--out=json` prints it. */
interface StepResult {
  readonly __id__: string;
  readonly result: boolean | null;
  readonly comment: string;
  readonly changes: unknown;
}

type Four = [string, string, string, string];

/** What a step that is an orchestration has changed. */
interface NestedChanges {
  readonly return: { readonly data: Record<string, Record<string, StepResult>> };
}

/** The kinds of steps in the order in which they are told of. */
const ORDER = ['state', 'runner', 'function', 'wheel'];

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}
