/** Mount options with numbers, which the kernel shows in a form of its own. */
import { totalmem } from 'node:os';

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };
const PAGE_BYTES = 4096;
const MODES = new Set([
  'mode',
  'fmask',
  'dmask',
  'umask',
  'ptmxmode',
  'file_mode',
  'dir_mode',
  'filemode',
  'dirmode',
]);
const COUNTS = new Set(['nr_inodes', 'nr_blocks']);
/** What file systems in memory do not show, since it is what they have when nothing is said. */
const MEMORY_DEFAULTS = new Set(['mode=1777', 'uid=0', 'gid=0', 'huge=never']);

/** A size in whole pages, as the kernel rounds it. */
const pagesOf = (bytes: number): string => `${(Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES) / 1024}k`;

function sizeText(value: string): string {
  const percent = /^([0-9]+)%$/.exec(value)?.[1];
  if (percent !== undefined) return pagesOf(Math.floor((Number(percent) * totalmem()) / 100));
  const [, number, unit = ''] = /^([0-9]+)([kmgt]?)$/i.exec(value) ?? [];
  return number === undefined ? value : pagesOf(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
}

function countText(value: string): string {
  const [, number, unit = ''] = /^([0-9]+)([kmgt]?)$/i.exec(value) ?? [];
  return number === undefined ? value : String(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
}

/** An option in the one form in which what is wanted and what is shown can be compared. */
export function asKernel(option: string): string {
  const at = option.indexOf('=');
  const [key, value] = [option.slice(0, at), option.slice(at + 1)];
  if (at < 0) return option;
  if (key === 'size') return `size=${sizeText(value)}`;
  if (COUNTS.has(key)) return `${key}=${countText(value)}`;
  if (MODES.has(key) && /^[0-7]+$/.test(value)) return `${key}=${Number.parseInt(value, 8).toString(8)}`;
  return option;
}

/**
 * Whether a file system that does not show an option has it all the same.
 * @param option as {@link asKernel} gives it
 */
export function isDefault(option: string, fstype: string): boolean {
  if (!['tmpfs', 'ramfs'].includes(fstype)) return false;
  return MEMORY_DEFAULTS.has(option) || option === `size=${sizeText('50%')}`;
}
