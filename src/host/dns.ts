/** Names of hosts and services, looked up anew at each call. */
import { isIP } from 'node:net';

/** One record of a service (RFC 2782). */
export interface ServiceRecord {
  readonly host: string;
  readonly port: number;
  /** Lower ones come first. */
  readonly priority: number;
  /** Among equal priorities: how often it should be taken first. */
  readonly weight: number;
}

/** What can be asked about names. */
export interface NameService {
  /** @throws the resolver's error (`ENOTFOUND`, `EAI_AGAIN`) when the name leads to no address; addresses always do */
  check(host: string): Promise<void>;
  /** The records of a service, in no order. @throws the resolver's error */
  service(name: string): Promise<ServiceRecord[]>;
}

/** The operating system's names, and the DNS servers it is configured with. */
export const systemNames: NameService = {
  async check(host) {
    if (isIP(host) !== 0) return;
    const { lookup } = await import('node:dns/promises');
    await lookup(host);
  },
  async service(name) {
    const { resolveSrv } = await import('node:dns/promises');
    const records = await resolveSrv(name);
    return records.map(({ name: host, port, priority, weight }) => ({ host, port, priority, weight }));
  },
};
