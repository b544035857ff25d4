/** `mount.mounted` (3006.16 salt/states/mount.py). */
import { dirName, isAbs, pathExists, realPath } from '../../../python/paths.ts';
import { textPattern } from '../../shared/regex.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { CHANGES_APART } from '../../../runtime/state/derived-chunks.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
import { failure, outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';
import { missingDevice } from './device.ts';
import { missingOptions, shownOptions, type OptionRules } from './options.ts';
import { activeMounts } from './tables.ts';

/** A file system that is to be mounted. */
export interface WantedMount {
  readonly name: string;
  readonly device: string;
  readonly fstype: string;
  readonly opts: string[];
  readonly mkmnt: boolean;
  readonly dump: Value;
  readonly passNum: Value;
  readonly config: string;
  readonly persist: boolean;
  readonly mount: boolean;
  readonly user: Value;
  readonly matchOn: Value;
  readonly deviceRegexes: readonly string[];
  readonly rules: OptionRules;
}

/** What is found out and done bit by bit. */
interface Progress {
  result: boolean | null;
  comment: string;
  readonly changes: Dict;
  /** What was mounted is gone, or was never there. */
  isMounted: boolean;
  /** The notes about mounts are to be written anew. */
  isCacheStale: boolean;
}

/** Ends the state at once. */
class Ended {
  readonly result: StateResult;
  constructor(result: StateResult) {
    this.result = result;
  }
}

const escaped = (path: string): string => path.replaceAll(' ', '\\040');

async function activeMount(ctx: StateContext, path: string): Promise<Dict | undefined> {
  const active = await activeMounts(ctx, [], { extended: true });
  const found = active.get(escaped(path));
  return isDict(found) ? found : undefined;
}

/** The device that holds a folder, which is what a bind mount of it shows. */
async function holdingDevice(ctx: StateContext, folder: string): Promise<string> {
  const active = await activeMounts(ctx, [], { extended: true });
  for (let path = folder; ; path = dirName(path)) {
    const found = active.get(escaped(path));
    if (isDict(found)) return pyStr(found.get('device') ?? '');
    if (path === '/' || path === '') return folder;
  }
}

/** The device under the name that the mounted file system shows. */
function realDevice({ device }: WantedMount): string {
  const [, group, volume] = /^\/dev\/([^/]+)\/([^/]+)$/.exec(device) ?? [];
  const mapped = `/dev/mapper/${(group ?? '').replaceAll('-', '--')}-${(volume ?? '').replaceAll('-', '--')}`;
  if (group !== undefined && pathExists(mapped)) return mapped;
  const fuse = /^\w+#(.+)/.exec(device)?.[1];
  if (fuse !== undefined) return fuse;
  if (isAbs(device)) return realPath(device);
  if (/^UUID=/i.test(device)) return (device.split('=')[1] ?? '').replaceAll('"', '').toLowerCase();
  return device;
}

/** The names under which the mounted device is known. */
function deviceNames(active: Dict): string[] {
  const device = pyStr(active.get('device') ?? '');
  const more = ['alt_device', 'device_uuid', 'device_label'].map((key) => active.get(key));
  return [device, realPath(device), ...more.filter((one) => typeof one === 'string')];
}

const needsUnmount = (fstype: string): boolean =>
  ['nfs', 'cvfs'].includes(fstype) || fstype.startsWith('fuse');

/** Mounts anew, because options have changed. */
async function remount(
  ctx: StateContext,
  wanted: WantedMount,
  to: { path: string; changed: string; progress: Progress },
): Promise<Ended | undefined> {
  const { name, device, fstype, opts, mkmnt } = wanted;
  const { path, changed, progress } = to;
  const options = dict({ mkmnt, fstype, opts });
  progress.isCacheStale = true;
  if (!needsUnmount(fstype)) {
    progress.changes.set('umount', `Forced remount because options (${changed}) changed`);
    const done = await ctx.functions.call('mount.remount', [path, device], options);
    progress.result = done === true;
    const at = opts.indexOf('remount');
    if (at >= 0) opts.splice(at, 1);
    return undefined;
  }
  progress.changes.set('umount', `Forced unmount and mount because options (${changed}) changed`);
  const gone = await ctx.functions.call('mount.umount', [path]);
  if (gone !== true)
    return new Ended(outcome(name, false, `Unable to unmount ${path}: ${pyStr(gone)}.`, progress.changes));
  progress.result = (await ctx.functions.call('mount.mount', [path, device], options)) === true;
  return undefined;
}

/**
 * Whether what is mounted shows exactly what it showed after it was mounted with these options: then there is nothing
 * to be gained.
 */
async function isAsMounted(ctx: StateContext, wanted: WantedMount, active: Dict): Promise<boolean> {
  const cached = await ctx.functions.call('mount.read_mount_cache', [realPath(wanted.name)]);
  if (!isDict(cached) || !cached.has('shown')) return false;
  return (
    valuesEqual(cached.get('shown') ?? null, shownOptions(active)) &&
    valuesEqual(cached.get('opts') ?? null, wanted.opts) &&
    cached.get('device') === wanted.device
  );
}

/** Notes how it was mounted, and what it shows since, unless that has failed. */
async function remember(
  ctx: StateContext,
  wanted: WantedMount,
  { path, progress }: { path: string; progress: Progress },
): Promise<void> {
  const { device, fstype, opts, mkmnt } = wanted;
  const active = progress.result === true ? await activeMount(ctx, path) : undefined;
  const shown = active === undefined ? {} : { shown: shownOptions(active) };
  await ctx.functions.call('mount.write_mount_cache', [path, device], {
    mkmnt,
    fstype,
    mount_opts: opts,
    ...shown,
  });
}

/** Looks at what is mounted already. */
async function checkMounted(
  ctx: StateContext,
  wanted: WantedMount,
  to: { path: string; active: Dict; progress: Progress },
): Promise<Ended | undefined> {
  const { path, active, progress } = to;
  const { name, device, opts, rules } = wanted;
  const unseen = await missingOptions(ctx, active, { opts, rules });
  const missing = unseen.length > 0 && (await isAsMounted(ctx, wanted, active)) ? [] : unseen;
  const changed = [...missing].sort().join(',');
  if (missing.length > 0 && ctx.state.test)
    return new Ended(outcome(name, null, `Remount would be forced because options (${changed}) changed`));
  const ended = missing.length > 0 ? await remount(ctx, wanted, { path, changed, progress }) : undefined;
  if (ended) return ended;
  const names = deviceNames(active);
  const isBind = opts.includes('bind') && isAbs(device);
  const real = isBind ? await holdingDevice(ctx, device) : realDevice(wanted);
  if (names.includes(real)) {
    progress.comment = 'Target was already mounted';
    return undefined;
  }
  const ignored = names.find((one) =>
    wanted.deviceRegexes.some((regex) => textPattern(`^(?:${regex})`).search(one) !== undefined),
  );
  if (ignored !== undefined) {
    progress.comment = `An umount will not be forced because device matched device_name_regex: ${ignored}`;
    return undefined;
  }
  if (ctx.state.test) {
    progress.result = null;
    progress.comment = `An umount would have been forced because devices do not match.  Watched: ${device}`;
    return undefined;
  }
  const shown = real === device ? device : `${device} (${real})`;
  progress.changes.set(
    'umount',
    `Forced unmount because devices don't match. Wanted: ${shown}, current: ${names.join(', ')}`,
  );
  await ctx.functions.call('mount.umount', [path], { user: wanted.user });
  progress.isMounted = (await activeMount(ctx, path)) !== undefined;
  progress.isCacheStale = true;
  return progress.isMounted
    ? new Ended(outcome(name, null, 'Unable to unmount', progress.changes))
    : undefined;
}

/** Why there is nothing to mount at. @returns undefined where an earlier state of the run may make it */
function missingPlace(ctx: StateContext, { name, mkmnt }: WantedMount): string | undefined {
  if (pathExists(name)) return undefined;
  return mkmnt || mayBeMade(ctx, name) ? undefined : 'Mount directory is not present';
}

/** Mounts what is not mounted. */
async function mountNow(
  ctx: StateContext,
  wanted: WantedMount,
  to: { path: string; progress: Progress },
): Promise<Ended | undefined> {
  const { name, device, fstype, opts, mkmnt, user } = wanted;
  const { path, progress } = to;
  const isThere = pathExists(name);
  if (ctx.state.test) {
    const impossible = missingPlace(ctx, wanted) ?? missingDevice(ctx, device);
    if (impossible !== undefined) return new Ended(failure(name, impossible));
    const text = isThere
      ? `${name} would be mounted`
      : mkmnt
        ? `${name} would be created and mounted`
        : `${name} does not exist and would not be created`;
    return new Ended(outcome(name, null, text, progress.changes));
  }
  if (!isThere && !mkmnt) return new Ended(failure(name, 'Mount directory is not present'));
  const out = await ctx.functions.call('mount.mount', [name, device, mkmnt, fstype, opts], { user });
  progress.isCacheStale = true;
  if (typeof out === 'string') return new Ended(outcome(name, false, out, progress.changes));
  if ((await activeMount(ctx, path)) === undefined) return undefined;
  progress.comment = 'Target was successfully mounted';
  progress.changes.set('mount', true);
  return undefined;
}

/** `mount: False`: only the folder and the table count. */
async function leaveUnmounted(
  ctx: StateContext,
  { name, mkmnt, user }: WantedMount,
  progress: Progress,
): Promise<void> {
  const { test } = ctx.state;
  if (pathExists(name)) progress.comment = test ? `${name} would not be mounted` : `${name} not mounted`;
  else if (test) {
    progress.result = null;
    progress.comment = mkmnt
      ? `${name} would be created, but not mounted`
      : `${name} does not exist and would neither be created nor mounted`;
  } else if (mkmnt) {
    await ctx.functions.call('file.mkdir', [name], { user });
    progress.comment = `${name} was created, not mounted`;
  } else progress.comment = `${name} not present and not mounted`;
}

const ENTRY_DONE: Readonly<Record<string, readonly [text: string, change: string | undefined]>> = {
  present: ['. Entry already exists in the fstab.', undefined],
  new: ['. Added new entry to the fstab.', 'new'],
  change: ['. Updated the entry in the fstab.', 'update'],
  'bad config': ['. However, the fstab was not found.', undefined],
};

/** What test mode says about the table; undefined when it stays. */
function announceEntry(
  { name, mount }: WantedMount,
  out: string,
): { result: boolean | null; text: string } | undefined {
  if (out === 'present') return undefined;
  if (out === 'new')
    return {
      result: null,
      text: `${name} ${mount ? 'is mounted, but ' : ''}needs to be written to the fstab in order to be made persistent.`,
    };
  if (out === 'change')
    return {
      result: null,
      text: mount
        ? `${name} is mounted, but its fstab entry must be updated.`
        : `The ${name} fstab entry must be updated.`,
    };
  return {
    result: false,
    text: `Unable to detect fstab status for mount point ${name} due to unexpected output '${out}' from call to mount.set_fstab. This is most likely a bug.`,
  };
}

/** Has the file system mounted at the machine's start, too. */
async function persistEntry(
  ctx: StateContext,
  wanted: WantedMount,
  to: { progress: Progress },
): Promise<void> {
  const { name, device, fstype, opts } = wanted;
  const { progress } = to;
  const options = dict({ match_on: wanted.matchOn, ...(ctx.state.test ? { test: true } : {}) });
  const args = [name, device, fstype, opts, wanted.dump, wanted.passNum, wanted.config];
  const out = pyStr(await ctx.functions.call('mount.set_fstab', args, options));
  const announced = ctx.state.test ? announceEntry(wanted, out) : undefined;
  if (announced) {
    progress.result = announced.result;
    progress.comment = `${progress.comment}. ${announced.text}`;
    return;
  }
  const [text, change] = ENTRY_DONE[out] ?? ['', undefined];
  progress.comment += text;
  if (change !== undefined) progress.changes.set('persist', change);
  if (out === 'bad config') progress.result = false;
}

/** Makes sure that a file system is mounted. */
export async function mounted(ctx: StateContext, wanted: WantedMount): Promise<StateResult> {
  const path = realPath(wanted.name);
  const active = await activeMount(ctx, path);
  const progress: Progress = {
    ...{ result: true, comment: '', changes: dict(), isCacheStale: false },
    isMounted: active !== undefined,
  };
  if (active !== undefined && wanted.mount) {
    const ended = await checkMounted(ctx, wanted, { path, active, progress });
    if (ended) return ended.result;
  }
  if (!progress.isMounted) {
    const ended = wanted.mount ? await mountNow(ctx, wanted, { path, progress }) : undefined;
    if (ended) return ended.result;
    if (!wanted.mount) await leaveUnmounted(ctx, wanted, progress);
  }
  if (wanted.persist) await persistEntry(ctx, wanted, { progress });
  if (progress.isCacheStale && !ctx.state.test) await remember(ctx, wanted, { path, progress });
  if (progress.isMounted && !progress.isCacheStale) ctx.state.low.set(CHANGES_APART, true);
  return outcome(wanted.name, progress.result, progress.comment, progress.changes);
}
