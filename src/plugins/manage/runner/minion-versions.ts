/** What `manage.versions` makes of the versions of minions (salt/runners/manage.py `versions`, 3006.16). */
import type { Dict, Value } from '../../../python/values/value.ts';

/** What a minion runs. */
export interface MinionVersion {
  readonly id: string;
  /** What `test.version` gave; undefined when it failed. */
  readonly salt: string | undefined;
  /** The version of Brine; undefined for a minion of Salt. */
  readonly brine: string | undefined;
}

const OFFLINE = 'Minion offline';
const CURRENT = 'Up to date';
const OLDER = 'Minion requires update';
const NEWER = 'Minion newer than master';

/**
 * The versions of minions under a sentence of how they stand to the master's. Salt compat: minions of Brine all give
 * the version of Salt that they follow; theirs are compared by Brine's own, which then is shown.
 */
export function versionsByState(
  minions: readonly MinionVersion[],
  master: { readonly salt: string; readonly brine: string },
): Dict {
  const out: Dict = new Map();
  const note = (label: string, id: string, version: Value): void => {
    const group = out.get(label) ?? new Map<Value, Value>();
    out.set(label, group);
    (group as Dict).set(id, version);
  };
  let isOurOwnShown = false;
  for (const { id, salt, brine = master.brine } of [...minions].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    if (salt === undefined) {
      note(OFFLINE, id, false);
      continue;
    }
    const bySalt = compareVersions(salt, master.salt);
    const byBrine = bySalt === 0 ? compareVersions(brine, master.brine) : 0;
    if (byBrine !== 0) isOurOwnShown = true;
    note(labelOf(bySalt === 0 ? byBrine : bySalt), id, byBrine === 0 ? salt : shown(salt, brine));
  }
  return out.set('Master', isOurOwnShown ? shown(master.salt, master.brine) : master.salt);
}

function shown(salt: string, brine: string): string {
  return `${salt} (Brine ${brine})`;
}

function labelOf(order: number): string {
  if (order === 0) return CURRENT;
  return order < 0 ? OLDER : NEWER;
}

/** Compares by numbers; what stands behind them (`+12.gabc`, `rc1`) counts as text. */
function compareVersions(a: string, b: string): number {
  const parts = (text: string): (number | string)[] =>
    text.split(/[.+-]/).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x, y] = [left[i] ?? 0, right[i] ?? 0];
    if (x === y) continue;
    if (typeof x === 'number' && typeof y === 'number') return x - y;
    return String(x) < String(y) ? -1 : 1;
  }
  return 0;
}
