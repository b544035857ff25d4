/** Counting by names that others choose: the number of names is bounded, what is above is counted together. */
import { FAMILIES, type FamilyName } from './families.ts';
import { sample, type Distribution, type Sample } from './sample.ts';

/** Names that are counted apart; Prometheus and its readers suffer from more. */
const NAMES_MAX = 300;
const OTHER = 'other';
/** Longer names are no function's. */
const NAME_LENGTH_MAX = 100;

/** Label values that are bounded in number and length. */
class Names {
  readonly #known = new Set<string>();
  overflow = 0;

  /** The name under which this one is counted. */
  of(labels: readonly string[]): readonly string[] {
    const key = labels.join('\n');
    if (this.#known.has(key)) return labels;
    if (this.#known.size >= NAMES_MAX || labels.some((label) => label.length > NAME_LENGTH_MAX)) {
      this.overflow++;
      return labels.map(() => OTHER);
    }
    this.#known.add(key);
    return labels;
  }
}

/** A counter with labels. */
export class Tally {
  readonly #name: FamilyName;
  readonly #names = new Names();
  readonly #counts = new Map<string, { readonly labels: readonly string[]; count: number }>();

  constructor(name: FamilyName) {
    this.#name = name;
  }

  /** Counts one more. @param labels values, in the order of the family's names */
  add(...labels: string[]): void {
    const counted = this.#names.of(labels);
    const key = counted.join('\n');
    const entry = this.#counts.get(key);
    if (entry === undefined) this.#counts.set(key, { labels: counted, count: 1 });
    else entry.count++;
  }

  samples(): Sample[] {
    return [
      ...[...this.#counts.values()].map(({ labels, count }) => sample(this.#name, count, ...labels)),
      ...overflowOf(this.#names),
    ];
  }
}

/** A distribution with labels. */
export class Timings {
  readonly #name: FamilyName;
  readonly #bounds: readonly number[];
  readonly #names = new Names();
  readonly #all = new Map<string, { readonly labels: readonly string[]; readonly of: MutableDistribution }>();

  constructor(name: FamilyName) {
    this.#name = name;
    const family = FAMILIES[name];
    this.#bounds = 'buckets' in family ? (family.buckets ?? []) : [];
  }

  /** Counts one that took so long. @param labels values, in the order of the family's names */
  add(seconds: number, ...labels: string[]): void {
    if (!Number.isFinite(seconds) || seconds < 0) return;
    const counted = this.#names.of(labels);
    const key = counted.join('\n');
    let entry = this.#all.get(key);
    if (entry === undefined) {
      entry = { labels: counted, of: { counts: this.#bounds.map(() => 0).concat(0), sum: 0, count: 0 } };
      this.#all.set(key, entry);
    }
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    const bucket = at < 0 ? this.#bounds.length : at;
    entry.of.counts[bucket] = (entry.of.counts[bucket] ?? 0) + 1;
    entry.of.sum += seconds;
    entry.of.count++;
  }

  samples(): Sample[] {
    return [
      ...[...this.#all.values()].map(({ labels, of: { counts, sum, count } }): Sample => {
        const value: Distribution = { counts: [...counts], sum, count };
        return { name: this.#name, labels, value };
      }),
      ...overflowOf(this.#names),
    ];
  }
}

interface MutableDistribution {
  readonly counts: number[];
  sum: number;
  count: number;
}

function overflowOf({ overflow }: Names): Sample[] {
  return overflow === 0 ? [] : [sample('brine_metrics_label_overflow_total', overflow)];
}
