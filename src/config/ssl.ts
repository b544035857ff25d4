/** The option `ssl`, read into settings (salt/config/__init__.py `_update_ssl_config`, 3006.16). */
import { ConfigError } from '../errors/errors.ts';
import { pyStr } from '../python/values/repr.ts';
import { isDict, type Value } from '../python/values/value.ts';

const CERT_REQS = ['CERT_NONE', 'CERT_OPTIONAL', 'CERT_REQUIRED'] as const;
const SSL_VERSIONS = [
  'PROTOCOL_SSLv23',
  'PROTOCOL_TLS',
  'PROTOCOL_TLS_CLIENT',
  'PROTOCOL_TLS_SERVER',
  'PROTOCOL_TLSv1',
  'PROTOCOL_TLSv1_1',
  'PROTOCOL_TLSv1_2',
];
const TEXTS = ['keyfile', 'certfile', 'ca_certs', 'cert_reqs', 'ssl_version', 'ciphers'] as const;
const KNOWN: readonly string[] = [...TEXTS, 'verify_locations'];

/** What TLS is spoken with; the fields are `network/transport/ssl-settings.ts`'s. */
export interface SslOption {
  readonly keyfile?: string;
  readonly certfile?: string;
  readonly caCerts?: readonly string[];
  readonly certReqs?: (typeof CERT_REQS)[number];
  readonly sslVersion?: string;
  readonly ciphers?: string;
}

/** @returns undefined when there is to be no TLS. @throws ConfigError */
export function readSsl(value: Value | undefined): SslOption | undefined {
  if (value === undefined || value === null || value === false) return undefined;
  if (value === true) return {};
  if (!isDict(value)) throw new ConfigError(`The option ssl takes a mapping, not ${pyStr(value)}.`);
  for (const key of value.keys()) requireKnown(String(key));
  const texts = new Map<string, string>();
  for (const key of TEXTS) {
    const text = value.get(key);
    if (text === undefined || text === null) continue;
    if (typeof text !== 'string' || text === '')
      throw new ConfigError(`The SSL option '${key}' takes a text, not ${pyStr(text)}.`);
    texts.set(key, text);
  }
  const certReqs = oneOf('cert_reqs', texts.get('cert_reqs'), CERT_REQS);
  const sslVersion = oneOf('ssl_version', texts.get('ssl_version'), SSL_VERSIONS);
  const [keyfile, certfile, caCert, , , ciphers] = TEXTS.map((key) => texts.get(key));
  const caCerts = [
    ...(caCert === undefined ? [] : [caCert]),
    ...readLocations(value.get('verify_locations')),
  ];
  return {
    ...(keyfile === undefined ? {} : { keyfile }),
    ...(certfile === undefined ? {} : { certfile }),
    ...(caCerts.length === 0 ? {} : { caCerts }),
    ...(certReqs === undefined ? {} : { certReqs }),
    ...(sslVersion === undefined ? {} : { sslVersion }),
    ...(ciphers === undefined ? {} : { ciphers }),
  };
}

function oneOf<T extends string>(key: string, value: string | undefined, valid: readonly T[]): T | undefined {
  const found = valid.find((name) => name === value);
  if (value === undefined || found !== undefined) return found;
  throw new ConfigError(
    `SSL option '${key}' must be set to one of the following values: '${valid.join("', '")}'.`,
  );
}

/** `verify_locations` of 3007: files, as they are or under `cafile`. */
function readLocations(value: Value | undefined): string[] {
  if (value === undefined || value === null) return [];
  const files = Array.isArray(value)
    ? value.map((item) => (isDict(item) ? item.get('cafile') : item))
    : [null];
  if (files.every((file) => typeof file === 'string')) return files;
  throw new ConfigError(
    "The SSL option 'verify_locations' takes a list of files, each as it is or under cafile.",
  );
}

/** A misspelt option would leave a connection less safe than was meant. */
function requireKnown(key: string): void {
  if (!KNOWN.includes(key))
    throw new ConfigError(`There is no SSL option '${key}'; there are: ${KNOWN.join(', ')}.`);
}
