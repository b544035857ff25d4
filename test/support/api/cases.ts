/** The requests that a real salt-api and ours answer. */
import { bodyCases } from './cases-bodies.ts';
import { callCases } from './cases-calls.ts';
import { configuredCases } from './cases-configured.ts';
import type { ServerName } from './servers.ts';

/** Whose session a request brings: of a user, one just made, one that has ended, one whose token has. */
export type SessionName = 'alice' | 'limited' | 'fresh' | 'over' | 'expired';

/**
 * One request. Texts may hold `{session}`, `{token}` (of external authentication), `{jid}`, `{limited}`, `{over}`,
 * `{expired}`.
 */
export interface ApiCase {
  readonly name: string;
  /** `plain` when it is left out. */
  readonly server?: ServerName;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `X-Auth-Token`. */
  readonly session?: SessionName;
  readonly body?: string;
  /** Bytes to send in place of all this. */
  readonly raw?: string;
  /** The answer does not end: only its beginning is read. */
  readonly isStream?: boolean;
  /** How deep a body is compared, whose values are of the machine; of YAML the characters at its beginning. */
  readonly shape?: number;
}

/** Everything but the name and the address of a case. */
export type CaseDetails = Omit<ApiCase, 'name' | 'method' | 'path'>;

/**
 * A case that is named after what it sends.
 * @param what `GET /keys`
 * @param note tells it from others of the same address
 */
export function apiCase(what: string, details: CaseDetails = {}, note = ''): ApiCase {
  const [method = '', path = ''] = what.split(' ');
  const server = details.server === undefined ? '' : `${details.server}: `;
  const session = details.session === undefined ? '' : ` as ${details.session}`;
  return { name: `${server}${what}${session}${note === '' ? '' : `: ${note}`}`, method, path, ...details };
}

/** A body in JSON. */
export function json(value: unknown, headers: Readonly<Record<string, string>> = {}): CaseDetails {
  return { body: JSON.stringify(value), headers: { 'Content-Type': 'application/json', ...headers } };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
const ADDRESSES = [
  ...[
    '/',
    '/index',
    '/login',
    '/logout',
    '/token',
    '/run',
    '/minions',
    '/minions/min1',
    '/jobs',
    '/jobs/{jid}',
  ],
  ...['/keys', '/keys/min1', '/events', '/hook', '/hook/a/b', '/ws', '/stats', '/app', '/app/x/y', '/static'],
  ...['/static/a.css', '/nothing', '/favicon.ico', '/all_events', '/login/', '/keys/', '/minions/min1/more'],
];

/** Every address with every method, of nobody and of somebody who has logged in. */
function addressCases(): ApiCase[] {
  return ADDRESSES.flatMap((path) =>
    METHODS.flatMap((method) => {
      const more: CaseDetails = {
        ...(path === '/events' ? { isStream: true } : {}),
        ...(/^\/(minions|jobs$|stats)/.test(path) ? { shape: path.startsWith('/minions') ? 3 : 1 } : {}),
      };
      return [
        apiCase(`${method} ${path}`, more),
        apiCase(`${method} ${path}`, { ...more, session: path.startsWith('/logout') ? 'fresh' : 'alice' }),
      ];
    }),
  );
}

const ACCEPTS = [
  ...[
    'application/json',
    'application/x-yaml',
    'text/html',
    'text/plain',
    '*/*',
    'application/*',
    'text/*',
    '',
  ],
  'application/x-yaml, application/json;q=0.5',
  'application/json;q=0.5, application/x-yaml;q=0.4',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/html, application/x-yaml;q=0.1',
  'application/json;q=0',
  'application/json;q=0, */*;q=0.1',
  'application/json; charset=utf-8',
  'application/yaml',
  'APPLICATION/JSON',
  'nonsense',
  ',',
  'application/json;q=abc',
];

function acceptCases(): ApiCase[] {
  const ping = json([{ client: 'local', tgt: 'min1', fun: 'test.ping' }]);
  return ACCEPTS.flatMap((accept) => {
    const headers = { Accept: accept };
    const note = `Accept: ${accept}`;
    return [
      apiCase('GET /', { headers }, note),
      apiCase('GET /login', { headers }, note),
      apiCase('GET /nothing', { headers }, note),
      apiCase('GET /minions', { headers }, note),
      apiCase('GET /static/a.css', { headers }, note),
      apiCase('GET /keys', { headers, session: 'alice' }, note),
      apiCase('POST /', { ...ping, headers: { ...ping.headers, ...headers }, session: 'alice' }, note),
    ];
  });
}

/** All cases, each with a name of its own. */
export function apiCases(): ApiCase[] {
  const all = [
    ...addressCases(),
    ...acceptCases(),
    ...bodyCases(),
    ...callCases(),
    ...configuredCases(METHODS),
  ];
  const seen = new Map<string, number>();
  return all.map((one) => {
    const times = (seen.get(one.name) ?? 0) + 1;
    seen.set(one.name, times);
    return times === 1 ? one : { ...one, name: `${one.name} (${times})` };
  });
}
