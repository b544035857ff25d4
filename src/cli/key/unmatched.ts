/** What is said of keys that were named and are not there. */
import type { KeyIds, KeyTexts } from '../../storage/keys/manager.ts';
import type { CommandOutcome } from '../program/exit-codes.ts';
import { tellFailure } from '../terminal/failure-line.ts';
import { noMatchMessage, unmatchedGlobs, type ChangeAction, type ShowAction } from './action.ts';
import type { KeyDisplay } from './display.ts';

/** Says which globs match nobody. */
export function unmatched(
  action: ShowAction | ChangeAction,
  found: KeyIds | KeyTexts,
  display: KeyDisplay,
): CommandOutcome {
  const globs = unmatchedGlobs(action, found);
  for (const match of globs) {
    const message =
      'from' in action
        ? noMatchMessage({ ...action, match })
        : `The key glob '${match}' does not match any keys.`;
    display.error(message);
    tellFailure(display.io, { code: 'target-without-minions', message });
  }
  return globs.length > 0 ? 'none matched' : 'done';
}

/** Says that nothing matches. Of all keys there may be none. */
export function nothingMatches(action: ChangeAction, display: KeyDisplay): CommandOutcome {
  const message = noMatchMessage(action);
  display.line(message);
  if (action.isAll) return 'done';
  tellFailure(display.io, { code: 'target-without-minions', message });
  return 'none matched';
}
