/** `partition`: partitions of disks, by parted. Follows 3006.16 salt/modules/parted_partition.py. */
import { statSync } from 'node:fs';
import { CommandExecutionError } from '../../errors/errors.ts';
import { findProgram } from '../../host/which.ts';
import { toPyInt } from '../../python/conversions.ts';
import { pyStr } from '../../python/values/repr.ts';
import { splitLines } from '../../python/values/text.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { runStdout, runText } from '../shared/program.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));
const UNITS = setOf('s B kB MB MiB GB GiB TB TiB % cyl chs compact');
const DISK_FLAGS = setOf('cylinder_alignment pmbr_boot implicit_partition_table');
const PARTITION_FLAGS = setOf(
  `boot root swap hidden raid lvm lba hp-service palo prep msftres bios_grub atvrecv diag legacy_boot msftdata irst esp type`,
);
const LABELS = setOf('aix amiga bsd dvh gpt loop mac msdos pc98 sun');
const FILE_SYSTEMS = setOf(
  'btrfs ext2 ext3 ext4 fat fat32 fat16 linux-swap reiserfs hfs hfs+ hfsx NTFS ntfs ufs xfs',
);
const PARTITION_TYPES = setOf('primary logical extended');
const ALIGNMENTS = setOf('minimal optimal');
const SWITCH = setOf('on off');

const isBlockDevice = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isBlockDevice() === true;

/** @throws CommandExecutionError for what is no block device; so a device is a path that exists, and no option */
function requireDevice(device: string): void {
  if (!isBlockDevice(device)) throw new CommandExecutionError('Invalid device passed to partition module.');
}

function requireOneOf(value: string, known: ReadonlySet<string>, what: string, fun: string): void {
  if (!known.has(value)) throw new CommandExecutionError(`Invalid ${what} passed to partition.${fun}`);
}

function requireNumber(value: Value, what: string, fun: string): void {
  if (toPyInt(value) === undefined)
    throw new CommandExecutionError(`Invalid ${what} passed to partition.${fun}`);
}

function requireBoundary(boundary: string): void {
  const unit = /^[\d.]+(\D*)$/.exec(boundary)?.[1];
  if (unit === undefined || (unit !== '' && !UNITS.has(unit)))
    throw new CommandExecutionError(`Invalid partition boundary passed: "${boundary}"`);
}

const lines = async (ctx: ModuleContext, words: readonly Value[]): Promise<string[]> =>
  splitLines(await runText(ctx, words));
const parted = (ctx: ModuleContext, ...words: readonly Value[]): Promise<string[]> =>
  lines(ctx, ['parted', '-m', '-s', ...words.map(pyStr)]);

const INFO = ['disk', 'size', 'interface', 'logical sector', 'physical sector', 'partition table', 'model'];
const NOT_UNDERSTOOD = 'Problem encountered while parsing output from parted';

function zipped(names: readonly string[], values: readonly string[]): Dict {
  return new Map<Value, Value>(
    values.flatMap((value, i) => (names[i] === undefined ? [] : [[names[i], value]])),
  );
}

/** What `parted -m print` says. @throws CommandExecutionError where it is not understood */
function readTable(text: string, unit: string | undefined): Dict {
  const [first, ...rest] = splitLines(text)
    .filter((line) => !['BYT;', 'CHS;', 'CYL;'].includes(line))
    .map((line) => line.replace(/;+$/, '').split(':'));
  if (first === undefined) return dict({ info: {}, partitions: {} });
  if (first.length < 7 || first.length > 8) throw new CommandExecutionError(NOT_UNDERSTOOD);
  const partitions = dict();
  for (const columns of rest) {
    const fields = ['number', 'start', 'end', ...(unit === 'chs' ? [] : ['size'])];
    if (columns.at(-1) === 'free') columns.pop();
    else fields.push('file system', 'name', 'flags');
    if (fields.length !== columns.length) throw new CommandExecutionError(NOT_UNDERSTOOD);
    partitions.set(columns[0] ?? '', zipped(fields, columns));
  }
  return dict({ info: zipped([...INFO, 'disk flags'], first), partitions });
}

async function systemTypes(ctx: ModuleContext): Promise<Dict> {
  const found = dict();
  for (const line of await lines(ctx, ['sfdisk', '-T'])) {
    const [id, type] = line.startsWith('Id') ? [] : line.trim().split(/\s+/);
    if (id !== undefined && type !== undefined) found.set(id, type);
  }
  return found;
}

interface NewPartition {
  readonly device: string;
  readonly part_type: string;
  readonly fs_type: string | undefined;
  readonly start: string | undefined;
  readonly end: string | undefined;
}

function makePartition(ctx: ModuleContext, wanted: NewPartition): Promise<string[]> {
  const { device, part_type, fs_type, start, end } = wanted;
  requireDevice(device);
  requireOneOf(part_type, PARTITION_TYPES, 'part_type', 'mkpart');
  if (fs_type !== undefined) requireOneOf(fs_type, FILE_SYSTEMS, 'fs_type', 'mkpart');
  if (start !== undefined && end !== undefined) for (const each of [start, end]) requireBoundary(each);
  const kind = fs_type === undefined ? [] : [fs_type];
  return parted(ctx, '--', device, 'mkpart', part_type, ...kind, start ?? '', end ?? '');
}

async function makeFileSystem(ctx: ModuleContext, device: string, kind: string): Promise<Value> {
  requireDevice(device);
  requireOneOf(kind, FILE_SYSTEMS, 'fs_type', 'mkfs');
  const program = kind === 'linux-swap' ? 'mkswap' : `mkfs.${kind === 'NTFS' ? 'ntfs' : kind}`;
  if (findProgram(program) === undefined) return `Error: ${program} is unavailable.`;
  return lines(ctx, [program, device]);
}

const DEVICE = { device: param.text({ doc: 'The device: /dev/sda.' }) } as const;
const MINOR = { minor: param.value({ type: 'int', doc: 'The number of the partition.' }) } as const;
const PARTITION = { partition: param.value({ type: 'int', doc: 'The number of the partition.' }) } as const;
const BOUNDS = {
  start: param.text({ doc: 'Where it begins: 1MiB, 30%; megabytes without a unit.' }),
  end: param.text({ doc: 'Where it ends.' }),
} as const;
const STATE = { state: param.text({ doc: 'on or off.' }) } as const;
const NEW = {
  ...DEVICE,
  part_type: param.text({ doc: 'primary, logical or extended.' }),
  fs_type: param.textIfGiven({ default: null, doc: 'The file system that it is for.' }),
  start: param.textOrNone({ default: null, doc: 'Where it begins: 1MiB, 30%; megabytes without a unit.' }),
  end: param.textOrNone({ default: null, doc: 'Where it ends.' }),
} as const;
const SAID = 'list of the lines that the program says';

const reading = {
  probe: defineFunction({
    doc: 'Tells the kernel of changes of partitions.',
    varargs: 'devices',
    returns: SAID,
    examples: ["salt '*' partition.probe", "salt '*' partition.probe /dev/sda /dev/sdb"],
    run: (ctx, _args, rest) => {
      const devices = rest.map(pyStr);
      devices.forEach(requireDevice);
      return lines(ctx, ['partprobe', '--', ...devices]);
    },
  }),
  list: defineFunction({
    doc: 'Describes a device and its partitions.',
    params: { ...DEVICE, unit: param.textIfGiven({ default: null, doc: 'The unit of the places.' }) },
    returns: 'mapping with info and partitions',
    examples: ["salt '*' partition.list /dev/sda unit=s"],
    pythonName: 'list_',
    run: async (ctx, { device, unit }) => {
      requireDevice(device);
      if (unit !== undefined && !UNITS.has(unit))
        throw new CommandExecutionError('Invalid unit passed to partition.part_list');
      const words = unit === undefined ? [] : ['unit', unit];
      return readTable(await runStdout(ctx, ['parted', '-m', '-s', device, ...words, 'print']), unit);
    },
  }),
  align_check: defineFunction({
    doc: 'Says whether a partition is aligned.',
    params: { ...DEVICE, part_type: param.text({ doc: 'minimal or optimal.' }), ...PARTITION },
    returns: SAID,
    examples: ["salt '*' partition.align_check /dev/sda minimal 1"],
    run: (ctx, { device, part_type, partition }) => {
      requireDevice(device);
      requireOneOf(part_type, ALIGNMENTS, 'part_type', 'align_check');
      requireNumber(partition, 'partition', 'align_check');
      return lines(ctx, ['parted', '-m', device, 'align-check', part_type, pyStr(partition)]);
    },
  }),
  get_id: defineFunction({
    doc: 'Prints the type of a partition.',
    params: { ...DEVICE, ...MINOR },
    returns: SAID,
    examples: ["salt '*' partition.get_id /dev/sda 1"],
    run: (ctx, { device, minor }) => {
      requireDevice(device);
      requireNumber(minor, 'minor number', 'get_id');
      return lines(ctx, ['sfdisk', '--print-id', device, pyStr(minor)]);
    },
  }),
  system_types: defineFunction({
    doc: 'Lists the types that partitions may have.',
    returns: 'mapping of number to type',
    examples: ["salt '*' partition.system_types"],
    run: (ctx) => systemTypes(ctx),
  }),
  exists: defineFunction({
    doc: 'Says whether there is a block device.',
    params: { device: param.textOrEmpty({ default: '', doc: 'The device.' }) },
    returns: 'true or false',
    examples: ["salt '*' partition.exists /dev/sdb1"],
    run: (_ctx, { device }) => isBlockDevice(device),
  }),
  get_block_device: defineFunction({
    doc: 'Lists the disks.',
    returns: 'list of names',
    examples: ["salt '*' partition.get_block_device"],
    run: (ctx) => lines(ctx, ['lsblk', '-n', '-io', 'KNAME', '-d', '-e', '1,7,11', '-l']),
  }),
};

const changing = {
  check: defineFunction({
    doc: 'Checks the file system of a partition.',
    params: { ...DEVICE, ...MINOR },
    returns: SAID,
    examples: ["salt '*' partition.check /dev/sda 1"],
    run: (ctx, { device, minor }) => {
      requireDevice(device);
      requireNumber(minor, 'minor number', 'check');
      return parted(ctx, device, 'check', minor);
    },
  }),
  cp: defineFunction({
    doc: 'Copies the file system of a partition to another one.',
    params: {
      ...DEVICE,
      from_minor: param.value({ type: 'int', doc: 'The number of the one.' }),
      to_minor: param.value({ type: 'int', doc: 'The number of the other.' }),
    },
    returns: SAID,
    examples: ["salt '*' partition.cp /dev/sda 2 3"],
    run: (ctx, { device, from_minor, to_minor }) => {
      requireDevice(device);
      for (const each of [from_minor, to_minor]) requireNumber(each, 'minor number', 'cp');
      return parted(ctx, device, 'cp', from_minor, to_minor);
    },
  }),
  set_id: defineFunction({
    doc: 'Changes the type of a partition.',
    params: { ...DEVICE, ...MINOR, system_id: param.text({ doc: 'The type: 83.' }) },
    returns: SAID,
    examples: ["salt '*' partition.set_id /dev/sda 1 83"],
    run: async (ctx, { device, minor, system_id }) => {
      requireDevice(device);
      requireNumber(minor, 'minor number', 'set_id');
      const id = system_id;
      if (!(await systemTypes(ctx)).has(id))
        throw new CommandExecutionError('Invalid system_id passed to partition.set_id');
      return lines(ctx, ['sfdisk', '--change-id', device, pyStr(minor), id]);
    },
  }),
  mkfs: defineFunction({
    doc: 'Makes a file system.',
    params: { ...DEVICE, fs_type: param.text({ doc: 'Its kind: ext4, linux-swap.' }) },
    returns: SAID,
    examples: ["salt '*' partition.mkfs /dev/sda2 fs_type=fat32"],
    run: (ctx, { device, fs_type }) => makeFileSystem(ctx, device, fs_type),
  }),
  mklabel: defineFunction({
    doc: 'Makes a new table of partitions.',
    params: { ...DEVICE, label_type: param.text({ doc: 'gpt, msdos and the like.' }) },
    returns: SAID,
    examples: ["salt '*' partition.mklabel /dev/sda msdos"],
    run: (ctx, { device, label_type }) => {
      requireOneOf(label_type, LABELS, 'label_type', 'mklabel');
      return parted(ctx, device.startsWith('-') ? `./${device}` : device, 'mklabel', label_type);
    },
  }),
  mkpart: defineFunction({
    doc: 'Makes a partition.',
    params: NEW,
    returns: SAID,
    examples: ["salt '*' partition.mkpart /dev/sda primary fs_type=fat32 start=0 end=639"],
    run: (ctx, wanted) => makePartition(ctx, wanted),
  }),
  mkpartfs: defineFunction({
    doc: 'Makes a partition, as mkpart; parted makes no file systems any more.',
    params: NEW,
    returns: SAID,
    examples: ["salt '*' partition.mkpartfs /dev/sda primary fs_type=fat32 start=0 end=639"],
    run: (ctx, wanted) => makePartition(ctx, wanted),
  }),
  name: defineFunction({
    doc: 'Names a partition.',
    params: { ...DEVICE, ...PARTITION, name: param.text({ doc: 'Its name.' }) },
    returns: SAID,
    examples: ["salt '*' partition.name /dev/sda 1 'My Documents'"],
    run: (ctx, { device, partition, name }) => {
      requireDevice(device);
      requireNumber(partition, 'partition', 'name');
      if (/[^A-Za-z0-9 _-]/.test(name))
        throw new CommandExecutionError('Invalid characters passed to partition.name');
      return parted(ctx, device, 'name', partition, `'${name}'`);
    },
  }),
  rescue: defineFunction({
    doc: 'Looks for a lost partition.',
    params: { ...DEVICE, ...BOUNDS },
    returns: SAID,
    examples: ["salt '*' partition.rescue /dev/sda 0 8056"],
    run: (ctx, { device, start, end }) => {
      requireDevice(device);
      for (const each of [start, end]) requireBoundary(each);
      return parted(ctx, device, 'rescue', start, end);
    },
  }),
  resize: defineFunction({
    doc: 'Changes where a partition begins and ends.',
    params: { ...DEVICE, ...MINOR, ...BOUNDS },
    returns: SAID,
    examples: ["salt '*' partition.resize /dev/sda 3 200 850"],
    run: (ctx, { device, minor, start, end }) => {
      requireDevice(device);
      requireNumber(minor, 'minor number', 'resize');
      for (const each of [start, end]) requireBoundary(each);
      return parted(ctx, '--', device, 'resize', minor, start, end);
    },
  }),
  rm: defineFunction({
    doc: 'Removes a partition.',
    params: { ...DEVICE, ...MINOR },
    returns: SAID,
    examples: ["salt '*' partition.rm /dev/sda 5"],
    run: (ctx, { device, minor }) => {
      requireDevice(device);
      requireNumber(minor, 'minor number', 'rm');
      return parted(ctx, device, 'rm', minor);
    },
  }),
  set: defineFunction({
    doc: 'Sets or takes away a flag of a partition.',
    params: { ...DEVICE, ...MINOR, flag: param.text({ doc: 'The flag: boot, lvm.' }), ...STATE },
    returns: SAID,
    examples: ["salt '*' partition.set /dev/sda 1 boot '\"on\"'"],
    pythonName: 'set_',
    run: (ctx, { device, minor, flag, state }) => {
      requireDevice(device);
      requireNumber(minor, 'minor number', 'set');
      requireOneOf(flag, PARTITION_FLAGS, 'flag', 'set');
      requireOneOf(state, SWITCH, 'state', 'set');
      return parted(ctx, device, 'set', minor, flag, state);
    },
  }),
  toggle: defineFunction({
    doc: 'Turns a flag of a partition over.',
    params: { ...DEVICE, ...PARTITION, flag: param.text({ doc: 'The flag.' }) },
    returns: SAID,
    examples: ["salt '*' partition.toggle /dev/sda 1 boot"],
    run: (ctx, { device, partition, flag }) => {
      requireDevice(device);
      requireNumber(partition, 'partition number', 'toggle');
      requireOneOf(flag, PARTITION_FLAGS, 'flag', 'toggle');
      return parted(ctx, device, 'toggle', partition, flag);
    },
  }),
  disk_set: defineFunction({
    doc: 'Sets or takes away a flag of a device.',
    params: { ...DEVICE, flag: param.text({ doc: 'The flag: pmbr_boot.' }), ...STATE },
    returns: SAID,
    examples: ["salt '*' partition.disk_set /dev/sda pmbr_boot '\"on\"'"],
    run: (ctx, { device, flag, state }) => {
      requireDevice(device);
      requireOneOf(flag, DISK_FLAGS, 'flag', 'disk_set');
      requireOneOf(state, SWITCH, 'state', 'disk_set');
      return parted(ctx, device, 'disk_set', flag, state);
    },
  }),
  disk_toggle: defineFunction({
    doc: 'Turns a flag of a device over.',
    params: { ...DEVICE, flag: param.text({ doc: 'The flag.' }) },
    returns: SAID,
    examples: ["salt '*' partition.disk_toggle /dev/sda pmbr_boot"],
    run: (ctx, { device, flag }) => {
      requireDevice(device);
      requireOneOf(flag, DISK_FLAGS, 'flag', 'disk_toggle');
      return parted(ctx, device, 'disk_toggle', flag);
    },
  }),
};

/** Why there are no functions for partitions here. */
function withoutParted(): string | undefined {
  const missing = ['parted', 'lsblk', 'partprobe'].find((name) => findProgram(name) === undefined);
  return missing === undefined
    ? undefined
    : `The parted execution module failed to load ${missing} binary is not in the path.`;
}

/** The module. */
export const partitionModule = defineModule({
  name: 'partition',
  file: 'parted_partition',
  doc: 'Partitions of disks, by parted.',
  unavailable: withoutParted,
  words: { dashes: ['start', 'end'] },
  functions: { ...reading, ...changing },
});
