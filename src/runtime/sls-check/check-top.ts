/** Top files, of states and of pillar: their form, and whether what they assign exists. */
import { didYouMean } from '../../errors/did-you-mean.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { verifyTop } from '../state/top.ts';
import type { RenderedSource } from './render-source.ts';
import { isUncertain } from './unknown.ts';

/** The kinds of targets. */
const MATCHES: readonly string[] = [
  ...['glob', 'pcre', 'list', 'grain', 'grain_pcre', 'pillar', 'pillar_pcre', 'pillar_exact', 'nodegroup'],
  ...['ipcidr', 'range', 'compound', 'compound_pillar_exact', 'data', 'data_pcre', 'cache'],
];

/** What one target is assigned. */
export interface Assignment {
  readonly target: string;
  readonly sls: readonly string[];
}

/** Targets that reach every minion: what they assign is part of every run. */
const EVERYBODY: ReadonlySet<string> = new Set(['*', '.*']);

/** What each target gets, with what everybody gets, in the order of the file. */
export function together(assignments: readonly Assignment[]): Set<string>[] {
  return assignments.map(
    (one) =>
      new Set(
        assignments.filter((other) => other === one || EVERYBODY.has(other.target)).flatMap(({ sls }) => sls),
      ),
  );
}

/** Checks a top file. @param known the SLS of its tree @returns what it assigns, globs resolved */
export function checkTop(rendered: RenderedSource, value: Value, known: ReadonlySet<string>): Assignment[] {
  if (!isDict(value)) {
    rendered.tell('wrong-shape', { path: [] }, 'A top file is a mapping of environments.');
    return [];
  }
  for (const error of new Set(verifyTop(value))) rendered.tell('wrong-shape', { path: [] }, `${error}.`);
  const assigned: Assignment[] = [];
  for (const [env, targets] of value) {
    if (!isDict(targets) || env === 'include') continue;
    for (const [target, list] of targets)
      if (Array.isArray(list))
        assigned.push({
          target: pyStr(target),
          sls: checkList(rendered, [pyStr(env), pyStr(target)], list, known),
        });
  }
  return assigned;
}

function checkList(
  rendered: RenderedSource,
  path: readonly string[],
  list: readonly Value[],
  known: ReadonlySet<string>,
): string[] {
  const found: string[] = [];
  for (const [index, item] of list.entries()) {
    if (isDict(item)) checkOptions(rendered, [...path, index], item);
    if (typeof item !== 'string' || isUncertain(item)) continue;
    const names = known.has(item) ? [item] : [...known].filter((name) => compileGlob(item).matches(name));
    found.push(...names);
    if (names.length === 0)
      rendered.tell(
        'missing-sls',
        { path: [...path, index] },
        `There is no SLS '${item}'.${didYouMean(item, known)}`,
      );
  }
  return found;
}

function checkOptions(rendered: RenderedSource, path: readonly (string | number)[], item: Dict): void {
  const match = item.get('match');
  if (typeof match !== 'string' || MATCHES.includes(match) || isUncertain(match)) return;
  rendered.tell('wrong-shape', { path }, `There is no match '${match}'.${didYouMean(match, MATCHES)}`);
}
