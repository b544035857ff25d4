/** Which mount options make a new mount necessary (3006.16 salt/states/mount.py `mounted`). */
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { asKernel, isDefault } from './kernel-options.ts';

/** Options that a mounted file system does not show. */
const INVISIBLE = [
  ...['_netdev', 'actimeo', 'bg', 'comment', 'defaults', 'delay_connect', 'direct-io-mode', 'intr', 'loop'],
  ...['nointr', 'nobootwait', 'nofail', 'password', 'reconnect', 'retry', 'soft', 'auto', 'users', 'bind'],
  ...['nonempty', 'transform_symlinks', 'port', 'backup-volfile-servers'],
];
/** Options with a value that it does not show. */
const INVISIBLE_KEYS = [
  ...['actimeo', 'comment', 'credentials', 'direct-io-mode', 'password', 'port', 'retry', 'secretfile'],
];
/** Options for the programs that mount, of which the kernel never hears. */
const FOR_PROGRAMS = /^(?:x-|X-|noauto$|nouser$|user$|owner$|group$|nonempty$)/;
/** Options that are the rule: there as long as their opposite is not. */
const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ...[...['exec', 'suid', 'dev', 'diratime'].map((flag): [string, string] => [flag, `no${flag}`])],
  ...[['async', 'sync'] as const, ['atime', 'noatime'] as const, ['nolazytime', 'lazytime'] as const],
  ...[['norelatime', 'relatime'] as const, ['nostrictatime', 'strictatime'] as const],
]);
/** What the state says about options besides them. */
export interface OptionRules {
  readonly fstype: string;
  readonly invisible: readonly string[];
  readonly invisibleKeys: readonly string[];
  readonly ignored: Dict;
  readonly translated: Dict;
}

/** An option as the mounted file system would show it. */
async function shownOption(ctx: StateContext, given: string, rules: OptionRules): Promise<string> {
  const translated = rules.translated.get(given);
  let option = typeof translated === 'string' ? translated : given;
  const [key = ''] = option.split('=');
  if (INVISIBLE_KEYS.includes(key) || rules.invisibleKeys.includes(key)) option = key;
  option = asKernel(option);
  const [name = '', value] = option.split('=');
  if (rules.fstype === 'cifs' && name === 'user') return `username=${value ?? ''}`;
  if (ignoredFor(rules).includes(name)) return name;
  if ((name !== 'uid' && name !== 'gid') || value === undefined || /^[0-9]+$/.test(value)) return option;
  const info = await ctx.functions.call(name === 'uid' ? 'user.info' : 'group.info', [value]);
  return `${name}=${pyStr((isDict(info) ? info.get(name) : undefined) ?? value)}`;
}

function ignoredFor({ fstype, ignored }: OptionRules): string[] {
  const more = ignored.get(fstype);
  if (Array.isArray(more)) return more.map(pyStr);
  return fstype === 'ramfs' ? ['size'] : [];
}

const texts = (value: Value | undefined): string[] => (Array.isArray(value) ? value.map(pyStr) : []);

/** What a mounted file system shows, and what need not be shown. */
interface Shown {
  readonly all: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  readonly fstype: string;
}

/** Whether an option holds, which the mounted file system may show in another way, or not at all. */
function holds(option: string, { all, keys, fstype }: Shown): boolean {
  if (all.has(option) || FOR_PROGRAMS.test(option)) return true;
  const opposite = OPPOSITES.get(option);
  if (opposite !== undefined) return !all.has(opposite);
  const [key = '', value] = option.split('=');
  if (key === 'umask') return all.has(`fmask=${value}`) && all.has(`dmask=${value}`);
  return isDefault(option, fstype) && !keys.has(key);
}

/** The options that a mounted file system shows. @param active its entry in `mount.active` */
export function shownOptions(active: Dict): string[] {
  return [...texts(active.get('opts')), ...texts(active.get('superopts'))];
}

/** The wanted options that the mounted file system does not have. @param active its entry in `mount.active` */
export async function missingOptions(
  ctx: StateContext,
  active: Dict,
  { opts, rules }: { opts: readonly string[]; rules: OptionRules },
): Promise<string[]> {
  const shown = shownOptions(active).map(asKernel);
  const all = new Set([
    ...[...shown, ...INVISIBLE, ...rules.invisible],
    ...[...INVISIBLE_KEYS, ...rules.invisibleKeys, ...ignoredFor(rules)],
  ]);
  const keys = new Set(shown.map((option) => option.split('=', 1)[0] ?? ''));
  const missing: string[] = [];
  for (const given of opts) {
    const option = await shownOption(ctx, given, rules);
    if (truthy(option) && !holds(option, { all, keys, fstype: rules.fstype })) missing.push(option);
  }
  return missing;
}
