/** What a scenario finds out. */
import { median, percentile } from './statistics.ts';

/** How a figure is read and printed. */
export type Unit = 's' | 'ms' | '/s' | 'MB/s' | 'MB' | 'kB' | 'bytes' | 'count' | 'CPU s' | 'ratio';

/** One figure of one kind of programs. */
export interface Figure {
  readonly scenario: string;
  /** What was measured; with the scenario it names the row. */
  readonly name: string;
  readonly unit: Unit;
  /** Which way is good; `none` for what has no ratio worth printing. */
  readonly better: 'lower' | 'higher' | 'none';
  readonly median: number;
  /** Left out where there is no distribution. */
  readonly p99?: number;
  readonly samples: number;
  /** The samples, or the rounds' medians where there are thousands: what a comparison takes its noise from. */
  readonly values: readonly number[];
}

/** What names and explains a row. */
export type Row = Pick<Figure, 'scenario' | 'name' | 'unit' | 'better'>;

/** A figure from the samples of several rounds. */
export function sampled(row: Row, samples: readonly number[]): Figure {
  const p99 = row.better === 'higher' ? percentile(samples, 0.01) : percentile(samples, 0.99);
  return { ...row, median: median(samples), p99, samples: samples.length, values: samples };
}

/** A figure that is one number. */
export function single(row: Row, value: number): Figure {
  return { ...row, median: value, samples: 1, values: [value] };
}

/** The key of a figure's row. */
export function rowKey({ scenario, name }: Pick<Figure, 'scenario' | 'name'>): string {
  return `${scenario} ${name}`;
}

/** The figures of several turns: each turn's median is a sample. */
export function mergeTurns(turns: readonly (readonly Figure[])[]): readonly Figure[] {
  const [first = []] = turns;
  if (turns.length < 2) return first;
  const all = turns.flat();
  const keys = new Map(all.map((figure) => [rowKey(figure), figure]));
  return [...keys].map(([key, { scenario, name, unit, better }]) =>
    sampled(
      { scenario, name, unit, better },
      all.filter((figure) => rowKey(figure) === key).map((figure) => figure.median),
    ),
  );
}
