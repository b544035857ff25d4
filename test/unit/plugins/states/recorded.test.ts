/** State cases recorded from a real Salt 3006.16 by `test/compare/state-modules.ts --record`, run again on ours. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownOutcomes } from '../../../compare/own-states.ts';
import { treeOf } from '../../../support/module-calls.ts';
import {
  caseFolder,
  facetsOf,
  orderedResults,
  readStateCases,
  setUpCase,
  type PlacedCase,
} from '../../../support/state-cases.ts';

interface RecordedCase {
  readonly case: string;
  readonly results: Readonly<Record<string, string>>;
}

const FOLDER = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/states/cases');
const NO_SERVER = 'http://127.0.0.1:9';

for (const file of readdirSync(FOLDER).sort()) {
  const table = file.replace(/\.json$/, '');
  const recorded = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as RecordedCase[];
  const cases = readStateCases(table);
  test(`states of ${table} - recorded cases end as on a real Salt`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'states-'));
    const before = { umask: process.umask(0o022), cwd: process.cwd() };
    t.after(() => {
      process.umask(before.umask);
      process.chdir(before.cwd);
      rmSync(folder, { recursive: true, force: true });
    });
    const all = recorded.map((row, i): PlacedCase & RecordedCase => {
      const given = cases.find((one) => one.case === row.case);
      assert.ok(given, `${row.case} is no case of ${table} any more: record it anew`);
      return { ...row, table, given, root: join(folder, 'srv'), name: `c${i}x`, http: NO_SERVER };
    });
    const placed = all.filter(({ given }) => given.root !== true || process.getuid?.() === 0);
    placed.forEach(setUpCase);
    const outcomes = await ownOutcomes(folder, placed);
    for (const [i, { runs, after }] of outcomes.entries()) {
      const at = placed[i] as PlacedCase & RecordedCase;
      const places = { dir: caseFolder(at), cache: join(folder, 'cache'), http: NO_SERVER };
      const tree = at.given.noTree === true ? [] : treeOf(places.dir, places);
      const outcome = { runs: runs.map(orderedResults), after, tree, http: NO_SERVER };
      const results = Object.fromEntries(facetsOf(outcome, at));
      assert.deepEqual(results, at.results, at.given.case);
    }
  });
}
