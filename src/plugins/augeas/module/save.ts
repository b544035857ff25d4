/**
 * Changing files through `augtool`: first without writing anything, then in earnest, if there is something to write.
 */
import { pyStr } from '../../../python/values/repr.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { printedNodes } from './answers.ts';
import { complaint, runAugtool, type AugeasScope } from './tool.ts';

/** What Salt says of files that cannot be saved. */
const NOT_SAVED = 'Unable to save to file!';
const SAVED = '/augeas/events/saved';

/** What became of changes. */
export interface SaveOutcome {
  /** Why nothing was written; undefined where all is well. */
  readonly error: string | undefined;
  /** Whether there was something to write. */
  readonly isChange: boolean;
  /** What the commands printed. */
  readonly printed: string;
}

/** What Augeas itself says of a file that it could not write. */
function reasons(printed: string): string {
  const errors = printedNodes(printed).filter(
    ([path]) => path.startsWith('/augeas/') && path.includes('/error'),
  );
  const messages = errors.filter(([path]) => path.endsWith('/message')).map(([, text]) => pyStr(text).trim());
  return [NOT_SAVED, ...messages].join('\n');
}

async function attempt(
  ctx: ModuleContext,
  scope: AugeasScope,
  commands: readonly string[],
  isWriting: boolean,
): Promise<SaveOutcome> {
  const filter = scope.only === undefined ? "[. != 'parse_failed']" : '';
  const ended = await runAugtool(ctx, scope, [
    ...(isWriting ? [] : ['set /augeas/save noop']),
    ...commands,
    'save',
    `print ${SAVED}`,
    `print /augeas//error${filter}`,
  ]);
  const isChange = ended.stdout.split('\n').some((line) => line.startsWith(SAVED));
  if (ended.retcode === 0) return { error: undefined, isChange, printed: ended.stdout };
  const said = complaint(ended);
  const error = said.includes('saving failed') ? reasons(ended.stdout) : said || NOT_SAVED;
  return { error, isChange: false, printed: ended.stdout };
}

/**
 * Carries out commands and saves what they change. A command that fails, or a file that cannot be written, is found
 * before anything is written.
 * @param isTest write nothing, only tell whether something would be
 */
export async function saveChanges(
  ctx: ModuleContext,
  scope: AugeasScope,
  commands: readonly string[],
  isTest = false,
): Promise<SaveOutcome> {
  const tried = await attempt(ctx, scope, commands, false);
  if (tried.error !== undefined || isTest || !tried.isChange) return tried;
  return attempt(ctx, scope, commands, true);
}
