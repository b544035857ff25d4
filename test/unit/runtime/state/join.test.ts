/** States that are joined (`state_aggregate`): what each of them requires holds all the same. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { defineFunction, defineModule, type FunctionSpec } from '../../../../src/runtime/loader/module.ts';
import { ModuleRegistry } from '../../../../src/runtime/loader/registry.ts';
import { testStates } from '../../../../src/plugins/test/state.ts';
import { aggregate } from '../../../../src/plugins/pkg/state/aggregate.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext, type FakeContextOptions } from '../../../support/module-context.ts';
import { runOptions } from '../../../support/state-runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'state-join-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** A state module `own` that joins as `pkg` does, and notes each call with what it is for. */
function joining(calls: string[]): Readonly<Record<string, FunctionSpec>> {
  return {
    installed: defineFunction({
      ...{ doc: '', params: { name: {} }, kwargs: 'kwargs', returns: '' },
      run: (_ctx, { name }, _rest, kwargs) => {
        const pkgs = kwargs.get('pkgs');
        calls.push(Array.isArray(pkgs) ? pkgs.join('+') : String(name));
        return dict({ name: name ?? null, result: true, changes: {}, comment: '' });
      },
    }),
    mod_aggregate: defineFunction({
      ...{ doc: '', params: {}, varargs: 'args', kwargs: 'kwargs', returns: '' },
      run: (_ctx, _args, [low, chunks, running]) => {
        const all = chunks as Dict[];
        for (const chunk of all) chunk.set('state', 'pkg');
        aggregate(low as Dict, all, running as Dict);
        for (const chunk of all) chunk.set('state', 'own');
        return low ?? null;
      },
    }),
  };
}

function contextWith(own: Readonly<Record<string, FunctionSpec>>, opts: Dict): FakeContext {
  const ownModule = defineModule({ name: 'own', file: 'own', doc: '', functions: own });
  const table = [testStates, ownModule].map((module) => ({
    ...{ name: module.name, file: module.file },
    load: () => Promise.resolve(module),
  }));
  const states: NonNullable<FakeContextOptions['registry']>['states'] = (context) =>
    Promise.resolve(new ModuleRegistry({ ...context, table, kind: 'states' }));
  return fakeContext({ opts: new Map([...runOptions(folder), ...opts]), registry: { states } });
}

/** Applies states. @returns the calls in their order, and `id: comment` of what did not run or failed */
async function applied(sls: string, opts: Dict = new Map()): Promise<{ calls: string[]; other: string[] }> {
  const calls: string[] = [];
  const ctx = contextWith(joining(calls), new Map([...dict({ state_aggregate: ['own'] }), ...opts]));
  const results = await ctx.functions.call('state.template_str', [sls]);
  if (!isDict(results)) throw new Error(`nothing was run: ${JSON.stringify(results)}`);
  const other = [...results.values()]
    .filter(isDict)
    .filter((result) => result.get('__state_ran__') === false || result.get('result') !== true)
    .map((result) => `${String(result.get('__id__'))}: ${String(result.get('comment'))}`);
  return { calls, other };
}

const own = (id: string, ...more: string[]): string =>
  `${id}:\n  own.installed:\n    - order: ${ORDER.indexOf(id[0] as string)}\n${more.map((line) => `    - ${line}\n`).join('')}`;
const ORDER = '-abcdefgh';
const other = (id: string, fun: string, ...more: string[]): string =>
  own(id, ...more).replace('own.installed', `test.${fun}`);

test('joined states - the state that joins others does its own work, too', async () => {
  assert.deepEqual(await applied(own('a') + own('b') + own('c', 'pkgs: [x, y]')), {
    calls: ['a+b+x+y', 'b', 'x+y'],
    other: [],
  });
});

test('joined states - what one of them requires is run before all of them', async () => {
  const middle = other('b', 'succeed_without_changes');
  assert.deepEqual(await applied(own('a') + middle + own('c', 'require: [{test: b}]')), {
    calls: ['a+c', 'c'],
    other: [],
  });
});

test('joined states - a requisite that leads back to the first one is no circle', async () => {
  const middle = other('b', 'succeed_without_changes', 'require: [{own: a}]');
  const third = own('c', 'require: [{test: b}]');
  assert.deepEqual(await applied(own('a') + middle + third + own('d')), {
    calls: ['a+d', 'c', 'd'],
    other: [],
  });
  assert.deepEqual(await applied(own('a') + own('b', 'require: [{own: a}]')), {
    calls: ['a', 'b'],
    other: [],
  });
});

test('joined states - one whose requisites keep it from running is not joined, and keeps no other back', async () => {
  const failed = other('b', 'fail_without_changes');
  assert.deepEqual(await applied(own('a') + failed + own('c', 'require: [{test: b}]')), {
    calls: ['a'],
    other: ['b: Failure!', 'c: One or more requisite failed: .b'],
  });
  const quiet = other('b', 'nop');
  for (const requisite of ['onchanges', 'onfail'])
    assert.deepEqual((await applied(own('a') + quiet + own('c', `${requisite}: [{test: b}]`))).calls, ['a']);
  assert.deepEqual(
    (await applied(own('a') + own('c', 'onlyif: "false"') + own('d', 'aggregate: false'))).calls,
    ['a', 'd'],
  );
});

test('joined states - what the first one requires itself is not forgotten', async () => {
  const sls =
    other('a', 'fail_without_changes') +
    own('b', 'require: [{test: a}]') +
    other('c', 'nop') +
    own('d', 'require: [{test: c}]') +
    own('e');
  const { calls, other: left } = await applied(sls);
  assert.deepEqual(calls, ['d+e', 'e']);
  assert.deepEqual(left, ['a: Failure!', 'b: One or more requisite failed: .a']);
});

test('joined states - with failhard nothing is called after a requisite of one of them failed', async () => {
  const failed = other('b', 'fail_without_changes');
  const { calls } = await applied(
    own('a') + failed + own('c', 'require: [{test: b}]'),
    dict({ failhard: true }),
  );
  assert.deepEqual(calls, []);
});

test('joined states - what a state foresees for another one is its own', async () => {
  const { calls } = await applied(own('a', 'prereq: [{own: b}]') + own('b') + own('c'));
  assert.deepEqual(calls, ['b', 'b+c', 'c']);
});

/** Joined packages keep what they say: `hold`, the kind, their version. */
test('joined states - of packages, those that are held and those of another kind stay alone', () => {
  const chunk = (name: string, more: Readonly<Record<string, Value>> = {}): Dict =>
    dict({ state: 'pkg', fun: 'installed', name, __id__: name, ...more });
  const [low, versioned, file] = [
    chunk('a', { version: '2' }),
    chunk('b', { version: '1' }),
    chunk('c', { sources: [] }),
  ] as [Dict, Dict, Dict];
  aggregate(low, [low, versioned, file], new Map());
  assert.deepEqual(low.get('pkgs'), [new Map([['a', '2']]), new Map([['b', '1']])]);
  assert.equal(versioned.get('version'), '1');
  const held = chunk('d', { hold: true });
  assert.equal(aggregate(held, [held, chunk('e')], new Map()).has('pkgs'), false);
});
