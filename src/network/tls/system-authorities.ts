/** The authorities that this machine trusts, where no option names others. */
import { existsSync } from 'node:fs';

/**
 * The file of the system with the certificates to trust, at Salt's places (3006.16 salt/utils/http.py `get_ca_bundle`).
 * @param roots folders of the file server, in which Salt looks first
 */
export function systemAuthorities(roots: readonly string[] = []): string | undefined {
  const inRoots = roots.flatMap((root) => [`${root}/cacert.pem`, `${root}/ca-bundle.crt`]);
  const places = [
    ...inRoots,
    '/etc/ssl/certs/ca-certificates.crt',
    '/etc/pki/tls/certs/ca-bundle.crt',
    '/etc/pki/tls/certs/ca-bundle.trust.crt',
    '/etc/ssl/certs/ca-bundle.crt',
    '/var/lib/ca-certificates/ca-bundle.pem',
    '/etc/ssl/cert.pem',
  ];
  return places.find((path) => existsSync(path));
}
