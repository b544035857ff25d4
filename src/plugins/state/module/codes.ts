/** Return codes of state runs (salt/defaults/exitcodes.py, 3006.16). */

/** What was to be run does not compile, or may not run now. */
export const COMPILER_ERROR = 1;
/** A state has failed, or there was none. */
export const STATE_FAILURE = 2;
/** The pillar has errors. */
export const PILLAR_FAILURE = 5;
