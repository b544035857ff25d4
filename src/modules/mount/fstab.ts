/** `mount`: the tables /etc/fstab and /etc/vfstab. On Linux, all but `set_vfstab` take both for an fstab, as Salt's do. */
import { defineFunction, type ModuleContext } from '../../loader/module.ts';
import { pyStr } from '../../values/repr.ts';
import { padRight } from '../../values/text.ts';
import { dict, type Dict, type Value } from '../../values/value.ts';
import { CONFIG, DEVICE, FSTYPE, HOW, NAME, OPTS, SET } from './params.ts';
import { howToSet, optionText, readEntries, removeEntries, setEntry, type TableForm } from './table.ts';

const FSTAB: TableForm<'dump' | 'pass_num'> = {
  columns: ['device', 'name', 'fstype', 'opts', 'dump', 'pass_num'],
  leastColumns: 4,
  byName: new Set(
    'none tmpfs sysfs proc fusectl debugfs securityfs devtmpfs cgroup nfs nfs4 glusterfs btrfs'.split(' '),
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

function removeFstab(ctx: ModuleContext, args: Readonly<Record<'name' | 'device' | 'config', Value>>): true {
  const wanted = {
    ...(args.name === null ? {} : { name: pyStr(args.name) }),
    ...(args.device === null ? {} : { device: pyStr(args.device) }),
  };
  removeEntries(ctx.random, FSTAB, pyStr(args.config), wanted);
  return true;
}

/** A path or option with its escaped spaces as fstab wants them. */
function withOctalSpaces(text: string): string {
  return text.replaceAll('\\ ', '\\040');
}

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
    run: (_ctx, { config }) => fstabDict(pyStr(config)),
  }),
  rm_fstab: defineFunction({
    doc: "Has a file system no more mounted at the machine's start.",
    params: { name: NAME, device: DEVICE, config: FSTAB_CONFIG },
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
      opts: { ...OPTS, default: 'defaults' },
      dump: { default: 0, type: 'int', doc: 'The fifth column.' },
      pass_num: { default: 0, type: 'int', doc: 'The sixth column.' },
      config: FSTAB_CONFIG,
      ...HOW,
    },
    kwargs: 'kwargs',
    returns: SET,
    examples: ["salt '*' mount.set_fstab /mnt/foo /dev/sdz1 ext4"],
    run: (ctx, args, _rest, kwargs) => {
      const entry = {
        name: pyStr(args.name),
        device: withOctalSpaces(pyStr(args.device)),
        fstype: pyStr(args.fstype),
        opts: withOctalSpaces(optionText(args.opts)),
        dump: pyStr(args.dump),
        pass_num: pyStr(args.pass_num),
      };
      return setEntry(ctx.random, FSTAB, pyStr(args.config), entry, howToSet(FSTAB, args, kwargs));
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
    run: (_ctx, { config }) => fstabDict(pyStr(config)),
  }),
  rm_vfstab: defineFunction({
    doc: "Has a file system no more mounted at the machine's start, by another table, which is read as an fstab.",
    params: { name: NAME, device: DEVICE, config: VFSTAB_CONFIG },
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
      opts: { ...OPTS, default: '-' },
      device_fsck: { default: '-', type: 'str', doc: 'The device that is checked.' },
      pass_fsck: { default: '-', type: 'str', doc: 'When it is checked.' },
      mount_at_boot: { default: 'yes', type: 'str', doc: '`yes`; anything else is no.' },
      config: VFSTAB_CONFIG,
      ...HOW,
    },
    kwargs: 'kwargs',
    returns: SET,
    examples: ["salt '*' mount.set_vfstab /mnt/foo /device/c0t0d0p0 ufs"],
    run: (ctx, args, _rest, kwargs) => {
      const entry = {
        name: pyStr(args.name),
        device: pyStr(args.device),
        fstype: pyStr(args.fstype),
        opts: optionText(args.opts),
        device_fsck: pyStr(args.device_fsck),
        pass_fsck: pyStr(args.pass_fsck),
        mount_at_boot: args.mount_at_boot === 'yes' ? 'yes' : 'no',
      };
      return setEntry(ctx.random, VFSTAB, pyStr(args.config), entry, howToSet(VFSTAB, args, kwargs));
    },
  }),
};
