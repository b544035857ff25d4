/**
 * What the last update of `mine_functions` left in the mine, so that the next one takes out what is no longer
 * configured.
 */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { safeJoin, readTextIfExists, writeFileIfChanged } from '../../../host/files.ts';
import { makeFolders } from '../../../host/make-folders.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { parseJson, toJson } from '../../../formats/json/text.ts';
import { dict, type Value } from '../../../python/values/value.ts';
import { isLocal, readLocal, tellMasters, writeLocal } from './store.ts';

/** Without a master the mine is another one. */
function fileOf(ctx: ModuleContext): string {
  const name = isLocal(ctx) ? 'mine_functions.local.json' : 'mine_functions.json';
  return safeJoin(cachedirOf(ctx), name);
}

const cachedirOf = (ctx: ModuleContext): string => optionOf(ctx.opts, 'cachedir');

/** The names that the last update left; empty when there was none, or nobody knows. */
function lastTold(ctx: ModuleContext): string[] {
  const text = readTextIfExists(fileOf(ctx));
  let names: Value = [];
  try {
    if (text !== undefined) names = parseJson(text);
  } catch {
    ctx.log.warning(`${fileOf(ctx)} cannot be read: what left mine_functions before stays in the mine.`);
  }
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/**
 * Takes out of the mine what an earlier update left and is no longer configured. What `mine.send` left stays.
 * @param configured the names of `mine_functions` as they are now
 */
export async function takeOutFormer(ctx: ModuleContext, configured: readonly string[]): Promise<void> {
  const former = lastTold(ctx).filter((name) => !configured.includes(name));
  const staying: string[] = [];
  for (const name of former) if (!(await remove(ctx, name))) staying.push(name);
  const told = [...configured, ...staying];
  if (told.length === 0 && readTextIfExists(fileOf(ctx)) === undefined) return;
  makeFolders(cachedirOf(ctx));
  writeFileIfChanged(fileOf(ctx), Buffer.from(toJson(told)), { mode: 0o600 });
}

/** Takes one function's data out of the mine. @returns false when no master took the request */
export async function remove(ctx: ModuleContext, fun: Value): Promise<boolean> {
  if (!isLocal(ctx)) return tellMasters(ctx, dict({ cmd: '_mine_delete', id: ctx.id, fun }));
  const mine = readLocal(ctx);
  mine?.delete(fun);
  return writeLocal(ctx, mine ?? null);
}
