/** What is mounted now. Follows 3006.16 salt/modules/mount.py. */
import { statSync } from 'node:fs';
import { readTextIfExists } from '../../../host/files.ts';
import { absPath, dirName, realPath } from '../../../python/paths.ts';
import { findGroup, findUser } from '../../../host/users.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { splitLines } from '../../../python/values/text.ts';
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { runStdout } from '../../shared/program.ts';

/** Devices by mount point, as the program `mount` names them. */
async function listedDevices(ctx: ModuleContext): Promise<Map<string, string>> {
  const rows = splitLines(await runStdout(ctx, ['mount', '-l'])).map((line) => line.trim().split(/\s+/));
  return new Map(rows.filter((row) => row.length >= 3).map((row) => [row[2] ?? '', row[0] ?? '']));
}

/** Options with numbers in place of names of users and groups. */
async function numericOptions(text: string): Promise<string[]> {
  const out: string[] = [];
  for (const option of text.split(',')) {
    const [name, given] = option.split('=');
    let shown = option;
    if ((name === 'uid' || name === 'gid') && given !== undefined) {
      const id = name === 'uid' ? (await findUser(given))?.uid : (await findGroup(given))?.gid;
      shown = `${name}=${/^[0-9]+$/.test(given) ? given : (id ?? given)}`;
    }
    out.push(shown.replaceAll('\\040', '\\ '));
  }
  return out;
}

/** `mount.active` */
export async function activeMounts(ctx: ModuleContext, extended: boolean): Promise<Dict> {
  const listed = await listedDevices(ctx);
  const info = extended ? readTextIfExists('/proc/self/mountinfo') : undefined;
  return info === undefined ? plainMounts(listed) : extendedMounts(ctx, listed, info);
}

async function plainMounts(listed: ReadonlyMap<string, string>): Promise<Dict> {
  const out: Dict = new Map();
  for (const line of splitLines(readTextIfExists('/proc/self/mounts') ?? '')) {
    const [device = '', path = '', fstype = '', opts = ''] = line.split(/\s+/);
    const alt = listed.get(path) ?? null;
    out.set(path, dict({ device, alt_device: alt, fstype, opts: await numericOptions(opts) }));
  }
  return out;
}

async function extendedMounts(
  ctx: ModuleContext,
  listed: ReadonlyMap<string, string>,
  info: string,
): Promise<Dict> {
  const known = await ctx.functions.call('disk.blkid');
  const out: Dict = new Map();
  for (const line of splitLines(info)) {
    const words = line.split(/\s+/);
    const [mountid = '', parentid = '', numbers = '', root = '', path = '', opts = ''] = words;
    const [fstype = '', device = '', superopts = ''] = words.slice(words.indexOf('-') + 1);
    const [major = '', minor = ''] = numbers.split(':');
    const facts = isDict(known) ? known.get(device) : undefined;
    const field = (name: string): Value => (isDict(facts) ? (facts.get(name) ?? null) : null);
    const uuid = field('UUID');
    out.set(
      path,
      dict({
        mountid,
        parentid,
        major,
        minor,
        root,
        opts: await numericOptions(opts),
        fstype,
        device: device.replaceAll('\\040', '\\ '),
        alt_device: listed.get(path) ?? null,
        superopts: await numericOptions(superopts),
        device_uuid: typeof uuid === 'string' ? uuid.toLowerCase() : uuid,
        device_label: field('LABEL'),
      }),
    );
  }
  return out;
}

/** Swap areas by path. */
export function swapAreas(): Dict {
  const rows = splitLines(readTextIfExists('/proc/swaps') ?? '')
    .filter((line) => !line.startsWith('Filename'))
    .map((line) => line.trim().split(/\s+/));
  return new Map(
    rows.map(([path = '', type = '', size = '', used = '', priority = '']) => [
      path,
      dict({ type, size, used, priority }),
    ]),
  );
}

/** The mount point that holds a path. */
export function mountPointOf(path: string): string {
  let place = realPath(absPath(path));
  while (place !== '/' && !isMountPoint(place)) place = dirName(place);
  return place;
}

/** A folder on another device than its parent. */
function isMountPoint(path: string): boolean {
  const [own, parent] = [path, dirName(path)].map((place) => statSync(place, { throwIfNoEntry: false }));
  if (own === undefined || parent === undefined) return false;
  return own.dev !== parent.dev || own.ino === parent.ino;
}
