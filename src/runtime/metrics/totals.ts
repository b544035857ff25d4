/**
 * The figures of several processes as those of one program: numbers of the same name are added up. What a process that
 * has ended had counted stays in the sum, so that a counter never falls.
 */
import { FAMILIES } from './families.ts';
import { added, type Sample } from './sample.ts';

const UP = 'brine_process_up';

interface Part {
  readonly pid: number;
  readonly samples: readonly Sample[];
}

/** Adds up figures. */
export class Totals {
  readonly #parts = new Map<string, Part>();
  #ended = new Map<string, Sample>();

  /** Takes what a process says now. @param process its name, which stays when it is started again */
  take(process: string, pid: number, samples: readonly Sample[]): void {
    const before = this.#parts.get(process);
    if (before !== undefined && before.pid !== pid) this.#keep(before.samples);
    this.#parts.set(process, { pid, samples });
  }

  /**
   * All figures, each name with the same labels once.
   * @param silent processes that have not answered: they count as not up
   */
  samples(silent: ReadonlySet<string> = new Set()): Sample[] {
    const sums = new Map(this.#ended);
    for (const [process, { samples }] of this.#parts)
      for (const one of samples)
        add(sums, silent.has(process) && one.name === UP ? { ...one, value: 0 } : one);
    return [...sums.values()];
  }

  #keep(samples: readonly Sample[]): void {
    const counted = samples.filter(({ name }) => FAMILIES[name].kind !== 'gauge');
    // the processor time of a process is its own
    for (const one of counted) if (!FAMILIES[one.name].labels.includes('process')) add(this.#ended, one);
  }
}

function add(sums: Map<string, Sample>, one: Sample): void {
  const key = [one.name, ...one.labels].join('\n');
  const before = sums.get(key);
  sums.set(key, before === undefined ? one : { ...before, value: added(before.value, one.value) });
}
