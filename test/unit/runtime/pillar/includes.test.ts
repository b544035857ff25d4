/** Includes of pillar that are not what they look like, and keys that are left empty. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../../src/python/values/value.ts';
import { toJson } from '../../../../src/formats/json/text.ts';
import { loadYaml } from '../../../../src/formats/yaml/load.ts';
import { loadedFunctions } from '../../../../src/runtime/pillar/functions.ts';
import { readPillarInclude } from '../../../../src/runtime/pillar/includes.ts';
import { PillarService } from '../../../../src/runtime/pillar/service.ts';
import { fakeContext } from '../../../support/module-context.ts';

const machine = { clock: systemClock, random: systemRandom, log: silentLogger };

/** The pillar that some files make for a minion that gets all that is in `top`. */
function pillarOf(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  { opts = {}, override = {} }: { readonly opts?: DictInit; readonly override?: DictInit } = {},
): Promise<Dict> {
  const root = mkdtempSync(join(tmpdir(), 'brine-includes-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const service = new PillarService({
    opts: dict({ renderer: 'jinja|yaml', pillar_roots: { base: [root] }, ...opts }),
    ...machine,
    isForOwnUse: true,
    functions: (around) => loadedFunctions(around, { ...machine, modules: () => Promise.resolve([]) }),
  });
  const request = { minionId: 'web1', grains: dict(), saltenv: null, pillarenv: null };
  return service.pillar({ ...request, override: dict(override) });
}

test('pillar includes - what stands beside a name and not below it is an error, and puts nothing anywhere', async (t) => {
  const files = {
    'top.sls': "base: {'*': [a]}",
    'a.sls': 'include:\n  - b:\n    key: kk\nown: 1',
    'b.sls': 'v: 1',
  };
  assert.deepEqual(
    await pillarOf(t, files),
    dict({
      own: 1,
      _errors: [
        "Include Declaration in SLS 'a' has 'key' beside the include of 'b' and not below it: indent 'key: kk' further than 'b:'",
      ],
    }),
  );
});

/** An item of the list, and what is wrong with it, or what it means. */
const ITEMS: readonly (readonly [yaml: string, means: RegExp | readonly [name: string, key?: string]])[] = [
  ['x', ['x']],
  ['2024', ['2024']],
  ['{x: null}', ['x']],
  ['{x: {key: "a:b", defaults: {d: 1}}}', ['x', 'a:b']],
  ['{x: {key: null, defaults: null}}', ['x']],
  ['{x: {key: ""}}', ['x']],
  ['null', /^has an empty item where the name/],
  ['""', /^has '' where the name/],
  ['[x]', /^has \['x'\] where the name/],
  ['{}', /^has an empty mapping/],
  ['{null: {key: a}}', /^has an empty item where the name/],
  [
    '{x: null, key: kk, defaults: {a: 1}}',
    /^has 'key' and 'defaults' beside .* indent 'key: kk' further than 'x:'$/,
  ],
  ['{x: null, defaults: {a: 1}}', /indent 'defaults:' further than 'x:'$/],
  ['{x: {key: a}, y: {key: b}}', /^has 'y' beside the include of 'x': each include is an item of its own$/],
  ['{x: kk}', /^has a str below the include of 'x', where only a mapping/],
  ['{x: [{key: kk}]}', /^has a list below the include of 'x'/],
  ['{x: {key: 5}}', /^has 5 as 'key' of the include of 'x', which has to be a text: quote it$/],
  ['{x: {key: [a]}}', /^has \['a'\] as 'key'/],
  ['{x: {defaults: [a]}}', /^has a list as 'defaults' of the include of 'x'/],
];

for (const [yaml, means] of ITEMS)
  test(`pillar includes - ${yaml}`, () => {
    const read = readPillarInclude(loadYaml(yaml), () => assert.fail('nothing is to be warned of'));
    if (means instanceof RegExp) assert.match(String(read), means);
    else assert.deepEqual(typeof read === 'string' ? read : [read.name, read.key], [means[0], means[1]]);
  });

test('pillar includes - a setting that nobody knows is told, with the one that was meant', () => {
  const told: string[] = [];
  readPillarInclude(loadYaml('{x: {defalts: {a: 1}}}'), (text) => told.push(text));
  assert.deepEqual(told, [
    "has 'defalts' below the include of 'x', which has no effect. Did you mean 'defaults'?",
  ]);
});

test('pillar includes - a top file whose include is no list says so', async (t) => {
  const made = await pillarOf(t, { 'top.sls': "include: a\nbase: {'*': [a]}", 'a.sls': 'v: 1' });
  assert.deepEqual(made.get('_errors'), [
    'Include Declaration in the pillar top file is not formed as a list',
  ]);
});

const EMPTY = {
  'top.sls': "base: {'*': [one, two]}",
  'one.sls': 'app: {a: 1, b: {c: 2}}\nlist: [1]\nnumber: 5',
  'two.sls': 'app: {b: }\nlist:\nnumber:\nnew:',
};

test('pillar - a key that is left empty wipes what is there, or keeps it by pillar_keep_on_empty', async (t) => {
  const shown = (pillar: Dict): unknown => JSON.parse(toJson(pillar));
  const wiped = { app: { a: 1, b: null }, list: null, number: null, new: null };
  assert.deepEqual(shown(await pillarOf(t, EMPTY)), wiped);
  const kept = { app: { a: 1, b: { c: 2 } }, list: [1], number: 5, new: null };
  const opts = { pillar_keep_on_empty: true };
  assert.deepEqual(shown(await pillarOf(t, EMPTY, { opts })), kept);
  const own = { ...EMPTY, 'two.sls': 'include: [one]\napp:\nlist:\nnumber:\nnew:' };
  assert.deepEqual(shown(await pillarOf(t, own, { opts })), kept);
  const overwritten = await pillarOf(t, EMPTY, {
    opts: { ...opts, pillar_source_merging_strategy: 'overwrite' },
  });
  assert.deepEqual(overwritten.get('list'), [1]);
  // what the command line empties is meant to be empty
  const emptied = await pillarOf(t, EMPTY, { opts, override: { app: null } });
  assert.deepEqual(emptied.get('app'), null);
});

test('pillar.get - merging into a default takes an empty key for one that gives nothing', async () => {
  const { functions, logged } = fakeContext({
    pillar: dict({ empty: null, app: { inner: null }, text: 'x' }),
  });
  const get = (key: string, fallback: Value): Promise<Value> =>
    functions.call('pillar.get', [key, fallback], dict({ merge: true }));
  assert.deepEqual(await get('empty', dict({ a: 1 })), dict({ a: 1 }));
  assert.deepEqual(await get('app:inner', dict({ a: 1 })), dict({ a: 1 }));
  assert.deepEqual(await get('empty', [1]), [1]);
  assert.deepEqual(await get('nosuch', [1]), [1]);
  assert.deepEqual(logged, []);
  assert.deepEqual(await get('text', dict({ a: 1 })), 'x');
  assert.match(logged.map(({ message }) => message).join(), /of type 'str'. Merge will be skipped/);
});
