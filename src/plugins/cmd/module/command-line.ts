/** From a command as it was given to the argument list of a program. */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { strip } from '../../../python/values/text.ts';
import type { Value } from '../../../python/values/value.ts';
import { textOf, type ShellUse } from './options.ts';

/** A command ready to be started. */
export interface CommandPlan {
  readonly argv: readonly string[];
  /** Whether a shell runs it, as the caller said: Python's words for that are part of messages. */
  readonly shell: Value;
  readonly isList: boolean;
  /** What may be logged of it: the first word. */
  readonly label: string;
  /** The command as "Unable to run command" shows it. */
  readonly given: string;
  /** The command as "Timed out" shows it. */
  readonly text: string;
}

/**
 * Without a shell, text is split into words and nothing else happens to it. With one, the text is the last argument of
 * `SHELL -c`: the only way by which anything reaches a shell.
 * @param cmd text or a list of words; anything else is taken as its text
 * @param pythonShell the option of that name, defaults applied
 * @throws CommandExecutionError for a command without words
 */
export function planCommand(cmd: Value, pythonShell: ShellUse, shell: string): CommandPlan {
  const useShell = (pythonShell ?? false) !== false;
  const isList = Array.isArray(cmd);
  const words = pythonShell === true || isList ? cmd : typeof cmd === 'string' ? split(cmd) : cmd;
  const args = toArguments(words, useShell);
  if (args.length === 0 || (typeof cmd === 'string' && strip(cmd) === '')) {
    throw new CommandExecutionError('No command was given: the text is empty.');
  }
  return {
    // Salt compat: only `True` itself brings in the chosen shell; other true values mean /bin/sh, with words split.
    argv: useShell ? [pythonShell === true ? shell : '/bin/sh', '-c', ...args] : args,
    shell: useShell,
    isList,
    label: commandLabel(cmd),
    given: pyStr(words),
    text: Array.isArray(words) || !useShell ? pyRepr(args) : (args[0] ?? ''),
  };
}

function toArguments(words: Value, useShell: boolean): string[] {
  if (Array.isArray(words)) return words.map(textOf);
  return useShell || typeof words === 'string' ? [textOf(words)] : split(textOf(words));
}

function split(text: string): string[] {
  try {
    return splitWords(text);
  } catch (error) {
    throw new CommandExecutionError(
      `The command cannot be split into words: ${messageOf(error)}. Check its quotes and backslashes, or give a list.`,
      { cause: error },
    );
  }
}

/** The first word, without the value when it is an assignment for a shell (`TOKEN=… program`). */
export function commandLabel(cmd: Value): string {
  const first = Array.isArray(cmd) ? strip(textOf(cmd[0] ?? '')) : (strip(textOf(cmd)).split(/\s+/)[0] ?? '');
  return first.replace(/^([A-Za-z_]\w*=).*$/s, '$1***');
}
