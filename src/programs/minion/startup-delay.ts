/** `random_startup_delay`: so that many minions that start at once do not reach their master at once. */
import type { MinionOptions } from '../../config/minion-options.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';

/** What the delay needs. */
export interface StartupDelayDeps {
  readonly opts: Pick<MinionOptions, 'get'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/**
 * Resolves after a random number of whole seconds up to `random_startup_delay`; at once when that is 0 (salt/minion.py
 * `Minion.tune_in`, 3006.16).
 */
export async function startupDelay({ opts, clock, random, log }: StartupDelayDeps): Promise<void> {
  const longest = opts.get('random_startup_delay');
  if (longest <= 0) return;
  const seconds = Math.round(random.fraction() * longest);
  log.info(
    `Minion sleeping for ${seconds} seconds due to configured startup_delay between 0 and ${longest} seconds`,
  );
  await clock.sleep(seconds * 1000);
}
