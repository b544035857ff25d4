/** Failures with more about them below: Salt's CommandExecutionError with `info` (3006.16 salt/exceptions.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { PythonError } from '../../python/exceptions.ts';
import { renderNested } from '../outputters/nested.ts';
import { isDict, type Dict } from '../../python/values/value.ts';

/** What went wrong, and a mapping about it, which is shown as the outputter `nested` shows it. */
export class CommandProblem extends CommandExecutionError {
  /** What has changed all the same. */
  readonly changes: Dict;
  /** The message without the changes, which a state's result has anyway. */
  readonly withoutChanges: string;

  /** The message alone and what is known besides, for code in Python (`error` and `info` of Salt's class). */
  readonly about: readonly [sentence: string, info: Dict];

  constructor(message: string, info: Dict) {
    super(withInfo(message, info));
    this.about = [message, info];
    const changes = info.get('changes');
    this.changes = isDict(changes) ? changes : new Map();
    const rest = new Map([...info].filter(([key]) => key !== 'changes'));
    this.withoutChanges = rest.size === 0 ? message : withInfo(message, rest);
  }
}

/**
 * The problem that an error tells of, also one that a module in Python has raised with `info`; undefined for any other
 * error.
 */
export function problemOf(error: unknown): CommandProblem | undefined {
  if (error instanceof CommandProblem) return error;
  if (!(error instanceof CommandExecutionError) || !(error.cause instanceof PythonError)) return undefined;
  const [sentence, info] = error.cause.thrown?.about ?? [];
  return typeof sentence === 'string' && isDict(info ?? null)
    ? new CommandProblem(sentence, info as Dict)
    : undefined;
}

function withInfo(message: string, info: Dict): string {
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`;
  return `${sentence} Additional info follows:\n\n${renderNested(info, { color: false }).trimEnd()}`;
}
