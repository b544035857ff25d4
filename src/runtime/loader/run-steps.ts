/**
 * What an orchestration keeps of its run: which steps are under way and done, so that another run can go on after them.
 * Not in Salt.
 */
import type { Dict } from '../../python/values/value.ts';

/** Where in its run a chunk is. */
export interface StepPlace {
  /** Counting from one, in the order in which chunks are reached. */
  readonly number: number;
  /** How many the run has. */
  readonly of: number;
}

/** Hears of the steps of a run, and knows those that another run has done before. */
export interface RunSteps {
  /** The result of a chunk that was done before; undefined when it is to be called. */
  known(low: Dict): Dict | undefined;
  /** A chunk is about to be called. */
  begin(low: Dict, place: StepPlace): Promise<void>;
  /** A chunk has come to its result. */
  end(low: Dict, result: Dict): Promise<void>;
}
