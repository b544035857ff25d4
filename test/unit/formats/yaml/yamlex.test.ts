/** YAMLEX: documents with what a real Salt 3006.16 reads of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '../../../../src/formats/json/text.ts';
import { loadYamlex } from '../../../../src/formats/yaml/yamlex.ts';

const RECORDED: readonly (readonly [text: string, json: string])[] = [
  ['a: !aggregate foo\na: !aggregate bar\na: !aggregate baz\n', '{"a": ["foo", "bar", "baz"]}'],
  [
    'p: {!aggregate foo: {foo: 42}}\np: {!aggregate foo: {bar: null}}\n!reset p: {!aggregate foo: {baz: inga}}\n',
    '{"p": {"foo": {"baz": "inga"}}}',
  ],
  ['a: 1\na: 2\n', '{"a": 2}'],
  ['a: {b: 1}\na: {c: 2}\n', '{"a": {"c": 2}}'],
  ['a: !aggregate {b: 1}\na: !aggregate {c: 2}\n', '{"a": {"b": 1, "c": 2}}'],
  ['a: !aggregate [1,2]\na: !aggregate [2,3]\n', '{"a": [1, 2, 3]}'],
  ['a: !aggregate {b: [1], d: 5}\na: !aggregate {b: [2]}\n', '{"a": {"b": [2], "d": 5}}'],
  ['- 1\n- 2\n', '[1, 2]'],
  ['foo\n', '"foo"'],
  ['', 'null'],
  ['x: 0644\n', '{"x": 644}'],
  ['b: &x {c: 1}\nd: {<<: *x, e: 2}\n', '{"b": {"c": 1}, "d": {"c": 1, "e": 2}}'],
  ['a: !aggregate\na: !aggregate x\n', '{"a": ["x"]}'],
  ['!reset a: 1\n', '{"a": 1}'],
  ['a: !aggregate 1\na: 2\n', '{"a": 2}'],
  ['a: {b: {c: 1}}\na: {b: {d: 2}}\n', '{"a": {"b": {"d": 2}}}'],
];

test('yamlex - documents are read as by Salt', () => {
  for (const [text, json] of RECORDED) assert.equal(toJson(loadYamlex(text)), json, text);
});

test('yamlex - keys that are no scalars, and nodes that contain themselves are refused', () => {
  assert.throws(() => loadYamlex('? [1]\n: 2\n'), /found unacceptable key/);
  assert.throws(() => loadYamlex('&a [*a]\n'), /recursive/);
});
