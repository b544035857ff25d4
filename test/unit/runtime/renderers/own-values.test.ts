/**
 * What templates change belongs to them: functions give copies, and variables are those of the run. As Salt 3006.16 has
 * it.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { executionModules } from '../../../../src/plugins/registry/module/on-demand.ts';
import { dict, isDict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { loadedFunctions } from '../../../../src/runtime/pillar/functions.ts';
import { PillarService } from '../../../../src/runtime/pillar/service.ts';
import { fakeContext } from '../../../support/module-context.ts';
import { appliedSls } from '../../../support/sls-runs.ts';

const machine = { clock: systemClock, random: systemRandom, log: silentLogger };
const parts = (): Dict => dict({ foo: { a: 1 }, list: [1], table: { default: { z: 0 } } });

/** Calls whose return is changed, on a minion with `parts` as pillar, as grain `g` and as option `o`. */
const CALLS = [
  `salt['pillar.get']('p')`,
  `salt['pillar.get']('p:foo')`,
  `salt['pillar.item']('p').p`,
  `salt['pillar.raw']().p`,
  `salt['pillar.raw']('p')`,
  `salt['pillar.filter_by']({'default': {}}, pillar='nosuch', merge=salt['pillar.get']('p'))`,
  `salt['grains.get']('g')`,
  `salt['grains.items']().g`,
  `salt['grains.item']('g').g`,
  `salt['config.get']('o')`,
  `salt['config.get']('g')`,
  `salt['config.get']('p')`,
  `salt['config.option']('o')`,
  `salt['slsutil.merge'](salt['pillar.get']('p'), {'b': 1})`,
  `salt.pillar.get('p')`,
];

for (const call of CALLS)
  test(`jinja - what ${call} gives is a copy`, async () => {
    const state = {
      opts: dict({ id: 'm1', file_client: 'local', pillar_roots: {}, file_roots: {}, o: parts() }),
      grains: dict({ os: 'Debian', g: parts() }),
      pillar: dict({ p: parts() }),
    };
    const before = structuredClone(state);
    const { functions } = fakeContext({ id: 'm1', ...state });
    const template = `{% set x = ${call} %}{% if x is mapping %}{% do x.update({'changed': 1}) %}{% if x.foo is mapping %}{% do x.foo.update({'changed': 1}) %}{% endif %}{% endif %}{{ x }}`;
    const kwargs = dict({ string: template, default_renderer: 'jinja' });
    await functions.call('slsutil.renderer', [], kwargs);
    assert.deepEqual(structuredClone(state), before);
  });

test('jinja - a function that gives what it was given gives that very thing', async () => {
  const { functions } = fakeContext({
    id: 'm1',
    opts: dict({ id: 'm1', file_client: 'local', pillar_roots: {}, file_roots: {} }),
  });
  const string = `{% set a = {'k': {}} %}{% set b = salt['defaults.merge'](a, {'l': 1}) %}{% do b.update({'m': 1}) %}{{ a }}`;
  const text = await functions.call('slsutil.renderer', [], dict({ string, default_renderer: 'jinja' }));
  assert.equal(text, "{'k': {}, 'l': 1, 'm': 1}");
});

test('sls - what one changes in its variables is seen by later ones, not by functions and states', async (t) => {
  const shown = `{{ pillar.p }} {{ salt['pillar.get']('p') }} {{ grains.n is defined }} {{ salt['grains.get']('n') }} {{ opts.n is defined }}`;
  const files = {
    'a.sls':
      `include: [b]\n{% do pillar.p.update({'n': 1}) %}{% do grains.update({'n': 1}) %}{% do opts.update({'n': 1}) %}\n` +
      `a: {test.configurable_test_state: [{result: true}, {changes: false}, {comment: "${shown}"}]}`,
    'b.sls': `b: {test.configurable_test_state: [{result: true}, {changes: false}, {comment: "${shown}"}]}`,
    'c.sls': `c: {test.configurable_test_state: [{result: true}, {changes: false}, {comment: "${shown}"}]}`,
  };
  const kwargs = dict({ pillar: { p: { k: 0 } } });
  const changed = "{'k': 0, 'n': 1} {'k': 0} True  True";
  assert.deepEqual(await appliedSls(t, files, 'a', { kwargs }), [
    `test b: true ${changed}`,
    `test a: true ${changed}`,
  ]);
  // the next run begins with what there is
  assert.deepEqual(await appliedSls(t, files, 'c', { kwargs }), [
    "test c: true {'k': 0} {'k': 0} False  False",
  ]);
});

test("pillar - what the files of one minion do to options is not seen by another one's", async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'brine-own-values-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'base'));
  writeFileSync(join(root, 'base/top.sls'), "base: {'*': [a, b]}\n");
  writeFileSync(
    join(root, 'base/a.sls'),
    `{% do opts.shared.list.append(1) %}{% do salt['config.get']('shared').list.append(2) %}\na: {{ opts.shared.list }}\n`,
  );
  writeFileSync(
    join(root, 'base/b.sls'),
    `b: {{ opts.shared.list }}\nc: {{ salt['config.get']('shared').list }}\n`,
  );
  const opts = dict({
    renderer: 'jinja|yaml',
    pillar_roots: { base: [join(root, 'base')] },
    shared: { list: [] },
  });
  const functions = (around: Parameters<typeof loadedFunctions>[0]): ReturnType<typeof loadedFunctions> =>
    loadedFunctions(around, { ...machine, modules: executionModules });
  const service = new PillarService({ opts, ...machine, isForOwnUse: true, functions });
  const pillar = (minionId: string): Promise<Value> =>
    service.pillar({ minionId, grains: dict(), saltenv: null, pillarenv: null, override: dict() });
  for (const id of ['one', 'two']) {
    const made = await pillar(id);
    assert.deepEqual(isDict(made) && made.get('a'), [1]);
  }
  assert.deepEqual(opts.get('shared'), dict({ list: [] }));
});
