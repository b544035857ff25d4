/** The option `ssl` of one of a master's transports. */
import type { SslOption } from '../../config/ssl.ts';
import type { MasterTransport } from '../../config/master-transports.ts';
import type { Logger } from '../../host/log.ts';
import { requireTransport } from '../../network/transport/transports.ts';

/** Reads it, when there is one; of several transports one without TLS says so. @throws ConfigError */
export async function sslOf(
  { name, opts }: MasterTransport,
  log: Logger,
): Promise<{ readonly ssl?: SslOption }> {
  const value = opts.raw('ssl');
  if (value === undefined || value === null || value === false) return {};
  if (!requireTransport(name).hasTls) {
    // of the only transport it was said when the configuration was read
    if (opts.get('transport_opts').size > 0)
      log.warning(`TLS is not supported by the transport ${name}; the option ssl does not count for it.`);
    return {};
  }
  const { readSsl } = await import('../../config/ssl.ts');
  const ssl = readSsl(value);
  return ssl === undefined ? {} : { ssl };
}
