/** Parameters and arguments that states of `git` share. */
import { rmSync } from 'node:fs';
import { listFolder } from '../../../host/file-operations.ts';
import { expandUser } from '../../../host/expand-user.ts';
import { isOsError, osErrorText } from '../../../python/os-errors.ts';
import { isAbs, joinPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { cachedFile } from '../../shared/served-files.ts';

/** The address of a repository. */
export const ADDRESS = {
  name: param.text({ doc: 'The address of the repository, as `git clone` takes it.' }),
} as const;

/** Whoever runs git. */
export const RUN_AS = {
  user: param.textIfGiven({
    default: null,
    account: 'user',
    doc: 'Who runs git; the user of the minion without it.',
  }),
  password: param.value({ default: null, type: 'str', doc: 'Takes no effect: only for Windows.' }),
} as const;

/** What authenticates. */
export const LOG_IN = {
  identity: param.value({
    default: null,
    type: 'str or list',
    doc: 'Private keys for SSH, tried one after the other: paths, or `salt://…`.',
  }),
  https_user: param.textOrNone({ default: null, doc: 'The user name for an address with `https://`.' }),
  https_pass: param.textOrNone({ default: null, doc: 'The password for an address with `https://`.' }),
} as const;

/** How output is decoded. */
export const ENCODING = {
  output_encoding: param.textIfGiven({ default: null, doc: 'The encoding of the output; UTF-8 without it.' }),
} as const;

/** Keys that can be handed on, or why they cannot. */
export type Identities =
  { readonly identity: Value; readonly refusal?: undefined } | { readonly refusal: string };

/** Checks the keys that were given. @param word `identity` as messages begin with it */
export async function checkedIdentity(
  ctx: StateContext,
  given: Value,
  { word, saltenv }: { readonly word: string; readonly saltenv: string },
): Promise<Identities> {
  if (given === null) return { identity: null };
  if (typeof given !== 'string' && !Array.isArray(given))
    return { refusal: `${word} must be either a list or a string` };
  const paths = (Array.isArray(given) ? given : [given]).map((path) => expandUser(pyStr(path)));
  for (const path of paths) {
    if (!path.includes('salt://')) {
      if (!isAbs(path)) return { refusal: `${word} '${path}' is not an absolute path` };
      continue;
    }
    const cached = await cachedFile(ctx, [path, saltenv]);
    if (cached === undefined || !isAbs(cached)) return { refusal: `${word} '${path}' does not exist.` };
  }
  return { identity: paths };
}

/** Removes all that is in a folder. @returns what could not be removed, as lines; undefined when it is empty */
export function emptyFolder(folder: string): string | undefined {
  const errors: string[] = [];
  for (const name of listFolder(folder)) {
    const path = joinPath(folder, name);
    try {
      rmSync(path, { recursive: true });
    } catch (error) {
      if (!isOsError(error)) throw error;
      if (error.code !== 'ENOENT') errors.push(`  ${path}\n    ${osErrorText(error)}`);
    }
  }
  return errors.length === 0 ? undefined : `Unable to remove\n${errors.join('\n')}`;
}
