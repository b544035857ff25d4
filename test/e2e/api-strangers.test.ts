/** What somebody of whom nothing is known can do to a running salt-api. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { ApiFleet } from '../support/api/api-fleet.ts';

const KiB = 1024;

test('salt-api - a body that is refused, with a request behind it, ends neither the program nor a session', async (t) => {
  const api = await ApiFleet.start(t, (fleet) => [`log_access_file: ${fleet.path('access.log')}`]);
  api.token = await api.logIn();
  const chunk = `40000\r\n${'x'.repeat(0x40000)}\r\n`;
  const head = 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  const behind = 'GET /login HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const body of [
    `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}0\r\n\r\n`,
    `Content-Length: ${5 * 0x40000}\r\n\r\n${'x'.repeat(5 * 0x40000)}`,
  ])
    for (const path of ['/login', '/run', '/hook/a', '/token', '/keys', '/api/v2/session', '/nothing'])
      assert.match(
        await api.raw(`${head}${body}${behind}`.replace('/login', path)),
        /^HTTP\/1.1 (401|404|413|415)/,
        path,
      );
  assert.equal((await api.send('/stats')).status, 200, 'the session is still there');
  const lines = readFileSync(api.fleet.path('access.log'), 'utf8').split('\n');
  assert.equal(lines.filter((line) => line.includes('"POST ')).length, 1 + 14);
  for (const line of lines.slice(0, -1)) assert.match(line, /^127\.0\.0\.1 - - /);
});

/** A list of so many mappings without anything in them. */
function mappings(count: number): string {
  return `[${'{},'.repeat(count - 1)}{}]`;
}

test('salt-api - bodies of strangers are small, and those of others what max_request_body_size says', async (t) => {
  const api = await ApiFleet.start(t);
  const token = await api.logIn();
  const [json, yaml, form, text] = [
    'application/json',
    'application/x-yaml',
    'application/x-www-form-urlencoded',
    'text/plain',
  ];
  const long = JSON.stringify({ text: 'x'.repeat(70 * KiB) });
  const strangers: readonly (readonly [number, string, string, string])[] = [
    [413, '/login', json, long],
    [413, '/login', json, mappings(5_000)],
    [413, '/login', yaml, mappings(5_000)],
    [413, '/login', yaml, '- \n'.repeat(5_000)],
    [413, '/login', form, 'a=1&'.repeat(5_000)],
    [413, '/login', form, `arg=${'%7B%7D%2C'.repeat(2_000)}`],
    [413, '/login', text, mappings(5_000)],
    [413, '/run', json, long],
    [413, '/run', json, mappings(5_000)],
    [413, '/run', json, JSON.stringify([{ token: 'ab'.repeat(32), text: 'x'.repeat(70 * KiB) }])],
    [413, '/token', json, mappings(5_000)],
    [413, '/keys', json, long],
    [401, '/', json, mappings(4_000)],
    [401, '/hook/a', json, long],
    [413, '/api/v2/session', json, long],
    [413, '/api/v2/session', json, mappings(5_000)],
    [401, '/api/v2/jobs', json, long],
    [
      401,
      '/login',
      json,
      JSON.stringify({ username: 'alice', password: '{[,:'.repeat(2_000), eauth: 'file' }),
    ],
  ];
  for (const [status, path, type, body] of strangers) {
    const what = `${path} ${type} ${body.slice(0, 20)}`;
    const whole = await api.send(path, { body, headers: { 'Content-Type': type } });
    assert.equal(whole.status, status, `${what}: ${whole.text}`);
    const chunks = await api.raw(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    assert.match(chunks, new RegExp(`^HTTP/1.1 ${status} `), `${what} in chunks`);
  }
  const shown = await api.send('/api/v2/jobs', {
    body: long,
    headers: { 'Content-Type': json, Authorization: `Bearer ${'ab'.repeat(32)}` },
  });
  assert.equal(shown.status, 401, 'a token that the master does not know');

  api.token = token;
  const low = { client: 'local', tgt: 'nobody', fun: 'test.ping', kwarg: { text: 'x'.repeat(200 * KiB) } };
  assert.equal((await api.send('/', { json: low })).status, 200);
  assert.equal(
    (await api.send('/', { body: mappings(300_000), headers: { 'Content-Type': json } })).status,
    413,
  );
  const [made] = (
    await api.send('/token', {
      json: [{ username: 'alice', password: 'pw', eauth: 'file' }],
    })
  ).json as unknown as readonly { token: string }[];
  const run = await api.send('/run', { json: [{ ...low, token: made?.token }], isAnonymous: true });
  assert.equal(run.status, 200, run.text);
  const form1 = await api.send('/run', {
    body: `client=local&tgt=nobody&fun=test.ping&token=${made?.token}&arg=${'x'.repeat(100 * KiB)}`,
    headers: { 'Content-Type': form },
    isAnonymous: true,
  });
  assert.equal(form1.status, 200, form1.text);
  const figures = (await api.send('/stats')).json['salt-api'] as Record<string, number>;
  assert.ok((figures['Bodies Refused'] as number) > 20);
  assert.equal(figures['Bytes Of Bodies Held'], 0);
});

test('salt-api - hooks that anybody may send are as long as they may be, and not worth more', async (t) => {
  const api = await ApiFleet.start(t, ['webhook_disable_auth: True']);
  const commits = Array.from({ length: 2_000 }, (_, index) => ({
    id: `${index}`.padStart(40, 'a'),
    message: 'Merge {x}, [y]: "z"',
    url: 'https://git.example/a/b',
  }));
  const json = 'application/json';
  const payload = JSON.stringify({ ref: 'refs/heads/main', commits });
  assert.ok(payload.length > 200 * KiB);
  assert.equal(
    (await api.send('/hook/push', { body: payload, headers: { 'Content-Type': json } })).status,
    200,
  );
  const bomb = await api.send('/hook/push', { body: mappings(300_000), headers: { 'Content-Type': json } });
  assert.equal(bomb.status, 413);
  assert.equal((await api.send('/login', { body: payload, headers: { 'Content-Type': json } })).status, 413);
});

test('salt-api - heads with too many fields, and those that expect what there is not', async (t) => {
  const api = await ApiFleet.start(t);
  const token = await api.logIn();
  const fields = (count: number): string =>
    Array.from({ length: count }, (_, index) => `X-${index}: y\r\n`).join('');
  const get = (path: string, more: string): Promise<string> =>
    api.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`);
  const handshake = 'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
  for (const path of ['/', '/login', '/static/a.css', '/api/v2/openapi.json', '/nothing', '/console/x.js'])
    assert.match(await get(path, fields(110)), /^HTTP\/1.1 431 [^]*100 fields/, path);
  assert.match(await get('/', fields(97)), /^HTTP\/1.1 200/);
  assert.match(
    await get(
      `/ws/${token}`,
      `${handshake}${fields(110)}`.replace('Upgrade:', 'Connection: upgrade\r\nUpgrade:'),
    ),
    /^HTTP\/1.1 431/,
  );
  const behind = await get(
    '/stats',
    `Cookie: session_id=${token}\r\n${fields(110)}Origin: https://evil.example\r\n`,
  );
  assert.match(behind, /^HTTP\/1.1 431/, 'a field behind the others is not passed over');
  assert.match(await get('/', 'Expect: wonders\r\n'), /^HTTP\/1.1 417/);
  assert.match(await get('/api/v2/session', 'Expect: wonders\r\n'), /^HTTP\/1.1 417 [^]*expectation-failed/);
  const pipelined = await api.raw(
    `${'GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n'.repeat(3)}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  assert.equal(pipelined.split('HTTP/1.1 417').length - 1, 3);
});

test('salt-api - no version begins or ends a session in the browser of a foreign page', async (t) => {
  const api = await ApiFleet.start(t);
  const credentials = { username: 'alice', password: 'pw', eauth: 'file' };
  const own = `http://127.0.0.1:${api.port}`;
  for (const path of ['/login', '/api/v2/session']) {
    for (const headers of [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
    ]) {
      const reply = await api.send(path, { json: credentials, headers: headers });
      assert.equal(reply.headers.get('set-cookie'), null, `${path} ${JSON.stringify(headers)}`);
      assert.ok(reply.status === 200 || reply.status === 201, 'the token is for the page itself');
    }
    for (const headers of [{}, { Origin: own }]) {
      const reply = await api.send(path, { json: credentials, headers: headers });
      assert.match(reply.headers.get('set-cookie') ?? '', /^session_id=/);
    }
  }
  const token = await api.logIn();
  const foreign = await api.send('/api/v2/session', {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${token}`, Origin: 'https://evil.example' },
  });
  assert.equal(foreign.status, 204);
  assert.equal(foreign.headers.get('set-cookie'), null);
});

test('salt-api - a log-in that holds and for which no token can be kept is no wrong password', async (t) => {
  const api = await ApiFleet.start(t);
  // a file where the folder of tokens would be: nobody can write below it, root neither
  rmSync(api.fleet.path('m', 'cache', 'tokens'), { recursive: true, force: true });
  writeFileSync(api.fleet.path('m', 'cache', 'tokens'), '');
  const [right, wrong] = ['pw', 'wrong'].map((password) => ({ username: 'alice', password, eauth: 'file' }));
  const sentence = 'The master could not keep a token for this log-in.';
  for (const [path, json] of [
    ['/login', right],
    ['/token', [right]],
    ['/api/v2/session', right],
  ] as const) {
    const reply = await api.send(path, { json });
    assert.equal(reply.status, 500, `${path}: ${reply.text}`);
    assert.ok(reply.text.includes(sentence), `${path}: ${reply.text}`);
  }
  assert.equal((await api.send('/login', { json: wrong })).status, 401);
  const made = await api.fleet.run('salt-run', [
    ...['auth.mk_token', 'username=alice', 'password=pw', 'eauth=file'],
  ]);
  assert.match(`${made.stdout}${made.stderr}`, new RegExp(sentence));
  assert.notEqual(made.code, 0);
});
