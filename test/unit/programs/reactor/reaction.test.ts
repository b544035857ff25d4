import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../../../src/host/log.ts';
import { loadYaml } from '../../../../src/formats/yaml/load.ts';
import { readReaction, type Reaction } from '../../../../src/programs/reactor/reaction.ts';
import { stepFromDict, stepToDict } from '../../../../src/programs/reactor/step.ts';
import { dict, type Dict } from '../../../../src/python/values/value.ts';

const spec = { doc: '', returns: '', params: { tag: { doc: '' }, data: { default: null, doc: '' } } };
const chunk = (yaml: string): Dict => {
  const low = loadYaml(yaml) as Dict;
  return new Map([['__id__', 'it'], ['__sls__', '/r.sls'], ['name', 'it'], ['order', 1], ...low]);
};
const read = (yaml: string): Promise<Reaction> =>
  readReaction(chunk(yaml), async (_, fun) => (fun === 'event.send' ? spec : undefined), silentLogger);

test('reaction - the new style has keywords in args', async () => {
  const { arg, kwarg, target } = await read(
    '{state: local, fun: f.g, tgt: a, tgt_type: list, args: [{x: 1}, {y: 2}]}',
  );
  assert.deepEqual([arg, kwarg], [[], dict({ x: 1, y: 2 })]);
  assert.deepEqual(target, { tgt: 'a', tgtType: 'list', ret: '', fields: new Map() });
  assert.deepEqual((await read('{state: runner, fun: f.g, args: {x: 1}, arg: [1]}')).kwarg, dict({ x: 1 }));
});

test('reaction - caller takes a plain list as positional arguments', async () => {
  const { arg, kwarg } = await read('{state: caller, fun: f.g, args: [1, two]}');
  assert.deepEqual([arg, kwarg], [[1, 'two'], new Map()]);
});

test('reaction - the old style has arg and kwarg, or keys named like parameters', async () => {
  const local = await read('{state: cmd, fun: f.g, tgt: a, arg: [ls], kwarg: {cwd: /}}');
  assert.deepEqual([local.client, local.arg, local.kwarg], ['local', ['ls'], dict({ cwd: '/' })]);
  const runner = await read('{state: runner, fun: event.send, tag: x}');
  assert.deepEqual([runner.arg, runner.kwarg], [['x'], dict({ data: null })]);
});

test('reaction - what is no call is refused in the words of Salt', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['{state: local, fun: f.g, args: {a: 1}}', /has no tgt/],
    [
      '{state: runner, fun: f.g, args: 7}',
      /Incorrect argument format, check the Reactor System documentation/,
    ],
    [
      '{state: runner, fun: no.such}',
      /Reactor 'it' failed to execute runner 'no.such': function not available/,
    ],
    ['{state: shell, fun: f.g}', /ReactWrap is missing a wrapper function for 'shell'/],
    ['{state: runner, fun: event.send}', /send takes at least 1 argument \(0 given\)/],
    [
      '{state: runner, fun: event.send, tag: x, colour: red}',
      /'colour' is an invalid keyword argument for 'event.send'/,
    ],
    [
      '{state: runner, fun: event.send, tag: x, a: 1, b: 2}',
      /'a' and 'b' are invalid keyword arguments for 'event.send'/,
    ],
  ];
  for (const [yaml, message] of cases) await assert.rejects(read(yaml), message, yaml);
});

test('reaction - a machine that has no functions of a master says why a reaction cannot be run, and of which', async () => {
  const [chunk] = [dict({ state: 'runner', fun: 'jobs.list_jobs', __id__: 'it' })];
  const find = (): Promise<never> =>
    Promise.reject(new Error('it runs no functions of a master; use caller.'));
  await assert.rejects(
    readReaction(chunk, find, silentLogger),
    /^ReactionError: Reactor 'it' failed to execute runner 'jobs.list_jobs': it runs no functions of a master; use caller\.$/,
  );
});

test('reaction - the journal gives back what it was given', async () => {
  const reaction = await read(
    '{state: local, fun: f.g, tgt: [a, b], tgt_type: list, ret: x, metadata: {m: 1}, args: {x: 1}}',
  );
  const step = { reaction, jid: '20260101000000000000', generation: 3 };
  assert.deepEqual(stepFromDict(stepToDict(step)), step);
});
