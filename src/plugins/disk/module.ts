/** `disk`: file systems and block devices. Follows 3006.16 salt/modules/disk.py (Linux). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { isFile } from '../../python/paths.ts';
import { findProgram } from '../../host/which.ts';
import {
  defineFunction,
  defineModule,
  type ModuleContext,
  type TypedArguments,
} from '../../runtime/loader/module.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { iostat } from './module/iostat.ts';
import { disksOf, hdparmOptions, hdparms, hostProtectedArea, smartAttributes } from './module/hdparm.ts';
import { runAll, runCode, runText } from '../shared/program.ts';
import { param } from '../../runtime/loader/params.ts';

const ALLOWED_FLAGS = 'aBhHiklPtTxv';

/** Letters that are given in one text, or in a list. */
const lettersOf = (value: Value): string[] =>
  value === null ? [] : Array.isArray(value) ? value.map(pyStr) : [...pyStr(value)];

/** Flags for `df`. @throws CommandExecutionError for any that is not allowed */
function flagWords(flags: readonly string[], caller: string): string[] {
  if (flags.some((flag) => flag.length !== 1 || !ALLOWED_FLAGS.includes(flag)))
    throw new CommandExecutionError(`Invalid flag passed to ${caller}`);
  return flags.length === 0 ? [] : [`-${flags.join('')}`];
}

/** The lines of `df` as columns; a name with blanks is one column. */
async function dfRows(ctx: ModuleContext, words: readonly string[]): Promise<string[][]> {
  const rows: string[][] = [];
  let head = '';
  for (const raw of splitLines(await runText(ctx, ['df', ...words]))) {
    if (raw === '' || raw.startsWith('Filesystem')) continue;
    const line = head === '' ? raw : `${head} ${raw}`;
    const columns = line.trim().split(/\s+/);
    if (columns.length === 1) {
      head = line;
      continue;
    }
    head = '';
    while (columns.length >= 2 && !/^\d+$/.test(columns[1] ?? ''))
      columns.splice(0, 2, `${columns[0] ?? ''} ${columns[1] ?? ''}`);
    if (columns.length >= 2) rows.push(columns);
  }
  return rows;
}

/** A mapping by mount point; a row that is too short empties it, as in Salt. */
function byMount(
  ctx: ModuleContext,
  rows: readonly string[][],
  toValue: (row: string[]) => Value,
  what: string,
): Dict {
  let out: Dict = new Map();
  for (const row of rows) {
    const mount = row[5];
    if (mount === undefined) {
      ctx.log.error(`Problem parsing ${what} usage information`);
      out = new Map();
    } else out.set(mount, toValue(row));
  }
  return out;
}

async function usage(ctx: ModuleContext, args: readonly string[]): Promise<Dict> {
  const flags = flagWords(args, 'disk.usage');
  if (!isFile('/etc/mtab')) {
    ctx.log.error('df cannot run without /etc/mtab');
    return new Map();
  }
  const rows = await dfRows(ctx, ['-P', ...flags]);
  const columns = ([
    filesystem = '',
    blocks = '',
    used = '',
    available = '',
    capacity = '',
  ]: string[]): Dict =>
    new Map<Value, Value>([
      ['filesystem', filesystem],
      ['1K-blocks', blocks],
      ['used', used],
      ['available', available],
      ['capacity', capacity],
    ]);
  return byMount(ctx, rows, columns, 'disk');
}

async function inodeUsage(ctx: ModuleContext, args: readonly string[]): Promise<Dict> {
  const flags = flagWords(args, 'disk.inodeusage');
  const lines = splitLines(await runText(ctx, ['df', '-iP', ...flags]));
  const rows = lines
    .filter((line) => line.trim() !== '' && !line.startsWith('Filesystem'))
    .map((line) => line.trim().split(/\s+/));
  const columns = ([filesystem = '', inodes = '', used = '', free = '', use = '']: string[]): Dict =>
    dict({ inodes, used, free, use, filesystem });
  return byMount(ctx, rows, columns, 'inode');
}

async function percent(ctx: ModuleContext, path: string | undefined): Promise<Value> {
  const all = byMount(ctx, await dfRows(ctx, ['-P']), (row) => row[4] ?? '', 'disk');
  if (path === undefined) return all;
  const found = all.get(path);
  if (found !== undefined) return found;
  ctx.log.error(`Problem parsing disk usage information: Partition '${path}' does not exist!`);
  return new Map();
}

async function blkid(ctx: ModuleContext, device: Value | undefined, token: Value | undefined): Promise<Dict> {
  const words = device !== undefined ? [device] : token !== undefined ? ['-t', token] : [];
  const { retcode, stdout } = await runAll(ctx, ['blkid', ...words]);
  const out: Dict = new Map();
  if (retcode !== 0) return out;
  for (const line of splitLines(stdout)) {
    const at = line.indexOf(' ');
    if (at < 0) continue;
    const info: Dict = new Map();
    for (const [, key = '', value = ''] of line.slice(at).matchAll(/\s*([^="]+)="([^"]*)"/g))
      info.set(key.trim(), value);
    out.set(line.slice(0, at).replace(/.$/, ''), info);
  }
  return out;
}

/** What `blockdev` tells about a device, in the order of its options. */
const DUMP_OPTIONS = [
  ...['getro', 'getsz', 'getss', 'getpbsz', 'getiomin', 'getioopt', 'getalignoff'],
  ...['getmaxsect', 'getsize', 'getsize64', 'getra', 'getfra'],
];

async function dump(ctx: ModuleContext, device: Value, wanted: Value[] | undefined): Promise<Value> {
  const argv = ['blockdev', ...DUMP_OPTIONS.map((option) => `--${option}`), device];
  const { retcode, stdout } = await runAll(ctx, argv);
  if (retcode !== 0) return false;
  const lines = splitLines(stdout).filter((line) => line !== '');
  const all: Dict = new Map(lines.map((line, i) => [DUMP_OPTIONS[i] ?? '', line]));
  if (wanted === undefined || wanted.length === 0) return all;
  return new Map(wanted.map((name) => [name, all.get(name) ?? '']));
}

const TUNABLE = new Map([
  ['read-ahead', 'setra'],
  ['filesystem-read-ahead', 'setfra'],
  ['read-only', 'setro'],
  ['read-write', 'setrw'],
]);

const IS_SWITCH = new Set(['read-only', 'read-write']);

/**
 * Sets attributes of a device (3006.18; 3006.16 hands `blockdev` the options `--read-only True`, which it does not
 * know, and returns what the device was before).
 */
async function tune(ctx: ModuleContext, device: Value, kwargs: Dict): Promise<Value> {
  const words: Value[] = [];
  const asked: Value[] = [];
  const invalid: string[] = [];
  for (const [key, value] of kwargs) {
    const name = pyStr(key);
    if (name.startsWith('__')) continue;
    const option = TUNABLE.get(name);
    const isOn = value === true || value === 'True';
    if (option === undefined || (IS_SWITCH.has(name) && !isOn)) {
      invalid.push(`${name}=${pyStr(value)}`);
      continue;
    }
    asked.push(name === 'read-write' ? 'getro' : option.replace('set', 'get'));
    words.push(`--${option}`, ...(IS_SWITCH.has(name) ? [] : [value]));
  }
  if (invalid.length > 0)
    throw new CommandExecutionError(
      `Invalid keyword arguments: ${invalid.join(', ')}. There are ${[...TUNABLE.keys()].join(', ')}; read-only and read-write take True only.`,
    );
  const { retcode, stderr } = await runAll(ctx, ['blockdev', ...words, device]);
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  return dump(ctx, device, asked);
}

/** The type of the file system on a device. */
async function fsType(ctx: ModuleContext, device: Value): Promise<string> {
  if (findProgram('lsblk') !== undefined) {
    const [, type = ''] = splitLines(await runText(ctx, ['lsblk', '-o', 'fstype', device]));
    if (type.trim() !== '') return type.trim();
  }
  const [, line = ''] = splitLines(await runText(ctx, ['df', '-T', device]));
  return line;
}

const FORMAT_PARAMS = {
  device: param.text({ doc: 'The device.' }),
  fs_type: param.text({ default: 'ext4', doc: 'The file system.' }),
  inode_size: param.textOrNone({ default: null, type: 'int', doc: 'For ext and xfs: size of inodes.' }),
  lazy_itable_init: param.textOrNone({
    default: null,
    type: 'int',
    doc: 'For ext: 0 writes the tables of inodes at once.',
  }),
  fat: param.value({ default: null, type: 'int', doc: 'For fat: 12, 16 or 32.' }),
  force: param.flag({ default: false, doc: 'Also over what is there.' }),
} as const;

async function format(ctx: ModuleContext, args: TypedArguments<typeof FORMAT_PARAMS>): Promise<boolean> {
  const type = args.fs_type;
  const isExt = type.startsWith('ext');
  const argv: Value[] = ['mkfs', '-t', type];
  if (args.inode_size !== undefined) {
    if (isExt) argv.push('-i', args.inode_size);
    else if (type === 'xfs') argv.push('-i', `size=${args.inode_size}`);
  }
  if (args.lazy_itable_init !== undefined && isExt)
    argv.push('-E', `lazy_itable_init=${args.lazy_itable_init}`);
  if ([12, 16, 32].includes(Number(args.fat)) && type.endsWith('fat')) argv.push('-F', args.fat);
  if (args.force) argv.push(...(isExt ? ['-F'] : type === 'xfs' ? ['-f'] : []));
  const made = (await runCode(ctx, [...argv, args.device], { ignore_retcode: true })) === 0;
  const flushed = (await runCode(ctx, ['sync'], { ignore_retcode: true })) === 0;
  return made && flushed;
}

const FLAGS = {
  args: param.by(lettersOf, { default: null, type: 'str', doc: `Flags of df, of ${ALLOWED_FLAGS}.` }),
} as const;
const DEVICE = { device: FORMAT_PARAMS.device } as const;
const DISKS = param.by(disksOf, { type: 'str or list', doc: 'The disks: paths or names in /dev.' });

const fileSystems = {
  usage: defineFunction({
    doc: 'Returns how full mounted file systems are.',
    params: FLAGS,
    returns: 'mapping of mount to `{filesystem, 1K-blocks, used, available, capacity}`, texts',
    examples: ["salt '*' disk.usage"],
    run: (ctx, { args }) => usage(ctx, args),
  }),
  inodeusage: defineFunction({
    doc: 'Returns how many inodes of mounted file systems are in use.',
    params: FLAGS,
    returns: 'mapping of mount to `{inodes, used, free, use, filesystem}`, texts',
    examples: ["salt '*' disk.inodeusage"],
    run: (ctx, { args }) => inodeUsage(ctx, args),
  }),
  percent: defineFunction({
    doc: 'Returns how full mounted file systems are, in percent.',
    params: { args: param.textIfGiven({ default: null, doc: 'One mount.' }) },
    returns: 'mapping of mount to `27%`; for one mount that text',
    examples: ["salt '*' disk.percent /var"],
    run: (ctx, { args }) => percent(ctx, args),
  }),
  fstype: defineFunction({
    doc: 'Returns the type of the file system on a device.',
    params: DEVICE,
    returns: 'text',
    examples: ["salt '*' disk.fstype /dev/sdX1"],
    run: (ctx, { device }) => fsType(ctx, device),
  }),
  get_fstype_from_path: defineFunction({
    doc: 'Returns the type of the file system that holds a path.',
    params: { path: param.value({ type: 'str', doc: 'The path.' }) },
    returns: 'text',
    examples: ["salt '*' disk.get_fstype_from_path /root"],
    run: async (ctx, { path }) => fsType(ctx, await ctx.functions.call('mount.get_device_from_path', [path])),
  }),
};

const devices = {
  blkid: defineFunction({
    doc: 'Lists block devices with what is on them.',
    params: {
      device: param.valueIfGiven({ default: null, type: 'str', doc: 'One device.' }),
      token: param.valueIfGiven({
        default: null,
        type: 'str',
        doc: '`NAME=value` that devices have to have.',
      }),
    },
    returns: 'mapping of device to `{UUID, TYPE, …}`',
    examples: ["salt '*' disk.blkid", "salt '*' disk.blkid /dev/sda"],
    run: (ctx, { device, token }) => blkid(ctx, device, token),
  }),
  tune: defineFunction({
    doc: 'Sets attributes of a device: read-ahead, filesystem-read-ahead, read-only, read-write.',
    params: DEVICE,
    kwargs: 'kwargs',
    returns: 'mapping of what they are now',
    examples: ["salt '*' disk.tune /dev/sda1 read-ahead=1024 read-write=True"],
    run: (ctx, { device }, _rest, kwargs) => tune(ctx, device, kwargs),
  }),
  wipe: defineFunction({
    doc: 'Removes the signatures of file systems from a device.',
    params: DEVICE,
    returns: 'true or false',
    examples: ["salt '*' disk.wipe /dev/sda1"],
    run: async (ctx, { device }) => {
      const { retcode, stderr } = await runAll(ctx, ['wipefs', '-a', device]);
      if (retcode !== 0) ctx.log.error(`Error wiping device ${device}: ${stderr}`);
      return retcode === 0;
    },
  }),
  dump: defineFunction({
    doc: 'Returns the attributes of a device, as blockdev does.',
    params: { device: DEVICE.device, args: param.listIfGiven({ default: null, doc: 'Only these.' }) },
    returns: 'mapping of name to text; false when it cannot be asked',
    examples: ["salt '*' disk.dump /dev/sda1"],
    run: (ctx, { device, args }) => dump(ctx, device, args),
  }),
  format: defineFunction({
    doc: 'Makes a file system on a device.',
    params: FORMAT_PARAMS,
    pythonName: 'format_',
    returns: 'true or false',
    examples: ["salt '*' disk.format /dev/sdX1"],
    run: (ctx, args) => format(ctx, args),
  }),
  resize2fs: defineFunction({
    doc: 'Makes an ext file system as large as its device.',
    params: DEVICE,
    returns: 'true; nothing when it has failed',
    examples: ["salt '*' disk.resize2fs /dev/sda1"],
    run: async (ctx, { device }) => ((await runAll(ctx, ['resize2fs', device])).retcode === 0 ? true : null),
  }),
  hdparms: defineFunction({
    doc: 'Returns what hdparm knows about disks.',
    params: {
      disks: DISKS,
      args: param.by(hdparmOptions, { default: null, type: 'str or list', doc: 'Letters of its options.' }),
    },
    returns: 'mapping of disk to a mapping',
    examples: ["salt '*' disk.hdparms sda"],
    run: (ctx, { disks, args }) => hdparms(ctx, disks, args),
  }),
  hpa: defineFunction({
    doc: 'Shows or sets the host protected area of disks.',
    params: {
      disks: DISKS,
      size: param.textOrNone({ default: null, type: 'int or str', doc: 'Sectors, or percent, to hide.' }),
    },
    returns: 'mapping of disk to `{total, visible, hidden}`; nothing when it was set',
    examples: ["salt '*' disk.hpa '[sda, sdb]'"],
    run: (ctx, { disks, size }) => hostProtectedArea(ctx, disks, size),
  }),
  smart_attributes: defineFunction({
    doc: 'Returns the SMART attributes of a disk.',
    params: {
      dev: param.text({ doc: 'The disk.' }),
      attributes: param.listIfGiven({ default: null, doc: 'Only these numbers.' }),
      values: param.listIfGiven({ default: null, doc: 'Only these columns.' }),
    },
    returns: 'mapping of number to a mapping',
    examples: ["salt '*' disk.smart_attributes /dev/sda"],
    run: (ctx, { dev, attributes, values }) => smartAttributes(ctx, dev, attributes, values),
  }),
  iostat: defineFunction({
    doc: 'Watches the traffic of disks for a while.',
    params: {
      interval: param.text({ default: 1, type: 'int', doc: 'Seconds of one round.' }),
      count: param.text({ default: 5, type: 'int', doc: 'How many rounds.' }),
      disks: param.oneOrMore({ default: null, doc: 'Only these disks.' }),
    },
    returns: 'mapping of disk (and `sys`) to averages',
    examples: ["salt '*' disk.iostat 1 5 disks=sda"],
    run: (ctx, { interval, count, disks }) => iostat(ctx, interval, count, disks),
  }),
};

/** The module. */
export const diskModule = defineModule({
  name: 'disk',
  file: 'disk',
  doc: 'File systems and block devices: how full they are, what they are, and changing them.',
  unavailable: () => (process.platform === 'win32' ? "This module doesn't work on Windows." : undefined),
  words: { dashes: ['args'] },
  failsWith: { false: ['dump', 'format', 'wipe'], none: ['resize2fs'] },
  functions: { ...fileSystems, ...devices },
});
