/**
 * Requisites: which chunks they name, and what their results so far mean (salt/state.py `check_requisite`, 3006.16).
 */
import { PythonError } from '../../python/exceptions.ts';
import type { FunctionSource } from '../loader/module.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { ChunkIndex } from './chunk-index.ts';
import { hasChanges, tagOf, textIn } from './result.ts';
import { chunksOfSls, type SlsIncludes } from './sls-includes.ts';

/** The kinds, in the order in which Salt looks at them. */
export const REQUISITE_KINDS = [
  ...([
    'require',
    'require_any',
    'watch',
    'watch_any',
    'prereq',
    'onfail',
    'onfail_any',
    'onfail_all',
  ] as const),
  ...(['onchanges', 'onchanges_any'] as const),
] as const;

/** Those, and what other chunks have made of their `prereq`. */
const DECIDING = [...REQUISITE_KINDS, 'prerequired'] as const;

/** What becomes of a state. */
export type Status = 'met' | 'unmet' | 'fail' | 'pre' | 'onfail' | 'onchanges' | 'change';

/** The chunks that each requisite of a state names. */
export type Named = ReadonlyMap<string, readonly Dict[]>;

/** What entries are looked up with. */
export interface Lookup {
  /** Of the chunks that are looked through. */
  readonly index: ChunkIndex;
  readonly includes: SlsIncludes;
  /** Says of a chunk that it is not done, since it waits for the one that asks. */
  readonly isWaiting: (chunk: Dict) => boolean;
}

/** One entry of a requisite: a kind of state, `id` or `sls`, and a glob. */
export interface Entry {
  readonly key: string;
  readonly value: Value;
}

/** The entries of one requisite of a chunk. */
export function entriesOf(low: Dict, kind: string): Entry[] {
  const given = low.get(kind);
  return (Array.isArray(given) ? given : []).map((item) => {
    if (!isDict(item)) return { key: 'id', value: item };
    const [key, value] = [...item][0] ?? ['', null];
    return { key: pyStr(key).split('.')[0] as string, value };
  });
}

/**
 * The chunks that an entry names; all of an SLS, or those of a kind whose id or name matches.
 * @throws PythonError for a value that is no text
 */
export function namedBy({ key, value }: Entry, chunks: readonly Dict[], lookup: Lookup): Dict[] {
  if (value === null) return [];
  if (typeof value !== 'string') throw badRequisite(key, chunks);
  if (key === 'sls') return chunksOfSls(value, chunks, lookup.includes, lookup.isWaiting);
  const glob = compileGlob(value);
  const isNamed = (chunk: Dict): boolean =>
    (key === 'id' || chunk.get('state') === key) &&
    (glob.matches(textIn(chunk, 'name')) || glob.matches(textIn(chunk, '__id__')));
  const found = glob.literal === undefined ? [] : lookup.index.called(glob.literal, chunks).filter(isNamed);
  // a state that has run may have given a chunk another name
  return found.length > 0 ? found : chunks.filter(isNamed);
}

/** Whether an entry that names no chunk holds all the same: its SLS is part of the run, and has rendered to nothing. */
export function isOfEmptySls({ key, value }: Entry, { includes }: Lookup): boolean {
  return key === 'sls' && typeof value === 'string' && includes.knows(value);
}

function badRequisite(key: string, chunks: readonly Dict[]): Error {
  const name = chunks[0] === undefined ? '' : textIn(chunks[0], 'name');
  return new PythonError(
    'salt.exceptions.SaltRenderError',
    `Could not locate requisite of [${key}] present in state with name [${name}]`,
  );
}

/**
 * A watch of a state that has no `mod_watch` is a require: the chunk is changed so.
 * @returns whether it was
 */
export async function watchBecomesRequire(
  low: Dict,
  states: FunctionSource,
  watch: 'watch' | 'watch_any',
): Promise<boolean> {
  const watched = low.get(watch);
  if (watched === undefined) return false;
  if ((await states.find(`${textIn(low, 'state')}.mod_watch`)).spec !== undefined) return false;
  const require = watch.replace('watch', 'require');
  const required = low.get(require);
  low.delete(watch);
  low.set(require, [...listOf(required), ...listOf(watched)]);
  return true;
}

function listOf(value: Value | undefined): Value[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a chunk has any requisite that decides about its run. */
export function hasRequisites(low: Dict): boolean {
  return DECIDING.some((kind) => low.has(kind));
}

/** What requisites name. */
export interface Found {
  readonly named: Named;
  /** The kinds with an entry for an SLS that has rendered to nothing. */
  readonly empty: ReadonlySet<string>;
}

/** The chunks that each requisite names; undefined when an entry names none. */
export function findRequisites(
  low: Dict,
  chunks: readonly Dict[],
  options: {
    readonly disabled: readonly Value[];
    readonly lookup: Lookup;
    readonly withPrerequired: boolean;
    readonly warn: (text: string) => void;
  },
): Found | undefined {
  const named = new Map<string, Dict[]>();
  const empty = new Set<string>();
  for (const kind of options.withPrerequired ? DECIDING : REQUISITE_KINDS) {
    const found: Dict[] = [];
    named.set(kind, found);
    if (options.disabled.includes(kind) && low.has(kind)) {
      options.warn(`The ${kind} requisite has been disabled, Ignoring.`);
      continue;
    }
    for (const entry of entriesOf(low, kind)) {
      if (entry.value === null) continue;
      const matches = namedBy(entry, chunks, options.lookup);
      if (matches.length === 0 && !isOfEmptySls(entry, options.lookup)) return undefined;
      if (matches.length === 0) empty.add(kind);
      found.push(...matches);
    }
  }
  return { named, empty };
}

/** What one kind of requisite has met with. */
type Sign = 'met' | 'unmet' | 'fail' | 'pre' | 'premet' | 'onfail' | 'onchanges' | 'onchangesmet' | 'change';

/**
 * What the results so far mean for a state.
 * @param results those of the run
 * @param foreseen those of test runs on behalf of prereq
 */
export function judge({ named, empty }: Found, results: Dict, foreseen: Dict): Status {
  const signs = new Set<Sign>();
  for (const [kind, chunks] of named)
    for (const sign of signsOf(kind, chunks, kind === 'prereq' ? foreseen : results, empty.has(kind)))
      signs.add(sign);
  if (signs.has('unmet')) return 'unmet';
  if (signs.has('fail')) return 'fail';
  if (signs.has('pre')) return signs.has('premet') ? 'met' : 'pre';
  const isChanged = signs.has('onchangesmet');
  if (signs.has('onfail') && !isChanged) return 'onfail';
  if (signs.has('onchanges') && !isChanged) return 'onchanges';
  if (signs.has('change')) return 'change';
  return signs.has('onfail') ? 'onfail' : 'met';
}

function signsOf(kind: string, chunks: readonly Dict[], results: Dict, withEmpty: boolean): Set<Sign> {
  const signs = new Set<Sign>(withEmpty ? [signOfNothing(kind)] : []);
  for (const chunk of chunks) {
    const result = results.get(tagOf(chunk));
    const sign = isDict(result) ? signOf(kind, result) : 'unmet';
    if (sign !== undefined) signs.add(sign);
  }
  if (kind.endsWith('_any') || kind === 'onfail') anyIsEnough(signs);
  if (kind.endsWith('_all') && signs.has('onfail')) signs.delete('met');
  return signs;
}

/** Nothing has failed, nothing has changed, and nothing is going to. */
function signOfNothing(kind: string): Sign {
  if (kind.startsWith('onfail')) return 'onfail';
  if (kind.startsWith('onchanges')) return 'onchanges';
  return kind === 'prereq' ? 'pre' : 'met';
}

function signOf(kind: string, result: Dict): Sign | undefined {
  const outcome = result.get('result');
  if (kind.startsWith('onfail')) {
    if (outcome === true) return 'onfail';
  } else if (outcome === false) return 'fail';
  if (kind.startsWith('onchanges')) return hasChanges(result) ? 'onchangesmet' : 'onchanges';
  if (kind.startsWith('watch') && hasChanges(result)) return 'change';
  if (kind === 'prereq' && outcome !== null) return 'pre';
  const isMet = result.get('__state_ran__') !== false;
  if (kind === 'prereq') return 'premet';
  return isMet ? 'met' : undefined;
}

/** One good requisite makes up for the others. */
function anyIsEnough(signs: Set<Sign>): void {
  if (signs.has('met') || signs.has('change') || signs.has('onchangesmet')) signs.delete('fail');
  if (signs.has('onchangesmet')) signs.delete('onchanges');
  if (signs.has('met')) signs.delete('onfail');
}
