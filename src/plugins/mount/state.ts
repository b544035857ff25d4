/** `mount`: file systems that are mounted (3006.16 salt/states/mount.py). */
import { defineModule, type Params, type TypedArguments } from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Value } from '../../python/values/value.ts';
import { fstabAbsent, fstabPresent, plainFolder } from './state/fstab-entry.ts';
import { mounted, type WantedMount } from './state/mounted.ts';
import { swap } from './state/swap.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { noPath, param } from '../../runtime/loader/params.ts';
import { activeMounts, fstabEntries } from './state/tables.ts';

const listOf = (value: Value): string[] =>
  typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value.map(pyStr) : [];

const MOUNTED = {
  name: param.textOrEmpty({ doc: 'The folder.' }),
  device: param.textOrEmpty({ doc: 'What is mounted there: a device, `UUID=…`, `host:/path`.' }),
  fstype: param.textOrEmpty({ doc: 'The file system.' }),
  mkmnt: param.flag({ default: false, doc: 'Make the folder.' }),
  opts: param.by(listOf, { default: 'defaults', type: 'str or list', doc: 'Mount options.' }),
  dump: param.value({ default: 0, type: 'int', doc: 'The fifth column of the table.' }),
  pass_num: param.value({ default: 0, type: 'int', doc: 'The sixth column of the table.' }),
  config: param.text({ default: '/etc/fstab', doc: 'The table.' }),
  persist: param.flag({ default: true, doc: "Mount it at the machine's start, too." }),
  mount: param.flag({ default: true, doc: 'Mount it now.' }),
  user: param.value({ default: null, type: 'str', doc: 'Who mounts it.' }),
  match_on: param.value({
    default: 'auto',
    type: 'str or list',
    doc: 'By which columns an old entry is found.',
  }),
  device_name_regex: param.by(listOf, {
    default: null,
    type: 'list',
    doc: 'Other devices that may be mounted there.',
  }),
  extra_mount_invisible_options: param.by(listOf, {
    default: null,
    type: 'list',
    doc: 'Options that do not show.',
  }),
  extra_mount_invisible_keys: param.by(listOf, {
    default: null,
    type: 'list',
    doc: 'Options whose values do not show.',
  }),
  extra_mount_ignore_fs_keys: param.mapping({
    default: null,
    doc: 'Options that do not count, by file system.',
  }),
  extra_mount_translate_options: param.mapping({ default: null, doc: 'Options that show as others.' }),
  hidden_opts: param.by(listOf, { default: null, type: 'str or list', doc: 'Options that do not count.' }),
  bind_mount_copy_active_opts: param.value({
    default: true,
    type: 'bool',
    doc: 'Takes no effect: options are not copied.',
  }),
} satisfies Params;

const ENTRY = {
  name: param.text({ doc: 'The device, in any form that the table takes.' }),
  fs_file: param.text({ doc: 'The folder.' }),
} as const;
const MOUNT_BY = {
  mount_by: param.textIfGiven({
    default: null,
    doc: 'How the table is to name the device: `device`, `label`, `uuid`, `partlabel` or `partuuid`; as it is named here without it.',
  }),
} as const;

type MountedArguments = TypedArguments<typeof MOUNTED>;

function wantedMount(args: MountedArguments): WantedMount {
  const { name } = args;
  return {
    name: name === '/' ? name : name.replace(/\/+$/, ''),
    device: args.device,
    fstype: args.fstype,
    opts: args.opts,
    ...{ mkmnt: args.mkmnt, dump: args.dump, passNum: args.pass_num, config: args.config, user: args.user },
    ...{ persist: args.persist, mount: args.mount, matchOn: args.match_on },
    deviceRegexes: args.device_name_regex,
    rules: {
      fstype: args.fstype,
      invisible: [...args.extra_mount_invisible_options, ...args.hidden_opts],
      invisibleKeys: args.extra_mount_invisible_keys,
      ignored: args.extra_mount_ignore_fs_keys,
      translated: new Map([
        ...dict({ tcp: 'proto=tcp', udp: 'proto=udp' }),
        ...args.extra_mount_translate_options,
      ]),
    },
  };
}

async function unmounted(
  ctx: StateContext,
  {
    name,
    device,
    config,
    persist,
    user,
  }: { name: string; device: string | undefined; config: string; persist: boolean; user: Value },
): Promise<StateResult> {
  const active = await activeMounts(ctx, [], { extended: true });
  const changes = dict();
  let result: boolean | null = true;
  let comment = 'Target was already unmounted';
  if (active.has(name.replaceAll(' ', '\\040'))) {
    if (ctx.state.test) return outcome(name, null, `Mount point ${name} is mounted but should not be`);
    const out = await ctx.functions.call('mount.umount', device === undefined ? [name] : [name, device], {
      user,
    });
    if (typeof out === 'string') [result, comment] = [false, out];
    else if (out === true) {
      comment = 'Target was successfully unmounted';
      changes.set('umount', true);
    } else comment = 'Execute set to False, Target was not unmounted';
    await ctx.functions.call('mount.delete_mount_cache', [name]);
  }
  if (!persist) return outcome(name, result, comment, changes);
  const table = await fstabEntries(ctx, [config]);
  const entry = table.get(name);
  if (!isDict(entry)) return outcome(name, result, `${comment}. fstab entry not found`, changes);
  if (device !== undefined && entry.get('device') !== device)
    return outcome(name, result, `${comment}. fstab entry for device ${device} not found`, changes);
  if (ctx.state.test)
    return outcome(
      name,
      null,
      `Mount point ${name} is unmounted but needs to be purged from ${config} to be made persistent`,
    );
  if ((await ctx.functions.call('mount.rm_fstab', [name, device ?? null, config])) !== true)
    return outcome(name, false, `${comment}. Failed to persist purge`, changes);
  return outcome(name, result, `${comment}. Removed target from fstab`, changes.set('persist', 'purged'));
}

/**
 * The kernel writes a folder without the slash at its end. Salt compat: to Salt nothing is mounted at `/data/`, which
 * it says with True.
 */
async function unmountedFolder(
  ctx: StateContext,
  args: Parameters<typeof unmounted>[1],
): Promise<StateResult> {
  return { ...(await unmounted(ctx, { ...args, name: plainFolder(args.name) })), name: args.name };
}

/** The states of `mount`. */
export const mountStates = defineModule({
  name: 'mount',
  file: 'mount',
  doc: 'File systems that are mounted.',
  needs: { fun: 'mount.fstab', otherwise: 'mount module could not be loaded' },
  functions: {
    mounted: defineState({
      doc: 'Makes sure that a file system is mounted.',
      params: MOUNTED,
      kwargs: 'kwargs',
      run: async (ctx, args) => {
        const missing = (['name', 'device', 'fstype'] as const).find((key) => args[key] === '');
        if (missing !== undefined) return failure(args.name, `Must provide ${missing} to mount.mounted`);
        return { ...(await mounted(ctx, wantedMount(args))), name: args.name };
      },
    }),
    unmounted: defineState({
      doc: 'Makes sure that nothing is mounted at a folder.',
      params: {
        name: MOUNTED.name,
        device: param.textIfGiven({ default: null, doc: 'What is mounted there.' }),
        config: MOUNTED.config,
        persist: param.flag({ default: false, doc: "Not at the machine's start, either." }),
        user: MOUNTED.user,
      },
      kwargs: 'kwargs',
      run: (ctx, args) =>
        args.name === ''
          ? failure(args.name, 'Must provide name to mount.unmounted')
          : unmountedFolder(ctx, args),
    }),
    swap: defineState({
      doc: 'Makes sure that a swap area is in use.',
      params: {
        name: param.textOnly(noPath, { doc: 'The area: a device or a file.' }),
        persist: param.flag({ default: true, doc: "Use it at the machine's start, too." }),
        config: MOUNTED.config,
      },
      run: (ctx, wanted) => swap(ctx, wanted),
    }),
    fstab_present: defineState({
      doc: 'Makes sure that the table of file systems has a line.',
      params: {
        ...ENTRY,
        fs_vfstype: param.value({ type: 'str', doc: MOUNTED.fstype.doc }),
        fs_mntops: param.value({ default: 'defaults', type: 'str or list', doc: MOUNTED.opts.doc }),
        fs_freq: MOUNTED.dump,
        fs_passno: MOUNTED.pass_num,
        ...MOUNT_BY,
        config: MOUNTED.config,
        mount: param.flag({ default: true, doc: 'Mount it when its line is new.' }),
        match_on: MOUNTED.match_on,
        not_change: param.flag({ default: false, doc: 'Leave a line as it is that says something else.' }),
        fs_mount: param.value({ default: true, type: 'bool', doc: 'For AIX only.' }),
      },
      run: (ctx, args) =>
        fstabPresent(ctx, {
          ...{ name: args.name, folder: args.fs_file, mountBy: args.mount_by, config: args.config },
          ...{ fstype: args.fs_vfstype, opts: args.fs_mntops, dump: args.fs_freq, passNum: args.fs_passno },
          ...{ mount: args.mount, matchOn: args.match_on, notChange: args.not_change },
        }),
    }),
    fstab_absent: defineState({
      doc: 'Makes sure that the table of file systems does not have a line.',
      params: { ...ENTRY, ...MOUNT_BY, config: MOUNTED.config },
      run: (ctx, { name, fs_file, mount_by, config }) =>
        fstabAbsent(ctx, { name, folder: fs_file, mountBy: mount_by, config }),
    }),
    mod_watch: defineState({
      doc: 'Mounts a file system anew when a watched state has changed something.',
      params: { name: param.text({ doc: MOUNTED.name.doc }), user: MOUNTED.user },
      kwargs: 'kwargs',
      run: async (ctx, { name, user }, kwargs) => {
        const sfun = pyStr(kwargs.get('sfun') ?? null);
        if (sfun !== 'mounted') return outcome(name, true, `Watch not supported in ${sfun} at this time`);
        const [device, fstype, opts] = ['device', 'fstype', 'opts'].map((key) => kwargs.get(key) ?? null);
        const args = [name, device ?? null, false, fstype ?? null, opts ?? null];
        const out = await ctx.functions.call('mount.remount', args, { user });
        // Salt compat: Salt takes what the program complains of for success.
        return out === true
          ? outcome(name, true, `${name} remounted`)
          : failure(name, `${name} failed to remount: ${pyStr(out)}`);
      },
    }),
  },
});
