/** TLS to MySQL, by the options of whoever connects. */
import { isIP } from 'node:net';
import type { SslOptions } from 'mysql2/promise';
import { truthy } from '../../python/values/value.ts';
import type { DatabaseOptions } from './options.ts';

/** How the options for TLS are named. */
export interface MysqlTlsNaming {
  /** What they begin with: `ssl_`. */
  readonly prefix: string;
  /** TLS is wanted, also where no option names a file; the server is then verified by the usual authorities. */
  readonly isWanted: boolean;
}

/** As Salt's driver does it: with `ssl_ca` the server is verified, without it the connection is only encrypted. */
export function mysqlTls(options: DatabaseOptions, naming: MysqlTlsNaming): SslOptions | undefined {
  const { prefix, isWanted } = naming;
  const ca = options.authorities(`${prefix}ca`);
  const { cert, key } = options.shown(`${prefix}cert`, `${prefix}key`);
  if (!isWanted && ca === undefined && cert === undefined && key === undefined) return undefined;
  return {
    ...(isVerified(options, naming)
      ? {
          ...(ca === undefined ? {} : { ca }),
          verifyIdentity: isHostVerified(options, naming) && !isAddress(options),
        }
      : { rejectUnauthorized: false }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

/** The driver compares a certificate with names only: true where the host is an address that it has to have. */
export function isAddressToVerify(options: DatabaseOptions, naming: MysqlTlsNaming): boolean {
  return isAddress(options) && isVerified(options, naming) && isHostVerified(options, naming);
}

function isVerified(options: DatabaseOptions, { prefix, isWanted }: MysqlTlsNaming): boolean {
  return isWanted || options.text(`${prefix}ca`) !== undefined;
}

function isHostVerified(options: DatabaseOptions, { prefix }: MysqlTlsNaming): boolean {
  return !truthy(options.value(`${prefix}any_host`));
}

function isAddress(options: DatabaseOptions): boolean {
  return isIP(options.text('host') ?? '') !== 0;
}
