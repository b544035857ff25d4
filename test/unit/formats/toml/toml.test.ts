/**
 * TOML: what is read, what is refused with its place, and what is written as Python's package toml writes it
 * (recorded).
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseJson, toJson } from '../../../../src/formats/json/text.ts';
import { parseToml } from '../../../../src/formats/toml/read.ts';
import { dumpToml } from '../../../../src/formats/toml/write.ts';
import { dict, float, PyDatetime } from '../../../../src/python/values/value.ts';

const written = JSON.parse(
  readFileSync(
    join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/unit/formats/toml/written.json'),
    'utf8',
  ),
) as [string, string][];

test('toml - is written as by Python', () => {
  for (const [json, text] of written) assert.equal(dumpToml(parseJson(json)), text);
});

test('toml - what is written is read again', () => {
  for (const [json, text] of written) {
    const value = parseJson(json);
    if (value instanceof Map) value.delete('n');
    assert.equal(toJson(parseToml(text), { sortKeys: true }), toJson(value, { sortKeys: true }));
  }
});

test('toml - keys, tables, arrays of tables and every kind of value', () => {
  const text = `
a.b."c d" = 1 # comment
[[p]]
n = 'it''
`.replace("'it''", "'it'");
  assert.deepEqual(parseToml(text), dict({ a: { b: { 'c d': 1 } }, p: [dict({ n: 'it' })] }));
  const values = parseToml(
    'h = 0xff\no = 0o17\nb = 0b11\nu = 1_000\nf = 1.0\ne = 5e+22\ni = -inf\nt = true\nd = 1979-05-27T07:32:00.5Z\nday = 1979-05-27\n' +
      'm = """\nx \\\n  y\n"""\nl = \'\'\'\n\\n\'\'\'\narr = [\n 1, # one\n 2,\n]\nin = {x.y = 1, z = "\\u00e9"}\n',
  );
  assert.deepEqual(
    [...values.values()],
    [
      ...[255, 15, 3, 1000, float(1), float(5e22), -Infinity, true],
      new PyDatetime('19790527T07:32:00.500000'),
      ...['1979-05-27', 'x y\n', '\\n', [1, 2], dict({ x: { y: 1 }, z: 'é' })],
    ],
  );
});

test('toml - what is none is refused with its place', () => {
  for (const [text, reason] of [
    ['a = 1\na = 2', /Duplicate keys! \(line 2 column 1/],
    ['[a]\n[a]', /What! a already exists\? \(line 2 column 1/],
    ['a = {b = 1}\n[a.c]', /'a' is a value already/],
    ['a = foo', /'foo' is no value: text needs quotes \(line 1 column 5/],
    ['a = 1 b', /Expected the end of the line \(line 1 column 7/],
    ['a = "x', /Unbalanced quotes/],
    ['a = [1 2]', /Expected ',' or ']'/],
    [`a = ${'['.repeat(500)}`, /Too many levels of nesting/],
    ['a = 2020-13-01', /is no value/],
    ['= 1', /Found invalid character in key name/],
  ] as const)
    assert.throws(() => parseToml(text), reason, text);
});

test('toml - names of objects are keys as any other', () => {
  assert.deepEqual(
    parseToml('__proto__ = 1\nconstructor.x = 2'),
    new Map<string, unknown>([
      ['__proto__', 1],
      ['constructor', dict({ x: 2 })],
    ]),
  );
});
