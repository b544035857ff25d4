/** Finding and fetching the archive of `archive.extracted`. */
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { expandUser } from '../../../host/expand-user.ts';
import { isFile, realPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Value } from '../../../python/values/value.ts';
import { isToBeMade } from '../../shared/made-earlier.ts';
import { withoutPassword } from '../../shared/source-url.ts';
import { stateEnvironment } from '../../shared/state-environment.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { Ending, type ArchiveArgs } from './order.ts';
import { fileCachedBefore } from '../../shared/served-files.ts';
import { firstSource, sumOfSource } from '../../shared/file-answers.ts';

/** The archive: its path or address, and whether it is on this machine. */
export interface ArchiveSource {
  readonly path: string;
  readonly isLocal: boolean;
  /** The path or address without a password in it. */
  readonly shown: string;
}

/** Finds the archive. @throws Ending */
export async function findSource(
  ctx: StateContext,
  { source, source_hash }: ArchiveArgs,
): Promise<ArchiveSource> {
  let match: Value;
  try {
    match = (await firstSource(ctx, [source, source_hash ?? null, stateEnvironment(ctx)])).source;
  } catch (error) {
    if (!(error instanceof CommandExecutionError)) throw error;
    const later = (Array.isArray(source) ? source : []).find((one) => isToBeMade(ctx, localPath(pyStr(one))));
    throw later === undefined ? new Ending(error.message) : foreseen(pyStr(later));
  }
  if (!truthy(match)) throw new Ending(`Invalid source "${pyStr(source)}"`);
  const text = pyStr(match);
  const [, scheme = ''] = /^([A-Za-z][\w+.-]*):\/\//.exec(text) ?? [];
  if (scheme !== '' && scheme.toLowerCase() !== 'file')
    return { path: text, isLocal: false, shown: withoutPassword(text) };
  const path = localPath(text);
  if (isToBeMade(ctx, path)) throw foreseen(path);
  if (!isFile(path)) throw new Ending(`Source file '${withoutPassword(path)}' does not exist`);
  return { path, isLocal: true, shown: withoutPassword(path) };
}

const localPath = (text: string): string => realPath(expandUser(text.replace(/^file:\/\//i, '')));

const foreseen = (path: string): Ending =>
  new Ending(
    `Archive ${withoutPassword(path)} is to be made by an earlier state, and would be extracted then`,
    null,
  );

/** What the hash of the archive is to be; undefined when none is given. @throws Ending */
export async function wantedHash(
  ctx: StateContext,
  args: ArchiveArgs,
  { path }: ArchiveSource,
): Promise<string | undefined> {
  const { source_hash, source_hash_name } = args;
  if (source_hash === undefined) return undefined;
  const words = dict({ source: path, source_hash, source_hash_name, saltenv: stateEnvironment(ctx) });
  try {
    return pyStr((await sumOfSource(ctx, [], words)).get('hsum') ?? '');
  } catch (error) {
    if (error instanceof CommandExecutionError) throw new Ending(error.message);
    throw error;
  }
}

/** The copy of the archive in the cache. */
export async function cachedCopy(ctx: StateContext, { path }: ArchiveSource): Promise<string> {
  return (await fileCachedBefore(ctx, [path], { saltenv: stateEnvironment(ctx) })) ?? '';
}

/** Fetches the archive. @returns its path, or the result of the state that could not fetch it */
export async function fetchSource(
  ctx: StateContext,
  args: ArchiveArgs,
  source: ArchiveSource,
): Promise<string | StateResult> {
  const { source_hash, source_hash_name, skip_verify, use_etag } = args;
  const saltenv = stateEnvironment(ctx);
  const words = dict({ name: source.path, source_hash, source_hash_name, skip_verify, saltenv, use_etag });
  let result: Value;
  try {
    result = await ctx.state.call('file.cached', words);
  } catch (error) {
    throw new Ending(`Failed to cache ${source.shown}: ${messageOf(error)}`);
  }
  if (isDict(result) && truthy(result.get('result'))) return cachedCopy(ctx, source);
  return Object.fromEntries(isDict(result) ? result : []) as StateResult;
}
