import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModuleDescription } from '../../../../src/runtime/loader/module.ts';
import { dict, isDict, type Dict } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext } from '../../../support/module-context.ts';

const described = { doc: 'Does it.', returns: 'it' };
const STATES: ReadonlyMap<string, ModuleDescription> = new Map([
  [
    'cmd',
    {
      name: 'cmd',
      doc: 'Commands.',
      functions: {
        wait: described,
        run: { ...described, params: { name: {}, cwd: { default: null } }, kwargs: 'kwargs' },
      },
    },
  ],
]);

function context(): FakeContext {
  return fakeContext({ registry: { catalogs: { states: () => Promise.resolve(STATES) } } });
}

test('sys - documentation is chosen by module, full name and glob', async () => {
  const ctx = context();
  const doc = async (...words: string[]): Promise<string[]> =>
    [...((await ctx.functions.call('sys.doc', words)) as Dict).keys()] as string[];
  assert.deepEqual(await doc('test.ping'), ['test.ping']);
  assert.deepEqual(await doc('event.'), ['event.fire', 'event.fire_master', 'event.send']);
  assert.deepEqual(await doc('sys.list_m*', 'test.true'), ['sys.list_modules', 'test.true']);
  assert.deepEqual(await doc('te', 'test.pin'), []);
  assert.ok((await doc()).length > 100);
});

test('sys - documentation looks like that of a Python function', async () => {
  const docs = (await context().functions.call('sys.doc', ['test.echo'])) as Dict;
  assert.equal(
    docs.get('test.echo'),
    '\n    Gives back what it was given.\n\n    text (any)\n        What comes back.\n\n' +
      '    Returns: the text, or whatever value was given\n\n    CLI Example:\n\n' +
      "        salt '*' test.echo <text>\n    ",
  );
});

test('sys - a function in Python without a docstring has none', async () => {
  const bare = { name: 'site', doc: '', functions: { bare: { ...described, docstring: '' } } };
  const states = new Map<string, ModuleDescription>([['site', bare]]);
  const ctx = fakeContext({ registry: { catalogs: { states: () => Promise.resolve(states) } } });
  const docs = (await ctx.functions.call('sys.state_doc', ['site.bare'])) as Dict;
  assert.equal(docs.get('site.bare'), null);
});

test('sys - state functions come from the catalog that is plugged in', async () => {
  const ctx = context();
  const call = (fun: string, ...args: string[]): Promise<unknown> => ctx.functions.call(`sys.${fun}`, args);
  assert.deepEqual(await call('list_state_modules'), ['cmd']);
  assert.deepEqual(await call('list_state_modules', 'c*'), ['cmd']);
  assert.deepEqual(await call('list_state_functions'), ['cmd.run', 'cmd.wait']);
  assert.deepEqual(await call('list_state_functions', 'cmd.w*'), ['cmd.wait']);
  const docs = await call('state_doc', 'cmd.run');
  assert.ok(docs instanceof Map);
  assert.deepEqual([...docs.keys()], ['cmd', 'cmd.run']);
  assert.equal(docs.get('cmd'), '\nCommands.\n');
  assert.deepEqual(
    await call('state_argspec', 'cmd.run'),
    dict({ 'cmd.run': { args: ['name', 'cwd'], defaults: [null], varargs: null, kwargs: true } }),
  );
});

test('sys - the example of a state names everything that has to be given', async () => {
  const set = {
    ...{ doc: 'Sets.', returns: '' },
    params: { name: {}, key: {}, old: { default: null }, value: {} },
  };
  const states = new Map([['kv', { name: 'kv', file: 'kv', doc: '', functions: { set } }]]);
  const ctx = fakeContext({ registry: { catalogs: { states: () => Promise.resolve(states) } } });
  const docs = (await ctx.functions.call('sys.state_doc', ['kv.set'])) as Dict;
  assert.match(
    String(docs.get('kv.set')),
    /salt '\*' state\.single kv\.set <name> key=<key> value=<value>\n/,
  );
});

test('sys - state_schema has the shape of Salt', async () => {
  const [schema] = (await context().functions.call('sys.state_schema', ['cmd.run'])) as Dict[];
  assert.ok(schema);
  assert.deepEqual(
    [...schema.keys()],
    ['$schema', 'title', 'description', 'type', 'properties', 'x-ordering', 'additionalProperties'],
  );
  assert.deepEqual(schema.get('x-ordering'), ['name', 'cwd']);
  const properties = schema.get('properties');
  const cwd = isDict(properties) ? properties.get('cwd') : undefined;
  const first = isDict(cwd) ? (cwd.get('oneOf') as Dict[])[0] : undefined;
  assert.deepEqual(
    [...(first ?? [])],
    [
      ['type', 'boolean'],
      ['title', 'cwd'],
      ['description', 'cwd'],
      ['default', null],
    ],
  );
});

test('sys - kinds that nobody provides are empty', async () => {
  const ctx = context();
  for (const fun of [
    'list_runners',
    'list_runner_functions',
    'list_returners',
    'list_returner_functions',
    'list_renderers',
  ]) {
    assert.deepEqual(await ctx.functions.call(`sys.${fun}`), [], fun);
  }
  for (const fun of ['runner_doc', 'returner_doc', 'renderer_doc', 'runner_argspec', 'returner_argspec']) {
    assert.deepEqual(await ctx.functions.call(`sys.${fun}`), dict(), fun);
  }
});

test('sys - reload_modules asks the minion', async () => {
  const ctx = context();
  assert.equal(await ctx.functions.call('sys.reload_modules'), true);
  assert.deepEqual(ctx.refreshes, [['modules', undefined]]);
});
