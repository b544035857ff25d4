/** `mount`: file systems that are mounted (3006.16 salt/states/mount.py). */
import { defineModule, type Params } from '../loader/module.ts';
import { pyStr } from '../values/repr.ts';
import { dict, isDict, truthy, type Value } from '../values/value.ts';
import { mounted, type WantedMount } from './mount/mounted.ts';
import { failure, outcome } from './outcome.ts';
import { defineState, type StateContext, type StateResult } from './state-function.ts';

const listOf = (value: Value): string[] =>
  typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value.map(pyStr) : [];

const MOUNTED = {
  name: { type: 'str', doc: 'The folder.' },
  device: { type: 'str', doc: 'What is mounted there: a device, `UUID=…`, `host:/path`.' },
  fstype: { type: 'str', doc: 'The file system.' },
  mkmnt: { default: false, type: 'bool', doc: 'Make the folder.' },
  opts: { default: 'defaults', type: 'str or list', doc: 'Mount options.' },
  dump: { default: 0, type: 'int', doc: 'The fifth column of the table.' },
  pass_num: { default: 0, type: 'int', doc: 'The sixth column of the table.' },
  config: { default: '/etc/fstab', type: 'str', doc: 'The table.' },
  persist: { default: true, type: 'bool', doc: "Mount it at the machine's start, too." },
  mount: { default: true, type: 'bool', doc: 'Mount it now.' },
  user: { default: null, type: 'str', doc: 'Who mounts it.' },
  match_on: { default: 'auto', type: 'str or list', doc: 'By which columns an old entry is found.' },
  device_name_regex: { default: null, type: 'list', doc: 'Other devices that may be mounted there.' },
  extra_mount_invisible_options: { default: null, type: 'list', doc: 'Options that do not show.' },
  extra_mount_invisible_keys: { default: null, type: 'list', doc: 'Options whose values do not show.' },
  extra_mount_ignore_fs_keys: {
    default: null,
    type: 'dict',
    doc: 'Options that do not count, by file system.',
  },
  extra_mount_translate_options: { default: null, type: 'dict', doc: 'Options that show as others.' },
  hidden_opts: { default: null, type: 'str or list', doc: 'Options that do not count.' },
  bind_mount_copy_active_opts: {
    default: true,
    type: 'bool',
    doc: 'Takes no effect: options are not copied.',
  },
} satisfies Params;

type MountedArguments = { readonly [K in keyof typeof MOUNTED]: Value };

function wantedMount(args: MountedArguments): WantedMount {
  const name = pyStr(args.name);
  return {
    name: name === '/' ? name : name.replace(/\/+$/, ''),
    device: pyStr(args.device),
    fstype: pyStr(args.fstype),
    opts: listOf(args.opts),
    ...{ mkmnt: args.mkmnt, dump: args.dump, passNum: args.pass_num, config: args.config, user: args.user },
    ...{ persist: truthy(args.persist), mount: truthy(args.mount), matchOn: args.match_on },
    deviceRegexes: listOf(args.device_name_regex),
    rules: {
      fstype: pyStr(args.fstype),
      invisible: [...listOf(args.extra_mount_invisible_options), ...listOf(args.hidden_opts)],
      invisibleKeys: listOf(args.extra_mount_invisible_keys),
      ignored: isDict(args.extra_mount_ignore_fs_keys) ? args.extra_mount_ignore_fs_keys : new Map(),
      translated: new Map([
        ...dict({ tcp: 'proto=tcp', udp: 'proto=udp' }),
        ...(isDict(args.extra_mount_translate_options) ? args.extra_mount_translate_options : []),
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
  }: { name: Value; device: Value; config: Value; persist: Value; user: Value },
): Promise<StateResult> {
  const text = pyStr(name);
  const active = await ctx.functions.call('mount.active', [], dict({ extended: true }));
  const changes = dict();
  let result: boolean | null = true;
  let comment = 'Target was already unmounted';
  if (isDict(active) && active.has(text.replaceAll(' ', '\\040'))) {
    if (ctx.state.test) return outcome(name, null, `Mount point ${text} is mounted but should not be`);
    const out = await ctx.functions.call(
      'mount.umount',
      truthy(device) ? [name, device] : [name],
      dict({ user }),
    );
    if (typeof out === 'string') [result, comment] = [false, out];
    else if (out === true) {
      comment = 'Target was successfully unmounted';
      changes.set('umount', true);
    } else comment = 'Execute set to False, Target was not unmounted';
    await ctx.functions.call('mount.delete_mount_cache', [name]);
  }
  if (!truthy(persist)) return outcome(name, result, comment, changes);
  const table = await ctx.functions.call('mount.fstab', [config]);
  const entry = isDict(table) ? table.get(name) : undefined;
  if (!isDict(entry)) return outcome(name, result, `${comment}. fstab entry not found`, changes);
  if (truthy(device) && entry.get('device') !== device)
    return outcome(name, result, `${comment}. fstab entry for device ${pyStr(device)} not found`, changes);
  if (ctx.state.test)
    return outcome(
      name,
      null,
      `Mount point ${text} is unmounted but needs to be purged from ${pyStr(config)} to be made persistent`,
    );
  if ((await ctx.functions.call('mount.rm_fstab', [name, device, config])) !== true)
    return outcome(name, false, `${comment}. Failed to persist purge`, changes);
  return outcome(name, result, `${comment}. Removed target from fstab`, changes.set('persist', 'purged'));
}

/** The states of `mount`. */
export const mountStates = defineModule({
  name: 'mount',
  file: 'mount',
  doc: 'File systems that are mounted.',
  functions: {
    mounted: defineState({
      doc: 'Makes sure that a file system is mounted.',
      params: MOUNTED,
      kwargs: 'kwargs',
      run: async (ctx, args) => {
        const missing = (['name', 'device', 'fstype'] as const).find((key) => !truthy(args[key]));
        if (missing !== undefined) return failure(args.name, `Must provide ${missing} to mount.mounted`);
        return { ...(await mounted(ctx, wantedMount(args))), name: args.name };
      },
    }),
    unmounted: defineState({
      doc: 'Makes sure that nothing is mounted at a folder.',
      params: {
        name: MOUNTED.name,
        device: { default: null, type: 'str', doc: 'What is mounted there.' },
        config: MOUNTED.config,
        persist: { default: false, type: 'bool', doc: "Not at the machine's start, either." },
        user: MOUNTED.user,
      },
      kwargs: 'kwargs',
      run: (ctx, args) =>
        truthy(args.name) ? unmounted(ctx, args) : failure(args.name, 'Must provide name to mount.unmounted'),
    }),
    mod_watch: defineState({
      doc: 'Mounts a file system anew when a watched state has changed something.',
      params: { name: MOUNTED.name, user: MOUNTED.user },
      kwargs: 'kwargs',
      run: async (ctx, { name, user }, kwargs) => {
        const sfun = pyStr(kwargs.get('sfun') ?? null);
        if (sfun !== 'mounted') return outcome(name, true, `Watch not supported in ${sfun} at this time`);
        const [device, fstype, opts] = ['device', 'fstype', 'opts'].map((key) => kwargs.get(key) ?? null);
        const args = [name, device ?? null, false, fstype ?? null, opts ?? null];
        const out = await ctx.functions.call('mount.remount', args, dict({ user }));
        return truthy(out)
          ? outcome(name, true, `${pyStr(name)} remounted`)
          : failure(name, `${pyStr(name)} failed to remount: ${pyStr(out)}`);
      },
    }),
  },
});
