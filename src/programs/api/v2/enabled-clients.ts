/** `netapi_enable_clients`: which of the master's clients this API may be used for, in both versions alike. */
import type { MasterLink } from '../master-link.ts';
import { ApiFault } from './fault.ts';

/** @throws ApiFault `not-served` unless one of the names is enabled */
export function requireClient(link: MasterLink, ...names: readonly string[]): void {
  const enabled = link.opts.get('netapi_enable_clients');
  if (names.some((name) => enabled.includes(name))) return;
  throw new ApiFault(
    'not-served',
    `This API is not set up for it: name ${names.join(' or ')} in netapi_enable_clients of the master's configuration, and start salt-api again.`,
  );
}
