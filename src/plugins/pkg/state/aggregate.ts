/** Joining `pkg` states into one transaction (3006.16 salt/states/pkg.py `mod_aggregate`). */
import { valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
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

/** The packages of a chunk, and whether it names files; undefined for what is not joined, such as what is held. */
function packagesOf(
  chunk: Dict,
): { readonly key: 'sources' | 'pkgs'; readonly list: readonly Value[] } | undefined {
  if (chunk.has('hold')) return undefined;
  if (chunk.has('sources')) {
    const sources = chunk.get('sources');
    return { key: 'sources', list: Array.isArray(sources) ? sources : [] };
  }
  const pkgs = chunk.get('pkgs');
  if (chunk.has('pkgs')) return { key: 'pkgs', list: Array.isArray(pkgs) ? pkgs : [] };
  const name = chunk.get('name');
  if (name === undefined) return undefined;
  const version = chunk.get('version') ?? null;
  return { key: 'pkgs', list: [version === null ? name : new Map([[name, version]])] };
}

/**
 * The chunk with its own packages and those of all others like it, which are marked.
 * Salt compat: there the package that the chunk itself names is left out, and joined chunks forget their version.
 */
export function aggregate(low: Dict, chunks: readonly Dict[], running: Dict): Dict {
  if (!JOINED.includes(low.get('fun') ?? null)) return low;
  const own = packagesOf(low);
  if (own === undefined) return low;
  const joined: Value[] = [];
  for (const chunk of chunks) {
    if (chunk === low || !isLike(chunk, low, running)) continue;
    const packages = packagesOf(chunk);
    if (packages?.key !== own.key) continue;
    joined.push(...packages.list);
    chunk.set('__agg__', true);
  }
  return joined.length === 0 ? low : low.set(own.key, [...own.list, ...joined]);
}
