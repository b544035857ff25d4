/** JMESPath. The searches were recorded from jmespath 1.0 of Python. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { JmespathError, searchJmespath } from '../../../../src/formats/jmespath/search.ts';
import { parseJson, toJson } from '../../../../src/formats/json/text.ts';
import type { Dict, Value } from '../../../../src/python/values/value.ts';

const FILE = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/fixtures/jmespath/searches.json');
const recorded = parseJson(readFileSync(FILE, 'utf8')) as Dict;
const data = recorded.get('data') as Value;

test('jmespath - finds what the package of Python finds', () => {
  for (const [expression, found] of recorded.get('found') as [string, Value][])
    assert.equal(toJson(searchJmespath(expression, data)), toJson(found), expression);
});

test('jmespath - refuses what cannot be read, and arguments that do not fit', () => {
  for (const expression of recorded.get('refused') as string[])
    assert.throws(() => searchJmespath(expression, data), JmespathError, expression);
  assert.throws(() => searchJmespath('('.repeat(5000), data), JmespathError);
});
