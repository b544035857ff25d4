/** Which parts of minions' data a target looks at, so that no others need be at hand. */
import type { CompoundNode, Target, Term, WantedData } from './target.ts';

/** What the target may look at; more than it needs, never less. */
export function wantedData(target: Target): WantedData {
  const found = { grains: new Set<string>(), pillar: new Set<string>(), allGrains: false, allPillar: false };
  for (const term of termsOf(target)) {
    if (term.type === 'ipcidr') {
      found.grains.add('ipv4').add('ipv6');
      continue;
    }
    if (!('matcher' in term)) continue;
    const isGrain = term.type === 'grain' || term.type === 'grain_pcre';
    const { expression, delimiter } = term.matcher;
    const key = delimiter === '' ? '*' : (expression.split(delimiter, 1)[0] as string);
    // a star stands for any key
    if (key === '*' && isGrain) found.allGrains = true;
    else if (key === '*') found.allPillar = true;
    else (isGrain ? found.grains : found.pillar).add(key);
  }
  return {
    grains: found.allGrains ? 'all' : found.grains,
    pillar: found.allPillar ? 'all' : found.pillar,
  };
}

function* termsOf(target: Target): Generator<Term> {
  switch (target.type) {
    case 'compound':
    case 'compound_pillar_exact':
    case 'nodegroup':
      yield* termsIn(target.root);
      return;
    case 'list':
    case 'range':
    case 'data':
    case 'data_pcre':
      return;
    default:
      yield target;
  }
}

function* termsIn(node: CompoundNode): Generator<Term> {
  switch (node.op) {
    case 'term':
      yield node.term;
      return;
    case 'not':
      yield* termsIn(node.of);
      return;
    case 'and':
      for (const each of node.of) yield* termsIn(each);
      return;
    case 'ids':
    case 'nobody':
      return;
    case 'or':
      for (const each of node.of) yield* termsIn(each);
      for (const list of node.byId?.values() ?? []) for (const each of list) yield* termsIn(each);
  }
}
