/** `pillar_roots.*`: the files that the master makes pillar of. */
import { rootsWheel } from '../shared/wheel/roots.ts';

/** The functions for `pillar_roots`. */
export const pillarRootsWheel = rootsWheel({
  option: 'pillar_roots',
  what: 'the pillar',
  invalid: () => 'Invalid path',
});
