/**
 * The file in which a minion keeps values for itself: those of the module `data`, and without a master its mine
 * (3006.16 salt/modules/data.py).
 */
import { optionOf } from '../../runtime/loader/option-of.ts';
import { existsSync, readFileSync } from 'node:fs';
import { messageOf } from '../../errors/errors.ts';
import { safeJoin, writeFileAtomic } from '../../host/files.ts';
import { makeFolders } from '../../host/make-folders.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { isDict, type Dict } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';

function cacheFolder(ctx: ModuleContext): string {
  return optionOf(ctx.opts, 'cachedir');
}

/** Where it is. */
export function datastorePath(ctx: ModuleContext): string {
  return safeJoin(cacheFolder(ctx), 'datastore');
}

/** What is kept; empty when there is nothing, or nothing that can be read. */
export function readDatastore(ctx: ModuleContext): Dict {
  const path = datastorePath(ctx);
  if (!existsSync(path)) return new Map();
  try {
    const content = decode(readFileSync(path), 'local');
    return isDict(content) ? content : new Map();
  } catch (error) {
    ctx.log.error(`${path} cannot be read: ${messageOf(error)}`);
    return new Map();
  }
}

/** Replaces what is kept. @throws when the file cannot be written */
export function writeDatastore(ctx: ModuleContext, store: Dict): void {
  makeFolders(cacheFolder(ctx));
  writeFileAtomic(datastorePath(ctx), encode(store, 'local'), { mode: 0o600, durable: true });
}
