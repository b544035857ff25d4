/** Results of the states of `git`, with the comments of what was done (3006.16 salt/states/git.py). */
import { CommandExecutionError, messageOf, SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import { refuseKeywords } from '../../../runtime/loader/bind.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

/** What a state has done so far. */
export interface Progress {
  readonly name: Value;
  readonly changes: Dict;
  readonly comments: string[];
  readonly warnings: string[];
}

/** Begins a state. */
export function progressOf(name: Value): Progress {
  return { name, changes: dict(), comments: [], warnings: [] };
}

/** Sentences in a row. */
export function sentences(comments: readonly string[]): string {
  return comments.join('. ') + (comments.length > 1 ? '.' : '');
}

/** The result of a state, with what it has changed so far. */
export function resultOf(progress: Progress, result: boolean | null, comment: string): StateResult {
  const { name, changes, warnings } = progress;
  return { name, result, comment, changes, ...(warnings.length > 0 ? { warnings } : {}) };
}

/** A failure, which tells what was done before it. */
export function failed(progress: Progress, message: string): StateResult {
  const { comments } = progress;
  const done = comments.length > 0 ? `\n\nChanges already made: ${sentences(comments)}` : '';
  return resultOf(progress, false, message + done);
}

/** A result of test mode: something would be changed. */
export function foretold(progress: Progress, comment: string): StateResult {
  return resultOf(progress, null, comment);
}

/** What is said behind a result without changes about comments that there are all the same. */
export function notedChanges({ state }: StateContext, comments: readonly string[]): string {
  if (comments.length === 0) return '';
  return `\n\nChanges ${state.test ? 'that would be ' : ''}made: ${sentences(comments)}`;
}

/** The message of a failed command of git, without the command. */
export function reasonOf(error: CommandExecutionError): string {
  return error.message.replace(/^Command ['"].+['"] failed: /, '');
}

/** The message of any failure; that of a command of git without the command. */
export function troubleOf(error: unknown): string {
  return error instanceof CommandExecutionError ? reasonOf(error) : messageOf(error);
}

/** Why keywords cannot be taken; undefined when they can. */
export function keywordRefusal(kwargs: Dict, known: readonly string[] = []): string | undefined {
  try {
    refuseKeywords(kwargs, known);
    return undefined;
  } catch (error) {
    if (error instanceof SaltInvocationError) return error.message;
    throw error;
  }
}

/** The beginning of a commit id. */
export function shortId(id: string | undefined): string {
  return id === undefined ? 'None' : id.slice(0, 7);
}

/** `what => where`, as changes say it. */
export function arrow(from: string, to: Value): string {
  return `${from} => ${pyStr(to)}`;
}
