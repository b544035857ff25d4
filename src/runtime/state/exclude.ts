/** Leaving out what is excluded (3006.16 salt/state.py `State.apply_exclude`). */
import { fnmatch } from '../../python/text/fnmatch.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { EXCLUDE, isPrivate } from './high-data.ts';
import type { SlsIncludes } from './sls-includes.ts';

/** Takes `__exclude__` and what it names out of the high data, in place: ids, and SLS by globs. */
export function applyExclude(high: Dict, includes: SlsIncludes): void {
  const exclude = high.get(EXCLUDE);
  high.delete(EXCLUDE);
  const ids = new Set<Value>();
  const patterns: string[] = [];
  for (const item of Array.isArray(exclude) ? exclude : []) {
    const [key, value] = isDict(item) && item.size === 1 ? ([...item][0] ?? []) : ['sls', item];
    if (key === 'sls' && typeof value === 'string') patterns.push(value);
    if (key === 'id' && value !== undefined) ids.add(value);
  }
  for (const [id, body] of high) {
    const sls = isDict(body) ? body.get('__sls__') : undefined;
    if (isPrivate(id) || typeof sls !== 'string' || sls === '') continue;
    if (patterns.some((pattern) => fnmatch(sls, pattern))) ids.add(id);
  }
  includes.drop((sls) => patterns.some((pattern) => fnmatch(sls, pattern)));
  for (const id of ids) high.delete(id);
}
