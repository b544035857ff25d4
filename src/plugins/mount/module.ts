/**
 * `mount`: file systems, mounted now and at the machine's start, and swap. Follows 3006.16 salt/modules/mount.py
 * (Linux).
 */
import { optionOf } from '../../runtime/loader/option-of.ts';
import { mkdirSync } from 'node:fs';
import { CommandExecutionError, CommandNotFoundError } from '../../errors/errors.ts';
import { readTextIfExists, writeFileAtomic } from '../../host/files.ts';
import { dirName, joinPath, pathExists } from '../../python/paths.ts';
import { findProgram } from '../../host/which.ts';
import {
  defineFunction,
  defineModule,
  type ModuleContext,
  type TypedArguments,
} from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { loadYaml } from '../../formats/yaml/load.ts';
import { activeMounts, mountPointOf, swapAreas } from './module/active.ts';
import { automasterFunctions } from './module/automaster.ts';
import { filesystemsFunctions } from './module/filesystems.ts';
import { fstabFunctions, vfstabFunctions } from './module/fstab.ts';
import { DEVICE, NAME, OPTS } from './module/params.ts';
import { hideSecrets } from './module/secrets.ts';
import { runAll, runText } from '../shared/program.ts';
import { param } from '../../runtime/loader/params.ts';

function optionList(opts: Value): string[] {
  if (opts === null) return [];
  return Array.isArray(opts) ? opts.map(pyStr) : pyStr(opts).split(',');
}

async function mountIt(ctx: ModuleContext, args: TypedArguments<typeof MOUNT_PARAMS>): Promise<Value> {
  const { name } = args;
  if (!pathExists(name) && args.mkmnt) await ctx.functions.call('file.mkdir', [name], { user: args.user });
  return runMount(ctx, name, args, args.opts);
}

async function runMount(
  ctx: ModuleContext,
  name: string,
  args: {
    readonly device: string | undefined;
    readonly fstype: string | undefined;
    readonly user: Value;
  },
  opts: readonly string[],
): Promise<Value> {
  const hidden = hideSecrets(ctx.random, { ...args, opts });
  try {
    const options = hidden.opts.length > 0 ? ['-o', hidden.opts.join(',')] : [];
    const type = args.fstype !== undefined ? ['-t', args.fstype] : [];
    const words = args.device !== undefined ? [...options, ...type, args.device, name] : [name];
    const env = Object.keys(hidden.env).length === 0 ? {} : { env: dict(hidden.env) };
    const { retcode, stderr } = await runAll(ctx, ['mount', ...words], { runas: args.user, ...env });
    return retcode === 0 ? true : stderr;
  } finally {
    hidden.release();
  }
}

async function isMounted(ctx: ModuleContext, name: string): Promise<boolean> {
  return (await activeMounts(ctx, false)).has(name);
}

function cachePath(ctx: ModuleContext): string {
  return joinPath(optionOf(ctx.opts, 'cachedir'), 'mounts');
}

/** What states remember about mounts: `{mounts: {path: {…}}}`. */
function readCache(ctx: ModuleContext): Dict {
  const text = readTextIfExists(cachePath(ctx));
  const value = text === undefined ? null : loadYaml(text, { source: cachePath(ctx) });
  return isDict(value) ? value : new Map();
}

function cachedMounts(cache: Dict): Dict {
  const mounts = cache.get('mounts');
  return isDict(mounts) ? mounts : new Map();
}

function writeCache(ctx: ModuleContext, mounts: Dict): true {
  try {
    mkdirSync(dirName(cachePath(ctx)), { recursive: true });
    writeFileAtomic(cachePath(ctx), dumpYaml(readCache(ctx).set('mounts', mounts)), { mode: 0o644 });
    return true;
  } catch (error) {
    throw new CommandExecutionError('Unable to write mount cache.', { cause: error });
  }
}

const MOUNT_PARAMS = {
  name: NAME,
  device: param.textIfGiven({ default: false, doc: 'The device; without it, what /etc/fstab says.' }),
  mkmnt: param.flag({ default: false, doc: 'Create the mount point.' }),
  fstype: param.textIfGiven({ default: '', doc: 'The file system.' }),
  opts: param.by(optionList, { ...OPTS, default: 'defaults' }),
  user: param.value({ default: null, type: 'str', doc: 'The user who mounts.' }),
  util: param.value({ default: 'mount', type: 'str', doc: 'Only `mount`.' }),
} as const;
const MOUNTED = 'true, or what the program says';

const mounting = {
  active: defineFunction({
    doc: 'Lists what is mounted.',
    params: { extended: param.flag({ default: false, doc: 'Tell more about each.' }) },
    returns: 'mapping of mount point to `{device, alt_device, fstype, opts}`',
    examples: ["salt '*' mount.active"],
    run: (ctx, { extended }) => activeMounts(ctx, extended),
  }),
  is_mounted: defineFunction({
    doc: 'Returns whether something is mounted at a place.',
    params: { name: NAME },
    returns: 'true or false',
    examples: ["salt '*' mount.is_mounted /mnt/share"],
    run: (ctx, { name }) => isMounted(ctx, name),
  }),
  mount: defineFunction({
    doc: 'Mounts a device.',
    params: MOUNT_PARAMS,
    returns: MOUNTED,
    examples: ["salt '*' mount.mount /mnt/foo /dev/sdz1 True"],
    run: (ctx, args) => (args.util === 'mount' ? mountIt(ctx, args) : false),
  }),
  remount: defineFunction({
    doc: 'Mounts a device with other options, or for the first time.',
    params: {
      name: NAME,
      device: param.textIfGiven({ doc: DEVICE.doc }),
      mkmnt: MOUNT_PARAMS.mkmnt,
      fstype: MOUNT_PARAMS.fstype,
      opts: MOUNT_PARAMS.opts,
      user: MOUNT_PARAMS.user,
    },
    returns: MOUNTED,
    examples: ["salt '*' mount.remount /mnt/foo /dev/sdz1 True"],
    run: async (ctx, args) => {
      const { name, opts } = args;
      if (!(await isMounted(ctx, name))) return mountIt(ctx, { ...args, util: 'mount' });
      return runMount(ctx, name, args, opts.includes('remount') ? opts : [...opts, 'remount']);
    },
  }),
  umount: defineFunction({
    doc: 'Takes a mounted file system away.',
    params: {
      name: NAME,
      device: param.textIfGiven({ default: null, doc: 'The device.' }),
      user: MOUNT_PARAMS.user,
      util: MOUNT_PARAMS.util,
    },
    returns: MOUNTED,
    examples: ["salt '*' mount.umount /mnt/foo"],
    run: async (ctx, { name, device, user }) => {
      if (!(await isMounted(ctx, name))) return `${name} does not have anything mounted`;
      const what = device ?? name;
      const { retcode, stderr } = await runAll(ctx, ['umount', what], { runas: user });
      return retcode === 0 ? true : stderr;
    },
  }),
  is_fuse_exec: defineFunction({
    doc: 'Returns whether a program uses FUSE.',
    params: { cmd: param.text({ doc: 'The program.' }) },
    returns: 'true or false',
    examples: ["salt '*' mount.is_fuse_exec sshfs"],
    run: async (ctx, { cmd }) => {
      const path = findProgram(cmd);
      if (path === undefined) return false;
      if (findProgram('ldd') === undefined) throw new CommandNotFoundError('ldd');
      return (await runText(ctx, ['ldd', path])).includes('libfuse');
    },
  }),
  get_mount_from_path: defineFunction({
    doc: 'Returns the mount point that holds a path.',
    params: { path: param.text({ doc: 'The path.' }) },
    returns: 'a path',
    examples: ["salt '*' mount.get_mount_from_path /opt/some/nested/path"],
    run: (_ctx, { path }) => mountPointOf(path),
  }),
  get_device_from_path: defineFunction({
    doc: 'Returns the device that holds a path.',
    params: { path: param.text({ doc: 'The path.' }) },
    returns: 'text, or nothing',
    examples: ["salt '*' mount.get_device_from_path /"],
    run: async (ctx, { path }) => {
      const entry = (await activeMounts(ctx, false)).get(mountPointOf(path));
      return isDict(entry) ? (entry.get('device') ?? null) : null;
    },
  }),
};

const swapping = {
  swaps: defineFunction({
    doc: 'Lists swap areas.',
    returns: 'mapping of path to `{type, size, used, priority}`',
    examples: ["salt '*' mount.swaps"],
    run: () => swapAreas(),
  }),
  swapon: defineFunction({
    doc: 'Switches a swap area on.',
    params: {
      name: param.text({ doc: 'The area.' }),
      priority: param.textIfGiven({ default: null, type: 'int', doc: 'Its priority.' }),
    },
    returns: '`{stats, new}`; empty when it has failed',
    examples: ["salt '*' mount.swapon /root/swapfile"],
    run: async (ctx, { name, priority }) => {
      const area = name;
      const before = swapAreas().get(area);
      if (before !== undefined) return dict({ stats: before, new: false });
      await runText(ctx, ['swapon', area, ...(priority !== undefined ? ['-p', priority] : [])]);
      const after = swapAreas().get(area);
      return after === undefined ? new Map<Value, Value>() : dict({ stats: after, new: true });
    },
  }),
  swapoff: defineFunction({
    doc: 'Switches a swap area off.',
    params: { name: param.text({ doc: 'The area.' }) },
    returns: 'true or false; nothing when it was not on',
    examples: ["salt '*' mount.swapoff /root/swapfile"],
    run: async (ctx, { name }) => {
      const area = name;
      if (!swapAreas().has(area)) return null;
      await runText(ctx, ['swapoff', area]);
      return !swapAreas().has(area);
    },
  }),
};

const caching = {
  read_mount_cache: defineFunction({
    doc: 'Returns what states have remembered about a mount.',
    params: { name: NAME },
    returns: '`{device, fstype, mkmnt, opts}`; empty when there is nothing',
    examples: ["salt '*' mount.read_mount_cache /mnt/share"],
    run: (ctx, { name }) => cachedMounts(readCache(ctx)).get(name) ?? new Map<Value, Value>(),
  }),
  write_mount_cache: defineFunction({
    doc: 'Remembers a mount for states.',
    params: {
      real_name: NAME,
      device: param.value({ type: 'str', doc: DEVICE.doc }),
      mkmnt: param.value({ type: 'bool', doc: 'Whether the mount point was created.' }),
      fstype: param.value({ type: 'str', doc: 'The file system.' }),
      mount_opts: param.value({ type: 'list', doc: 'The options.' }),
      shown: param.value({
        default: null,
        type: 'list',
        keywordOnly: true,
        doc: 'The options that the mounted file system shows since.',
      }),
    },
    returns: 'true',
    examples: ["salt '*' mount.write_mount_cache /mnt/share /dev/sda1 False ext4 defaults,nosuid"],
    run: (ctx, { real_name, device, mkmnt, fstype, mount_opts, shown }) => {
      const entry = dict({ device, fstype, mkmnt, opts: mount_opts, ...(shown === null ? {} : { shown }) });
      return writeCache(ctx, cachedMounts(readCache(ctx)).set(real_name, entry));
    },
  }),
  delete_mount_cache: defineFunction({
    doc: 'Forgets a mount.',
    params: { real_name: NAME },
    returns: 'true',
    examples: ["salt '*' mount.delete_mount_cache /mnt/share"],
    run: (ctx, { real_name }) => {
      const mounts = cachedMounts(readCache(ctx));
      return mounts.delete(real_name) ? writeCache(ctx, mounts) : true;
    },
  }),
};

/** The module. */
export const mountModule = defineModule({
  name: 'mount',
  file: 'mount',
  doc: "Mounts file systems now and at the machine's start, and switches swap on and off.",
  unavailable: () =>
    process.platform === 'win32' ? 'The mount module cannot be loaded: not a POSIX-like system.' : undefined,
  words: { dashes: ['opts', 'mount_opts'] },
  failsWith: {
    text: ['mount', 'remount', 'umount'],
    false: ['mount', 'remount', 'umount', 'swapoff', 'rm_filesystems'],
    empty: ['swapon'],
  },
  functions: {
    ...mounting,
    ...fstabFunctions,
    ...vfstabFunctions,
    ...automasterFunctions,
    ...filesystemsFunctions,
    ...swapping,
    ...caching,
  },
});
