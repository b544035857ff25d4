/** What a site has chosen between waiting for the disk and losing what was acknowledged when the power fails. */
import { systemDisk, type DiskSync } from '../host/disk-sync.ts';

/**
 * The disk that is waited for before anything is acknowledged; undefined with `may_lose_on_power_failure`.
 * @param opts of a master or a minion
 */
export function awaitedDisk(opts: { get(name: 'may_lose_on_power_failure'): boolean }): DiskSync | undefined {
  return opts.get('may_lose_on_power_failure') ? undefined : systemDisk;
}
