/**
 * Makes the tree of a compound target cheap to evaluate without changing what it matches: chains become flat, and ids named
 * one by one (`a or b or L@c,d`, `not a and not b`) become one set.
 */
import type { CompoundNode } from './target.ts';

/** A tree that matches the same minions. */
export function simplify(node: CompoundNode): CompoundNode {
  switch (node.op) {
    case 'nobody':
      return node;
    case 'term':
      return idsOf(node) ? idsNode(idsOf(node) as ReadonlySet<string>) : node;
    case 'not': {
      const of = simplify(node.of);
      return of.op === 'not' ? of.of : { op: 'not', of };
    }
    case 'and':
    case 'or':
      return chain(node.op, node.of.map(simplify));
  }
}

function chain(op: 'and' | 'or', nodes: readonly CompoundNode[]): CompoundNode {
  const flat = nodes.flatMap((node) => (node.op === op ? node.of : [node]));
  const named = flat.flatMap((node) => idsOf(node) ?? []);
  const unnamed = flat.flatMap((node) => (node.op === 'not' ? (idsOf(node.of) ?? []) : []));
  const others = flat.filter((node) => !idsOf(node) && !(node.op === 'not' && idsOf(node.of)));
  const of: CompoundNode[] = [];
  // Sets of names come first: they narrow an `and` down, and leave an `or` fewer minions to look at.
  if (named.length > 0) of.push(idsNode(op === 'or' ? union(named) : intersection(named)));
  if (unnamed.length > 0) {
    of.push({ op: 'not', of: idsNode(op === 'and' ? union(unnamed) : intersection(unnamed)) });
  }
  of.push(...others);
  return of.length === 1 ? (of[0] as CompoundNode) : { op, of };
}

/** The ids a node names, if that is all it does. */
function idsOf(node: CompoundNode): ReadonlySet<string> | undefined {
  if (node.op === 'nobody') return new Set();
  if (node.op !== 'term') return undefined;
  if (node.term.type === 'list') return node.term.ids;
  const literal = node.term.type === 'glob' ? node.term.glob.literal : undefined;
  return literal === undefined ? undefined : new Set([literal]);
}

function idsNode(ids: ReadonlySet<string>): CompoundNode {
  return ids.size === 0 ? { op: 'nobody' } : { op: 'term', term: { type: 'list', ids } };
}

function union(sets: readonly ReadonlySet<string>[]): Set<string> {
  const out = new Set<string>();
  for (const set of sets) for (const id of set) out.add(id);
  return out;
}

function intersection([first, ...others]: readonly ReadonlySet<string>[]): Set<string> {
  return new Set([...(first ?? [])].filter((id) => others.every((set) => set.has(id))));
}
