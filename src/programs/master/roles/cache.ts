/**
 * Cache: keeps what this master remembers of minions on the server that the option `cache` names
 * (docs/internals/minion-cache.md).
 */
import { join } from 'node:path';
import { ConfigError } from '../../../errors/errors.ts';
import { openCacheServer } from '../../../plugins/registry/cache/open.ts';
import { sample } from '../../../runtime/metrics/sample.ts';
import { MinionDataCache } from '../../../storage/cache/minion-data.ts';
import { MinionDataMirror } from '../../../storage/cache/mirror.ts';
import { KeyStore } from '../../../storage/keys/store.ts';
import type { StartRole } from './role.ts';

export const startCache: StartRole = async ({ opts, clock, random, log }) => {
  const server = openCacheServer({ opts: opts.toDict(), clock });
  if (server === undefined) throw new ConfigError('The option cache names no server.');
  const [cachedir, keys] = [opts.get('cachedir'), new KeyStore(opts.get('pki_dir'))];
  const mirror = new MinionDataMirror({
    server,
    cache: new MinionDataCache(cachedir),
    ids: () => keys.list('accepted'),
    statePath: join(cachedir, 'minion_cache.agreed'),
    clock,
    random,
    log,
  });
  await mirror.start();
  log.info(`${server.place} has the minion data cache`);
  return {
    figures: () => [
      sample('brine_minion_cache_connected', mirror.isDown ? 0 : 1),
      sample('brine_minion_cache_waiting', mirror.waiting),
      sample('brine_minion_cache_stored_total', mirror.counters.stored),
      sample('brine_minion_cache_loaded_total', mirror.counters.loaded),
      sample('brine_minion_cache_removed_total', mirror.counters.removed),
      sample('brine_minion_cache_conflicts_total', mirror.counters.conflicts),
      sample('brine_minion_cache_refused_total', mirror.counters.refused),
      sample('brine_minion_cache_failures_total', mirror.counters.failures),
    ],
    stop: async () => {
      await mirror.stop();
      await server.close();
    },
  };
};
