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

type Results = Record<string, string>;

interface RecordedCase {
  readonly case: string;
  readonly results: Results;
}

const FOLDER = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/states/cases');
const NO_SERVER = 'http://127.0.0.1:9';

for (const file of readdirSync(FOLDER).sort()) {
  const table = file.replace(/\.json$/, '');
  const recorded = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as RecordedCase[];
  const cases = readStateCases(table);
  let played: Promise<Map<string, Results>> | undefined;
  for (const row of recorded) {
    const given = cases.find((one) => one.case === row.case);
    const skip = given?.root === true && process.getuid?.() !== 0 ? 'only root may do this' : false;
    test(`states of ${table} - ${row.case}: ends as on a real Salt`, { skip }, async () => {
      assert.ok(given, `it is no case of ${table} any more: record it anew`);
      played ??= playAll(table, recorded);
      const [ours, salts] = [{ ...(await played).get(row.case) }, { ...row.results }];
      for (const facet of [...(given.meant?.keys() ?? [])].map(String)) {
        assert.notEqual(ours[facet], salts[facet], `${facet} is as on Salt: its reason can go`);
        delete ours[facet];
        delete salts[facet];
      }
      assert.deepEqual(ours, salts);
    });
  }
}

/** Plays the cases of a table, all in one folder. @returns what they came to, by their names */
async function playAll(table: string, recorded: readonly RecordedCase[]): Promise<Map<string, Results>> {
  const folder = mkdtempSync(join(tmpdir(), 'states-'));
  const before = { umask: process.umask(0o022), cwd: process.cwd() };
  try {
    const cases = readStateCases(table);
    const placed = recorded.flatMap((row, i): PlacedCase[] => {
      const given = cases.find((one) => one.case === row.case);
      if (given === undefined || (given.root === true && process.getuid?.() !== 0)) return [];
      return [{ table, given, root: join(folder, 'srv'), name: `c${i}x`, http: NO_SERVER }];
    });
    placed.forEach(setUpCase);
    const outcomes = await ownOutcomes(folder, placed);
    return new Map(
      placed.map((at, i) => {
        const { runs, after } = outcomes[i] as (typeof outcomes)[number];
        const places = { dir: caseFolder(at), cache: join(folder, 'cache'), http: NO_SERVER };
        const tree = at.given.noTree === true ? [] : treeOf(places.dir, places);
        const outcome = { runs: runs.map(orderedResults), after, tree, http: NO_SERVER };
        return [at.given.case, Object.fromEntries(facetsOf(outcome, at))];
      }),
    );
  } finally {
    process.umask(before.umask);
    process.chdir(before.cwd);
    rmSync(folder, { recursive: true, force: true });
  }
}
