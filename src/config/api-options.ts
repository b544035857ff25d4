/**
 * How `salt-api` is configured: the options below `rest_cherrypy`, and those of `rest_tornado` and `rest_wsgi` as far
 * as they mean the same (salt/netapi/rest_cherrypy/app.py, salt/netapi/rest_tornado/__init__.py,
 * salt/netapi/rest_wsgi.py, 3006.16).
 */
import { ConfigError } from '../errors/errors.ts';
import { didYouMean } from '../errors/did-you-mean.ts';
import { pyStr } from '../python/values/repr.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../python/values/value.ts';
import type { MasterOptions } from './master-options.ts';
import { fitsKind, leastOf, option, type OptionSpec, type OptionTable } from './option.ts';
import { isDirectory, isFile } from './read-file.ts';

/** The sections that start a server, each on a port of its own. */
const API_SECTIONS = ['rest_cherrypy', 'rest_tornado', 'rest_wsgi'] as const;

/** The name of such a section. */
export type ApiSection = (typeof API_SECTIONS)[number];

/** The options below a section. */
const apiOptions = {
  port: option('int', 0, 'port to listen on; a section without one starts nothing'),
  host: option('str', '127.0.0.1', 'address to listen on; address in rest_tornado'),
  disable_ssl: option('bool', false, 'serve without TLS, which is warned of'),
  ssl_crt: option('str?', null, 'file of the certificate'),
  ssl_key: option('str?', null, 'file of its private key'),
  ssl_chain: option('str?', null, 'file of the certificates between it and the authority'),
  ssl_ca_certs: option('str?', null, 'file of the authorities of client certificates; not in Salt'),
  ssl_cert_reqs: option(
    'str?',
    null,
    'CERT_REQUIRED or CERT_OPTIONAL to ask for client certificates; not in Salt',
  ),
  debug: option('bool', false, 'say in answers what went wrong'),
  log_access_file: option('str?', null, 'file that gets a line for each request'),
  log_error_file: option('str?', null, 'file that gets what goes wrong'),
  webhook_url: option('str', '/hook', 'address of the web hook'),
  webhook_disable_auth: option('bool', false, 'take web hooks from anybody'),
  thread_pool: option('int', 100, 'calls under way at a time; others wait', { least: 1 }),
  socket_queue_size: option(
    'int',
    30,
    'connections that may wait to be taken; also queue_size, and backlog in rest_tornado',
  ),
  max_request_body_size: option('int', 1_048_576, 'bytes that a request may bring', { least: 1 }),
  collect_stats: option('bool', false, 'has no effect: requests are always counted for /stats'),
  metrics: option('bool', false, 'show figures for Prometheus at /metrics; not in Salt'),
  stats_disable_auth: option('bool', false, 'show /stats to anybody'),
  static: option('str?', null, 'folder of files to serve'),
  static_path: option('str', '/static', 'address below which they are'),
  enable_sessions: option('bool', true, 'False to serve only what needs no session'),
  app: option('str?', null, 'HTML file for browsers'),
  app_path: option('str', '/app', 'address of that file'),
  root_prefix: option('str', '/', 'address below which everything is'),
  favicon: option('str?', null, 'file served as /favicon.ico'),
  api_acl: option('any', null, 'users: name to addresses that may log in under it'),
  authorized_ips: option('any', null, 'addresses that may send requests'),
  trusted_proxies: option(
    'any',
    null,
    'addresses and networks of proxies whose X-Forwarded-For is believed; not in Salt',
  ),
  cors_origin: option(
    'any',
    null,
    'origins whose pages may use the API, or *; not set for those that send a token themselves',
  ),
} as const satisfies OptionTable;

/** Other names of the same options. */
const OTHER_NAMES: ReadonlyMap<string, keyof typeof apiOptions> = new Map([
  ['address', 'host'],
  ['backlog', 'socket_queue_size'],
  ['queue_size', 'socket_queue_size'],
]);

/** Options that Salt has and that do nothing here, with the reason. */
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ['expire_responses', 'as with CherryPy 12 and later; a call ends with the timeout of its job'],
  ['num_processes', 'one process serves all requests'],
  ['websockets', 'web sockets are always served'],
]);

/** What Salt reads below these sections; whatever else ours takes stands for itself here, and does nothing there. */
const READ_BY_SALT: Readonly<Record<Exclude<ApiSection, 'rest_cherrypy'>, ReadonlySet<string>>> = {
  rest_tornado: new Set([
    ...['port', 'address', 'backlog', 'disable_ssl', 'ssl_crt', 'ssl_key', 'debug', 'num_processes'],
    ...['websockets', 'webhook_disable_auth', 'cors_origin'],
  ]),
  rest_wsgi: new Set(['port']),
};

type ApiValues = {
  readonly [K in keyof typeof apiOptions]: (typeof apiOptions)[K] extends { kind: 'str?' }
    ? string | null
    : (typeof apiOptions)[K] extends { kind: 'int' }
      ? number
      : (typeof apiOptions)[K] extends { kind: 'bool' }
        ? boolean
        : (typeof apiOptions)[K] extends { kind: 'str' }
          ? string
          : Value;
};

/** One server to start. */
export interface ApiSettings {
  readonly section: ApiSection;
  readonly values: ApiValues;
}

/** What was found. */
export interface ApiConfiguration {
  readonly servers: readonly ApiSettings[];
  /** What is configured and does nothing, or less than it seems; one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the sections.
 * @throws ConfigError when there is nothing to start, or what is to be started cannot be understood
 */
export function readApiOptions(opts: MasterOptions): ApiConfiguration {
  const warnings: string[] = [];
  const servers = refusedWith(warnings, () =>
    API_SECTIONS.flatMap((section) => readSection(section, opts.raw(section), warnings)),
  );
  if (servers.length > 0) return { servers, warnings };
  throw new ConfigError(
    withAll(
      warnings,
      'There is nothing for salt-api to serve: the configuration of the master has no rest_cherrypy with a port. Set, for a start:\n' +
        'rest_cherrypy:\n  port: 8000\n  ssl_crt: /etc/pki/tls/certs/localhost.crt\n  ssl_key: /etc/pki/tls/certs/localhost.key',
    ),
  );
}

/** A refusal comes with all that was noticed before: the slip that led to it may be there. */
function refusedWith<T>(warnings: readonly string[], read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(withAll(warnings, error.message), { cause: error });
  }
}

function withAll(warnings: readonly string[], refusal: string): string {
  return [refusal, ...warnings].join('\n');
}

function readSection(section: ApiSection, given: Value | undefined, warnings: string[]): ApiSettings[] {
  if (given === undefined || given === null || (isDict(given) && given.size === 0)) return [];
  if (!isDict(given)) throw new ConfigError(`${section} is a mapping of options, such as port and ssl_crt.`);
  if (!given.has('port')) {
    tellUnknown(section, given, warnings);
    warnings.push(`${section} is not served: it has no port.`);
    return [];
  }
  const values = onThisMachine(
    section,
    given,
    withoutTls(section, given, valuesOf(section, given, warnings)),
    warnings,
  );
  checkTls(section, values);
  tellExposure(section, given, values, warnings);
  tellMissing(section, values, warnings);
  if (section !== 'rest_cherrypy') tellOtherSection(section, given, warnings);
  return [{ section, values }];
}

function valuesOf(section: ApiSection, given: Dict, warnings: string[]): ApiValues {
  const values = new Map<string, Value>(
    Object.entries(apiOptions).map(([name, spec]) => [name, spec.default]),
  );
  tellUnknown(section, given, warnings);
  for (const [key, value] of given) {
    const written = pyStr(key);
    const name = OTHER_NAMES.get(written) ?? written;
    if (WITHOUT_EFFECT.has(written)) continue;
    const spec = Object.hasOwn(apiOptions, name) ? apiOptions[name as keyof typeof apiOptions] : undefined;
    if (spec !== undefined) values.set(name, fitted(`${section}: ${written}`, spec, value));
  }
  const port = values.get('port') as number;
  if (port < 0 || port > 65_535) throw new ConfigError(`${section}: port is ${port}; ports go to 65535.`);
  return Object.fromEntries(values) as unknown as ApiValues;
}

/** Names below a section that nobody reads, before a value is refused. */
function tellUnknown(section: ApiSection, given: Dict, warnings: string[]): void {
  for (const written of [...given.keys()].map(pyStr)) {
    const reason = WITHOUT_EFFECT.get(written);
    if (reason !== undefined) warnings.push(`${section}: ${written} has no effect: ${reason}.`);
    else if (!Object.hasOwn(apiOptions, OTHER_NAMES.get(written) ?? written))
      warnings.push(
        `${section}: nobody knows the option ${written}.${didYouMean(written, Object.keys(apiOptions), 1)}`,
      );
  }
}

/** Salt compat: Python takes many things for a truth value, and text for a number. */
function fitted(name: string, spec: OptionSpec, value: Value): Value {
  const { kind } = spec;
  if (kind === 'bool') return truthy(value);
  const number = kind === 'int' ? toNumber(value) : undefined;
  const found = number ?? value;
  if (!fitsKind(kind, found))
    throw new ConfigError(
      `${name} is ${pyStr(value)}; it takes ${kind === 'int' ? 'a whole number' : 'text'}.`,
    );
  const least = leastOf(spec);
  if (least !== undefined && typeof found === 'number' && found < least)
    throw new ConfigError(`${name} is ${found}; it takes ${least} or more.`);
  return found;
}

/** `rest_wsgi` has no TLS in Salt, and listens on this machine alone. */
function withoutTls(section: ApiSection, given: Dict, values: ApiValues): ApiValues {
  const isPlain = section === 'rest_wsgi' && !given.has('ssl_crt');
  return isPlain ? { ...values, disable_ssl: true } : values;
}

/** Salt compat: `rest_wsgi` listens on `localhost`, whatever it is told; without TLS ours does no more. */
function onThisMachine(section: ApiSection, given: Dict, values: ApiValues, warnings: string[]): ApiValues {
  const isOpened = given.has('host') || given.has('address');
  if (section !== 'rest_wsgi' || !isOpened || !values.disable_ssl) return values;
  warnings.push(
    'rest_wsgi: host has no effect without TLS: as in Salt it listens on 127.0.0.1 alone. Set ssl_crt and ssl_key, or use rest_cherrypy.',
  );
  return { ...values, host: '127.0.0.1' };
}

/** What differs where a section is served that Salt has another program for. */
function tellOtherSection(
  section: Exclude<ApiSection, 'rest_cherrypy'>,
  given: Dict,
  warnings: string[],
): void {
  warnings.push(`${section} is served with the addresses and answers of rest_cherrypy.`);
  const more = [...given.keys()]
    .map(pyStr)
    .filter((name) => !READ_BY_SALT[section].has(name))
    .filter((name) => Object.hasOwn(apiOptions, OTHER_NAMES.get(name) ?? name));
  if (more.length > 0)
    warnings.push(
      `${section}: Salt does not read ${more.join(', ')} there; here the same as in rest_cherrypy is meant.`,
    );
}

function checkTls(
  section: ApiSection,
  { disable_ssl, ssl_crt, ssl_key, ssl_cert_reqs, ssl_ca_certs }: ApiValues,
): void {
  if (disable_ssl) return;
  if (ssl_crt === null || (ssl_key === null && section === 'rest_cherrypy'))
    throw new ConfigError(
      `${section} is not started: ssl_crt and ssl_key are required if SSL is not disabled. ` +
        'Name a certificate and its key, or set disable_ssl: True where something else encrypts.',
    );
  if (ssl_cert_reqs !== null && !['CERT_NONE', 'CERT_OPTIONAL', 'CERT_REQUIRED'].includes(ssl_cert_reqs))
    throw new ConfigError(
      `${section}: ssl_cert_reqs is ${ssl_cert_reqs}; it takes CERT_NONE, CERT_OPTIONAL or CERT_REQUIRED.`,
    );
  if (ssl_cert_reqs !== null && ssl_cert_reqs !== 'CERT_NONE' && ssl_ca_certs === null)
    throw new ConfigError(
      `${section}: ssl_cert_reqs needs ssl_ca_certs, the file of the authorities that clients' certificates come from.`,
    );
}

/** Each request for them would be answered with 404, and nothing would say why. */
function tellMissing(section: ApiSection, values: ApiValues, warnings: string[]): void {
  if (values.static !== null && !isDirectory(values.static))
    warnings.push(
      `${section}: static is ${values.static}, and there is no such folder: nothing is served at ${values.static_path}. Make the folder, or correct the path.`,
    );
  for (const name of ['app', 'favicon'] as const) {
    const path = values[name];
    if (path !== null && path !== '' && !isFile(path))
      warnings.push(
        `${section}: ${name} is ${path}, and there is no such file: it is answered with 404. Correct the path.`,
      );
  }
}

function tellExposure(section: ApiSection, given: Dict, values: ApiValues, warnings: string[]): void {
  if (!given.has('host') && !given.has('address') && section !== 'rest_wsgi')
    warnings.push(
      `${section} names no host: it listens on 127.0.0.1 alone. Set host: 0.0.0.0 to be reached from elsewhere.`,
    );
  if (values.disable_ssl)
    warnings.push(
      `${section} is served without TLS (disable_ssl): whoever can read along on the way to ${values.host} reads passwords and tokens.`,
    );
  if (values.metrics)
    warnings.push(
      `${section}: /metrics tells the load of this program to everybody who reaches ${values.host}, without a login (metrics).`,
    );
  if (values.webhook_disable_auth)
    warnings.push(
      `${section}: anybody who reaches ${values.webhook_url} fires events (webhook_disable_auth).`,
    );
}
