/** Evaluates the tree of a compound target for one minion; both sides do it here. */
import type { CompoundNode, Term } from './target.ts';

/**
 * True when the minion matches.
 *
 * @param id the minion's id
 * @param matches tells whether the minion matches one word of the target
 */
export function evaluate(node: CompoundNode, id: string, matches: (term: Term) => boolean): boolean {
  switch (node.op) {
    case 'nobody':
      return false;
    case 'ids':
      return node.ids.has(id);
    case 'term':
      return matches(node.term);
    case 'not':
      return !evaluate(node.of, id, matches);
    case 'and':
      for (const part of node.of) if (!evaluate(part, id, matches)) return false;
      return true;
    case 'or':
      for (const part of node.of) if (evaluate(part, id, matches)) return true;
      for (const part of node.byId?.get(id) ?? []) if (evaluate(part, id, matches)) return true;
      return false;
  }
}
