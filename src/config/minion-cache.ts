/** The option `cache`: where a master keeps what it remembers of minions. */
import type { MasterOptions } from './master-options.ts';

/** The driver that keeps it in files below `cachedir`. */
export const LOCAL_DRIVER = 'localfs';

/** The driver of Salt 3008.1 that keeps it in mapped memory; a folder of such a master is none of ours. */
export const MAPPED_DRIVER = 'mmap_cache';

/** The drivers that keep it on a server (salt/cache/, 3006.16). */
export const SERVER_DRIVERS: readonly string[] = ['redis', 'consul', 'etcd', 'mysql'];

/** Whether a server has it as well. */
export function isCacheOnServer(opts: Pick<MasterOptions, 'get'>): boolean {
  return SERVER_DRIVERS.includes(opts.get('cache'));
}
