/** Sources and folders of states that are not there, looked for in test mode: there nothing is done that would tell. */
import { expandUser } from '../../host/expand-user.ts';
import { absPath, dirName, isDir, isFile, pathExists } from '../../python/paths.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { isToBeMade, mayBeMade } from './made-earlier.ts';
import { parseUrl, withoutPassword } from './source-url.ts';
import type { StateContext } from './state-function.ts';
import { servedHash } from './served-files.ts';

/**
 * Why a source cannot be used: the file server has no such file, or this machine has none and no earlier state of the
 * run would make it. What another machine has is not asked for.
 * Salt compat: there, test mode promises what it has no source for.
 */
export async function missingSource(
  ctx: StateContext,
  source: string,
  saltenv: string,
): Promise<string | undefined> {
  const { scheme, path } = parseUrl(source);
  if (scheme === 'salt') {
    // the files of a minion that serves itself may come from an earlier state
    if (ctx.opts.get('file_client') === 'local' && mayBeMade(ctx)) return undefined;
    return (await servedHash(ctx, [source, saltenv])) !== undefined
      ? undefined
      : `Source file ${source} not found in saltenv '${saltenv}'`;
  }
  if (scheme !== '' && scheme !== 'file') return undefined;
  const place = expandUser(path);
  if (isFile(place) || isToBeMade(ctx, place)) return undefined;
  return pathExists(place)
    ? `Source file '${withoutPassword(place)}' is no file`
    : `Source file '${withoutPassword(place)}' does not exist`;
}

/** Why a file cannot be written, or a folder made: the one above is not there, and no earlier state would make it. */
export function missingFolder(ctx: Pick<ModuleContext, 'state'>, path: string): string | undefined {
  const folder = dirName(absPath(path));
  if (isDir(folder) || mayBeMade(ctx, folder)) return undefined;
  return `there is no folder ${folder} for ${path}`;
}
