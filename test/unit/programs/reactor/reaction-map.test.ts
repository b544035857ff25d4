import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadYaml } from '../../../../src/formats/yaml/load.ts';
import { ReactionMap } from '../../../../src/programs/reactor/reaction-map.ts';
import { ReactionRenderer } from '../../../../src/programs/reactor/render-reactions.ts';
import type { ModuleContext } from '../../../../src/runtime/loader/module.ts';
import type { Value } from '../../../../src/python/values/value.ts';
import { systemClock } from '../../../../src/host/clock.ts';
import { rareLog } from '../../../../src/host/rare-lines.ts';
import { folder, keptLog } from '../../../support/attacker.ts';

const mapOf = (configured: unknown, refreshMs = 0) => {
  const { log, lines } = keptLog();
  const map = new ReactionMap({ configured: configured as string, refreshMs, clock: systemClock, log });
  return { map, lines, log };
};

test('reaction map - every rule that matches counts, in the order of the list', () => {
  const { map, lines } = mapOf(loadYaml("[{'a/*': [/1, /2]}, {a/b: /3}, {c: /4}, nonsense, {x: 1, y: 2}]"));
  assert.deepEqual(map.filesFor('a/b'), ['/1', '/2', '/3']);
  assert.equal(map.wants('d'), false);
  assert.equal(lines.filter((line) => line.includes('does nothing')).length, 2);
});

test('reaction map - a rule is not added whose file is not there', (t) => {
  const there = join(folder(t), 'there.sls');
  writeFileSync(there, '');
  const { map, lines } = mapOf([]);
  for (const [files, missing] of [
    ['/no/such.sls', '/no/such.sls'],
    [[there, '/no/such.sls'], '/no/such.sls'],
    [[`${there}*x`], `${there}*x`],
    [there, undefined],
    [[`${there.slice(0, -3)}*`], undefined],
    [['salt://on/the/server.sls'], undefined],
  ] as const) {
    const { isDone, comment } = map.add('tag', files as Value);
    assert.equal(isDone, missing === undefined, comment);
    if (missing !== undefined)
      assert.ok(comment.startsWith(`There is no file ${missing}, so the rule was not added.`));
    assert.equal(map.wants('tag'), isDone);
    if (isDone) map.remove('tag');
  }
  assert.deepEqual(lines, []);
});

test('reaction map - rules are added and removed once each', (t) => {
  const { map } = mapOf(loadYaml('[{a: [/1]}]'));
  const second = join(folder(t), '2');
  writeFileSync(second, '');
  assert.deepEqual(map.add('a', [second]), { isDone: false, comment: 'Reactor already exists.' });
  assert.deepEqual(map.add('b', [second]), { isDone: true, comment: 'Reactor added.' });
  assert.deepEqual(map.filesFor('b'), [second]);
  assert.deepEqual(map.remove('b'), { isDone: true, comment: 'Reactor deleted.' });
  assert.deepEqual(map.remove('b'), { isDone: false, comment: 'Reactor does not exists.' });
  assert.equal(map.wants('b'), false);
});

test('reaction map - a file is read anew, and one that breaks leaves the rules as they were', (t) => {
  const path = join(folder(t), 'map.yaml');
  writeFileSync(path, '[{a: [/1]}]');
  const { map, lines } = mapOf(path);
  assert.deepEqual(map.filesFor('a'), ['/1']);
  map.add('mine', ['salt://mine']);
  writeFileSync(path, '[{b: [/2]}]');
  assert.deepEqual(
    [map.filesFor('a'), map.filesFor('b'), map.filesFor('mine')],
    [[], ['/2'], ['salt://mine']],
  );
  writeFileSync(path, '[{b: [/2]');
  assert.deepEqual(map.filesFor('b'), ['/2']);
  assert.match(lines.join('\n'), /Failed to parse YAML in reactor map/);
});

test('reaction map - a pattern, a relative path and an address that are of no file are said at the start', async (t) => {
  const at = folder(t);
  writeFileSync(join(at, 'is.sls'), '');
  const files = [`${at}/*.sls`, `${at}/*.none`, 'no-such.sls', 'salt://is.sls', 'salt://no.sls'];
  const { map, lines, log } = mapOf(loadYaml(JSON.stringify([{ 'a/*': files }])));
  const sums = new Map<Value, Value>([['salt://is.sls', new Map([['hsum', '12']])]]);
  const ask = (_fun: string, [file = null]: readonly Value[]): Promise<Value> =>
    Promise.resolve(sums.get(file) ?? new Map());
  const context = { functions: { call: ask }, opts: new Map() } as unknown as ModuleContext;
  const renderer = new ReactionRenderer({
    context: () => Promise.resolve(context),
    log: rareLog(log, systemClock),
  });
  await renderer.sayMissing(map.served());
  const missing = lines.map(
    (line) => /names (\S+) for the tag a\/\*, and there is no such file/.exec(line)?.[1],
  );
  assert.deepEqual(missing, [`${at}/*.none`, 'no-such.sls', 'salt://no.sls']);
});

test('reactor map - what is no list is named once, with the form that is right', () => {
  const { map, lines } = mapOf(loadYaml('"a/*": [/srv/x.sls]'));
  assert.ok(!map.wants('a/1'));
  const named = lines.filter((line) => line.includes('The option reactor is dict and no list'));
  assert.equal(named.length, 1, lines.join('\n'));
});
