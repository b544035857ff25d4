/**
 * Where a minion's mine is kept: on its masters, or without one in its own file (3006.16 salt/modules/mine.py,
 * salt/modules/data.py).
 */
import { UnreachableError } from '../../../errors/errors.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { readDatastore, writeDatastore } from '../../shared/datastore.ts';

const KEY = 'mine_cache';

/** True when the mine is the minion's own file. */
export function isLocal(ctx: ModuleContext): boolean {
  return ctx.opts.get('file_client') === 'local';
}

/** The minion's own mine; undefined when there is none. */
export function readLocal(ctx: ModuleContext): Dict | undefined {
  const mine = readDatastore(ctx).get(KEY);
  return isDict(mine) ? mine : undefined;
}

/** Replaces the minion's own mine. */
export function writeLocal(ctx: ModuleContext, mine: Value): boolean {
  writeDatastore(ctx, readDatastore(ctx).set(KEY, mine));
  return true;
}

/** Sends a request about the mine to every master. @returns false when none takes it */
export async function tellMasters(ctx: ModuleContext, load: Dict): Promise<boolean> {
  const { services } = ctx;
  try {
    const reply = await (services.requestAll?.(load) ?? services.request(load));
    return reply !== false;
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    ctx.log.error(`The master did not take the mine data: ${error.message}`);
    return false;
  }
}

/** Keeps what functions gave. */
export async function storeMine(ctx: ModuleContext, data: Dict, clear: boolean): Promise<boolean> {
  if (isLocal(ctx)) return writeLocal(ctx, new Map([...(clear ? [] : (readLocal(ctx) ?? [])), ...data]));
  return tellMasters(ctx, dict({ cmd: '_mine', data, id: ctx.id, clear }));
}
