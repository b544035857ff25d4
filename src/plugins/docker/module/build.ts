/** Building and loading images (3006.16 salt/modules/dockermod.py `build`, `load`). */
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { CommandExecutionError, messageOf } from '../../../errors/errors.ts';
import { toJson } from '../../../formats/json/text.ts';
import { isDir, isFile, joinPath } from '../../../python/paths.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { programPath, runAll } from '../../shared/program.ts';
import { askForEvents } from './daemon.ts';
import { images, resolveTag, tagImage } from './images.ts';
import { PullReport } from './pull-report.ts';
import { cachedFile } from '../../shared/served-files.ts';

/** How an image is built. */
export interface BuildOrder {
  readonly path: string;
  /** The name and tag that it gets. */
  readonly name: string | undefined;
  readonly cache: boolean;
  readonly rm: boolean;
  readonly api_response: boolean;
  readonly dockerfile: string | undefined;
  readonly buildargs: Dict;
}

const seconds = (ctx: ModuleContext, since: number): number => (ctx.clock.nowMs() - since) / 1000;

/** Packs a folder, without what its `.dockerignore` names. @throws CommandExecutionError */
async function packed(ctx: ModuleContext, folder: string, archive: string): Promise<void> {
  const ignore = joinPath(folder, '.dockerignore');
  const without = isFile(ignore) ? [`--exclude-from=${ignore}`] : [];
  const words = [programPath('tar'), '-C', folder, ...without, '-cf', archive, '.'];
  const { retcode, stderr } = await runAll(ctx, words);
  if (retcode !== 0)
    throw new CommandExecutionError(`${folder} cannot be sent to the Docker daemon: ${stderr}`);
}

/** Sends a folder to the daemon. */
async function sendFolder(ctx: ModuleContext, order: BuildOrder): Promise<Dict[]> {
  const place = mkdtempSync(joinPath(tmpdir(), 'brine-build-'));
  try {
    const archive = joinPath(place, 'context.tar');
    await packed(ctx, order.path, archive);
    return await askForEvents(ctx, {
      method: 'POST',
      path: ['build'],
      query: {
        t: order.name ?? null,
        q: false,
        rm: order.rm,
        nocache: !order.cache,
        dockerfile: order.dockerfile ?? null,
        buildargs: order.buildargs.size > 0 ? toJson(order.buildargs) : null,
      },
      headers: { 'content-type': 'application/x-tar' },
      stream: createReadStream(archive),
      timeoutSeconds: 0,
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The id that the daemon's messages end with. */
function builtId(events: readonly Dict[]): string | undefined {
  const lines = events
    .map((event) => pyStr(event.get('stream') ?? ''))
    .filter((text) => text.includes('Successfully built'));
  return lines.at(-1)?.trimEnd().split(/\s+/).at(-1);
}

/** `docker.build`. @throws CommandExecutionError with the errors of the daemon */
export async function buildImage(ctx: ModuleContext, order: BuildOrder): Promise<Dict> {
  const { path, name } = order;
  if (!isDir(path))
    throw new CommandExecutionError(`Unable to perform build: ${path} is no folder of this machine`);
  const known = [...(await images(ctx, true)).keys()].map((id) => pyStr(id).slice(0, 12));
  const started = ctx.clock.nowMs();
  const events = await sendFolder(ctx, order);
  const report = new PullReport(dict({ Time_Elapsed: seconds(ctx, started) }), known);
  for (const event of events) report.add(event);
  const id = builtId(events);
  if (id === undefined) {
    const why = report.errors.length > 0 ? `. Error(s) follow:\n\n${report.errors.join('\n\n')}` : '';
    throw new CommandExecutionError(`Build failed for ${path}${why}`);
  }
  const facts = report.facts.set('Id', id);
  const tags = await resolveTag(ctx, id, true);
  if (Array.isArray(tags)) facts.set('Image', tags);
  else facts.set('Warning', `Failed to tag image as ${name ?? 'None'}`);
  return order.api_response ? facts.set('API_Response', [...events]) : facts;
}

async function localPath(ctx: ModuleContext, path: string): Promise<string> {
  const local = path.includes('://') ? await cachedFile(ctx, [path]) : path;
  if (local === undefined || !isFile(local))
    throw new CommandExecutionError(`Source file ${path} does not exist`);
  return local;
}

/** Those that no other image is made of. */
function topImages(all: Dict, fresh: readonly Value[]): Value[] {
  const parents = [...all.values()].map((facts) => (isDict(facts) ? facts.get('ParentId') : undefined));
  return fresh.filter((id) => !parents.includes(id));
}

/** `docker.load` */
export async function loadImage(
  ctx: ModuleContext,
  path: string,
  as: { readonly repository: string; readonly tag: string } | undefined,
): Promise<Dict> {
  const local = await localPath(ctx, path);
  const before = await images(ctx, true);
  const started = ctx.clock.nowMs();
  try {
    const headers = { 'content-type': 'application/x-tar' };
    const stream = createReadStream(local);
    const events = await askForEvents(ctx, {
      ...{ method: 'POST', path: ['images', 'load'], query: { quiet: true } },
      ...{ headers, stream, timeoutSeconds: 0 },
    });
    const error = events.find((event) => event.has('errorDetail'));
    if (error !== undefined) throw new CommandExecutionError(pyStr(error.get('error') ?? null));
  } catch (cause) {
    throw new CommandExecutionError(`Failed to load image(s) from ${path}: ${messageOf(cause)}`, { cause });
  }
  const out = dict({ Time_Elapsed: seconds(ctx, started), Path: path });
  const after = await images(ctx, true);
  const fresh = [...after.keys()].filter((id) => !before.has(id));
  out.set(
    'Layers',
    fresh.map((id) => pyStr(id).slice(0, 12)),
  );
  return as === undefined ? out : tagged(ctx, out, topImages(after, fresh), as);
}

async function tagged(
  ctx: ModuleContext,
  out: Dict,
  top: readonly Value[],
  as: { readonly repository: string; readonly tag: string },
): Promise<Dict> {
  const [first, ...others] = top;
  if (first === undefined)
    return out.set('Warning', 'No top-level image layers were loaded, no image was tagged');
  if (others.length > 0)
    return out.set(
      'Warning',
      `More than one top-level image layer was loaded (${top.map(pyStr).join(', ')}), no image was tagged`,
    );
  const full = `${as.repository}:${as.tag}`;
  try {
    await tagImage(ctx, pyStr(first), { ...as, force: false });
    return out.set('Image', full);
  } catch (error) {
    return out.set('Warning', `Failed to tag ${pyStr(first)} as ${full}: ${messageOf(error)}`);
  }
}
