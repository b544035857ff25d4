/**
 * How long a minion waits for an answer of its master, and how often it asks: `request_channel_timeout` and
 * `request_channel_tries`.
 */
import type { MinionOptions } from '../../config/minion-options.ts';
import type { Patience } from '../../network/channel/client/request-channel.ts';

/**
 * The limits of every request of a minion, whatever it is for.
 * @param atMost of requests that nobody should wait for so long: the lower of both counts
 */
export function requestLimits(
  opts: Pick<MinionOptions, 'get'>,
  atMost: Patience = { timeoutMs: Infinity, tries: Infinity },
): Patience {
  return {
    timeoutMs: Math.min(atMost.timeoutMs, opts.get('request_channel_timeout') * 1000),
    tries: Math.min(atMost.tries, Math.max(1, opts.get('request_channel_tries'))),
  };
}

/** Of a request that must not be made twice: as long as all attempts of another one. */
export function onceLimits(opts: Pick<MinionOptions, 'get'>): Patience {
  const { timeoutMs, tries } = requestLimits(opts);
  return { timeoutMs: timeoutMs * tries, tries: 1 };
}
