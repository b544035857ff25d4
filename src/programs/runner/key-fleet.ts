/** The minions a master knows, as targets are resolved against them. */
import type { MinionDataCache } from '../../storage/cache/minion-data.ts';
import { MinionFacts, wholeOf } from '../../storage/cache/minion-facts.ts';
import type { KeyStore } from '../../storage/keys/store.ts';
import type { Fleet } from '../../runtime/targeting/target.ts';

/** Accepted keys, and what the minion data cache has of them. */
export function keyFleet(keys: KeyStore, cache: MinionDataCache, facts = new MinionFacts(cache)): Fleet {
  return {
    get ids() {
      return keys.list('accepted');
    },
    data(id) {
      return wholeOf(cache.read(id, 'data'));
    },
    select(wanted) {
      facts.keepOnly(keys.list('accepted'));
      return facts.select(wanted);
    },
  };
}
