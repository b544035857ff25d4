/**
 * `tcp_keepalive`, `tcp_keepalive_idle`: how long a connection is silent before the system asks whether its other side
 * is still there.
 */
import type { Options } from './option.ts';
import type { sharedOptions } from './shared-options.ts';

/**
 * @returns milliseconds; 0 for never; nothing for the system's own time (`tcp_keepalive_idle: -1`) is taken as Salt's
 *   default
 */
export function keepAliveMs(opts: Pick<Options<typeof sharedOptions>, 'get'>): number {
  if (!opts.get('tcp_keepalive')) return 0;
  const seconds = opts.get('tcp_keepalive_idle');
  return (seconds > 0 ? seconds : DEFAULT_SECONDS) * 1000;
}

const DEFAULT_SECONDS = 300;
