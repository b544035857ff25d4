/**
 * Arguments of the functions of `git` as words of a command line (3006.16 salt/modules/git.py `_format_opts`,
 * `_expand_path`).
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { expandUser } from '../../../host/expand-user.ts';
import { joinPath } from '../../../python/paths.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';

/**
 * Options as they were given: a text to be split as a shell does, or a list. A `--` at the end of a text is left out.
 */
export function optionWords(opts: Value | undefined): string[] {
  if (opts === null || opts === undefined) return [];
  if (Array.isArray(opts)) return opts.map(pyStr);
  const words = typeof opts === 'string' ? splitWords(opts) : [pyStr(opts)];
  return words.at(-1) === '--' ? words.slice(0, -1) : words;
}

/** A list of texts, or one text with commas; empty for none. */
export function listOfTexts(value: Value | undefined): string[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.map(pyStr) : pyStr(value).split(',');
}

/** A folder, or one below the home folder of a user. */
export function expandFolder(folder: string, user: string | undefined): string {
  return joinPath(expandUser(user === undefined ? '~' : `~${user}`), folder);
}

/** The folder of a checkout, which may be missing where a setting is that of the user. @throws SaltInvocationError */
export function folderUnlessGlobal(
  cwd: string | undefined,
  user: string | undefined,
  isGlobal: boolean,
): string | undefined {
  if (cwd !== undefined) return expandFolder(cwd, user);
  if (isGlobal) return undefined;
  throw new SaltInvocationError("'cwd' argument required unless global=True");
}

/**
 * An address or the name of a remote that git takes for nothing else. Salt compat: Salt hands over any text, and git
 * takes `--upload-pack=…` for an option with a program to run, `ext::…` for a program, and waits for ever with `fd::0`.
 * @throws SaltInvocationError
 */
export function remoteOperand(text: string): string {
  if (/^(?:-|ext::|fd::)/i.test(text))
    throw new SaltInvocationError(
      `'${text}' is no address of a repository: git would take it for an option, or for a program to run.`,
    );
  return text;
}
