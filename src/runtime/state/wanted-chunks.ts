/** What a chunk wants to have run before it, and what of that nobody declares. */
import { pyStr } from '../../python/values/repr.ts';
import { truthy, type Dict } from '../../python/values/value.ts';
import { entriesOf, isOfEmptySls, namedBy, REQUISITE_KINDS, type Entry, type Lookup } from './requisites.ts';

/** The requisites that can be named in vain. */
const LOSABLE = [...REQUISITE_KINDS, 'prerequired'];

/** The chunks that a chunk requires, in the order of its requisites, and the entries that name none. */
export function wantedBy(
  low: Dict,
  chunks: Dict[],
  lookup: Lookup,
): { wanted: Dict[]; lost: Map<string, Entry[]> } {
  const wanted: Dict[] = [];
  const lost = new Map<string, Entry[]>();
  const kinds = truthy(low.get('__prereq__')) ? LOSABLE.filter((kind) => kind !== 'prerequired') : LOSABLE;
  for (const kind of kinds) {
    const missing: Entry[] = [];
    lost.set(kind, missing);
    for (const entry of entriesOf(low, kind)) {
      const matches = namedBy(entry, chunks, lookup);
      if (matches.length === 0 && !isOfEmptySls(entry, lookup)) missing.push(entry);
      for (const chunk of matches) {
        if (kind === 'prereq') chunk.set('__prereq__', true);
        if (kind === 'prerequired' && entry.key !== 'sls') chunk.set('__prerequired__', true);
        wanted.push(chunk);
      }
    }
  }
  return { wanted, lost };
}

/** What a run says of entries that name nothing. @param lost the entries by kind */
export function lostSentence(lost: ReadonlyMap<string, readonly Entry[]>): string {
  let sentence = 'The following requisites were not found:\n';
  for (const [kind, entries] of lost) {
    if (entries.length === 0) continue;
    sentence += `${' '.repeat(19)}${kind}:\n`;
    for (const { key, value } of entries) sentence += `${' '.repeat(23)}${key}: ${pyStr(value)}\n`;
  }
  return sentence;
}
