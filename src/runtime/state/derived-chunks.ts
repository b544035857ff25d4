/** Chunks that are made of another one, and call a further function of its module. */
import type { Dict } from '../../python/values/value.ts';
import { textIn } from './result.ts';

/**
 * What a state function leaves in its chunk when what it changes is not what a watch is for (a service is enabled,
 * which starts it at the next start of the machine): `mod_watch` is called all the same, and both are reported. Salt
 * compat: with Salt any change counts.
 */
export const CHANGES_APART = '__changes_apart__';

/** The chunk that calls `mod_watch` of a state. */
export function watchChunk(low: Dict): Dict {
  return chunkCalling('mod_watch', low);
}

/** The chunk that calls `mod_beacon` of a state. */
export function beaconChunk(low: Dict): Dict {
  return chunkCalling('mod_beacon', low).set('__id__', `beacon_${textIn(low, '__id__')}`);
}

function chunkCalling(fun: string, low: Dict): Dict {
  const chunk: Dict = new Map(low);
  chunk.set('sfun', low.get('fun') ?? null);
  return chunk.set('fun', fun);
}
