/** The table of file systems in /etc/fstab. Follows 3006.16 salt/modules/mount.py. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { readBytes, replaceFile } from '../../host/file-operations.ts';
import { isFile } from '../../host/py-path.ts';
import { osErrorText } from '../../host/strerror.ts';
import type { Random } from '../../host/random.ts';
import { compareText } from '../../values/order.ts';
import { linesOf } from '../file/text.ts';

/** One entry; `opts` as they stand in the file, separated by commas. */
export interface FstabEntry {
  readonly device: string;
  readonly name: string;
  readonly fstype: string;
  readonly opts: string;
  readonly dump: string;
  readonly pass_num: string;
}

/** The fields in the order of the file. */
export const FSTAB_FIELDS = ['device', 'name', 'fstype', 'opts', 'dump', 'pass_num'] as const;
/** The name of a field. */
export type FstabField = (typeof FSTAB_FIELDS)[number];

/** File systems that are told apart by their mount point, because the device is no name for them. */
const BY_NAME = new Set(
  'none tmpfs sysfs proc fusectl debugfs securityfs devtmpfs cgroup nfs nfs4 glusterfs btrfs'.split(' '),
);

/** The entry of a line; undefined for comments and what is no entry. */
export function parseEntry(line: string): FstabEntry | undefined {
  if (line.startsWith('#')) return undefined;
  const words = line.trim().split(/\s+/);
  if (words.length < 4 || words.length > 6) return undefined;
  const [device = '', name = '', fstype = '', opts = '', dump = '0', pass_num = '0'] = words;
  return { device, name, fstype, opts, dump, pass_num };
}

function entryLine(entry: FstabEntry): string {
  const { device, name, fstype, opts, dump, pass_num } = entry;
  return `${device}\t\t${name}\t${fstype}\t${opts}\t${dump} ${pass_num}\n`;
}

function sortedOptions(opts: string): string {
  return opts.split(',').sort(compareText).join(',');
}

function matches(entry: FstabEntry, wanted: Partial<FstabEntry>): boolean {
  return FSTAB_FIELDS.every((field) => {
    const value = wanted[field];
    if (value === undefined) return true;
    return field === 'opts' ? sortedOptions(entry.opts) === sortedOptions(value) : entry[field] === value;
  });
}

/** All entries, in order. No file is an empty table. */
export function readFstab(config: string): FstabEntry[] {
  if (!isFile(config)) return [];
  return linesOf(readBytes(config).toString('utf8')).flatMap((line) => parseEntry(line) ?? []);
}

function readLines(config: string): string[] {
  try {
    return linesOf(readBytes(config).toString('utf8'));
  } catch (error) {
    throw new CommandExecutionError(`Couldn't read from ${config}: ${osErrorText(error)}`, { cause: error });
  }
}

/** Takes entries out. @throws CommandExecutionError when the file cannot be read or written */
export function removeEntries(random: Random, config: string, wanted: Partial<FstabEntry>): void {
  const lines = readLines(config);
  const left = lines.filter((line) => {
    const entry = parseEntry(line);
    return entry === undefined || !matches(entry, wanted);
  });
  if (left.length === lines.length) return;
  try {
    replaceFile(random, config, left.join(''));
  } catch (error) {
    throw new CommandExecutionError(`Couldn't write to ${config}: ${osErrorText(error)}`, { cause: error });
  }
}

/**
 * Makes sure of an entry.
 * @param matchOn the fields by which the old entry is found; undefined chooses device or name by the file system
 * @returns `new`, `present` or `change`
 * @throws CommandExecutionError
 */
export function setEntry(
  random: Random,
  config: string,
  entry: FstabEntry,
  how: {
    readonly matchOn: readonly FstabField[] | undefined;
    readonly notChange: boolean;
    readonly isTest: boolean;
  },
): string {
  if (Object.values(entry).some((field: string) => /\n/.test(field)))
    throw new CommandExecutionError('A line end cannot be part of an entry.');
  if (!isFile(config)) throw new CommandExecutionError(`Bad config file "${config}"`);
  const fields = how.matchOn ?? [BY_NAME.has(entry.fstype) ? 'name' : 'device'];
  const criteria: Partial<FstabEntry> = Object.fromEntries(fields.map((field) => [field, entry[field]]));
  let result: string | undefined;
  const lines = readLines(config).map((line) => {
    const old = parseEntry(line);
    if (old === undefined || !matches(old, criteria)) return line;
    const isSame = matches(old, entry) || how.notChange;
    if (result !== 'change' || isSame) result = 'present';
    if (isSame) return line;
    result = 'change';
    return entryLine(entry);
  });
  if (result === undefined) {
    lines.push(entryLine(entry));
    result = 'new';
  }
  if (result === 'present' || how.isTest) return result;
  try {
    replaceFile(random, config, lines.join(''));
  } catch (error) {
    throw new CommandExecutionError(`File not writable ${config}`, { cause: error });
  }
  return result;
}
