/** What has changed between two snapshots: listing it, showing it, and taking it back. */
import { createHash } from 'node:crypto';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { readBytes } from '../../../host/file-operations.ts';
import { isDir, isFile, joinPath } from '../../../python/paths.ts';
import { unifiedDiff } from '../../../python/text/unified-diff.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { decodeUtf8, splitLines } from '../../../python/values/text.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { linesOf } from '../../shared/file-text.ts';
import { configOf, snapper, subvolumeOf } from './command.ts';
import { idOf, listSnapshots } from './snapshots.ts';

/** Two snapshots; 0 is the present. */
export interface Interval {
  readonly pre: number;
  readonly post: number;
}

/** What the letters of `snapper status` mean, place by place, in the order of the bits that D-Bus has for them. */
const MEANINGS: readonly ReadonlyMap<string, string>[] = [
  new Map([
    ['+', 'created'],
    ['-', 'deleted'],
    ['t', 'type changed'],
    ['c', 'modified'],
  ]),
  new Map([['p', 'permission changed']]),
  new Map([['u', 'owner changed']]),
  new Map([['g', 'group changed']]),
  new Map([['x', 'extended attributes changed']]),
  new Map([['a', 'ACL info changed']]),
];

/** The meanings of the bits, from the lowest on. */
const BITS = MEANINGS.flatMap((place) => [...place.values()]);

/** What the bits of a status of D-Bus mean. */
export const statusTexts = (status: number): string[] =>
  BITS.filter((_, bit) => Math.floor(status / 2 ** bit) % 2 === 1);

/** The snapshots that are meant: without a first one the last that was made, without a second one the present. */
export async function intervalOf(
  ctx: ModuleContext,
  config: string,
  pre: number | undefined,
  post: number,
): Promise<Interval> {
  return { pre: pre ?? Math.max(0, ...(await listSnapshots(ctx, config)).map(idOf)), post };
}

/** The first of two snapshots, undefined where none is named. @throws CommandExecutionError for what is no number */
export const firstOf = (value: Value): number | undefined => (value === null ? undefined : numberOf(value));

/** The second of two snapshots, 0 for the present. @throws CommandExecutionError for what is no number */
export const secondOf = (value: Value): number => (truthy(value) ? numberOf(value) : 0);

function numberOf(value: Value): number {
  const number = toNumber(value);
  if (number !== undefined && Number.isInteger(number) && number >= 0) return number;
  throw new CommandExecutionError(`${pyRepr(value)} is no number of a snapshot`);
}

/** The files that differ, each with what is different about it. */
export async function statusOf(ctx: ModuleContext, config: string, { pre, post }: Interval): Promise<Dict> {
  const said = await snapper(ctx, {
    config,
    command: ['status', `${pre}..${post}`],
    doing: 'listing changed files',
  });
  const rows = said.split('\n').flatMap((line): [Value, Value][] => {
    const [, letters = '', path = ''] = /^([-+ct.][p.][u.][g.][x.][a.]) (\/.*)$/.exec(line) ?? [];
    if (path === '') return [];
    const status = MEANINGS.flatMap((place, i) => place.get(letters[i] ?? '') ?? []);
    return [[path, dict({ status })]];
  });
  return new Map(rows);
}

/**
 * Takes changes back.
 * @param files those that are meant; all where there are none
 * @returns how many were created, modified and deleted
 */
export async function undo(
  ctx: ModuleContext,
  config: string,
  interval: Interval,
  files: readonly string[],
): Promise<Dict> {
  const changed = new Set([...(await statusOf(ctx, config, interval)).keys()].map(pyStr));
  const wanted = files.length === 0 ? [...changed] : files;
  const others = wanted.filter((file) => !changed.has(file));
  if (others.length > 0)
    throw new CommandExecutionError(
      `Given file list contains files that are not present in the changed filelist: ${pyRepr(others)}`,
    );
  // Salt compat: Salt fails where nothing is to be taken back
  if (wanted.length === 0) return dict({ create: '0', modify: '0', delete: '0' });
  const said = await snapper(ctx, {
    config,
    command: ['undochange', `${interval.pre}..${interval.post}`, ...wanted],
  });
  const counts = [...said.matchAll(/(\w+):(\d+)/g)].map(([, what = '', count = '']): [Value, Value] => [
    what,
    count,
  ]);
  if (counts.length === 0)
    throw new CommandExecutionError(`Error while processing Snapper response: ${said}`);
  return new Map(counts);
}

/** Where the files of a snapshot lie; the present is the subvolume itself. */
function folderOf(subvolume: string, fstype: string, number: number): string {
  if (number === 0) return subvolume;
  // what ext4 has of snapshots is mounted beside the file system
  return fstype.startsWith('ext4')
    ? `${subvolume}@${number}`
    : joinPath(subvolume, '.snapshots', String(number), 'snapshot');
}

/** What the two have of a file: its bytes, or nothing where it is none. */
interface TwoFiles {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  readonly names: { readonly from: string; readonly to: string };
}

function textIn(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined || bytes.length === 0 || bytes.includes(0)) return undefined;
  return decodeUtf8(bytes);
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function differenceOf({ before, after, names }: TwoFiles): Dict {
  const [from, to] = [textIn(before), textIn(after)];
  const isText = from !== undefined || to !== undefined;
  const kind = isText ? 'text' : 'binary';
  const verb = before === undefined ? 'created' : after === undefined ? 'deleted' : 'changed';
  const comment = `${kind} file ${before === after ? 'changed' : verb}`;
  if (isText)
    return dict({ comment, diff: unifiedDiff(linesOf(from ?? ''), linesOf(to ?? ''), names, 3).join('') });
  return dict({
    comment,
    ...(before === undefined ? {} : { old_sha256_digest: digestOf(before) }),
    ...(after === undefined ? {} : { new_sha256_digest: digestOf(after) }),
  });
}

/** The differences of the files that differ, folders apart. @param filename only this one */
export async function differences(
  ctx: ModuleContext,
  config: string,
  interval: Interval,
  filename: string | undefined,
): Promise<Dict> {
  const changed = [...(await statusOf(ctx, config, interval)).keys()].map(pyStr);
  const files = changed.filter((path) => (filename ?? path) === path && !isDir(path));
  const doing = 'showing differences between snapshots';
  const subvolume = await subvolumeOf(ctx, config, doing);
  const fstype = pyStr((await configOf(ctx, config, doing)).get('FSTYPE') ?? '');
  // snapshots of btrfs lie there, those of others are mounted first
  const mounted = fstype === 'btrfs' ? [] : [interval.pre, interval.post].filter((number) => number !== 0);
  for (const number of mounted) await snapper(ctx, { config, command: ['mount', String(number)], doing });
  try {
    const [from, to] = [interval.pre, interval.post].map((number) => folderOf(subvolume, fstype, number));
    return new Map(
      files.map((path): [Value, Value] => {
        const below =
          subvolume !== '/' && path.startsWith(`${subvolume}/`) ? path.slice(subvolume.length) : path;
        const names = { from: `${withoutSlash(from)}${below}`, to: `${withoutSlash(to)}${below}` };
        const bytes = (name: string): Uint8Array | undefined => (isFile(name) ? readBytes(name) : undefined);
        return [path, differenceOf({ before: bytes(names.from), after: bytes(names.to), names })];
      }),
    );
  } finally {
    for (const number of mounted) await snapper(ctx, { config, command: ['umount', String(number)], doing });
  }
}

const withoutSlash = (folder = ''): string => (folder === '/' ? '' : folder);

/** The two snapshots that a job has made around itself. @throws CommandExecutionError where it has made none */
export async function jobInterval(ctx: ModuleContext, config: string, jid: string): Promise<Interval> {
  const made = (await listSnapshots(ctx, config)).filter((each) => {
    const userdata = each.get('userdata');
    return isDict(userdata) && userdata.get('salt_jid') === jid;
  });
  const first = (type: string): Dict | undefined => made.find((each) => each.get('type') === type);
  const [pre, post] = [first('pre'), first('post')];
  if (pre === undefined || post === undefined)
    throw new CommandExecutionError(`Jid '${jid}' snapshots not found`);
  return { pre: idOf(pre), post: idOf(post) };
}

/** The lines of a text that are names of files, or a list of such. */
export function fileNames(value: Value): string[] {
  if (Array.isArray(value)) return value.map(pyStr);
  return isDict(value) ? [...value.keys()].map(pyStr) : truthy(value) ? splitLines(pyStr(value)) : [];
}
