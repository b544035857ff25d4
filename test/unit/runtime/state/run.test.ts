/** State runs: what cannot be recorded, because it needs other runs, a master, or states made for it. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import {
  defineFunction,
  defineModule,
  type FunctionSpec,
  type Params,
} from '../../../../src/runtime/loader/module.ts';
import { ModuleRegistry } from '../../../../src/runtime/loader/registry.ts';
import { CHANGES_APART } from '../../../../src/runtime/state/derived-chunks.ts';
import { PauseFiles } from '../../../../src/runtime/state/pause.ts';
import { testStates } from '../../../../src/plugins/test/state.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext, type FakeContextOptions } from '../../../support/module-context.ts';
import { runOptions } from '../../../support/state-runs.ts';

const JID = '20240102030405678901';
const folder = mkdtempSync(join(tmpdir(), 'state-run-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Options of a minion that tells its master. */
const withMaster = dict({
  local: false,
  use_master_when_local: true,
  __cli: 'salt-call',
  state_events: true,
});

/** A context whose states are those of `test`, and others of a module `own`. */
function contextWith(
  options: FakeContextOptions = {},
  own: Readonly<Record<string, FunctionSpec>> = {},
): FakeContext {
  const opts: Dict = new Map([...runOptions(folder), ...(options.opts ?? [])]);
  const ownModule = defineModule({ name: 'own', file: 'own', doc: '', functions: own });
  const table = [testStates, ownModule].map((module) => ({
    ...{ name: module.name, file: module.file },
    load: () => Promise.resolve(module),
  }));
  const states: NonNullable<FakeContextOptions['registry']>['states'] = (context) =>
    Promise.resolve(new ModuleRegistry({ ...context, table, kind: 'states' }));
  return fakeContext({ ...options, opts, registry: { states } });
}

/** A state of `own`; all of them take a name and anything else. */
function state(run: FunctionSpec['run']): FunctionSpec {
  return defineFunction({ doc: '', params: { name: {} }, kwargs: 'kwargs', returns: '', run });
}

async function applied(ctx: FakeContext, sls: string, kwargs: Dict = new Map()): Promise<Dict> {
  const results = await ctx.functions.call('state.template_str', [sls], kwargs);
  if (!isDict(results)) throw new Error(`nothing was run: ${JSON.stringify(results)}`);
  return new Map(
    [...results.values()].filter(isDict).map((result) => [result.get('__id__') ?? null, result]),
  );
}

function commentOf(results: Dict, id: string): Value | undefined {
  const result = results.get(id);
  return isDict(result) ? result.get('comment') : undefined;
}

test('state runs - a second one is refused, waits or goes beside the first, as it is asked', async () => {
  const job = dict({ fun: 'state.sls', pid: 7, jid: '20240102030405000001' });
  let looks = 0;
  const ctx = contextWith({
    services: { runningJobs: () => Promise.resolve(looks++ < 3 ? [job] : []) },
  });
  const single = (kwargs: Dict): Promise<Value> =>
    ctx.functions.call('state.single', ['test.nop', 'x'], kwargs);
  assert.deepEqual(await single(new Map()), [
    'The function "state.sls" is running as PID 7 and was started at 2024, Jan 02 03:04:05.000001 with jid 20240102030405000001',
  ]);
  assert.equal(ctx.retcode, 1);
  assert.ok(isDict(await single(dict({ concurrent: true }))));
  assert.equal(ctx.retcode, 0);
  assert.ok(Array.isArray(await single(dict({ queue: 1 }))));
  looks = 0;
  const before = ctx.clock.nowMs();
  assert.ok(isDict(await single(dict({ queue: true }))));
  assert.equal(ctx.clock.nowMs() - before, 3000);
});

test('state runs - each result is told to the master once, and fire_event in its own words', async () => {
  const ctx = contextWith({ opts: withMaster });
  const high = dict({
    first: { test: ['nop', dict({ require: [dict({ test: 'second' })] })], __sls__: 's', __env__: 'base' },
    second: { test: ['nop', dict({ fire_event: true })], __sls__: 's', __env__: 'base' },
    third: { test: ['nop', dict({ fire_event: 'my/tag' })], __sls__: 's', __env__: 'base' },
  });
  await ctx.functions.call('state.high', [high], dict({ __pub_jid: JID }));
  const sent = ctx.events.map(([, tag, data]) => [tag, isDict(data) ? (data.get('len') ?? null) : data]);
  assert.deepEqual(sent, [
    [`salt/state_result/${JID}/minion/second`, null],
    [`salt/job/${JID}/prog/minion/1`, 3],
    [`salt/state_result/${JID}/minion/my/tag`, null],
  ]);
});

test('state runs - a master that is away is not tried for every state', async () => {
  let tries = 0;
  const ctx = contextWith({
    opts: withMaster,
    services: { fireMaster: () => Promise.resolve(tries++ < 0) },
  });
  const results = await applied(ctx, 'a: test.nop\nb: test.nop\nc: test.nop\n');
  assert.equal(results.size, 3);
  assert.equal(tries, 1);
  assert.ok(ctx.logged.some(({ message }) => message === 'No master took 3 events of this state run.'));
});

test('state runs - are halted for a time, and ended between two states', async () => {
  const ctx = contextWith();
  const pauses = new PauseFiles(join(folder, 'cache'));
  pauses.write(JID, dict({ b: { duration: 5 }, c: { kill: true } }));
  const high = dict(
    Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((id) => [id, { test: ['nop'], __sls__: 's', __env__: 'base' }]),
    ),
  );
  const before = ctx.clock.nowMs();
  const results = await ctx.functions.call('state.high', [high], dict({ __pub_jid: JID }));
  const tags = ['a', 'b', 'c'].map((id) => `test_|-${id}_|-${id}_|-nop`);
  assert.deepEqual([...(results as Dict).keys()], tags);
  const ended = (results as Dict).get(tags[2] ?? '') as Dict;
  assert.equal(ended.get('result'), false);
  assert.match(String(ended.get('comment')), /ended with state.soft_kill: .*, 2 in all, have not run/);
  assert.equal(ctx.clock.nowMs() - before, 6000);
  assert.ok(!existsSync(join(folder, 'cache/state_pause', JID)));
});

test('state runs - what is no return, or an exception, fails that state in words', async () => {
  const ctx = contextWith(
    {},
    {
      text: state(() => 'done'),
      no_changes: state(() => dict({ name: 'x', result: true, comment: '' })),
      no_comment: state(() => dict({ name: 'x', result: true, changes: {} })),
      throws: state(() => {
        throw new Error('no room');
      }),
      lines: state(() => dict({ name: 'x', result: 1, changes: {}, comment: ['a', 'b'] })),
    },
  );
  const results = await applied(
    ctx,
    ['text', 'no_changes', 'no_comment', 'throws', 'lines'].map((fun) => `${fun}: own.${fun}\n`).join(''),
  );
  const failed = 'An exception occurred in this state: ';
  assert.equal(
    commentOf(results, 'text'),
    `${failed}Malformed state return. Data must be a dictionary type.`,
  );
  assert.equal(commentOf(results, 'no_changes'), `${failed}'Changes' should be a dictionary.`);
  assert.equal(
    commentOf(results, 'no_comment'),
    `${failed}The following keys were not present in the state return: comment.`,
  );
  assert.equal(
    commentOf(results, 'throws'),
    `${failed}Traceback (most recent call last):\nException: no room\n`,
  );
  assert.equal(commentOf(results, 'lines'), 'a\nb');
  assert.equal(ctx.retcode, 2);
});

test('state runs - mod_watch with the same parameters as its state is called, and only other words are refused', async () => {
  const same = (comment: string, more: Params = {}): FunctionSpec => {
    const params: Params = { name: {}, value: {}, ...more };
    const run: FunctionSpec['run'] = (_, { name, sfun }) =>
      dict({ name: name ?? null, result: true, changes: {}, comment: `${comment} ${String(sfun)}` });
    return defineFunction({ doc: '', params, returns: '', run });
  };
  const sls = (more = ''): string =>
    `a: test.succeed_with_changes\nb:\n  own.set:\n    - value: 1\n    - watch: [test: a]\n${more}`;
  const watched = async (watch: FunctionSpec, more?: string): Promise<Value | undefined> =>
    commentOf(await applied(contextWith({}, { set: same('set'), mod_watch: watch }), sls(more)), 'b');
  assert.equal(await watched(same('watched')), 'watched undefined');
  assert.equal(await watched(same('watched', { sfun: {} })), 'watched set');
  const words = state((_, { name }, _rest, kwargs) =>
    dict({ name: name ?? null, result: true, changes: {}, comment: [...kwargs.keys()].join(' ') }),
  );
  assert.equal(await watched(words), 'value sfun __reqs__');
  const refused = "'sfun' is an invalid keyword argument for 'own.set'";
  assert.equal(await watched(same('watched'), '    - sfun: x\n'), refused);
});

test('state runs - arguments that a state does not take are its own failure, and the others run', async () => {
  const run: FunctionSpec['run'] = (_, { name }) =>
    dict({ name: name ?? null, result: true, changes: {}, comment: 'ran' });
  const set = defineFunction({ doc: '', params: { name: {} }, returns: '', run });
  const sls = [
    ...['before:', '  own.set: []', 'wrong:', '  own.set:', '    - nosuch: 1', '    - other: 2'],
    ...['needs:', '  own.set:', '    - require: [own: wrong]', 'after:', '  own.set: []', ''],
  ].join('\n');
  for (const test of [false, true]) {
    const ctx = contextWith({ opts: dict({ test }) }, { set });
    const results = await applied(ctx, sls);
    assert.equal(
      commentOf(results, 'wrong'),
      "'nosuch' and 'other' are invalid keyword arguments for 'own.set'",
    );
    assert.deepEqual(
      ['before', 'after'].map((id) => commentOf(results, id)),
      ['ran', 'ran'],
    );
    assert.match(String(commentOf(results, 'needs')), /^One or more requisite failed: /);
    assert.equal(ctx.retcode, 2);
  }
});

test('state runs - a module prepares itself once, and joins its states when that is asked for', async () => {
  const prepared: Value[] = [];
  const positional = (run: FunctionSpec['run']): FunctionSpec =>
    defineFunction({ doc: '', params: {}, varargs: 'args', kwargs: 'kwargs', returns: '', run });
  const ctx = contextWith(
    { opts: dict({ state_aggregate: ['own'] }) },
    {
      installed: state((_, { name }, _rest, kwargs) =>
        dict({ name: name ?? null, result: true, changes: {}, comment: String(kwargs.get('names_of_all')) }),
      ),
      mod_init: positional((_, _args, [low]) => prepared.push((low as Dict).get('name') ?? null) > 0),
      mod_aggregate: positional((_, _args, [low, chunks]) => {
        const names = (chunks as Dict[]).map((chunk) => String(chunk.get('name')));
        for (const chunk of chunks as Dict[]) chunk.set('__agg__', true);
        return (low as Dict).set('names_of_all', names.join('+'));
      }),
    },
  );
  const results = await applied(ctx, 'a: own.installed\nb: own.installed\n');
  assert.deepEqual(prepared, ['a']);
  assert.deepEqual([commentOf(results, 'a'), commentOf(results, 'b')], ['a+b', 'undefined']);
});

test('state runs - parts of a state have results of their own, and states call states', async () => {
  const ctx = contextWith(
    {},
    {
      whole: state((_, { name }) =>
        dict({
          ...{ name: name ?? null, result: true, changes: {}, comment: '' },
          sub_state_run: [
            dict({
              low: { state: 'own', __id__: 'part', name: 'part', fun: 'x' },
              name: 'part',
              comment: 'p',
            }),
          ].map((part) => new Map<Value, Value>([...part, ['changes', new Map()], ['result', false]])),
        }),
      ),
      outer: state((context) => context.state?.call('test.nop', dict({ name: 'inner' })) ?? null),
    },
  );
  const results = await ctx.functions.call('state.template_str', ['a: own.whole\nb: own.outer\n']);
  const tags = [...(results as Dict).keys()];
  assert.deepEqual(tags, ['own_|-a_|-a_|-whole', 'own_|-part_|-part_|-x', 'own_|-b_|-b_|-outer']);
  const outer = (results as Dict).get('own_|-b_|-b_|-outer') as Dict;
  assert.deepEqual(
    [outer.get('name'), outer.get('comment'), outer.get('__run_num__')],
    ['inner', 'Success!', 2],
  );
});

test('state runs - reload_grains and reload_pillar change what later states see', async () => {
  const ctx = contextWith({
    grains: dict({ kernel: 'Linux' }),
    services: { grains: () => Promise.resolve(dict({ kernel: 'Linux', fresh: 'yes' })) },
  });
  const slot = 'own_grain:\n  test.show_notification:\n    - text: __slot__:salt:grains.get(fresh, none)\n';
  const results = await applied(ctx, `a_first:\n  test.nop:\n    - reload_grains: true\n${slot}`);
  assert.equal(commentOf(results, 'own_grain'), 'yes');
  assert.equal(commentOf(await applied(contextWith(), slot), 'own_grain'), 'none');
});

test('state runs - what a state changes apart from what a watch is for does not keep it from watching', async () => {
  const own = (comment: string, isApart: boolean, isTest = false): FunctionSpec =>
    state((ctx, { name }) => {
      if (isApart) ctx.state?.low.set(CHANGES_APART, true);
      const changes = isTest ? dict() : dict({ [comment]: true });
      return dict({ name: name ?? null, result: isTest ? null : true, changes, comment });
    });
  const sls = 'a: test.succeed_with_changes\nb:\n  own.set:\n    - watch: [test: a]\n';
  const result = async (set: FunctionSpec): Promise<Value[]> => {
    const watch = own('restarted', false);
    const found = (await applied(contextWith({}, { set, mod_watch: watch }), sls)).get('b');
    assert.ok(isDict(found));
    return ['result', 'comment', 'changes'].map((key) => found.get(key) ?? null);
  };
  const both = dict({ enabled: true, restarted: true });
  assert.deepEqual(await result(own('enabled', true)), [true, 'enabled\nrestarted', both]);
  assert.deepEqual(await result(own('enabled', false)), [true, 'enabled', dict({ enabled: true })]);
  assert.deepEqual(await result(own('enabled', true, true)), [
    null,
    'enabled\nrestarted',
    dict({ restarted: true }),
  ]);
});

test('state runs - onfail_all waits for states that stand behind it, and names one that is not there', async () => {
  const sls = (second: string): string =>
    [
      'repair: {test.nop: [{onfail_all: [{test: one}, {test: two}]}]}',
      'one: {test.fail_without_changes: []}',
      second,
    ].join('\n');
  const result = async (second: string): Promise<[Value, Value]> => {
    const repair = (await applied(contextWith(), sls(second))).get('repair') ?? null;
    if (!isDict(repair)) throw new Error('repair has no result');
    return [repair.get('result') ?? null, repair.get('comment') ?? null];
  };
  assert.deepEqual(await result('two: {test.fail_without_changes: []}'), [true, 'Success!']);
  assert.deepEqual(await result('two: {test.nop: []}'), [
    true,
    'State was not run because onfail req did not change',
  ]);
  const [isGood, comment] = await result('three: {test.nop: []}');
  assert.equal(isGood, false);
  assert.match(String(comment), /requisites were not found:\s+onfail_all:\s+test: two/);
});

test('state runs - an empty list of conditions is no condition', async () => {
  const results = await applied(
    contextWith(),
    ['onlyif', 'unless'].map((kind) => `${kind}: {test.nop: [{${kind}: []}]}`).join('\n'),
  );
  for (const result of results.values()) assert.equal(isDict(result) && result.get('comment'), 'Success!');
});
