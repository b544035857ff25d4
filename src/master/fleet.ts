/** The minions a master knows, as targets are resolved against them. */
import type { MinionDataCache } from '../cache/minion-data.ts';
import { MinionFacts } from '../cache/minion-facts.ts';
import type { KeyStore } from '../keys/store.ts';
import type { Fleet } from '../targeting/target.ts';
import { isDict, type Dict } from '../values/value.ts';

/** Accepted keys, and what the minion data cache has of them. */
export function keyFleet(keys: KeyStore, cache: MinionDataCache, facts = new MinionFacts(cache)): Fleet {
  return {
    get ids() {
      return keys.list('accepted');
    },
    data(id) {
      const data = cache.read(id, 'data');
      return data && { grains: part(data, 'grains'), pillar: part(data, 'pillar') };
    },
    select(wanted) {
      facts.keepOnly(keys.list('accepted'));
      return facts.select(wanted);
    },
  };
}

function part(data: Dict, name: string): Dict {
  const value = data.get(name);
  return value !== undefined && isDict(value) ? value : new Map();
}
