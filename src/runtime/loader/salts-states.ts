/** State modules that Salt has and Brine does not, so that one is told from a slip of the pen. */
import { MISSING_STATES } from './salts-names.generated.ts';

/** Whether Salt has this state module. @param name without its function */
export function isSaltsState(name: string): boolean {
  return MISSING_STATES.has(name);
}
