/**
 * Files in which state runs leave what they compiled and gave, as Salt's own programs read them (salt/modules/state.py,
 * 3006.16).
 */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { readFileSync } from 'node:fs';
import { writeFileAtomic, safeJoin } from '../../../host/files.ts';
import { messageOf } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { decode, encode } from '../../../formats/wire/msgpack.ts';

/** The ending of compiled high data. */
export const HIGH_DATA = '.cache.p';

/** Path of a file in the minion's cache. */
export function cachePath(ctx: ModuleContext, name: string): string {
  return safeJoin(optionOf(ctx.opts, 'cachedir'), name);
}

/** Writes a value; a file that cannot be written is told in the log. */
export function keep(ctx: ModuleContext, name: string, value: Value): void {
  const path = cachePath(ctx, name);
  try {
    writeFileAtomic(path, encode(value, 'network'), { mode: 0o600, durable: true });
  } catch (error) {
    ctx.log.error(`Unable to write ${path}. Check permission. (${messageOf(error)})`);
  }
}

/** What {@link keep} has written; undefined when there is nothing that can be read. */
export function kept(ctx: ModuleContext, name: string): Dict | undefined {
  try {
    const value = decode(readFileSync(cachePath(ctx, name)), 'network');
    return isDict(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
