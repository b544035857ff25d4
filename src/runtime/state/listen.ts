/**
 * `listen`: what has to be called at the end of a run, because something that is listened to has changed (salt/state.py
 * `call_listen`, 3006.16).
 */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { watchChunk } from './derived-chunks.ts';
import { REQUISITES } from './keywords.ts';
import { chunksOfSls, type SlsIncludes } from './sls-includes.ts';
import { hasChanges, TAG_SEPARATOR, tagOf, textIn } from './result.ts';

/** Who listens, and to what: kind of state and id or name. */
interface Listener {
  readonly by: Reference;
  readonly to: Reference;
}
type Reference = readonly [state: string, name: string];

/** The chunks to call, and results for what does not exist. */
export function listeners(
  chunks: readonly Dict[],
  results: Dict,
  includes: SlsIncludes,
): { calls: Dict[]; faults: Map<string, Dict> } {
  const calls: Dict[] = [];
  const faults = new Map<string, Dict>();
  for (const { by, to } of chunks.flatMap((chunk) => listenersOf(chunk, chunks, includes))) {
    const heard = referenced(to, chunks);
    if (heard.length === 0) faults.set(...missing(to));
    for (const chunk of heard) {
      const result = results.get(tagOf(chunk));
      if (!isDict(result) || !hasChanges(result)) continue;
      const called = referenced(by, chunks);
      if (called.length === 0) faults.set(...missing(by));
      calls.push(...called.map(listenerChunk));
    }
  }
  return { calls, faults };
}

function listenersOf(chunk: Dict, chunks: readonly Dict[], includes: SlsIncludes): Listener[] {
  if (!chunk.has('listen') && !chunk.has('listen_in')) return [];
  const own: Reference = [textIn(chunk, 'state'), textIn(chunk, '__id__')];
  // what listens to all of its own id does not listen to itself
  const others = chunks.filter((other) => other !== chunk);
  const listen = entries(chunk.get('listen')).flatMap((entry) =>
    referencesIn(entry, others, includes).map((to) => ({ by: own, to })),
  );
  const listenIn = entries(chunk.get('listen_in')).flatMap((entry) =>
    referencesIn(entry, others, includes).map((by) => ({ by, to: own })),
  );
  return [...listen, ...listenIn];
}

function entries(value: Value | undefined): Value[] {
  return Array.isArray(value) ? value : [];
}

/**
 * A bare word stands for all chunks of that id or name, `sls` for those of an SLS; a bare word that is unknown stands
 * for nothing.
 */
function referencesIn(entry: Value, chunks: readonly Dict[], includes: SlsIncludes): Reference[] {
  if (!isDict(entry)) return referencesTo(chunks.filter((chunk) => isCalled(chunk, entry)));
  return [...entry].flatMap(([state, name]): Reference[] => {
    if (state === 'sls' && typeof name === 'string' && includes.knows(name))
      return referencesTo(chunksOfSls(name, chunks, includes));
    if (state === 'id') return referencesTo(chunks.filter((chunk) => isCalled(chunk, name)));
    return [[pyStr(state), pyStr(name)]];
  });
}

function isCalled(chunk: Dict, word: Value): boolean {
  return chunk.get('__id__') === word || chunk.get('name') === word;
}

function referencesTo(chunks: readonly Dict[]): Reference[] {
  return chunks.map((chunk) => [textIn(chunk, 'state'), textIn(chunk, '__id__')]);
}

/** Of chunks with the same state, id and name the last one counts. */
function referenced([state, name]: Reference, chunks: readonly Dict[]): Dict[] {
  const found = new Map<string, Dict>();
  for (const chunk of chunks) {
    const parts = ['state', '__id__', 'name'].map((key) => textIn(chunk, key));
    if (parts[0] === state && parts.includes(name)) found.set(parts.join(TAG_SEPARATOR), chunk);
  }
  return [...found.values()];
}

function listenerChunk(chunk: Dict): Dict {
  const low = watchChunk(chunk).set('__id__', `listener_${textIn(chunk, '__id__')}`);
  for (const requisite of REQUISITES) low.delete(requisite);
  return low;
}

function missing([state, name]: Reference): [tag: string, result: Dict] {
  const tag = ['Listen_Error', `listen_${name}`, `listen_${state}`, 'Listen_Error'].join(TAG_SEPARATOR);
  const comment = `Referenced state ${state}: ${name} does not exist`;
  return [tag, dict({ comment, name: `listen_${state}:${name}`, result: false, changes: {} })];
}
