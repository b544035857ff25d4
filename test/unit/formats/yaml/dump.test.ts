import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyValue, isDict, type Value } from '../../../../src/python/values/value.ts';
import { dumpYaml, type YamlDumpOptions } from '../../../../src/formats/yaml/dump.ts';
import { loadYaml } from '../../../../src/formats/yaml/load.ts';
import { readVectors, revive } from '../../python/values/vectors.ts';

const STYLES: Record<string, YamlDumpOptions> = {
  block: {},
  none: { defaultFlowStyle: null },
  flow: { defaultFlowStyle: true, indent: 0 },
  indent4: { indent: 4 },
  ascii: { allowUnicode: false },
  w30: { width: 30 },
  nosort: { sortKeys: false, explicitStart: true },
  flow6: { defaultFlowStyle: true, indent: 6, width: 40 },
};

test('yaml - recorded values are written byte for byte as Salt’s safe_dump writes them', () => {
  for (const vector of readVectors<{ v: unknown } & Record<string, string>>('outputters/yaml.json')) {
    const value = revive(vector.v);
    for (const [style, options] of Object.entries(STYLES))
      assert.equal(dumpYaml(value, options), vector[style]);
  }
});

test('yaml - scalars that would be read as something else are quoted, those Salt reads as text are not', () => {
  const plain = ['y', 'n', '1e3', '08', '0o7', 'a:b', 'x#y', '.', '+', 'grün'];
  const quoted = [
    '',
    'yes',
    'Off',
    '~',
    'null',
    '1',
    '1.5',
    '0644',
    '1:30',
    '2001-01-01',
    '=',
    '<<',
    'a: b',
    '#',
    '- ',
  ];
  for (const text of plain) assert.equal(dumpYaml(text), `${text}\n`);
  for (const text of quoted) assert.equal(dumpYaml(text), `'${text}'\n`);
});

test('yaml - lists stand at the column of their key, great floats keep a point', () => {
  const value: Value = new Map<Value, Value>([
    ['list', [1, [2, new Map([['k', 1e-7]])]]],
    ['empty', new Map()],
  ]);
  assert.equal(dumpYaml(value), 'empty: {}\nlist:\n- 1\n- - 2\n  - k: 1.0e-07\n');
});

test('yaml - an object that occurs twice is written once and referred to', () => {
  const shared: Value[] = [1];
  assert.equal(dumpYaml([shared, shared, [2], [2]]), '- &id001\n  - 1\n- *id001\n- - 2\n- - 2\n');
  const circular: Value[] = [];
  circular.push(circular);
  assert.equal(dumpYaml(circular), '&id001\n- *id001\n');
});

test('yaml - what is merged into a mapping, or copied, is one thing still, as in Salt', () => {
  const loaded = loadYaml('base: &b\n  x: [1, 2]\none: *b\nmerged:\n  <<: *b\n  y: 3\n');
  assert.ok(isDict(loaded));
  const expected = '{base: &id002 {x: &id001 [1, 2]}, merged: {x: *id001, y: 3}, one: *id002}\n';
  assert.equal(dumpYaml(loaded, { defaultFlowStyle: true }), expected);
  assert.equal(dumpYaml(copyValue(loaded), { defaultFlowStyle: true }), expected);
  assert.notEqual(copyValue(loaded).get('one'), loaded.get('one'));
});
