/** What each step of the state compiler gives. */

/** What was compiled, and what is wrong with it: with errors a run gives their list, and return code 1. */
export interface Compiled<T> {
  readonly data: T;
  readonly errors: readonly string[];
}
