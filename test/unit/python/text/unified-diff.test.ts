/** Differences against those that Python's difflib writes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { unifiedDiff } from '../../../../src/python/text/unified-diff.ts';

const FIXTURE = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/runners/unified-diff.json');
const cases = JSON.parse(readFileSync(FIXTURE, 'utf8')) as { a: string; b: string; diff: string }[];

const lines = (text: string): string[] => text.match(/[^\n]*\n/g) ?? [];

test('survey.diff - differences are those of difflib', () => {
  assert.ok(cases.length > 50);
  for (const { a, b, diff } of cases)
    assert.equal(unifiedDiff(lines(a), lines(b), { from: 'm1', to: 'm2' }).join(''), diff);
});
