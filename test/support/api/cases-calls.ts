/** Calls of all clients, log-ins, and the ways a token is sent. */
import { apiCase, json, type ApiCase } from './cases.ts';

const PING = { tgt: '*', fun: 'test.ping' };
const DIRECT = { username: 'alice', password: 'pw', eauth: 'file' };

/** Calls of a session, by what they are tried for. */
const CALLS: Readonly<Record<string, unknown>> = {
  local: { client: 'local', ...PING },
  'local, nobody matches': { client: 'local', tgt: 'nobody', fun: 'test.ping' },
  'local, a list': { client: 'local', tgt: ['min1', 'min2'], tgt_type: 'list', fun: 'test.ping' },
  'local, a list with a stranger': {
    client: 'local',
    tgt: ['min1', 'nobody'],
    tgt_type: 'list',
    fun: 'test.ping',
  },
  'local, a list as text': { client: 'local', tgt: 'min1,min2', tgt_type: 'list', fun: 'test.ping' },
  'local, expr_form': { client: 'local', tgt: 'min1', expr_form: 'list', fun: 'test.ping' },
  'local, compound': { client: 'local', tgt: 'min1 or min2', tgt_type: 'compound', fun: 'test.ping' },
  'local, pcre': { client: 'local', tgt: 'min.$', tgt_type: 'pcre', fun: 'test.ping' },
  'local, grain': { client: 'local', tgt: 'id:min2', tgt_type: 'grain', fun: 'test.ping' },
  'local, nodegroup that is not there': {
    client: 'local',
    tgt: 'none',
    tgt_type: 'nodegroup',
    fun: 'test.ping',
  },
  'local, an unknown kind of target': { client: 'local', tgt: '*', tgt_type: 'nonsense', fun: 'test.ping' },
  'local, arguments': {
    client: 'local',
    tgt: 'min1',
    fun: 'test.arg',
    arg: ['a', 1, 1.5, null, true, [1], { a: 1 }],
  },
  'local, one argument': { client: 'local', tgt: 'min1', fun: 'test.arg', arg: 'a' },
  'local, keyword in an argument': { client: 'local', tgt: 'min1', fun: 'test.arg', arg: ['a=1', 'b'] },
  'local, kwarg': { client: 'local', tgt: 'min1', fun: 'test.arg', kwarg: { a: 1, ü: 'ä' } },
  'local, both': { client: 'local', tgt: 'min1', fun: 'test.arg', arg: [1], kwarg: { a: [1, { b: 2 }] } },
  'local, further keywords': { client: 'local', tgt: 'min1', fun: 'test.arg', extra: 1 },
  'local, unicode': { client: 'local', tgt: 'min1', fun: 'test.echo', arg: ['żółć 𝄞 \u0000 "'] },
  'local, a number as text': {
    client: 'local',
    tgt: 'min1',
    fun: 'test.echo',
    arg: ['20201124010203000000'],
  },
  'local, a large number': { client: 'local', tgt: 'min1', fun: 'test.echo', arg: [12345678901234567890] },
  'local, floats': { client: 'local', tgt: 'min1', fun: 'test.echo', arg: [[0.1, 1e22, 1e-7, 2.5]] },
  'local, full_return': { client: 'local', ...PING, tgt: 'min1', full_return: true },
  'local, full_return of what fails': {
    client: 'local',
    tgt: 'min1',
    fun: 'test.exception',
    full_return: true,
  },
  'local, what raises': {
    client: 'local',
    tgt: 'min1',
    fun: 'test.raise_exception',
    arg: ['ValueError', 'x'],
  },
  'local, unknown function': { client: 'local', tgt: 'min1', fun: 'no.such' },
  'local, unknown function, full_return': { client: 'local', tgt: 'min1', fun: 'no.such', full_return: true },
  'local, wrong arguments': { client: 'local', tgt: 'min1', fun: 'test.ping', arg: [1, 2] },
  'local, no function': { client: 'local', tgt: '*' },
  'local, function null': { client: 'local', tgt: '*', fun: null },
  'local, function 5': { client: 'local', tgt: 'min1', fun: 5 },
  'local, no target': { client: 'local', fun: 'test.ping' },
  'local, target null': { client: 'local', tgt: null, fun: 'test.ping' },
  'local, target 5': { client: 'local', tgt: 5, fun: 'test.ping' },
  'local, target empty': { client: 'local', tgt: '', fun: 'test.ping' },
  'local, several functions': {
    client: 'local',
    tgt: 'min1',
    fun: ['test.ping', 'test.arg'],
    arg: [[], [1]],
  },
  'local, functions as text': { client: 'local', tgt: 'min1', fun: 'test.ping,test.arg', arg: [[], [1]] },
  'local, argument null': { client: 'local', tgt: 'min1', fun: 'test.arg', arg: null },
  'local, argument a mapping': { client: 'local', tgt: 'min1', fun: 'test.arg', arg: { a: 1 } },
  'local, kwarg a list': { client: 'local', tgt: 'min1', fun: 'test.arg', kwarg: [1] },
  'local, kwarg text': { client: 'local', tgt: 'min1', fun: 'test.arg', kwarg: 'a' },
  'local, timeout as text': { client: 'local', tgt: 'min1', fun: 'test.ping', timeout: '5' },
  'local, timeout nonsense': { client: 'local', tgt: 'min1', fun: 'test.ping', timeout: 'x' },
  'local, a jid of ours': {
    client: 'local',
    tgt: 'min1',
    fun: 'test.ping',
    // job ids of another time are refused
    jid: new Date().toISOString().replaceAll(/\D/g, '').padEnd(20, '0'),
    full_return: true,
  },
  'local, batch': { client: 'local', ...PING, batch: '50%' },
  'local, subset': { client: 'local', tgt: '*', fun: 'test.ping', subset: 1 },
  'local, returner that is not there': { client: 'local', tgt: 'min1', fun: 'test.ping', ret: 'nonsense' },
  local_async: { client: 'local_async', ...PING },
  'local_async, nobody matches': { client: 'local_async', tgt: 'nobody', fun: 'test.ping' },
  'local_async, no function': { client: 'local_async', tgt: '*' },
  local_batch: { client: 'local_batch', ...PING, batch: '1' },
  'local_batch, per cent': { client: 'local_batch', ...PING, batch: '100%' },
  'local_batch, a number': { client: 'local_batch', ...PING, batch: 2 },
  'local_batch, as it is': { client: 'local_batch', ...PING },
  'local_batch, nonsense': { client: 'local_batch', ...PING, batch: 'x' },
  'local_batch, nobody matches': { client: 'local_batch', tgt: 'nobody', fun: 'test.ping', batch: '1' },
  'local_batch, unknown function': { client: 'local_batch', tgt: 'min1', fun: 'no.such', batch: '1' },
  local_subset: { client: 'local_subset', tgt: 'min1', fun: 'test.ping', subset: 1 },
  'local_subset, sub': { client: 'local_subset', tgt: 'min1', fun: 'test.ping', sub: 1 },
  'local_subset, unknown function': { client: 'local_subset', tgt: '*', fun: 'no.such', sub: 1 },
  runner: { client: 'runner', fun: 'test.arg' },
  'runner, arguments': { client: 'runner', fun: 'test.arg', arg: ['a', 1, 'b=2', null] },
  'runner, kwarg': { client: 'runner', fun: 'test.arg', kwarg: { a: 1 } },
  'runner, keywords': { client: 'runner', fun: 'test.arg', a: 1, b: [1, 2] },
  'runner, full_return': { client: 'runner', fun: 'test.arg', arg: ['a'], full_return: true },
  'runner, full_return false': { client: 'runner', fun: 'test.arg', arg: ['a'], full_return: false },
  'runner, unknown': { client: 'runner', fun: 'no.such' },
  'runner, unknown in a known module': { client: 'runner', fun: 'jobs.nonsense' },
  'runner, what raises': { client: 'runner', fun: 'test.raise_exception' },
  'runner, no function': { client: 'runner' },
  'runner, function 5': { client: 'runner', fun: 5 },
  'runner, wrong argument': { client: 'runner', fun: 'jobs.lookup_jid', nonsense: 1 },
  'runner, jobs.lookup_jid': { client: 'runner', fun: 'jobs.lookup_jid', jid: '{jid}' },
  'runner, manage.up': { client: 'runner', fun: 'manage.up' },
  'runner, doc': { client: 'runner', fun: 'doc.runner', arg: ['test.arg'] },
  runner_async: { client: 'runner_async', fun: 'test.arg' },
  'runner_async, unknown': { client: 'runner_async', fun: 'no.such' },
  'runner_async, no function': { client: 'runner_async' },
  wheel: { client: 'wheel', fun: 'key.name_match', match: 'min*' },
  'wheel, all keys': { client: 'wheel', fun: 'key.list_all' },
  'wheel, arguments': { client: 'wheel', fun: 'key.name_match', arg: ['min*'] },
  'wheel, kwarg': { client: 'wheel', fun: 'key.name_match', kwarg: { match: 'min*' } },
  'wheel, unknown': { client: 'wheel', fun: 'no.such' },
  'wheel, no function': { client: 'wheel' },
  'wheel, missing argument': { client: 'wheel', fun: 'key.name_match' },
  'wheel, unknown argument': { client: 'wheel', fun: 'key.list_all', nonsense: 1 },
  'wheel, full_return': { client: 'wheel', fun: 'minions.connected', full_return: true },
  wheel_async: { client: 'wheel_async', fun: 'key.list_all' },
  'wheel_async, unknown': { client: 'wheel_async', fun: 'no.such' },
  'wheel_async, no function': { client: 'wheel_async' },
  ssh: { client: 'ssh', ...PING },
  ssh_async: { client: 'ssh_async', ...PING },
  'a client that is none': { client: 'nonsense', ...PING },
  'a private name': { client: '_prep_auth_info', ...PING },
  'a method of the client': { client: 'run', ...PING },
  'no client': PING,
  raw_shell: { client: 'local', ...PING, raw_shell: true },
  'two calls': [
    { client: 'local', ...PING },
    { client: 'runner', fun: 'test.arg', arg: ['x'] },
  ],
  'three clients': [
    { client: 'local_batch', ...PING, batch: '100%' },
    { client: 'wheel', fun: 'key.name_match', match: 'min1' },
    { client: 'local', tgt: 'nobody', fun: 'test.ping' },
  ],
  'a good call and a bad one': [{ client: 'local', ...PING }, { client: 'nonsense' }],
  'a bad call and a good one': [{ client: 'nonsense' }, { client: 'local', ...PING }],
  'a call with a token of its own': { client: 'local', ...PING, token: 'abc' },
  'a call with credentials of its own': { client: 'local', ...PING, ...DIRECT, password: 'no' },
  'a long list': Array.from({ length: 20 }, (_, i) => ({ client: 'runner', fun: 'test.arg', arg: [i] })),
  'nested deeply': { client: 'local', tgt: 'min1', fun: 'test.echo', arg: [nested(50)] },
  'a large argument': { client: 'local', tgt: 'min1', fun: 'test.echo', arg: ['x'.repeat(100_000)] },
};

function nested(depth: number): unknown {
  return depth === 0 ? 'inmost' : [{ a: nested(depth - 1) }];
}

/** What somebody with few rights is answered. */
const LIMITED: Readonly<Record<string, unknown>> = {
  'what he may': { client: 'local', ...PING },
  'what he may on one': { client: 'local', tgt: 'min1', fun: 'test.arg', arg: [1] },
  'what he may on one, on both': { client: 'local', tgt: '*', fun: 'test.arg', arg: [1] },
  'what he may not': { client: 'local', tgt: '*', fun: 'cmd.run', arg: ['id'] },
  'what he may not, async': { client: 'local_async', tgt: '*', fun: 'cmd.run', arg: ['id'] },
  'what he may not, batch': { client: 'local_batch', tgt: '*', fun: 'cmd.run', arg: ['id'] },
  'what he may not, subset': { client: 'local_subset', tgt: '*', fun: 'cmd.run', arg: ['id'], sub: 1 },
  runner: { client: 'runner', fun: 'test.arg' },
  'runner, unknown': { client: 'runner', fun: 'no.such' },
  runner_async: { client: 'runner_async', fun: 'test.arg' },
  wheel: { client: 'wheel', fun: 'key.list_all' },
  wheel_async: { client: 'wheel_async', fun: 'key.list_all' },
  'a good call and a forbidden one': [
    { client: 'local', ...PING },
    { client: 'wheel', fun: 'key.list_all' },
  ],
};

/** `/run`. */
const DIRECT_CALLS: Readonly<Record<string, unknown>> = {
  credentials: { client: 'local', ...PING, ...DIRECT },
  'credentials, runner': { client: 'runner', fun: 'test.arg', arg: ['a'], ...DIRECT },
  'credentials, wheel': { client: 'wheel', fun: 'key.name_match', match: 'min1', ...DIRECT },
  'credentials, async': { client: 'local_async', ...PING, ...DIRECT },
  'credentials, batch': { client: 'local_batch', ...PING, batch: '100%', ...DIRECT },
  'credentials, subset': { client: 'local_subset', tgt: 'min1', fun: 'test.ping', sub: 1, ...DIRECT },
  'credentials, runner_async': { client: 'runner_async', fun: 'test.arg', ...DIRECT },
  'credentials, wheel_async': { client: 'wheel_async', fun: 'key.list_all', ...DIRECT },
  'wrong password': { client: 'local', ...PING, ...DIRECT, username: 'nobody1', password: 'no' },
  'wrong password, runner': {
    client: 'runner',
    fun: 'test.arg',
    ...DIRECT,
    username: 'nobody2',
    password: 'no',
  },
  'wrong password, wheel': {
    client: 'wheel',
    fun: 'key.list_all',
    ...DIRECT,
    username: 'nobody3',
    password: 'no',
  },
  'unknown system': { client: 'local', ...PING, ...DIRECT, username: 'nobody4', eauth: 'nonsense' },
  'no password': { client: 'local', ...PING, username: 'nobody5', eauth: 'file' },
  'no name': { client: 'local', ...PING, eauth: 'file' },
  'no system': { client: 'local', ...PING, username: 'alice', password: 'pw' },
  nothing: { client: 'local', ...PING },
  token: { client: 'local', ...PING, token: '{token}' },
  'token, runner': { client: 'runner', fun: 'test.arg', token: '{token}' },
  'token, wheel': { client: 'wheel', fun: 'key.name_match', match: 'min1', token: '{token}' },
  'token and credentials': { client: 'local', ...PING, ...DIRECT, password: 'no', token: '{token}' },
  'the id of a session': { client: 'local', ...PING, token: '{session}' },
  'a token that is none': { client: 'local', ...PING, token: 'f'.repeat(64) },
  'a token that is none, runner': { client: 'runner', fun: 'test.arg', token: 'f'.repeat(64) },
  'a token that is none, wheel': { client: 'wheel', fun: 'key.list_all', token: 'f'.repeat(64) },
  'a token that is no number': { client: 'local', ...PING, token: 'zzz' },
  'a token that is a path': { client: 'local', ...PING, token: '../../users' },
  'a token with 0x': { client: 'local', ...PING, token: '0xff' },
  'a token 5': { client: 'local', ...PING, token: 5 },
  'a token null': { client: 'local', ...PING, token: null },
  'a list': [
    { client: 'local', ...PING, ...DIRECT },
    { client: 'wheel', fun: 'key.name_match', match: 'min1', ...DIRECT },
  ],
  'unknown client': { client: 'nonsense', ...DIRECT },
  'no client': { ...PING, ...DIRECT },
};

/** Log-ins; names are told apart, because whoever fails often is refused. */
const LOGINS: Readonly<Record<string, unknown>> = {
  alice: DIRECT,
  'a list': [DIRECT],
  'a list of two': [DIRECT, { username: 'nobody1' }],
  limited: { ...DIRECT, username: 'limited' },
  token_expire: { ...DIRECT, token_expire: 1000 },
  'wrong password': { ...DIRECT, username: 'nobody10', password: 'no' },
  'wrong password of a known name': { ...DIRECT, password: 'no' },
  'no name': { password: 'pw', eauth: 'file' },
  'no password': { username: 'nobody11', eauth: 'file' },
  'no system': { username: 'nobody12', password: 'pw' },
  'unknown system': { ...DIRECT, username: 'nobody13', eauth: 'nonsense' },
  'a private system': { ...DIRECT, username: 'nobody14', eauth: '__init__' },
  'name 5': { ...DIRECT, username: 5 },
  'name null': { ...DIRECT, username: null },
  'name a list': { ...DIRECT, username: ['alice'] },
  'password 5': { ...DIRECT, username: 'nobody15', password: 5 },
  'a further field': { ...DIRECT, nonsense: 1 },
  unicode: { username: 'Jürgen', password: 'pässword', eauth: 'file' },
  'a line break in the name': { ...DIRECT, username: 'alice\nX: y' },
};

function each(
  what: string,
  calls: Readonly<Record<string, unknown>>,
  more: Partial<ApiCase> = {},
): ApiCase[] {
  return Object.entries(calls).map(([note, call]) => apiCase(what, { ...more, ...json(call) }, note));
}

const PINGED = json({ client: 'local', tgt: 'min1', fun: 'test.ping' });

function tokenCases(): ApiCase[] {
  const headers = (given: Record<string, string>): Record<string, string> => ({
    ...PINGED.headers,
    ...given,
  });
  const post = (given: Record<string, string>, note: string): ApiCase =>
    apiCase('POST /', { ...PINGED, headers: headers(given) }, note);
  return [
    post({ 'X-Auth-Token': '{session}' }, 'token in the header'),
    post({ Cookie: 'session_id={session}' }, 'token in the cookie'),
    post({ Cookie: 'a=b; session_id={session}; c=d' }, 'token among cookies'),
    post({ Cookie: 'session_id="{session}"' }, 'token in quotes in the cookie'),
    post({ Cookie: 'session_id={session}', 'X-Auth-Token': 'f'.repeat(40) }, 'good cookie, bad header'),
    post({ Cookie: `session_id=${'f'.repeat(40)}`, 'X-Auth-Token': '{session}' }, 'bad cookie, good header'),
    post({ Cookie: 'session_id={session}', 'X-Auth-Token': '' }, 'good cookie, empty header'),
    post({ 'X-Auth-Token': '{token}' }, 'token of external authentication in the header'),
    post({ 'X-Auth-Token': '../../etc/passwd' }, 'a path in the header'),
    post({ Authorization: 'Bearer {session}' }, 'Authorization'),
    post({ 'X-Auth-Token': '{expired}' }, 'a token that has expired'),
    post({ 'X-Auth-Token': '{over}' }, 'a session that has ended'),
    apiCase('POST /?token={session}', PINGED, 'token in the address'),
    apiCase('GET /keys', { session: 'over' }),
    apiCase('GET /keys', { session: 'expired' }),
    apiCase('GET /minions', { session: 'expired' }),
    apiCase('GET /jobs', { session: 'expired' }),
    apiCase('GET /stats', { session: 'expired', shape: 1 }),
    apiCase('POST /hook/x', { session: 'expired' }),
    apiCase('GET /keys', { headers: { Cookie: 'session_id={session}' } }, 'by cookie'),
    apiCase('GET /keys?token={session}'),
    apiCase('GET /minions?token={session}'),
    apiCase('GET /events?token={session}', { isStream: true }),
    apiCase('GET /events?salt_token={session}', { isStream: true }),
    apiCase('GET /events?salt_token={token}', { isStream: true }),
    apiCase('GET /events?token={token}', { isStream: true }),
    apiCase('GET /events?token={expired}', { isStream: true }),
    apiCase('GET /events?token={over}', { isStream: true }),
    apiCase('GET /events?token=abc', { isStream: true }),
    apiCase('GET /events?token=../x', { isStream: true }),
    apiCase('GET /events?token=', { isStream: true }),
    apiCase('GET /events?nonsense=1', { isStream: true, session: 'alice' }),
    apiCase('GET /events?token=abc', { isStream: true, session: 'alice' }),
    apiCase('GET /events', { isStream: true, headers: { Cookie: 'session_id={session}' } }, 'by cookie'),
    apiCase('GET /events', { isStream: true, session: 'limited' }),
    apiCase(
      'GET /events',
      { isStream: true, session: 'alice', headers: { Accept: 'text/event-stream' } },
      'as EventSource asks',
    ),
    apiCase('GET /all_events?token={session}', { isStream: true }),
    apiCase('GET /ws/{session}'),
    apiCase('GET /ws/abc'),
    apiCase('GET /ws/{session}/more'),
  ];
}

/** What stands behind `?`, and further names of addresses. */
const QUERIES: readonly string[] = [
  ...[
    'GET /?a=1',
    'GET /login?a=1',
    'GET /keys?mid=min1',
    'GET /keys/min1?mid=min2',
    'GET /keys/nobody',
    'GET /keys/min*',
  ],
  ...[
    'GET /minions?mid=min2',
    'GET /minions/nobody',
    'GET /minions/min*',
    'GET /jobs/20201124010203999999',
    'GET /jobs/nonsense',
  ],
  ...[
    'GET /jobs?jid={jid}',
    'GET /jobs?timeout=5',
    'GET /jobs/{jid}/5',
    'GET /jobs/{jid}?timeout=5',
    'GET /stats?a=1',
    'GET /keys/a/b',
  ],
  ...[
    'GET /login/x',
    'GET /index/',
    'GET /index/x',
    'POST /login/x',
    'POST /run/x',
    'POST /token/x',
    'POST /x',
    'POST /hook?a=1&b=2',
  ],
  ...[
    'POST /hook/%C3%BC/b%20c',
    'POST /hook/a/b?c=d',
    'POST /hook/',
    'POST /hook//a',
    'POST /hook/a/../b',
    'POST /logout?a=1',
  ],
  ...[
    'POST /minions?a=1',
    'POST /keys?mid=min9',
    'GET /minions/m%C3%ADn',
    'GET /keys/%2e%2e',
    'HEAD /keys/min1',
    'GET /LOGIN',
  ],
];

function queryCases(): ApiCase[] {
  return QUERIES.map((what) =>
    apiCase(
      what,
      {
        session: what.includes('/logout') ? 'fresh' : 'alice',
        ...(/minions|jobs\?t/.test(what) ? { shape: 2 } : {}),
        ...(what.includes('/stats') ? { shape: 1 } : {}),
        ...(what.startsWith('POST') ? json({ client: 'local', tgt: 'min1', fun: 'test.ping' }) : {}),
      },
      'what stands behind it',
    ),
  );
}

function otherCases(): ApiCase[] {
  const credentials = { username: 'alice', password: 'pw', eauth: 'file' };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return [
    ...each(
      'POST /minions',
      {
        'a job': PING,
        'a list': [PING, PING],
        nobody: { ...PING, tgt: 'nobody' },
        'another client': { client: 'runner', ...PING },
      },
      { session: 'alice' },
    ),
    ...each('POST /minions', { 'no function': { tgt: '*' }, text: 'x', empty: [] }, { session: 'alice' }),
    ...each(
      'POST /minions',
      { forbidden: { tgt: '*', fun: 'cmd.run', arg: ['id'] } },
      { session: 'limited' },
    ),
    ...each('POST /token', {
      'a list': [credentials],
      'a mapping': credentials,
      two: [credentials, { ...credentials, username: 'limited' }],
    }),
    ...each('POST /token', {
      wrong: [{ ...credentials, username: 'nobody20', password: 'no' }],
      'no password': [{ username: 'x' }],
      'a number': [1],
    }),
    apiCase('POST /token', { body: 'username=alice&password=pw&eauth=file', headers: form }, 'a form'),
    apiCase('POST /login', { body: 'username=alice&password=pw&eauth=file', headers: form }, 'a form'),
    apiCase(
      'POST /login',
      { body: 'username=nobody30&password=no&eauth=file', headers: form },
      'a wrong form',
    ),
    apiCase(
      'POST /login',
      { ...json(credentials, { Accept: 'application/x-yaml' }), shape: 7 },
      'answered in YAML',
    ),
    apiCase(
      'POST /login',
      json(credentials, { Cookie: 'session_id={session}' }),
      'somebody who has logged in',
    ),
    apiCase(
      'POST /login',
      json(credentials, { Cookie: `session_id=${'a'.repeat(40)}` }),
      'with a session that nobody has',
    ),
    ...each('POST /keys', {
      'a pair': { mid: 'min7', ...credentials },
      again: { mid: 'min8', keysize: 2048, ...credentials },
    }),
    ...each('POST /keys', {
      nobody: { mid: 'min5' },
      wrong: { mid: 'min5', ...credentials, username: 'nobody40', password: 'no' },
      'without rights': { mid: 'min5', ...credentials, username: 'limited' },
    }),
    ...each('POST /keys', {
      'no mid': credentials,
      'a path': { mid: '../x', ...credentials },
      'a list': [{ mid: 'min6', ...credentials }],
    }),
    apiCase(
      'POST /keys',
      { body: 'mid=min4&username=alice&password=pw&eauth=file', headers: form },
      'a form',
    ),
    apiCase('POST /keys', { session: 'alice', ...json({ mid: 'min3' }) }, 'by session'),
    ...each(
      'POST /hook/deep/tag',
      { 'a mapping': { a: [1, { b: 'ü' }] }, 'a list': [1], text: 'x', empty: {} },
      { session: 'alice' },
    ),
    apiCase('POST /hook/n', json({ a: 1 }), 'nobody'),
    apiCase('POST /hook/n', { ...json({ a: 1 }), session: 'limited' }),
    apiCase('POST /hook/n', { session: 'alice', headers: { Accept: 'text/html' } }, 'for a browser'),
    apiCase('PUT /hook/n', { ...json({ a: 1 }), session: 'alice' }, 'with a body'),
    apiCase('PUT /keys', { ...json({ a: 1 }), session: 'alice' }, 'with a body'),
    apiCase('DELETE /keys/min1', { ...json({ a: 1 }), session: 'alice' }, 'with a body'),
    apiCase('GET /keys', { ...json({ a: 1 }), session: 'alice' }, 'with a body'),
    apiCase('POST /logout', { session: 'fresh', ...json({}) }, 'as SaltGUI sends it'),
    apiCase(
      'POST /logout',
      { session: 'fresh', body: 'x', headers: { 'Content-Type': 'text/plain' } },
      'with text',
    ),
    apiCase('POST /', { session: 'limited', ...json([]) }, 'no calls'),
  ];
}

/** All of these. */
export function callCases(): ApiCase[] {
  return [
    ...each('POST /', CALLS, { session: 'alice' }),
    ...each('POST /', LIMITED, { session: 'limited' }),
    ...each('POST /run', DIRECT_CALLS),
    ...each('POST /login', LOGINS),
    ...tokenCases(),
    ...queryCases(),
    ...otherCases(),
  ];
}
