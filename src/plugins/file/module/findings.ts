/** What a comparison of a file's permissions has found so far. */
import type { Dict, Value } from '../../../python/values/value.ts';

/** A state's return that is being filled in; the comment is a list meanwhile. */
export interface Findings {
  readonly ret: Dict;
  readonly changes: Dict;
  readonly comments: Value[];
}
