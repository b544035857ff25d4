/** The figures of all parts of a master: each is asked, and what they say is added up. */
import type { Clock } from '../../host/clock.ts';
import { processFigures } from '../../runtime/metrics/process-figures.ts';
import { sample, type Sample } from '../../runtime/metrics/sample.ts';
import { Totals } from '../../runtime/metrics/totals.ts';

/** A part that has not answered by then is shown with what it said last, and as not up. */
const PATIENCE_MS = 1_000;
const MAIN = 'master';

/** What gathering needs. */
export interface FiguresDeps {
  /** Asks all parts. */
  readonly ask: (round: number) => void;
  /** Names of the parts that can answer. */
  readonly ready: () => readonly string[];
  /** What the main process itself has counted. */
  readonly own: () => readonly Sample[];
  readonly clock: Clock;
}

/** Gathers figures. One round is under way at a time. */
export class GatherFigures {
  readonly #deps: FiguresDeps;
  readonly #totals = new Totals();
  #round = 0;
  #missing = new Set<string>();
  #complete: () => void = () => undefined;
  #underWay: Promise<Sample[]> | undefined;

  constructor(deps: FiguresDeps) {
    this.#deps = deps;
  }

  /** The figures of now. Never fails: a part that does not answer is shown as not up. */
  gather(): Promise<Sample[]> {
    this.#underWay ??= this.#gather().finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }

  /** Takes the answer of a part. @param title of it; @param pid of its process */
  take(title: string, pid: number, round: number, samples: readonly Sample[]): void {
    this.#totals.take(title, pid, samples);
    if (round !== this.#round) return;
    this.#missing.delete(title);
    if (this.#missing.size === 0) this.#complete();
  }

  async #gather(): Promise<Sample[]> {
    const { ask, ready, own, clock } = this.#deps;
    this.#round++;
    this.#missing = new Set(ready());
    if (this.#missing.size > 0) {
      const limit = new AbortController();
      this.#complete = () => limit.abort();
      ask(this.#round);
      await clock.sleep(PATIENCE_MS, limit.signal);
    }
    this.#totals.take(MAIN, process.pid, [...processFigures(MAIN, clock.nowMs()), ...own()]);
    return this.#totals.samples(this.#missing);
  }
}

/** What the main process of a master says of its parts. */
export function supervisorFigures(counters: { readonly restarts: number; readonly hung: number }): Sample[] {
  return [
    sample('brine_process_restarts_total', counters.restarts),
    sample('brine_process_hung_total', counters.hung),
  ];
}
