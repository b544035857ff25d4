/** Modules for templates: `slsutil`, `defaults`, `log`. The expectations were recorded from 3006.16. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dict, float, type Value } from '../../../../src/python/values/value.ts';
import { fakeContext, type FakeContext } from '../../../support/module-context.ts';
import { plainMappings } from '../../../support/plain-mappings.ts';

function minion(t: TestContext): FakeContext {
  const folder = mkdtempSync(join(tmpdir(), 'brine-sls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'form/sub'), { recursive: true });
  writeFileSync(join(folder, 'form/defaults.yaml'), 'users:\n  root: 0\n');
  writeFileSync(join(folder, 'form/sub/defaults.json'), '{"a": {"b": 1}}');
  writeFileSync(join(folder, 'form/map.sls'), "x: {{ grains['kernel'] }} {{ name|default('none') }}\n");
  const opts = dict({
    id: 'm1',
    file_client: 'local',
    cachedir: join(folder, 'cache'),
    file_roots: { base: [folder] },
    hash_type: 'sha256',
  });
  return fakeContext({ id: 'm1', opts, grains: dict({ kernel: 'Linux' }) });
}

test('slsutil - merging by each strategy', async (t) => {
  const { functions } = minion(t);
  const [a, b] = [dict({ a: { b: 1 }, l: [1] }), dict({ a: { c: 2 }, l: [2] })];
  const merge = (strategy: string): Promise<Value> =>
    functions.call('slsutil.merge', [a, b], dict({ strategy }));
  assert.deepEqual(await merge('smart'), dict({ a: { b: 1, c: 2 }, l: [2] }));
  assert.deepEqual(await merge('overwrite'), dict({ a: { c: 2 }, l: [2] }));
  assert.deepEqual(await merge('list'), dict({ a: [dict({ b: 1 }), dict({ c: 2 })], l: [[1], [2]] }));
  assert.deepEqual(
    await functions.call('slsutil.merge_all', [[a, b]], dict({ merge_lists: true })),
    dict({ a: { b: 1, c: 2 }, l: [1, 2] }),
  );
});

test('slsutil - data in formats', async (t) => {
  const { functions } = minion(t);
  const data = dict({ b: 1, a: [float(1), 'ü', null] });
  const write = (format: string, options = {}): Promise<Value> =>
    functions.call('slsutil.serialize', [format, data], dict(options));
  assert.equal(await write('json'), '{"b": 1, "a": [1.0, "ü", null]}');
  assert.equal(
    await write('json', { sort_keys: true, indent: 1 }),
    '{\n "a": [\n  1.0,\n  "ü",\n  null\n ],\n "b": 1\n}',
  );
  assert.equal(await write('yaml'), 'a: [1.0, "\\xFC", null]\nb: 1');
  assert.equal(await write('python'), "{'a': [1.0, 'ü', None], 'b': 1}");
  assert.deepEqual(
    await functions.call('slsutil.deserialize', ['yaml', 'a: [1, ~]']),
    dict({ a: [1, null] }),
  );
  await assert.rejects(write('nosuch'), { message: "Serializer 'nosuch' not found." });
});

test('slsutil - files of the master: rendered, and looked for upwards', async (t) => {
  const { functions } = minion(t);
  const call = (fun: string, args: Value[], kwargs = {}): Promise<Value> =>
    functions.call(fun, args, dict(kwargs));
  assert.deepEqual(
    plainMappings(await call('slsutil.renderer', ['salt://form/map.sls'], { name: 'hugo' })),
    dict({ x: 'Linux hugo' }),
  );
  assert.equal(
    await call('slsutil.renderer', [], {
      string: 'Hello, {{ name }}.',
      name: 'world',
      default_renderer: 'jinja',
    }),
    'Hello, world.',
  );
  assert.equal(await call('slsutil.findup', ['form/sub', 'map.sls']), 'form/map.sls');
  assert.equal(
    await call('slsutil.findup', ['form/sub', ['nope', 'defaults.json']]),
    'form/sub/defaults.json',
  );
  await assert.rejects(call('slsutil.findup', ['', 'nope']), {
    message: 'File pattern(s) not found in path ancestry',
  });
  assert.equal(await call('slsutil.path_exists', ['form/sub']), true);
});

test('slsutil - the banner', async (t) => {
  const { functions } = minion(t);
  const text = await functions.call('slsutil.banner', [30], dict({ title: 'x', text: 'y', newline: true }));
  assert.equal(
    text,
    '##############################\n#                            #\n#             x              #\n#                            #\n# y                          #\n##############################\n',
  );
});

test('defaults - files of a formula, merging in place, as templates do it', async (t) => {
  const { functions } = minion(t);
  assert.equal(await functions.call('defaults.get', ['form:users:root']), 0);
  assert.equal(await functions.call('defaults.get', ['form:nope', 'else']), 'else');
  assert.equal(await functions.call('defaults.get', ['nothing']), null);
  const string =
    "{% set a = {'x': {'l': [1]}} %}{% do salt['defaults.merge'](a, {'x': {'l': [1, 2], 'm': 3}}, merge_lists=True) %}{% do salt.log.warning('seen') %}{{ a|json }}";
  const made = await functions.call('slsutil.renderer', [], dict({ string, default_renderer: 'jinja' }));
  assert.equal(made, '{"x": {"l": [1, 2], "m": 3}}');
  const asked = "{{ {'s': [{'n': 'a', 'p': 1}, {'n': 'b', 'p': 9}]} | json_query('s[?p > `5`].n') }}";
  const found = functions.call('slsutil.renderer', [], dict({ string: asked, default_renderer: 'jinja' }));
  assert.equal(await found, "['b']");
  const nodes = dict({ n1: { x: 1, l: ['a'] }, n2: {} });
  await functions.call('defaults.update', [nodes, dict({ x: 0, l: ['b'] })]);
  assert.deepEqual(nodes, dict({ n1: { x: 1, l: ['b', 'a'] }, n2: { x: 0, l: ['b'] } }));
  await assert.rejects(functions.call('defaults.merge', [null, dict()]), /in-place merge into NoneType/);
});
