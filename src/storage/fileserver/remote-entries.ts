/** What the options of backends with remotes have in common. */
import { pyStr } from '../../python/values/repr.ts';
import type { Dict, Value } from '../../python/values/value.ts';

/** The entries of an option such as `hgfs_remotes`. */
export function remoteEntries(opts: Dict, name: string): readonly Value[] {
  const entries = opts.get(name);
  return Array.isArray(entries) ? entries : [];
}

/** An option with several names: a list, or a text with commas. */
export function namesOption(opts: Dict, name: string): string[] {
  const value = opts.get(name);
  if (Array.isArray(value)) return value.map(pyStr);
  return typeof value === 'string' && value !== '' ? value.split(',').map((one) => one.trim()) : [];
}
