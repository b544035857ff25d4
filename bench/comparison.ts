/** Two builds compared: by how much a figure changed, how much of that is noise, and whether it got worse. */
import type { Figure, Row } from './figure.ts';
import { mean, median, standardDeviation, tQuantile99 } from './statistics.ts';

/** A change smaller than this is not called one, however quiet the machine was. */
export const FLOOR = 0.02;
/** What is taken for noise where there are too few samples to tell. */
export const ASSUMED_NOISE = 0.15;

/** What came of one figure. */
export type Verdict = 'same' | 'better' | 'worse' | 'unknown';

/** One figure before and now. */
export interface Change {
  readonly row: Row;
  /** Geometric means of the samples. */
  readonly before: number;
  readonly now: number;
  /** Share by which it grew; -0.1 is ten percent less. */
  readonly change: number;
  /** Share that a change has to exceed so that it is no chance: 99 of 100 times two equal builds differ by less. */
  readonly noise: number;
  /** Whether the noise was measured, or taken for {@link ASSUMED_NOISE}. */
  readonly isNoiseMeasured: boolean;
  readonly verdict: Verdict;
}

/**
 * Compares runs that were made in turns: the first of one with the first of the other, and so on. What the machine did
 * meanwhile met both runs of a pair, so that only what differs within pairs is noise.
 */
export function compareTurns(row: Row, before: readonly number[], now: readonly number[]): Change {
  if (row.unit === 'count') return compareCounts(row, before, now);
  const turns = Math.min(before.length, now.length);
  const steps = Array.from({ length: turns }, (_, at) =>
    Math.log((now[at] as number) / (before[at] as number)),
  );
  const isMeasured = turns >= 2;
  const halfWidth = isMeasured
    ? (tQuantile99(turns - 1) * standardDeviation(steps)) / Math.sqrt(turns)
    : Math.log1p(ASSUMED_NOISE);
  return judge(row, before, now, mean(steps), halfWidth, isMeasured);
}

/**
 * Compares samples of a run with those of an earlier one. Welch's interval of the difference of two means, of
 * logarithms; what the machine itself has changed by since comes on top.
 * @param drift of the machine, as {@link driftBetween} gives it
 */
export function compareRuns(
  row: Row,
  before: readonly number[],
  now: readonly number[],
  drift: number,
): Change {
  if (row.unit === 'count') return compareCounts(row, before, now);
  const [a, b] = [before.map(Math.log), now.map(Math.log)];
  const isMeasured = a.length >= 2 && b.length >= 2;
  const halfWidth = (isMeasured ? welchHalfWidth(a, b) : Math.log1p(ASSUMED_NOISE)) + drift;
  return judge(row, before, now, mean(b) - mean(a), halfWidth, isMeasured);
}

/**
 * By how much the machine itself may have changed between two runs, as the logarithm of a ratio: what a bare start of
 * Node, which no build of ours can change, took in each, and how far those starts lie apart within a run.
 */
export function driftBetween(before: readonly number[], now: readonly number[]): number {
  const spread = (starts: readonly number[]): number =>
    starts.length < 2 ? 0 : standardDeviation(starts.map(Math.log));
  return Math.abs(Math.log(median(now) / median(before))) + Math.max(spread(before), spread(now));
}

function welchHalfWidth(a: readonly number[], b: readonly number[]): number {
  const [va, vb] = [standardDeviation(a) ** 2 / a.length, standardDeviation(b) ** 2 / b.length];
  const variance = va + vb;
  if (variance === 0) return 0;
  const freedom = variance ** 2 / (va ** 2 / (a.length - 1) + vb ** 2 / (b.length - 1));
  return tQuantile99(Math.max(1, Math.floor(freedom))) * Math.sqrt(variance);
}

/** Counts of what must not be have no noise: one more than ever before is worse. */
function compareCounts(row: Row, before: readonly number[], now: readonly number[]): Change {
  const [most, mostNow] = [Math.max(...before), Math.max(...now)];
  const isWorse = row.better === 'lower' ? mostNow > most : row.better === 'higher' && mostNow < most;
  const isBetter = row.better === 'lower' ? mostNow < most : row.better === 'higher' && mostNow > most;
  const verdict = isWorse ? 'worse' : isBetter ? 'better' : 'same';
  const change = mostNow === most ? 0 : mostNow / most - 1;
  return { row, before: most, now: mostNow, change, noise: 0, isNoiseMeasured: true, verdict };
}

function judge(
  row: Row,
  before: readonly number[],
  now: readonly number[],
  step: number,
  halfWidth: number,
  isNoiseMeasured: boolean,
): Change {
  const noise = Math.expm1(halfWidth);
  return {
    row,
    before: Math.exp(mean(before.map(Math.log))),
    now: Math.exp(mean(now.map(Math.log))),
    change: Math.expm1(step),
    noise,
    isNoiseMeasured,
    verdict: verdictOf(row, step, Math.max(halfWidth, Math.log1p(FLOOR))),
  };
}

function verdictOf({ better }: Row, step: number, limit: number): Verdict {
  if (!Number.isFinite(step) || !Number.isFinite(limit)) return 'unknown';
  if (better === 'none' || Math.abs(step) <= limit) return 'same';
  return step > 0 === (better === 'higher') ? 'better' : 'worse';
}

/** All figures that both have, in the order of the newer. */
export function compareFigures(
  before: readonly Figure[],
  now: readonly Figure[],
  compare: (row: Row, before: readonly number[], now: readonly number[]) => Change,
): Change[] {
  return now.flatMap((figure) => {
    const earlier = before.find(({ scenario, name }) => scenario === figure.scenario && name === figure.name);
    return earlier === undefined ? [] : [compare(figure, earlier.values, figure.values)];
  });
}
