/** Texts that are read again and again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadYaml } from '../../../../src/formats/yaml/load.ts';
import { isDict, type Value } from '../../../../src/python/values/value.ts';
import { ParsedTexts } from '../../../../src/runtime/renderers/parsed-texts.ts';

interface Scene {
  readonly texts: ParsedTexts;
  readonly parsed: string[];
  readonly parse: (text: string) => Value;
  readonly passTime: () => void;
}

function scene(): Scene {
  const due: (() => void)[] = [];
  const after = (_ms: number, work: () => void): { cancel(): void } => {
    due.push(work);
    return { cancel: () => undefined };
  };
  const parsed: string[] = [];
  const parse = (text: string): Value => {
    parsed.push(text);
    return loadYaml(text, { ordered: true });
  };
  return {
    texts: new ParsedTexts({ after }),
    parsed,
    parse,
    passTime: () => due.splice(0).forEach((work) => work()),
  };
}

test('a text that has come twice is not read a third time, and what it says can be changed', () => {
  const { texts, parsed, parse } = scene();
  const text = 'a: &x [1, 2]\nb: {c: *x}\n';
  for (let time = 0; time < 5; time++) {
    const value = texts.read(text, parse);
    assert.deepEqual(value, loadYaml(text, { ordered: true }));
    assert.ok(isDict(value));
    (value.get('a') as Value[]).push(time);
    value.set('more', time);
  }
  assert.equal(parsed.length, 2);
  assert.equal(texts.hits, 3);
});

test('everything is forgotten after a while', () => {
  const { texts, parsed, parse, passTime } = scene();
  for (let time = 0; time < 3; time++) texts.read('a: 1', parse);
  passTime();
  for (let time = 0; time < 3; time++) texts.read('a: 1', parse);
  assert.equal(parsed.length, 4);
});

test('a text that cannot be read fails each time, and large ones are not kept', () => {
  const { texts, parsed, parse } = scene();
  for (let time = 0; time < 3; time++) assert.throws(() => texts.read('a: [', parse));
  const large = `a: ${'x'.repeat(300_000)}`;
  for (let time = 0; time < 3; time++) texts.read(large, parse);
  assert.equal(parsed.length, 6);
});
