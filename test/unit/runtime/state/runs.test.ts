/** State runs against those of a real Salt 3006.16, see `test/compare/state-runs.ts`. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { valueFromJson } from '../../../support/module-calls.ts';
import {
  comparableOutcome,
  expectedOutcome,
  ownOutcome,
  readRunCases,
  STATE_RUNS,
} from '../../../support/state-runs.ts';

const recorded = JSON.parse(readFileSync(join(STATE_RUNS, 'recorded.json'), 'utf8')) as Record<
  string,
  unknown
>;
const folder = mkdtempSync(join(tmpdir(), 'state-runs-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

for (const given of readRunCases()) {
  test(`state runs - as Salt's: ${given.name}`, async () => {
    const expected = expectedOutcome(given.name, valueFromJson(recorded[given.name]));
    assert.deepEqual(comparableOutcome(await ownOutcome(given, folder)), expected);
  });
}
