/** Images of the Docker daemon (3006.16 salt/modules/dockermod.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { registryHeaders } from './credentials.ts';
import { askDaemon, askForDict, askForDicts, askForEvents, DaemonRefusal } from './daemon.ts';
import { renamedFacts, shownSize } from './figures.ts';
import { PullReport, PushReport } from './pull-report.ts';

const SIZES = ['Size', 'VirtualSize'];
const shortId = (id: Value): string => pyStr(id).slice(0, 12);
const listOf = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);

/** `docker.inspect_image` */
export async function inspectImage(ctx: ModuleContext, name: string): Promise<Dict> {
  const found = await askForDict(ctx, { path: ['images', name, 'json'] });
  for (const key of SIZES) {
    const size = found.get(key);
    if (size !== undefined) found.set(`${key}_Human`, shownSize(size));
  }
  return found;
}

/** Images by id, those without a tag last, or not at all. */
export async function images(ctx: ModuleContext, isAll: boolean): Promise<Dict> {
  const tagged: Dict = new Map();
  const untagged: Dict = new Map();
  for (const image of await askForDicts(ctx, { path: ['images', 'json'], query: { all: isAll ? 1 : 0 } })) {
    const { id, rest } = withoutId(image);
    if (id === undefined) continue;
    const tags = rest.get('RepoTags') ?? null;
    const isBare = tags === null || (Array.isArray(tags) && tags.length === 1 && tags[0] === '<none>:<none>');
    (isBare ? untagged : tagged).set(id, renamedFacts(rest, SIZES));
  }
  return isAll ? new Map([...tagged, ...untagged]) : tagged;
}

/** Facts of the daemon, and the id that they are listed under. */
export function withoutId(facts: Dict): { readonly id: Value | undefined; readonly rest: Dict } {
  return { id: facts.get('Id'), rest: new Map([...facts].filter(([key]) => key !== 'Id')) };
}

/** `docker.list_tags` */
export async function listTags(ctx: ModuleContext): Promise<string[]> {
  const found = [...(await images(ctx, false)).values()].filter(isDict);
  return [...new Set(found.flatMap((image) => listOf(image.get('RepoTags')).map(pyStr)))].sort();
}

/** The id of an image; false where there is none. @throws CommandExecutionError when the daemon cannot be asked */
export async function resolveImageId(ctx: ModuleContext, name: string): Promise<Value> {
  try {
    return (await inspectImage(ctx, name)).get('Id') ?? false;
  } catch (error) {
    if (error instanceof DaemonRefusal) return false;
    throw error;
  }
}

/**
 * The first tag of an image, or all; its id where it has none, false where there is no such image.
 * @throws CommandExecutionError when the daemon cannot be asked
 */
export async function resolveTag(ctx: ModuleContext, name: string, isAll: boolean): Promise<Value> {
  let found: Dict;
  try {
    found = await inspectImage(ctx, name);
  } catch (error) {
    if (error instanceof DaemonRefusal) return false;
    throw error;
  }
  const tags = listOf(found.get('RepoTags'));
  const id = found.get('Id') ?? null;
  if (isAll) return tags.length > 0 ? tags : [id];
  return tags[0] ?? id;
}

/** A name apart from its tag or digest. */
function nameAndTag(image: string): readonly [name: string, tag: string | undefined] {
  const [, named, digest] = /^(.*)@([^@]*)$/s.exec(image) ?? [];
  if (named !== undefined) return [named, digest];
  const [, short, tag] = /^(.*):([^:/]*)$/s.exec(image) ?? [];
  return short === undefined ? [image, undefined] : [short, tag];
}

/** `docker.pull` */
export async function pull(
  ctx: ModuleContext,
  image: string,
  { withEvents = false }: { readonly withEvents?: boolean } = {},
): Promise<Dict> {
  const known = [...(await images(ctx, true)).keys()].map(shortId);
  const started = ctx.clock.nowMs();
  const [name, tag = 'latest'] = nameAndTag(image);
  const events = await askForEvents(ctx, {
    method: 'POST',
    path: ['images', 'create'],
    query: { tag, fromImage: name },
    headers: registryHeaders(ctx, name),
    timeoutSeconds: 0,
  });
  const elapsed = (ctx.clock.nowMs() - started) / 1000;
  const report = new PullReport(dict({ Time_Elapsed: elapsed, retcode: 0 }), known);
  if (withEvents) report.facts.set('API_Response', events);
  for (const event of events) report.add(event);
  return report.whole();
}

/** `docker.push` */
export async function push(
  ctx: ModuleContext,
  image: string,
  { withEvents = false }: { readonly withEvents?: boolean } = {},
): Promise<Dict> {
  const started = ctx.clock.nowMs();
  const [name, tag] = nameAndTag(image);
  const none = { 'x-registry-auth': Buffer.from('{}').toString('base64url') };
  const events = await askForEvents(ctx, {
    method: 'POST',
    path: ['images', ...name.split('/'), 'push'],
    query: { tag: tag ?? null },
    headers: { ...none, ...registryHeaders(ctx, name) },
    timeoutSeconds: 0,
  });
  const facts = dict({ Time_Elapsed: (ctx.clock.nowMs() - started) / 1000, retcode: 0 });
  if (events.length === 0)
    throw new CommandExecutionError(`Push failed for ${image}, no response returned from Docker API`);
  if (withEvents) facts.set('API_Response', events);
  const report = new PushReport(facts);
  for (const event of events) report.add(event);
  return report.whole();
}

/** What uses an image. */
async function dependents(
  ctx: ModuleContext,
  name: string,
): Promise<{ containers: string[]; images: string[] }> {
  const id = (await inspectImage(ctx, name)).get('Id') ?? null;
  const containers = await askForDicts(ctx, { path: ['containers', 'json'], query: { all: 1 } });
  const using = containers.filter((container) => container.get('ImageID') === id);
  const children = [...(await images(ctx, true))].filter(
    ([, facts]) => isDict(facts) && facts.get('ParentId') === id,
  );
  return {
    containers: using.flatMap((container) =>
      listOf(container.get('Names')).map((one) => pyStr(one).replace(/^\/+/, '')),
    ),
    images: children.map(([child]) => shortId(child)),
  };
}

/** `docker.depends` */
export async function dependsOn(ctx: ModuleContext, name: string): Promise<Dict> {
  const found = await dependents(ctx, name);
  return dict({ Containers: found.containers, Images: found.images });
}

/** Why an image was not removed. */
async function removalErrors(ctx: ModuleContext, name: string, refusal: DaemonRefusal): Promise<string[]> {
  if (refusal.status !== 409) return [refusal.message];
  const users = await dependents(ctx, name);
  const kinds = [
    ...(users.containers.length > 0 ? [`container(s): ${users.containers.join(', ')}`] : []),
    ...(users.images.length > 0 ? [`image(s): ${users.images.join(', ')}`] : []),
  ];
  return [refusal.explanation, ...(kinds.length > 0 ? [`Image is in use by ${kinds.join(' and ')}`] : [])];
}

/** `docker.rmi` */
export async function removeImages(
  ctx: ModuleContext,
  names: readonly string[],
  { force, prune }: { readonly force: boolean; readonly prune: boolean },
): Promise<Dict> {
  const imagesBefore = await images(ctx, true);
  const tagsBefore = await listTags(ctx);
  const errors: string[] = [];
  for (const name of names) {
    const id = pyStr((await inspectImage(ctx, name)).get('Id') ?? null);
    try {
      await askDaemon(ctx, { method: 'DELETE', path: ['images', id], query: { force, noprune: !prune } });
    } catch (error) {
      if (!(error instanceof DaemonRefusal)) throw error;
      errors.push(...(await removalErrors(ctx, name, error)));
    }
  }
  const [imagesNow, tagsNow] = [await images(ctx, true), await listTags(ctx)];
  const out = dict({
    Layers: [...imagesBefore.keys()].filter((id) => !imagesNow.has(id)),
    Tags: tagsBefore.filter((tag) => !tagsNow.includes(tag)),
    retcode: errors.length > 0 ? 1 : 0,
  });
  return truthy(errors) ? out.set('Errors', errors) : out;
}

/** `docker.tag`. @returns true where the daemon has tagged it */
export async function tagImage(
  ctx: ModuleContext,
  name: string,
  as: { readonly repository: string; readonly tag: string; readonly force: boolean },
): Promise<boolean> {
  const id = pyStr((await inspectImage(ctx, name)).get('Id') ?? null);
  const query = { tag: as.tag, repo: as.repository, force: as.force ? 1 : 0 };
  await askDaemon(ctx, { method: 'POST', path: ['images', id, 'tag'], query });
  return true;
}
