/**
 * Makes the tree of a compound target cheap to evaluate without changing what it matches: chains become flat, ids named
 * one by one (`a or b or L@c,d`, `not a and not b`) become one set, and alternatives that begin with ids
 * (`( a and G@x:y ) or ( b and not c ) or …`) are found by the id.
 */
import type { CompoundNode } from './target.ts';

/** Fewer alternatives than this are tried one after the other. */
const MIN_INDEXED = 4;
/** Alternatives for more ids than this are not found by id: the index would become too large. */
const MAX_IDS_INDEXED = 16;

/** A tree that matches the same minions. */
export function simplify(node: CompoundNode): CompoundNode {
  switch (node.op) {
    case 'nobody':
    case 'ids':
    case 'term':
      return node;
    case 'not':
      return negate(simplify(node.of));
    case 'and':
      return conjunction(node.of.map(simplify));
    case 'or':
      return alternatives(node.of.map(simplify));
  }
}

/** The nodes that may have to be looked at for every single minion. */
export function countNodes(node: CompoundNode): number {
  if (node.op === 'not') return 1 + countNodes(node.of);
  if (node.op !== 'and' && node.op !== 'or') return 1;
  return node.of.reduce((sum, part) => sum + countNodes(part), 1);
}

const negate = (node: CompoundNode): CompoundNode => (node.op === 'not' ? node.of : { op: 'not', of: node });

/** `not a and not b` is `not ( a or b )`; sets of ids are intersected and come first. */
function conjunction(parts: readonly CompoundNode[]): CompoundNode {
  let ids: ReadonlySet<string> | undefined;
  const excluded: CompoundNode[] = [];
  const others: CompoundNode[] = [];
  for (const part of parts.flatMap((node) => (node.op === 'and' ? node.of : [node]))) {
    if (part.op === 'nobody') return part;
    if (part.op === 'ids') ids = ids === undefined ? part.ids : intersection(ids, part.ids);
    else if (part.op === 'not') excluded.push(part.of);
    else others.push(part);
  }
  if (ids?.size === 0) return { op: 'nobody' };
  const of = ids === undefined ? others : [{ op: 'ids' as const, ids }, ...others];
  if (excluded.length > 0) of.push(negate(alternatives(excluded)));
  return of.length === 1 ? (of[0] as CompoundNode) : { op: 'and', of };
}

/** `not a or not b` is `not ( a and b )`; sets of ids are united and come first. */
function alternatives(parts: readonly CompoundNode[]): CompoundNode {
  const ids = new Set<string>();
  const excluded: CompoundNode[] = [];
  const bound: IdBound[] = [];
  const others: CompoundNode[] = [];
  for (const part of parts.flatMap((node) => (node.op === 'or' && !node.byId ? node.of : [node]))) {
    if (part.op === 'ids') for (const id of part.ids) ids.add(id);
    else if (part.op === 'not') excluded.push(part.of);
    else if (isIdBound(part)) bound.push(part);
    else if (part.op !== 'nobody') others.push(part);
  }
  const byId = bound.length >= MIN_INDEXED ? indexById(bound) : undefined;
  const of: CompoundNode[] = ids.size === 0 ? [] : [{ op: 'ids', ids }];
  if (!byId) of.push(...bound);
  of.push(...others);
  if (excluded.length > 0) of.push(negate(conjunction(excluded)));
  if (byId) return { op: 'or', of, byId };
  if (of.length === 0) return { op: 'nobody' };
  return of.length === 1 ? (of[0] as CompoundNode) : { op: 'or', of };
}

/** A conjunction that only certain ids can fulfil. */
type IdBound = { readonly op: 'and'; readonly of: readonly CompoundNode[] };

function isIdBound(node: CompoundNode): node is IdBound {
  const first = node.op === 'and' ? node.of[0] : undefined;
  return first?.op === 'ids' && first.ids.size <= MAX_IDS_INDEXED;
}

function indexById(nodes: readonly IdBound[]): ReadonlyMap<string, readonly CompoundNode[]> {
  const index = new Map<string, CompoundNode[]>();
  for (const { of } of nodes) {
    const [first, ...rest] = of;
    if (first?.op !== 'ids') continue;
    const node: CompoundNode = rest.length === 1 ? (rest[0] as CompoundNode) : { op: 'and', of: rest };
    for (const id of first.ids) {
      const known = index.get(id);
      if (known) known.push(node);
      else index.set(id, [node]);
    }
  }
  return index;
}

function intersection(a: ReadonlySet<string>, b: ReadonlySet<string>): Set<string> {
  const [small, great] = a.size < b.size ? [a, b] : [b, a];
  return new Set([...small].filter((id) => great.has(id)));
}
