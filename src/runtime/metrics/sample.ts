/** Figures at one moment, as processes hand them to each other. */
import { FAMILY_TABLE, type FamilyName } from './families.ts';

/** A distribution: how many were in each bucket (the last is for all above), their sum and their number. */
export interface Distribution {
  readonly counts: readonly number[];
  readonly sum: number;
  readonly count: number;
}

/** One figure of one set of labels. */
export interface Sample {
  readonly name: FamilyName;
  /** Values of the labels, in the order of the family. */
  readonly labels: readonly string[];
  readonly value: number | Distribution;
}

/** One number. @param labels values, in the order of the family's names */
export function sample(name: FamilyName, value: number, ...labels: string[]): Sample {
  return { name, labels, value };
}

/** One sample for each entry of a mapping, which becomes the only label. */
export function samplesOf(name: FamilyName, entries: Iterable<readonly [string, number]>): Sample[] {
  return [...entries].map(([label, value]) => sample(name, value, label));
}

/** As {@link samplesOf}, where the same label may come several times: those are added up. */
export function summed(name: FamilyName, entries: Iterable<readonly [string, number]>): Sample[] {
  const sums = new Map<string, number>();
  for (const [label, value] of entries) sums.set(label, (sums.get(label) ?? 0) + value);
  return samplesOf(name, sums);
}

/** What another process of ours sent; what is none of our figures is left out. */
export function readSamples(message: unknown): Sample[] {
  return Array.isArray(message) ? message.flatMap(readSample) : [];
}

function readSample(message: unknown): Sample[] {
  if (typeof message !== 'object' || message === null) return [];
  const { name, labels, value } = message as Readonly<Record<string, unknown>>;
  const family = typeof name === 'string' ? FAMILY_TABLE.get(name) : undefined;
  if (family === undefined || !isTexts(labels) || labels.length !== family.labels.length) return [];
  const read = family.kind === 'histogram' ? readDistribution(value, family.buckets?.length ?? 0) : value;
  if (typeof read !== 'number' && !isDistribution(read)) return [];
  return [{ name: name as FamilyName, labels, value: read }];
}

function readDistribution(value: unknown, buckets: number): Distribution | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { counts, sum, count } = value as Readonly<Record<string, unknown>>;
  if (!Array.isArray(counts) || counts.length !== buckets + 1) return undefined;
  if (!counts.every((each) => typeof each === 'number')) return undefined;
  return typeof sum === 'number' && typeof count === 'number' ? { counts, sum, count } : undefined;
}

function isDistribution(value: unknown): value is Distribution {
  return typeof value === 'object' && value !== null;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** The sum of two values of a figure. */
export function added(one: Sample['value'], other: Sample['value']): Sample['value'] {
  if (typeof one === 'number') return typeof other === 'number' ? one + other : one;
  if (typeof other === 'number') return one;
  return {
    counts: one.counts.map((count, index) => count + (other.counts[index] ?? 0)),
    sum: one.sum + other.sum,
    count: one.count + other.count,
  };
}
