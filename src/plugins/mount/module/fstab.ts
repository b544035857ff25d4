/**
 * `mount`: the tables /etc/fstab and /etc/vfstab. On Linux, all but `set_vfstab` take both for an fstab, as Salt's do.
 */
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { padRight } from '../../../python/values/text.ts';
import { dict, type Dict } from '../../../python/values/value.ts';
import { CONFIG, DEVICE, FSTYPE, HOW, NAME, OPTS, SET } from './params.ts';
import { howToSet, optionText, readEntries, removeEntries, setEntry, type TableForm } from './table.ts';
import { param } from '../../../runtime/loader/params.ts';

const FSTAB: TableForm<'dump' | 'pass_num'> = {
  columns: ['device', 'name', 'fstype', 'opts', 'dump', 'pass_num'],
  leastColumns: 4,
  byName: new Set(
    'none tmpfs sysfs proc fusectl debugfs securityfs devtmpfs cgroup nfs nfs4 glusterfs ceph btrfs'.split(
      ' ',
    ),
  ),
  lineOf: ({ device, name, fstype, opts, dump, pass_num }) =>
    `${device}\t\t${name}\t${fstype}\t${opts}\t${dump} ${pass_num}\n`,
};

const VFSTAB_WIDTHS = {
  device: 11,
  device_fsck: 3,
  name: 19,
  fstype: 8,
  pass_fsck: 3,
  mount_at_boot: 6,
  opts: 0,
};

const VFSTAB: TableForm<keyof typeof VFSTAB_WIDTHS> = {
  columns: ['device', 'device_fsck', 'name', 'fstype', 'pass_fsck', 'mount_at_boot', 'opts'],
  leastColumns: 7,
  byName: new Set('devfs proc ctfs objfs sharefs fs tmpfs'.split(' ')),
  lineOf: (entry) =>
    `${VFSTAB.columns.map((column) => padRight(entry[column], VFSTAB_WIDTHS[column])).join(' ')}\n`,
};

function fstabDict(config: string): Dict {
  const out: Dict = new Map();
  for (const { device, name, fstype, opts, dump, pass_num } of readEntries(FSTAB, config)) {
    let key = name;
    while (out.has(key)) key += '_';
    const rest = dict({ device, fstype, opts: opts.split(','), dump });
    out.set(key, rest.set('pass', pass_num));
  }
  return out;
}

function removeFstab(
  ctx: ModuleContext,
  args: { readonly name: string | undefined; readonly device: string | undefined; readonly config: string },
): true {
  const wanted = {
    ...(args.name === undefined ? {} : { name: args.name }),
    ...(args.device === undefined ? {} : { device: args.device }),
  };
  removeEntries(ctx.random, FSTAB, args.config, wanted);
  return true;
}

/** A path or option with its escaped spaces as fstab wants them. */
function withOctalSpaces(text: string): string {
  return text.replaceAll('\\ ', '\\040');
}

const REMOVED = {
  name: param.textOrNone({ doc: NAME.doc }),
  device: param.textOrNone({ doc: DEVICE.doc }),
} as const;
const FSTAB_CONFIG = { ...CONFIG, default: '/etc/fstab' } as const;
const VFSTAB_CONFIG = { ...CONFIG, default: '/etc/vfstab' } as const;
const LISTED = 'mapping of mount point to `{device, fstype, opts, dump, pass}`';

/** Functions about /etc/fstab. */
export const fstabFunctions = {
  fstab: defineFunction({
    doc: "Lists what is mounted at the machine's start.",
    params: { config: FSTAB_CONFIG },
    returns: LISTED,
    examples: ["salt '*' mount.fstab"],
    run: (_ctx, { config }) => fstabDict(config),
  }),
  rm_fstab: defineFunction({
    doc: "Has a file system no more mounted at the machine's start.",
    params: { ...REMOVED, config: FSTAB_CONFIG },
    returns: 'true',
    examples: ["salt '*' mount.rm_fstab /mnt/foo /dev/sdg"],
    run: (ctx, args) => removeFstab(ctx, args),
  }),
  set_fstab: defineFunction({
    doc: "Has a file system mounted at the machine's start.",
    params: {
      name: NAME,
      device: DEVICE,
      fstype: FSTYPE,
      opts: param.by(optionText, { ...OPTS, default: 'defaults' }),
      dump: param.text({ default: 0, type: 'int', doc: 'The fifth column.' }),
      pass_num: param.text({ default: 0, type: 'int', doc: 'The sixth column.' }),
      config: FSTAB_CONFIG,
      ...HOW,
    },
    kwargs: 'kwargs',
    returns: SET,
    examples: ["salt '*' mount.set_fstab /mnt/foo /dev/sdz1 ext4"],
    run: (ctx, args, _rest, kwargs) => {
      const entry = {
        name: args.name,
        device: withOctalSpaces(args.device),
        fstype: args.fstype,
        opts: withOctalSpaces(args.opts),
        dump: args.dump,
        pass_num: args.pass_num,
      };
      return setEntry(ctx.random, FSTAB, args.config, entry, howToSet(FSTAB, args, kwargs));
    },
  }),
};

/** Functions about /etc/vfstab, the table of Solaris. */
export const vfstabFunctions = {
  vfstab: defineFunction({
    doc: "Lists what is mounted at the machine's start, in another table, which is read as an fstab.",
    params: { config: VFSTAB_CONFIG },
    returns: LISTED,
    examples: ["salt '*' mount.vfstab"],
    run: (_ctx, { config }) => fstabDict(config),
  }),
  rm_vfstab: defineFunction({
    doc: "Has a file system no more mounted at the machine's start, by another table, which is read as an fstab.",
    params: { ...REMOVED, config: VFSTAB_CONFIG },
    returns: 'true',
    examples: ["salt '*' mount.rm_vfstab /mnt/foo /device/c0t0d0p0"],
    run: (ctx, args) => removeFstab(ctx, args),
  }),
  set_vfstab: defineFunction({
    doc: "Has a file system mounted at the machine's start, by a table with the columns of Solaris.",
    params: {
      name: NAME,
      device: DEVICE,
      fstype: FSTYPE,
      opts: param.by(optionText, { ...OPTS, default: '-' }),
      device_fsck: param.text({ default: '-', doc: 'The device that is checked.' }),
      pass_fsck: param.text({ default: '-', doc: 'When it is checked.' }),
      mount_at_boot: param.textAlone({ default: 'yes', doc: '`yes`; anything else is no.' }),
      config: VFSTAB_CONFIG,
      ...HOW,
    },
    kwargs: 'kwargs',
    returns: SET,
    examples: ["salt '*' mount.set_vfstab /mnt/foo /device/c0t0d0p0 ufs"],
    run: (ctx, args, _rest, kwargs) => {
      const entry = {
        name: args.name,
        device: args.device,
        fstype: args.fstype,
        opts: args.opts,
        device_fsck: args.device_fsck,
        pass_fsck: args.pass_fsck,
        mount_at_boot: args.mount_at_boot === 'yes' ? 'yes' : 'no',
      };
      return setEntry(ctx.random, VFSTAB, args.config, entry, howToSet(VFSTAB, args, kwargs));
    },
  }),
};
