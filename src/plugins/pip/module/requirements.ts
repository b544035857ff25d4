/**
 * Files of requirements: where they lie, and copies of them for the user who runs pip. Follows 3006.16
 * salt/modules/pip.py.
 */
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { ArgumentError, SaltInvocationError } from '../../../errors/errors.ts';
import { tempFolder } from '../../../host/file-operations.ts';
import { absPath, baseName, dirName, isFile, joinPath, normPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, valuesEqual, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { cachedFile } from '../../shared/served-files.ts';
import { uidOf } from '../../shared/accounts.ts';

/** How many files one may lead to; more are a circle or a mistake. */
const MOST_FILES = 200;

/** Whose files, of which environment. */
export interface RequirementsRequest {
  readonly requirements: Value;
  readonly saltenv: Value;
  readonly user: Value;
}

/** The files as pip is handed them. */
export interface Requirements {
  readonly files: readonly string[];
  /** Removes the copies. */
  release(): void;
}

/** A file that is not there. */
export interface MissingRequirements {
  readonly missing: string;
}

/** A list, or a text with commas. @throws ArgumentError for anything else */
function requirementsList(given: Value): string[] {
  if (given === null) return [];
  if (typeof given === 'string') return given.split(',').map((one) => one.trim());
  if (!Array.isArray(given)) throw new ArgumentError('requirements must be a string or list');
  return given.map(pyStr);
}

/** The path of `salt://…` and the environment it names itself. */
function saltPath(address: string): { readonly path: string; readonly saltenv: string | undefined } {
  const [path = '', ...rest] = address.slice('salt://'.length).split('?');
  const named = /^saltenv=(.*)/.exec(rest.join('?'))?.[1];
  return { path, saltenv: named };
}

/** The copy of a file of the master in the cache; undefined where there is no such file. */
async function cachedRequirements(
  ctx: ModuleContext,
  address: string,
  given: Value,
): Promise<string | undefined> {
  const { path, saltenv = given } = saltPath(address);
  const listed = await ctx.functions.call('cp.list_master', [saltenv]);
  if (!Array.isArray(listed) || !listed.some((one) => valuesEqual(one, path))) return undefined;
  return cachedFile(ctx, [address, saltenv]);
}

/** The files that a file leads to with `-r`, relative to it. */
function chained(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/(?:^|\s+)#.*$/gm, '');
  const found = text.matchAll(/(?:-r\s|--requirement[=\s])(.*)\n?/gm);
  return [...found].map(([, name = '']) => joinPath(dirName(file), name.trim()));
}

/** A file and all that it leads to within its own folder; each once. */
function wholeChain(file: string): string[] {
  const top = `${dirName(file)}/`;
  const out: string[] = [];
  const waiting = [file];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const path = normPath(next);
    if (out.includes(path) || (path !== file && !path.startsWith(top)) || !isFile(path)) continue;
    out.push(path);
    if (out.length > MOST_FILES)
      throw new SaltInvocationError(`Requirements file '${file}' leads to more than ${MOST_FILES} files`);
    waiting.push(...chained(path));
  }
  return out;
}

async function knownUid(ctx: ModuleContext, user: Value): Promise<number> {
  const uid = await uidOf(ctx, [user]);
  if (uid === undefined) throw new SaltInvocationError(`User '${pyStr(user)}' is not available`);
  return uid;
}

/** Copies a file of the cache, and what it leads to, into a folder of the user's. @returns the copy */
function copyForUser(folder: string, file: string, uid: number): string {
  for (const path of wholeChain(file)) {
    const copy = joinPath(folder, baseName(path));
    copyFileSync(path, copy);
    chownSync(copy, uid, -1);
  }
  return joinPath(folder, baseName(file));
}

/**
 * Makes the files ready: those of the master are fetched, and copied for the user who cannot read the cache. Salt
 * compat: Salt copies files of this machine as well, with all that they lead to, so that whoever writes one of them can
 * have any file of root's copied to where he reads it; here the user reads them himself.
 */
export async function prepareRequirements(
  ctx: ModuleContext,
  { requirements, saltenv, user }: RequirementsRequest,
): Promise<Requirements | MissingRequirements> {
  const folders: string[] = [];
  const release = (): void => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
  const files: string[] = [];
  try {
    for (const given of requirementsList(requirements)) {
      if (!given.startsWith('salt://')) {
        files.push(given);
        continue;
      }
      const cached = await cachedRequirements(ctx, given, saltenv);
      if (cached === undefined) {
        release();
        return { missing: given };
      }
      if (!truthy(user)) {
        files.push(cached);
        continue;
      }
      const uid = await knownUid(ctx, user);
      const folder = mkdtempSync(joinPath(tempFolder(), 'pip-'));
      folders.push(folder);
      chmodSync(folder, 0o700);
      chownSync(folder, uid, -1);
      files.push(copyForUser(folder, absPath(cached), uid));
    }
  } catch (error) {
    release();
    throw error;
  }
  return { files, release };
}

/** What functions return for a file that is not there. */
export const missingSentence = (file: string): string => `pip requirements file '${file}' not found`;
