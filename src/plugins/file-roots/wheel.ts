/** `file_roots.*`: the files that the master serves. */
import { rootsWheel } from '../shared/wheel/roots.ts';

/** The functions for `file_roots`. */
export const fileRootsWheel = rootsWheel({
  option: 'file_roots',
  what: 'states and whatever else minions fetch',
  invalid: (path) => `Invalid path: ${path}`,
});
