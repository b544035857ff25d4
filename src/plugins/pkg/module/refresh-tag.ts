/**
 * The file that tells that the lists of packages are still to be fetched in this run: `pkg` states make it once a run,
 * and fetching takes it away. Follows 3006.16 salt/utils/pkg/__init__.py.
 */
import { closeSync, openSync, rmSync } from 'node:fs';
import { messageOf } from '../../../errors/errors.ts';
import { isFile, joinPath } from '../../../python/paths.ts';
import { isTrue } from '../../../python/conversions.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';

const tagPath = ({ opts }: ModuleContext): string | undefined => {
  const folder = opts.get('cachedir') ?? null;
  return folder === null ? undefined : joinPath(pyStr(folder), 'pkg_refresh');
};

/** The lists are to be fetched once more. */
export function writeRefreshTag(ctx: ModuleContext): void {
  const path = tagPath(ctx);
  try {
    if (path !== undefined) closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    ctx.log.warning(`Encountered error writing rtag: ${messageOf(error)}`);
  }
}

/** The lists have been fetched. */
export function clearRefreshTag(ctx: ModuleContext): void {
  const path = tagPath(ctx);
  try {
    if (path !== undefined) rmSync(path, { force: true });
  } catch (error) {
    ctx.log.warning(`Encountered error removing rtag: ${messageOf(error)}`);
  }
}

/** Whether lists are to be fetched: when that is asked for, or was not yet done in this run and is not refused. */
export function needsRefresh(ctx: ModuleContext, asked: Value): boolean {
  const path = tagPath(ctx);
  return isTrue(asked) || (asked !== false && path !== undefined && isFile(path));
}
