/** Joining `pkg` states into one transaction (3006.16 salt/states/pkg.py `mod_aggregate`). */
import { truthy, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { stateTag } from '../../../runtime/state/state-tag.ts';

const JOINED: readonly Value[] = ['installed', 'latest', 'removed', 'purged'];

/** True when a chunk still has to run and may be joined with another. */
function isLike(chunk: Dict, low: Dict, running: Dict): boolean {
  return (
    !running.has(stateTag(chunk)) &&
    chunk.get('state') === 'pkg' &&
    !chunk.has('__agg__') &&
    chunk.get('fun') === low.get('fun') &&
    valuesEqual(chunk.get('fromrepo') ?? null, low.get('fromrepo') ?? null)
  );
}

/** The packages of a chunk, and whether it names files; undefined for what is not joined. */
function packagesOf(
  chunk: Dict,
): { readonly key: 'sources' | 'pkgs'; readonly list: readonly Value[] } | undefined {
  if (chunk.has('sources')) {
    const sources = chunk.get('sources');
    return { key: 'sources', list: Array.isArray(sources) ? sources : [] };
  }
  if (chunk.has('hold')) return undefined;
  const pkgs = chunk.get('pkgs');
  if (chunk.has('pkgs')) return { key: 'pkgs', list: Array.isArray(pkgs) ? pkgs : [] };
  const name = chunk.get('name');
  if (name === undefined) return undefined;
  const version = chunk.get('version') ?? null;
  return { key: 'pkgs', list: [version === null ? name : new Map([[name, version]])] };
}

/** The chunk with the packages of all others like it, which are marked. */
export function aggregate(low: Dict, chunks: readonly Dict[], running: Dict): Dict {
  if (!JOINED.includes(low.get('fun') ?? null)) return low;
  const joined: Value[] = [];
  let kind: 'sources' | 'pkgs' | undefined;
  for (const chunk of chunks) {
    if (!isLike(chunk, low, running)) continue;
    const packages = packagesOf(chunk);
    if (packages === undefined) continue;
    kind ??= packages.key;
    if (packages.key !== kind) continue;
    joined.push(...packages.list);
    if (!chunk.has('pkgs') && kind === 'pkgs') chunk.delete('version');
    chunk.set('__agg__', true);
  }
  if (kind === undefined || joined.length === 0) return low;
  const own = low.get(kind);
  return low.set(kind, [...(truthy(own) && Array.isArray(own) ? own : []), ...joined]);
}
