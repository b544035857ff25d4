/**
 * What a master says, in the clear, when it fails itself at a request: nothing of what was sent is at fault, and the
 * next attempt may do.
 */
import type { Value } from '../../python/values/value.ts';

/** What ours say, as Salt's do. */
export const MASTER_FAILURE = 'Some exception handling minion payload';
/** What Salt's say elsewhere. */
const OTHER_FAILURE = 'Server-side exception handling payload';

/** Whether a reply says that the master has failed. */
export const isMasterFailure = (reply: Value): boolean => reply === MASTER_FAILURE || reply === OTHER_FAILURE;
