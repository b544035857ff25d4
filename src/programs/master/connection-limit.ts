/** How many connections one address may have at a port of the master (`max_connections_by_address`). */
import type { MasterOptions } from '../../config/master-options.ts';
import { openFilesMax } from '../../host/open-files.ts';

/** What one address leaves to all others and to ourselves, when the option says nothing. */
const SHARE = 0.75;

/** @param filesMax that this process may open */
export function connectionsByAddressMax(opts: MasterOptions, filesMax = openFilesMax()): number {
  const given = opts.get('max_connections_by_address');
  return given > 0 ? given : Math.floor(filesMax * SHARE);
}
