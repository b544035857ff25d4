/** Whether the certificate of a NATS server is for the server that was asked for. */
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

type CheckServerIdentity = (host: string, certificate: PeerCertificate) => Error | undefined;

/** What Node asks about when the client named no host, which NATS' does not where the address is one of IP. */
const NO_HOST = 'localhost';

/**
 * Options of TLS with a check of the names in servers' certificates. NATS' client leaves out addresses of IP, so that
 * Node would compare the certificate with `localhost`; here it has to name one of the addresses of IP that the
 * configuration has. Names of hosts are compared as ever.
 * @param servers `host:port`, as the configuration has them
 * @param tls what the client is told besides; it hands all of it to Node
 */
export function checkingServers<T extends object>(
  servers: readonly string[],
  tls: T,
): T & { readonly checkServerIdentity: CheckServerIdentity } {
  return { ...tls, checkServerIdentity: serverIdentity(servers) };
}

function serverIdentity(servers: readonly string[]): CheckServerIdentity {
  const named = servers.map(hostOf).filter((host) => isIP(host) !== 0 || host === NO_HOST);
  return (host, certificate) => {
    const wanted = host === NO_HOST && named.length > 0 ? named : [host];
    const faults = wanted.map((one) => checkServerIdentity(one, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
}

function hostOf(server: string): string {
  const host = server.replace(/^[a-z]+:\/\//i, '').replace(/:\d+\/?$/, '');
  return host.replace(/^\[(.*)\]$/, '$1');
}
