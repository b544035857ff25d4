/** The grains of the master's own machine, for execution functions that a runner calls. */
import { cachedGrains } from '../../plugins/grains/core/cache.ts';
import { collectGrains } from '../../plugins/grains/core/collect.ts';
import { systemClock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Dict } from '../../python/values/value.ts';

/** Collects them, or takes them from the cache when `grains_cache` is on. */
export function masterGrains(deps: { readonly opts: Dict; readonly log: Logger }): Promise<Dict> {
  const { opts, log } = deps;
  return cachedGrains({ opts, log, clock: systemClock }, () =>
    collectGrains({ opts, log, clock: systemClock }),
  );
}
