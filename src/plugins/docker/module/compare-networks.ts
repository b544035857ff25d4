/** What two networks differ in (3006.16 salt/modules/dockermod.py `compare_networks`). */
import { pyRepr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';

const change = (before: Value, after: Value): Dict => dict({ old: before, new: after });
const BRIDGE_NAME = 'com.docker.network.bridge.name';

/** Pools in order, without fields that are empty: Docker 29 writes them. Salt compat: as later releases do (68518). */
function poolsOf(list: Value | undefined): Value[] {
  const pools = (Array.isArray(list) ? list : []).map((pool) =>
    isDict(pool) ? new Map([...pool].filter(([, value]) => value !== '')) : pool,
  );
  return pools.sort((a, b) => (pyRepr(a) < pyRepr(b) ? -1 : 1));
}

/** The differences of mappings of which only the keys of the first count. */
function innerDifferences(first: Dict, second: Dict, skipped: (key: Value) => boolean): Dict {
  const out = dict();
  for (const [key, before] of first) {
    if (skipped(key)) continue;
    const [a, b] =
      key === 'Config' ? [poolsOf(before), poolsOf(second.get(key))] : [before, second.get(key) ?? null];
    if ((truthy(a ?? null) || truthy(b ?? null)) && !valuesEqual(a ?? null, b ?? null))
      out.set(key, change(a ?? null, b ?? null));
  }
  return out;
}

/** The differences of two networks, by field. @param ignored fields that do not count */
export function networkDifferences(first: Dict, second: Dict, ignored: readonly Value[]): Dict {
  const out = dict();
  for (const key of new Set([...first.keys(), ...second.keys()])) {
    if (ignored.includes(key)) continue;
    const [before, after] = [first.get(key) ?? null, second.get(key) ?? null];
    if (!truthy(before) && !truthy(after)) continue;
    if ((key === 'IPAM' || key === 'Options') && isDict(before) && isDict(after)) {
      const inner = innerDifferences(before, after, (name) => key === 'Options' && name === BRIDGE_NAME);
      if (inner.size > 0) out.set(key, inner);
    } else if (!valuesEqual(before, after)) out.set(key, change(before, after));
  }
  return out;
}
