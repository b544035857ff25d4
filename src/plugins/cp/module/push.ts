/** Bringing files of the minion to its master (salt/modules/cp.py `push`, `push_dir`, 3006.16). */
import { existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { fnmatch } from '../../../python/text/fnmatch.ts';
import { notDone } from '../../shared/refused-by-master.ts';
import { ASKS_REASON, refusalIn } from '../../../network/channel/refusal.ts';
import { dict, toNumber, truthy, type Value } from '../../../python/values/value.ts';

/** How a file is pushed. */
export interface PushOptions {
  /** Push a link's own path instead of the one it leads to. */
  readonly keepSymlinks: boolean;
  /** Where it is to be on the master, below the folder of this minion. */
  readonly uploadPath: string | undefined;
  readonly removeSource: boolean;
}

const DEFAULT_PIECE_BYTES = 262_144;
/** For masters that do not say why. */
const MAY_BE =
  'It takes files with file_recv: True, up to file_recv_max_size megabytes each and file_recv_max_files of a minion, while its disk has room; its log says what it refused.';

/** Pushes one file. @returns True, or False when it is none or the master did not take it */
export async function pushFile(ctx: ModuleContext, given: string, options: PushOptions): Promise<Value> {
  if (!isAcceptable(given)) return refused(ctx, 'the path must be absolute and without ../', given);
  const path = options.keepSymlinks || !existsSync(given) ? given : realpathSync(given);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    return refused(
      ctx,
      existsSync(path) ? 'it is no file; folders are pushed with cp.push_dir' : 'there is no such file',
      path,
    );
  if (options.uploadPath?.includes('../') === true)
    return refused(ctx, 'upload_path must be without ../', options.uploadPath);
  const parts = posix
    .normalize((options.uploadPath ?? path).replace(/^\/+/, ''))
    .split('/')
    .filter((part) => part !== '');
  const taken = await send(ctx, path, parts);
  const reason = refusalIn(taken);
  if (reason !== undefined || !truthy(taken))
    return notDone(ctx, 'cp', `cp.push: the master did not take ${path}. ${reason ?? MAY_BE}`);
  if (options.removeSource) rmSync(path, { force: true });
  return true;
}

function refused(ctx: ModuleContext, why: string, path: string): false {
  return notDone(ctx, 'cp', `cp.push does not send ${path}: ${why}.`);
}

function isAcceptable(path: string): boolean {
  return path.startsWith('/') && !path.includes('../');
}

/** Sends the pieces one after the other: each is stored behind the one before it. An empty file is one empty piece. */
async function send(ctx: ModuleContext, path: string, parts: string[]): Promise<Value> {
  const length = Math.max(1, toNumber(ctx.opts.get('file_buffer_size')) ?? DEFAULT_PIECE_BYTES);
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const buffer = Buffer.allocUnsafe(length);
    for (let loc = 0; ;) {
      const { bytesRead } = await file.read(buffer, 0, length, loc);
      if (bytesRead === 0 && loc > 0) return true;
      const data = Buffer.from(buffer.subarray(0, bytesRead));
      const load = dict({ cmd: '_file_recv', id: ctx.id, path: parts, size, loc, data, ...ASKS_REASON });
      const taken = await ctx.services.request(load);
      if (taken !== true || bytesRead === 0) return taken;
      loc += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** Pushes the files below a folder. @returns True; False when there are none, or the first that was not taken */
export async function pushFolder(
  ctx: ModuleContext,
  given: string,
  glob: string | undefined,
  uploadPath: string | undefined,
): Promise<Value> {
  if (!isAcceptable(given))
    return notDone(
      ctx,
      'cp',
      `cp.push_dir does not send ${given}: the path must be absolute and without ../.`,
    );
  if (!existsSync(given))
    return notDone(ctx, 'cp', `cp.push_dir does not send ${given}: there is no such folder.`);
  const path = realpathSync(given);
  const push = (file: string, target: string | undefined): Promise<Value> =>
    pushFile(ctx, file, { keepSymlinks: false, uploadPath: target, removeSource: false });
  if (statSync(path).isFile()) return push(path, uploadPath);
  const all = await filesBelow(path);
  const files = glob === undefined ? all : all.filter((file) => fnmatch(basename(file), glob));
  if (files.length === 0)
    return notDone(ctx, 'cp', `cp.push_dir sends nothing: there is no such file below ${path}.`);
  for (const file of files) {
    const target = uploadPath === undefined ? undefined : join('/', uploadPath, file.slice(path.length));
    const taken = await push(file, target);
    if (!truthy(taken)) return taken;
  }
  return true;
}

async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isFolder = entry.isDirectory();
    if (isFolder) found.push(...(await filesBelow(path)));
    else found.push(path);
  }
  return found;
}
