/** Requests to servers that are configured in other ways, files, and pages of other origins. */
import { apiCase, json, type ApiCase, type CaseDetails } from './cases.ts';
import type { ServerName } from './servers.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const CREDENTIALS = { username: 'alice', password: 'pw', eauth: 'file' };
/** Whoever says nothing gets the page where there is one. */
const PLAIN = { Accept: 'application/json' };
const PING = { client: 'local', tgt: 'min1', fun: 'test.ping' };

const FILES = [
  ...[
    'a.css',
    'b.js',
    'c.unknown',
    'd.txt',
    'e%20f.html',
    '%C3%BC.json',
    'empty',
    'sub',
    'sub/',
    'sub/index.html',
    'data.json',
  ],
  ...[
    'f.svg',
    'g.tar.gz',
    'none',
    '',
    '../users',
    '..%2fusers',
    '%2e%2e/users',
    'sub/../a.css',
    'a.css/',
    'a.css?x=1',
    '.',
    'large.txt',
  ],
];

function fileCases(): ApiCase[] {
  const one = (headers: Record<string, string>, note: string): ApiCase =>
    apiCase('GET /static/d.txt', { headers }, note);
  return [
    ...FILES.map((name) => apiCase(`GET /static/${name}`)),
    ...['a.css', 'sub', 'none'].map((name) => apiCase(`HEAD /static/${name}`)),
    one({ Range: 'bytes=0-1' }, 'a part'),
    one({ Range: 'bytes=1-' }, 'a part to the end'),
    one({ Range: 'bytes=-2' }, 'the last bytes'),
    one({ Range: 'bytes=90-99' }, 'a part that is not there'),
    one({ Range: 'bytes=3-1' }, 'a part backwards'),
    one({ Range: 'nonsense' }, 'a part that is nonsense'),
    one({ Range: 'lines=0-1' }, 'a part in lines'),
    one({ 'If-Modified-Since': 'Wed, 01 Jan 2020 00:00:00 GMT' }, 'modified since long ago'),
    one({ 'If-Modified-Since': 'Wed, 01 Jan 2099 00:00:00 GMT' }, 'modified since the future'),
    one({ 'If-Modified-Since': 'nonsense' }, 'modified since nonsense'),
    one({ 'Accept-Encoding': 'gzip' }, 'as gzip'),
    one({ 'Accept-Encoding': 'gzip, deflate, br' }, 'as browsers ask'),
    one({ 'Accept-Encoding': 'gzip;q=0' }, 'not as gzip'),
    apiCase('GET /nothing', { headers: { 'Accept-Encoding': 'gzip' } }, 'as gzip'),
    apiCase('GET /', { headers: { 'Accept-Encoding': 'gzip' } }, 'as gzip'),
  ];
}

function originCases(): ApiCase[] {
  const from = (origin: string, more: Record<string, string> = {}): CaseDetails => ({
    headers: { Origin: origin, ...more },
  });
  const asked = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'x-auth-token' };
  return [
    apiCase('GET /', from('https://evil.example'), 'another origin'),
    apiCase('GET /login', from('null'), 'no origin'),
    apiCase('GET /nothing', from('https://evil.example'), 'another origin'),
    apiCase('OPTIONS /', from('https://evil.example', asked), 'before a POST'),
    apiCase('OPTIONS /login', from('https://evil.example', asked), 'before a POST'),
    apiCase(
      'OPTIONS /run',
      from('https://evil.example', { ...asked, 'Access-Control-Request-Method': 'DELETE' }),
      'before a DELETE',
    ),
    apiCase('OPTIONS /keys', { ...from('https://evil.example', asked), session: 'alice' }, 'before a POST'),
    apiCase('GET /keys', { ...from('https://ui.example'), session: 'alice' }, 'with a token'),
    apiCase(
      'GET /keys',
      { server: 'acl', ...from('https://ui.example'), session: 'alice' },
      'an origin that is named',
    ),
    apiCase('GET /', { server: 'acl', ...from('https://ui.example') }, 'an origin that is named'),
    apiCase('GET /', { server: 'acl', ...from('https://evil.example') }, 'an origin that is not named'),
    apiCase(
      'OPTIONS /login',
      { server: 'acl', ...from('https://ui.example', asked) },
      'an origin that is named',
    ),
  ];
}

function appCases(): ApiCase[] {
  const server: ServerName = 'app';
  const ask = (what: string, accept?: string, more: CaseDetails = {}): ApiCase =>
    apiCase(
      what,
      { server, ...more, ...(accept === undefined ? {} : { headers: { Accept: accept } }) },
      accept === undefined ? '' : `Accept: ${accept}`,
    );
  return [
    ...[
      '/',
      '/login',
      '/nothing',
      '/keys',
      '/ui',
      '/ui/a/b',
      '/uiother',
      '/app',
      '/files/a.css',
      '/files/none',
      '/favicon.ico',
      '/static/a.css',
    ].flatMap((path) =>
      [undefined, BROWSER, '*/*', 'application/json', 'text/html'].map((accept) =>
        ask(`GET ${path}`, accept),
      ),
    ),
    ask('HEAD /', BROWSER),
    ask('POST /', BROWSER, json([PING])),
    ask('POST /login', BROWSER, json(CREDENTIALS)),
    ask('POST /ui', undefined, json({})),
    ask('OPTIONS /ui'),
    ask('HEAD /ui'),
    ask('GET /ui?a=1'),
    ask('HEAD /favicon.ico'),
    ask('POST /favicon.ico'),
  ];
}

function prefixCases(methods: readonly string[]): ApiCase[] {
  const server: ServerName = 'prefix';
  const paths = [
    '/',
    '/salt',
    '/salt/api',
    '/salt/api/',
    '/salt/apis',
    '/salt/api/login',
    '/login',
    '/salt/api/nothing',
    '/salt/api/static/a.css',
  ];
  return [
    ...paths.flatMap((path) => methods.slice(0, 3).map((method) => apiCase(`${method} ${path}`, { server }))),
    ...['/', '/salt/api', '/salt/api/', '/salt/api/login', '/salt/api/app', '/salt/api/app/x'].map((path) =>
      apiCase(`GET ${path}`, { server, headers: { Accept: BROWSER } }, 'a browser'),
    ),
    apiCase('POST /salt/api/', { server, session: 'alice', ...json(PING, PLAIN) }, 'a call'),
    apiCase('POST /salt/api', { server, session: 'alice', ...json(PING, PLAIN) }, 'a call without a slash'),
    apiCase('POST /salt/api/login', { server, ...json(CREDENTIALS, PLAIN) }, 'log-in'),
    apiCase('POST /salt/api/minions', { server, session: 'alice', ...json(PING, PLAIN) }, 'a job'),
    apiCase('GET /salt/api/keys', { server, session: 'alice', headers: PLAIN }),
    apiCase('GET /salt/api/events', { server, session: 'alice', isStream: true, headers: PLAIN }),
    apiCase('POST /salt/api/incoming', { server, ...json({ a: 1 }, PLAIN) }, 'a hook'),
    apiCase('POST /salt/api/incoming/a/b', { server, ...json({ a: 1 }, PLAIN) }, 'a hook'),
    apiCase('POST /salt/api/hook/a', { server, ...json({ a: 1 }, PLAIN) }, 'the usual address of hooks'),
  ];
}

function closedCases(methods: readonly string[]): ApiCase[] {
  const server: ServerName = 'closed';
  const paths = [
    '/',
    '/login',
    '/logout',
    '/token',
    '/run',
    '/minions',
    '/jobs',
    '/keys',
    '/events',
    '/hook',
    '/stats',
  ];
  const direct = { ...PING, username: 'limited', password: 'pw', eauth: 'file' };
  return [
    ...paths.flatMap((path) =>
      methods.slice(0, 3).map((method) =>
        apiCase(`${method} ${path}`, {
          server,
          isStream: path === '/events',
          ...(path === '/stats' ? { shape: 1 } : {}),
        }),
      ),
    ),
    apiCase('POST /run', { server, ...json(direct) }, 'credentials'),
    apiCase(
      'POST /run',
      { server, ...json({ ...direct, ...CREDENTIALS }) },
      'whom api_acl keeps from logging in',
    ),
    apiCase(
      'POST /run',
      { server, ...json({ ...direct, client: 'runner' }) },
      'a client that is not enabled',
    ),
    apiCase('POST /token', { server, ...json([CREDENTIALS]) }, 'a token where no runner is enabled'),
  ];
}

function aclCases(): ApiCase[] {
  const login = (server: ServerName, username: string): ApiCase =>
    apiCase('POST /login', { server, ...json({ ...CREDENTIALS, username }) }, `log-in of ${username}`);
  const ping = json(PING);
  return [
    login('acl', 'alice'),
    login('acl', 'bob'),
    login('acl', 'limited'),
    apiCase('POST /token', { server: 'acl', ...json([CREDENTIALS]) }, 'no client is enabled'),
    apiCase('POST /', { server: 'acl', session: 'alice', ...ping }, 'no client is enabled'),
    apiCase('POST /run', { server: 'acl', ...json({ ...PING, ...CREDENTIALS }) }, 'no client is enabled'),
    apiCase('POST /minions', { server: 'acl', session: 'alice', ...ping }, 'no client is enabled'),
    apiCase('GET /keys', { server: 'acl', session: 'alice' }, 'no client is enabled'),
    apiCase('GET /minions', { server: 'acl', session: 'alice' }, 'no client is enabled'),
    apiCase('GET /jobs', { server: 'acl', session: 'alice' }, 'no client is enabled'),
    apiCase('POST /keys', { server: 'acl', ...json({ mid: 'x', ...CREDENTIALS }) }, 'no client is enabled'),
    apiCase(
      'POST /hook/x',
      { server: 'acl', session: 'alice', ...json({ a: 'x'.repeat(1000) }) },
      'a body within the limit',
    ),
    apiCase(
      'POST /hook/x',
      { server: 'acl', session: 'alice', ...json({ a: 'x'.repeat(3000) }) },
      'a body beyond the limit',
    ),
    ...[
      'GET /',
      'GET /login',
      'GET /keys',
      'GET /stats',
      'GET /events',
      'GET /app',
      'GET /nothing',
      'OPTIONS /',
      'HEAD /login',
    ].map((what) => apiCase(what, { server: 'elsewhere', isStream: what === 'GET /events' })),
    apiCase('POST /login', { server: 'elsewhere', ...json(CREDENTIALS) }),
    apiCase('POST /run', { server: 'elsewhere', ...json({ ...PING, ...CREDENTIALS }) }),
    apiCase('POST /hook/a', { server: 'elsewhere', ...json({ a: 1 }) }),
    apiCase('POST /keys', { server: 'elsewhere', ...json({ mid: 'x', ...CREDENTIALS }) }),
  ];
}

/** All of these. @param methods every method that is tried */
export function configuredCases(methods: readonly string[]): ApiCase[] {
  return [
    ...fileCases(),
    ...originCases(),
    ...appCases(),
    ...prefixCases(methods),
    ...closedCases(methods),
    ...aclCases(),
  ];
}
