/** Options by which a minion would end as soon as it connects: looked at while somebody still waits for its start. */
import type { MinionOptions } from '../../config/minion-options.ts';
import { readSsl } from '../../config/ssl.ts';
import { requireTransport } from '../../network/transport/transports.ts';
import { requireMasterType } from './masters/plan.ts';

/** @throws BrineError naming the option, for a transport, TLS or `master_type` that there is not */
export function requireConnectable(opts: MinionOptions): void {
  requireMasterType(opts.get('master_type'));
  const transport = opts.get('transport');
  requireTransport(transport);
  if (transport !== 'zeromq') readSsl(opts.raw('ssl'));
}
