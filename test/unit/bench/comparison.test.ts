import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  ASSUMED_NOISE,
  compareFigures,
  compareRuns,
  compareTurns,
  driftBetween,
} from '../../../bench/comparison.ts';
import { renderComparison } from '../../../bench/compare-report.ts';
import { mergeTurns, sampled, single } from '../../../bench/figure.ts';
import { readBenchOptions } from '../../../bench/options.ts';
import { readSavedRun, savedText, type SavedRun } from '../../../bench/saved-run.ts';
import { mean, standardDeviation, tQuantile99 } from '../../../bench/statistics.ts';

const RATE = { scenario: 'return-storm', name: 'rate', unit: '/s', better: 'higher' } as const;
const TIME = { scenario: 'ping-all', name: 'time', unit: 's', better: 'lower' } as const;
const LOST = { scenario: 'return-storm', name: 'lost', unit: 'count', better: 'lower' } as const;

/** A generator of numbers between 0 and 1 that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test('comparison - deviation and quantiles are those of the textbook', () => {
  assert.equal(mean([1, 2, 6]), 3);
  assert.ok(Math.abs(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9]) - 2.138) < 0.001);
  assert.ok(Number.isNaN(standardDeviation([1])));
  assert.equal(tQuantile99(4), 4.604);
  assert.equal(tQuantile99(11), 3.169);
  assert.equal(tQuantile99(1000), 2.617);
  assert.ok(Number.isNaN(tQuantile99(0)));
});

test('comparison - in turns, what the machine did to both of a pair is no noise', () => {
  const before = [1, 2, 1.5, 3, 1.2];
  const slower = before.map((time, at) => time * (1.1 + at * 0.001));
  const paired = compareTurns(TIME, before, slower);
  assert.equal(paired.verdict, 'worse');
  assert.ok(Math.abs(paired.change - 0.102) < 0.001, `${paired.change}`);
  assert.ok(paired.noise < 0.01, `${paired.noise}`);
  const apart = compareRuns(TIME, before, slower, 0);
  assert.equal(apart.verdict, 'same');
  assert.ok(apart.noise > 0.5, `${apart.noise}`);
});

test('comparison - which way is good decides what is worse, and small changes are none', () => {
  const before = [100, 101, 99, 100, 100];
  const more = before.map((value) => value * 1.2);
  assert.equal(compareTurns(RATE, before, more).verdict, 'better');
  assert.equal(compareTurns(TIME, before, more).verdict, 'worse');
  assert.equal(compareTurns({ ...TIME, better: 'none' }, before, more).verdict, 'same');
  const bitMore = before.map((value) => value * 1.015);
  assert.equal(compareTurns(TIME, before, bitMore).verdict, 'same');
});

test('comparison - the drift of the machine since a saved run comes on top of the noise', () => {
  const before = [1, 1.01, 0.99, 1, 1];
  const now = before.map((time) => time * 1.2);
  assert.equal(compareRuns(TIME, before, now, 0).verdict, 'worse');
  const drifted = compareRuns(TIME, before, now, Math.log(1.25));
  assert.equal(drifted.verdict, 'same');
  assert.ok(drifted.noise > 0.25);
  assert.ok(Math.abs(driftBetween([0.04], [0.05]) - Math.log(1.25)) < 1e-9);
  assert.ok(Math.abs(driftBetween([0.05], [0.04]) - Math.log(1.25)) < 1e-9);
  assert.ok(driftBetween([0.04, 0.04], [0.03, 0.05]) > 0.3);
});

test('comparison - one sample has no noise of its own: one is taken, and said to be', () => {
  const change = compareRuns(TIME, [1], [1.1], 0);
  assert.equal(change.verdict, 'same');
  assert.equal(change.isNoiseMeasured, false);
  assert.ok(Math.abs(change.noise - ASSUMED_NOISE) < 1e-9);
  assert.equal(compareTurns(TIME, [1], [1.3]).verdict, 'worse');
});

test('comparison - one loss more than ever before is worse, whatever the noise', () => {
  assert.equal(compareTurns(LOST, [0, 0, 0], [0, 1, 0]).verdict, 'worse');
  assert.equal(compareRuns(LOST, [0, 0, 2], [0, 1, 0], 0).verdict, 'better');
  assert.equal(compareTurns(LOST, [0, 0], [0, 0]).verdict, 'same');
  assert.equal(compareTurns(TIME, [0, 0], [1, 1]).verdict, 'unknown');
});

test('comparison - two equal builds are taken for different in about one of a hundred', () => {
  const random = numbers(7);
  const sample = (): number => 1 + 0.1 * (random() + random() + random() - 1.5);
  const samples = (): number[] => Array.from({ length: 5 }, sample);
  let turns = 0;
  let runs = 0;
  for (let round = 0; round < 2000; round++) {
    const [before, now] = [samples(), samples()];
    if (compareTurns(TIME, before, now).verdict !== 'same') turns++;
    if (compareRuns(TIME, before, now, 0).verdict !== 'same') runs++;
  }
  assert.ok(turns > 4 && turns < 45, `${turns} of 2000 pairs`);
  assert.ok(runs > 4 && runs < 45, `${runs} of 2000 runs`);
});

test('comparison - the figures that both have are compared and regressions are named', () => {
  const before = [sampled(TIME, [1, 1.01, 1]), single({ ...TIME, name: 'gone' }, 1)];
  const now = [sampled(TIME, [2, 2.02, 2]), sampled(RATE, [1, 1, 1])];
  const changes = compareFigures(before, now, compareTurns);
  assert.equal(changes.length, 1);
  const text = renderComparison(['before', 'now'], changes);
  assert.match(text, /^ping-all\s+time\s+1\.003\s+2\.007\s+\+100\.0 %\s+± 0\.0 %\s+WORSE$/m);
  assert.match(text, /^ping-all time got worse: \+100\.0 %, where chance makes ± 0\.0 %\.$/m);
  assert.match(renderComparison(['a', 'b'], []), /No figure of 0 got worse/);
});

test('comparison - the medians of turns are the samples of a run in turns', () => {
  const merged = mergeTurns([[sampled(TIME, [1, 2, 3])], [sampled(TIME, [4]), single(LOST, 1)]]);
  assert.deepEqual(
    merged.map(({ name, values }) => [name, values]),
    [
      ['time', [2, 4]],
      ['lost', [1]],
    ],
  );
});

test('comparison - a run is read back as it was printed, and anything else is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-bench-saved-'));
  try {
    const run: SavedRun = {
      at: '2026-01-01T00:00:00.000Z',
      machine: '2 CPUs',
      bareStarts: [0.04],
      kinds: [{ label: 'Brine', figures: [sampled(TIME, [1, 2]), single(RATE, NaN), single(LOST, 0)] }],
      limits: [single(RATE, 9)],
    };
    const path = join(folder, 'run.json');
    writeFileSync(path, savedText(run));
    assert.deepEqual(readSavedRun(path), run);
    writeFileSync(path, '{"at": "now", "machine": "x", "bareStarts": [], "kinds": [{}], "limits": []}');
    assert.throws(
      () => readSavedRun(path),
      /no saved run: "label" is no text.*npm run bench --silent -- --json/,
    );
    assert.throws(() => readSavedRun(join(folder, 'none')), /no saved run/);
    const inTurns = readBenchOptions(['--compare', folder], { BRINE_REAL_SALT: '/x' }, []);
    assert.deepEqual([inTurns.turns, inTurns.minutes, inTurns.real], [5, 50, undefined]);
    const withFile = readBenchOptions(['--compare', path, '--minutes', '9'], {}, []);
    assert.deepEqual([withFile.turns, withFile.minutes], [1, 9]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
