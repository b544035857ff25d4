/** Making, changing and removing volumes of LVM (3006.16 salt/modules/linux_lvm.py). */
import { pathExists } from '../../../python/paths.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { runAll } from '../../shared/program.ts';
import { displayed, hasPhysical } from './display.ts';
import { optionWords } from './options.ts';

const consent = (isForced: boolean): string => (isForced ? '--yes' : '-qq');

/** Devices, and what is done with those that are, or are not, volumes already. */
export interface Devices {
  readonly devices: readonly string[];
  /** Leave them aside instead of giving up. */
  readonly override: boolean;
  readonly force: boolean;
}

/** Runs a program on devices. @returns undefined where it worked, or what it complains of */
async function changed(ctx: ModuleContext, words: readonly string[]): Promise<string | undefined> {
  const { retcode, stderr } = await runAll(ctx, words);
  return retcode === 0 ? undefined : stderr;
}

/** Makes devices physical volumes. @returns true, or what went wrong */
export async function createPhysical(ctx: ModuleContext, given: Devices, kwargs: Dict): Promise<Value> {
  const { devices, override, force } = given;
  if (devices.length === 0) return 'Error: at least one device is required';
  const wanted: string[] = [];
  for (const device of devices) {
    if (!pathExists(device)) return `${device} does not exist`;
    if (!(await hasPhysical(ctx, device, true))) wanted.push(device);
    else if (!override) return `Device "${device}" is already an LVM physical volume.`;
  }
  if (wanted.length === 0) return true;
  const words = ['pvcreate', consent(force), ...wanted, ...optionWords(ctx, 'pvcreate', kwargs)];
  const complaint = await changed(ctx, words);
  if (complaint !== undefined) return complaint;
  for (const device of devices)
    if (!(await hasPhysical(ctx, device))) return `Device "${device}" was not affected.`;
  return true;
}

/** Runs `pvremove` or `pvresize` on those devices that are physical volumes. @returns true, or what went wrong */
export async function changePhysical(
  ctx: ModuleContext,
  program: 'pvremove' | 'pvresize',
  { devices, override, force }: Devices,
): Promise<Value> {
  const wanted: string[] = [];
  for (const device of devices) {
    if (await hasPhysical(ctx, device)) wanted.push(device);
    else if (!override) return `${device} is not a physical volume`;
  }
  if (wanted.length === 0) return true;
  const complaint = await changed(ctx, [program, consent(force), ...wanted]);
  if (complaint !== undefined) return complaint;
  if (program === 'pvremove')
    for (const device of devices)
      if (await hasPhysical(ctx, device, true)) return `Device "${device}" was not affected.`;
  return true;
}

/** A volume group and devices for it. */
export interface GroupDevices {
  readonly vgname: string;
  readonly devices: readonly string[];
  readonly force: boolean;
}

/** Makes a volume group. @returns what LVM tells of it, and what became of it under `Output from vgcreate` */
export async function createGroup(ctx: ModuleContext, given: GroupDevices, kwargs: Dict): Promise<Dict> {
  const { vgname, devices, force } = given;
  const options = optionWords(ctx, 'vgcreate', kwargs);
  const complaint = await changed(ctx, ['vgcreate', vgname, ...devices, consent(force), ...options]);
  const said = complaint?.trim() ?? `Volume group "${vgname}" successfully created`;
  return (await displayed(ctx, 'vgdisplay', vgname, false)).set('Output from vgcreate', said);
}

/** Adds devices to a volume group. */
export async function extendGroup(
  ctx: ModuleContext,
  { vgname, devices, force }: GroupDevices,
): Promise<Dict> {
  const complaint = await changed(ctx, ['vgextend', vgname, consent(force), ...devices]);
  return dict({
    'Output from vgextend': complaint?.trim() ?? `Volume group "${vgname}" successfully extended`,
  });
}

/** Removes a group or a logical volume. @param name as it is said */
export async function removeVolume(
  ctx: ModuleContext,
  program: 'vgremove' | 'lvremove',
  { path, name, force }: { readonly path: string; readonly name: string; readonly force: boolean },
): Promise<string> {
  const complaint = await changed(ctx, [program, path, consent(force)]);
  const kind = program === 'vgremove' ? 'Volume group' : 'Logical volume';
  return complaint?.trim() ?? `${kind} "${name}" successfully removed`;
}

/** A logical volume that is to be made. */
export interface NewLogical {
  readonly lvname: string;
  readonly vgname: string;
  readonly size: string | undefined;
  readonly extents: string | undefined;
  /** The volume of which it is to be a snapshot. */
  readonly snapshot: string | undefined;
  readonly pv: string | undefined;
  readonly thinvolume: boolean;
  readonly thinpool: boolean;
  readonly force: boolean;
}

/**
 * Makes a logical volume.
 * @returns what LVM tells of it and `Output from lvcreate`, or a sentence that begins with `Error:`
 */
export async function createLogical(ctx: ModuleContext, given: NewLogical, kwargs: Dict): Promise<Value> {
  const { lvname, vgname, size, extents, snapshot, pv, thinvolume, thinpool } = given;
  if (size !== undefined && extents !== undefined) return 'Error: Please specify only one of size or extents';
  if (thinvolume && thinpool) return 'Error: Please set only one of thinvolume or thinpool to True';
  if (size === undefined && extents === undefined) return 'Error: Either size or extents must be specified';
  if (size === undefined && thinvolume) return 'Error: Thin volume size cannot be specified as extents';
  const named = thinvolume ? ['--thin', '-n'] : [thinpool ? '--thinpool' : '-n'];
  const place = snapshot === undefined ? [vgname] : ['-s', `${vgname}/${snapshot}`];
  const large = size === undefined ? ['-l', extents ?? ''] : [thinvolume ? '-V' : '-L', size];
  const words = ['lvcreate', ...named, lvname, ...place, ...large, ...(pv === undefined ? [] : [pv])];
  const options = optionWords(ctx, 'lvcreate', kwargs);
  const complaint = await changed(ctx, [...words, ...options, consent(given.force)]);
  const said = complaint?.trim() ?? `Logical volume "${lvname}" created.`;
  const volumes = await displayed(ctx, 'lvdisplay', `/dev/${vgname}/${lvname}`, false);
  return volumes.set('Output from lvcreate', said);
}

/** Another size for a logical volume. */
export interface Resized {
  readonly size: string | undefined;
  readonly lvpath: string;
  readonly extents: string | undefined;
  readonly force: boolean;
  readonly resizefs: boolean;
}

/** Changes the size of a logical volume. @returns what became of it; empty for a size that is none */
export async function resizeLogical(
  ctx: ModuleContext,
  program: 'lvresize' | 'lvextend',
  { size, lvpath, extents, force, resizefs }: Resized,
): Promise<Dict> {
  if ((size === undefined) === (extents === undefined)) {
    const what =
      size === undefined ? 'Either size or extents must be' : 'Please specify only one of size or extents';
    ctx.log.error(`Error: ${size === undefined ? `${what} specified` : what}`);
    return dict();
  }
  const agreed = force ? (program === 'lvresize' ? '--force' : '--yes') : '-qq';
  const large = size === undefined ? ['-l', extents ?? ''] : ['-L', size];
  const words = [program, agreed, ...(resizefs ? ['--resizefs'] : []), ...large, lvpath];
  const complaint = await changed(ctx, words);
  const verb = program === 'lvresize' ? 'resized' : 'extended';
  const said = complaint?.trim() ?? `Logical volume "${lvpath}" successfully ${verb}.`;
  return dict({ [`Output from ${program}`]: said });
}
