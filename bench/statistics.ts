/** Figures from samples. */

/** The middle of the samples; the mean of the two middle ones when their number is even. NaN when there is none. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/**
 * The smallest sample that at least this share of the samples does not exceed (nearest rank). NaN when there is none.
 * @param share from 0 to 1
 */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

/** NaN when there is none. */
export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

/** Of a population that these are samples of. NaN when there are fewer than two. */
export function standardDeviation(samples: readonly number[]): number {
  const middle = mean(samples);
  const squares = samples.reduce((sum, sample) => sum + (sample - middle) ** 2, 0);
  return samples.length < 2 ? NaN : Math.sqrt(squares / (samples.length - 1));
}

/** Two-sided 99 % quantiles of Student's t; the last one that is not greater than the degrees of freedom is meant. */
const T_99: readonly (readonly [freedom: number, quantile: number])[] = [
  [1, 63.657],
  [2, 9.925],
  [3, 5.841],
  [4, 4.604],
  [5, 4.032],
  [6, 3.707],
  [7, 3.499],
  [8, 3.355],
  [9, 3.25],
  [10, 3.169],
  [12, 3.055],
  [15, 2.947],
  [20, 2.845],
  [30, 2.75],
  [60, 2.66],
  [120, 2.617],
];

/** How many standard errors the mean of so many samples stays within, 99 of 100 times. @param freedom from 1 on */
export function tQuantile99(freedom: number): number {
  return T_99.findLast(([from]) => from <= freedom)?.[1] ?? NaN;
}
