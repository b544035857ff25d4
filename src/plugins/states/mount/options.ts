/** Which mount options make a new mount necessary (3006.16 salt/states/mount.py `mounted`). */
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateContext } from '../state-function.ts';

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
const SIZE = /^size=([0-9]+)([kmg])/;
const SIZE_UNITS: Readonly<Record<string, number>> = { k: 1, m: 1024, g: 1024 * 1024 };

/** What the state says about options besides them. */
export interface OptionRules {
  readonly fstype: string;
  readonly invisible: readonly string[];
  readonly invisibleKeys: readonly string[];
  readonly ignored: Dict;
  readonly translated: Dict;
}

/** Sizes in KiB, as the kernel shows them. */
function sized(option: string): string {
  const [, size, unit = 'k'] = SIZE.exec(option) ?? [];
  return size === undefined ? option : `size=${Number(size) * (SIZE_UNITS[unit] ?? 1)}k`;
}

/** An option as the mounted file system would show it. */
async function shownOption(ctx: StateContext, given: string, rules: OptionRules): Promise<string> {
  const translated = rules.translated.get(given);
  let option = typeof translated === 'string' ? translated : given;
  const [key = ''] = option.split('=');
  if (INVISIBLE_KEYS.includes(key) || rules.invisibleKeys.includes(key)) option = key;
  option = sized(option);
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

/** The wanted options that the mounted file system does not have. @param active its entry in `mount.active` */
export async function missingOptions(
  ctx: StateContext,
  active: Dict,
  { opts, rules }: { opts: readonly string[]; rules: OptionRules },
): Promise<string[]> {
  const superOptions = texts(active.get('superopts')).map(sized);
  const there = new Set([
    ...[...texts(active.get('opts')), ...superOptions, ...INVISIBLE, ...rules.invisible],
    ...[...INVISIBLE_KEYS, ...rules.invisibleKeys, ...ignoredFor(rules)],
  ]);
  const missing: string[] = [];
  for (const given of opts) {
    const option = await shownOption(ctx, given, rules);
    // Salt compat: where the mounted file system has a size, Salt compares that with itself.
    const isSize = SIZE.test(option) && superOptions.some((one) => SIZE.test(one));
    if (!isSize && truthy(option) && !there.has(option)) missing.push(option);
  }
  return missing;
}
