/** `salt-api` on a fleet of built programs: requests as Salt's clients send them, streams of events, and attacks. */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { test } from 'node:test';
import WebSocket from 'ws';
import { ApiFleet, type Reply } from '../support/api/api-fleet.ts';
import { until } from '../support/fleet.ts';

test('salt-api - calls of all clients, addresses and media types', async (t) => {
  const api = await ApiFleet.start(t);
  await Promise.all([api.fleet.joinMinion('min1'), api.fleet.joinMinion('min2')]);
  api.token = await api.logIn();
  const ping = { tgt: '*', fun: 'test.ping' };
  const answers = async (low: unknown): Promise<unknown> => {
    const { json, text, status } = await api.run(low);
    assert.equal(status, 200, text);
    return json.return;
  };
  assert.deepEqual(await answers({ client: 'local', ...ping }), [{ min1: true, min2: true }]);
  assert.deepEqual(await answers({ client: 'local', ...ping, tgt: 'nobody' }), [{}]);
  const several = [
    { client: 'local', tgt: 'min1', fun: 'test.arg', arg: ['a'], kwarg: { b: 2 } },
    { client: 'runner', fun: 'test.arg', arg: ['x', 'y=1'] },
  ];
  const [onMinion, onMaster] = (await answers(several)) as [
    { min1: { args: unknown } },
    { args: unknown; kwargs: unknown },
  ];
  assert.deepEqual(onMinion.min1.args, ['a']);
  assert.deepEqual(onMaster, { args: ['x'], kwargs: { y: 1 } });
  assert.equal(((await answers({ client: 'local_batch', batch: '1', ...ping })) as unknown[]).length, 2);
  const [some] = (await answers({ client: 'local_subset', subset: 1, ...ping })) as [object];
  assert.equal(Object.keys(some).length, 1);
  const [started] = (await answers({ client: 'local_async', ...ping })) as [
    { jid: string; minions: string[] },
  ];
  assert.deepEqual(started.minions, ['min1', 'min2']);
  const [full] = (await answers({ client: 'local', ...ping, tgt: 'min1', full_return: true })) as [
    { min1: { ret: boolean; retcode: number; jid: string } },
  ];
  assert.deepEqual({ ...full.min1, jid: '' }, { ret: true, retcode: 0, jid: '' });
  const [keys] = (await answers({ client: 'wheel', fun: 'key.list_all' })) as [
    { data: { return: { minions: string[] } } },
  ];
  assert.deepEqual(keys.data.return.minions, ['min1', 'min2']);
  for (const client of ['runner_async', 'wheel_async']) {
    const [begun] = (await answers({
      client,
      fun: client === 'wheel_async' ? 'key.list_all' : 'test.arg',
    })) as [{ tag: string }];
    assert.match(begun.tag, client === 'wheel_async' ? /^salt\/wheel\/\d+$/ : /^salt\/run\/\d+$/);
  }
  const listed = await api.send(`/jobs/${started.jid}`);
  assert.deepEqual(listed.json.return, [{ min1: true, min2: true }]);
  const posted = await api.send('/minions', { json: ping });
  assert.equal(posted.status, 202);
  assert.ok('_links' in posted.json);
  const yaml = await api.send('/keys', { headers: { Accept: 'application/x-yaml' } });
  assert.match(yaml.text, /^return:\n/);
  const form = await api.send('/', {
    body: 'client=local&tgt=min1&fun=test.arg&arg=1&arg=b%3D2',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  assert.deepEqual((form.json.return[0]?.['min1'] as { args: unknown }).args, [1]);
  const direct = { client: 'local', ...ping, username: 'alice', password: 'pw', eauth: 'file' };
  assert.deepEqual((await api.send('/run', { json: direct, isAnonymous: true })).json.return, [
    { min1: true, min2: true },
  ]);
  const hook = await api.send('/hook/a/b', { json: { x: 1 } });
  assert.deepEqual(hook.json, { success: true });
});

test('salt-api - refusals, CVE-2018-15750 and CVE-2018-15751 among them', async (t) => {
  const api = await ApiFleet.start(t, ['max_request_body_size: 20000']);
  symlinkSync('/etc/hostname', api.fleet.path('static', 'link'));
  const statuses = async (
    cases: readonly [number, string, Parameters<ApiFleet['send']>[1]?][],
  ): Promise<void> => {
    for (const [status, path, given] of cases) {
      const reply = await api.send(path, given);
      assert.equal(
        reply.status,
        status,
        `${given?.method ?? ''} ${path} ${JSON.stringify(given)}: ${reply.text}`,
      );
    }
  };
  const ping = { client: 'local', tgt: '*', fun: 'test.ping' };
  await statuses([
    [401, '/', { json: ping }],
    [401, '/run', { json: ping }],
    [401, '/run', { json: { ...ping, token: 'abc' } }],
    [401, '/run', { json: { ...ping, token: '../../users' } }],
    [401, '/run', { json: { ...ping, client: 'local_batch' } }],
    [401, '/minions', {}],
    [401, '/events', {}],
    [401, '/events?token=../../x', {}],
    [401, '/stats', {}],
    [401, '/hook/x', { json: {} }],
    [401, '/login', { json: { username: 'alice', password: 'no', eauth: 'file' } }],
    [404, '/nothing', {}],
    [404, '/login?x=1', {}],
    [405, '/', { method: 'DELETE' }],
    [406, '/login', { headers: { Accept: 'text/html' } }],
    [406, '/login', { body: '<a/>', headers: { 'Content-Type': 'application/xml' } }],
    [400, '/login', { body: '{bad', headers: { 'Content-Type': 'application/json' } }],
    [200, '/static/a.css', {}],
    [404, '/static/', {}],
    [403, '/static/..%2fusers', {}],
    [403, '/static/%2e%2e%2fusers', {}],
  ]);
  assert.match(
    await api.raw('GET /static/../users HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1.1 403/,
  );
  api.token = await api.logIn();
  await statuses([
    [400, '/', { json: { client: 'nope' } }],
    [400, '/', { json: {} }],
    [400, '/', { json: { ...ping, client: 'ssh' } }],
    [400, '/', { json: { client: 'local', fun: 'test.ping' } }],
    [400, '/', { json: { client: 'local', tgt: '*' } }],
    [400, '/', { json: { ...ping, tgt: 5 } }],
    [400, '/', { json: { ...ping, fun: 5 } }],
    [400, '/', { json: { ...ping, kwarg: [1] } }],
    [400, '/', { json: { ...ping, client: 'local_batch', batch: 'some' } }],
    [400, '/', { json: ['x'] }],
    [400, '/', { json: { client: 'runner' } }],
    [400, '/', { json: { client: 'runner', fun: 'no.such' } }],
    [400, '/', { json: { client: 'runner', fun: 'test.arg', kwarg: [1] } }],
    [400, '/', { json: { client: 'wheel', fun: 5 } }],
    [413, '/', { json: { ...ping, arg: ['x'.repeat(30_000)] } }],
    [400, '/', { body: '['.repeat(15_000), headers: { 'Content-Type': 'application/json' } }],
    [400, '/', { body: yamlBomb(), headers: { 'Content-Type': 'application/x-yaml' } }],
  ]);
  api.token = await api.logIn('limited');
  await statuses([
    [401, '/', { json: { ...ping, fun: 'cmd.run', arg: ['id'] } }],
    [401, '/', { json: { client: 'runner', fun: 'test.arg' } }],
    [401, '/keys', {}],
  ]);
});

function yamlBomb(): string {
  const names = [...'abcdefghi'];
  const line = (name: string, at: number): string => {
    const before = names[at - 1];
    return `${name}: &${name} [${Array(10)
      .fill(before === undefined ? 'x' : `*${before}`)
      .join(', ')}]`;
  };
  return names.map(line).join('\n');
}

test('salt-api - attacks on sessions, requests and connections', async (t) => {
  const api = await ApiFleet.start(t, ['trusted_proxies: [127.0.0.1]']);
  const credentials = { username: 'alice', password: 'pw', eauth: 'file' };
  const planted = 'a'.repeat(40);
  const login = await api.send('/login', { json: credentials, headers: { Cookie: `session_id=${planted}` } });
  const cookie = login.headers.get('set-cookie') ?? '';
  assert.match(cookie, /HttpOnly; SameSite=Strict/);
  const id = String(login.json.return[0]?.['token']);
  assert.notEqual(id, planted);
  assert.equal((await api.send('/keys', { headers: { 'X-Auth-Token': planted } })).status, 401);
  const stats = (headers: Record<string, string>): Promise<Reply> => api.send('/stats', { headers });
  assert.equal((await stats({ Cookie: `session_id=${id}` })).status, 200);
  assert.equal((await stats({ Cookie: `session_id=${id}`, Origin: 'https://evil.example' })).status, 401);
  assert.equal((await stats({ Cookie: `session_id=${id}`, 'Sec-Fetch-Site': 'cross-site' })).status, 401);
  assert.equal((await stats({ 'X-Auth-Token': id, Origin: 'https://ui.example' })).status, 200);

  const head = 'POST /login HTTP/1.1\r\nHost: x\r\n';
  const smuggled = await api.raw(
    `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /stats HTTP/1.1\r\nHost: x\r\n\r\n`,
  );
  assert.match(smuggled, /^HTTP\/1.1 400/);
  assert.equal(smuggled.split('HTTP/1.1 ').length, 2, 'one answer');
  assert.match(await api.raw(`${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`), /^HTTP\/1.1 400/);
  assert.match(await api.raw(`${head}X: ${'y'.repeat(60_000)}\r\n\r\n`), /^HTTP\/1.1 431/);
  const injected = await api.raw(
    'GET /login HTTP/1.1\r\nHost: x\r\nOrigin: a\rSet-Cookie: b=c\r\nConnection: close\r\n\r\n',
  );
  assert.doesNotMatch(injected, /\nSet-Cookie: b=c/i);

  const wrong = { ...credentials, username: 'limited', password: 'no' };
  const from = (address: string): Promise<Reply> =>
    api.send('/login', { json: wrong, headers: { 'X-Forwarded-For': `198.51.100.1, ${address}` } });
  const replies = await Promise.all(Array.from({ length: 12 }, () => from('203.0.113.5')));
  const tooMany = replies.filter(({ status }) => status === 429);
  assert.equal(tooMany.length, 2);
  assert.match(tooMany[0]?.headers.get('retry-after') ?? '', /^\d+$/);
  assert.equal(
    (await api.send('/login', { json: credentials })).status,
    200,
    'another name is not concerned',
  );
  assert.equal((await api.send('/logout', { method: 'POST', headers: { 'X-Auth-Token': id } })).status, 200);
  assert.equal((await stats({ 'X-Auth-Token': id })).status, 401);
});

test('salt-api - events as a stream and over a web socket; a reader that stalls is cut off and counted', async (t) => {
  const api = await ApiFleet.start(t, ['max_request_body_size: 2000000']);
  api.token = await api.logIn();
  const stream = await fetch(`http://127.0.0.1:${api.port}/events?token=${api.token}`);
  assert.equal(stream.headers.get('content-type'), 'text/event-stream;charset=utf-8');
  let heard = '';
  const reading = (async () => {
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>)
      heard += Buffer.from(chunk).toString();
  })().catch(() => undefined);
  const socket = new WebSocket(`ws://127.0.0.1:${api.port}/ws/${api.token}`);
  const messages: string[] = [];
  socket.on('message', (message: Buffer) => messages.push(message.toString()));
  await new Promise((resolve) => socket.on('open', resolve));
  socket.send('websocket client ready');
  await until('the web socket is heard', () => messages.includes('server received message'));
  await api.send('/hook/a/b', { json: { x: 1 } });
  await until(
    'both have the event',
    () => heard.includes('hook/a/b') && messages.some((text) => text.includes('hook/a/b')),
  );
  assert.match(heard, /^retry: 400\ntag: .*\ndata: \{"data": /);
  assert.match(
    heard,
    /tag: salt\/netapi\/hook\/a\/b\ndata: \{"data": \{"body": "\{\\"x\\":1\}", "post": \{"x": 1\}, /,
  );
  assert.ok(!heard.includes(api.token), 'no event brings the token of a session');
  await assert.rejects(
    new Promise((resolve, reject) =>
      new WebSocket(`ws://127.0.0.1:${api.port}/ws/abc`).on('open', resolve).on('error', reject),
    ),
    /401/,
  );

  const stalled = connect(api.port, '127.0.0.1');
  stalled.write(`GET /events?token=${api.token} HTTP/1.1\r\nHost: x\r\n\r\n`);
  stalled.on('error', () => undefined);
  const closed = new Promise((resolve) => stalled.on('close', resolve));
  await new Promise<void>((resolve) => stalled.once('data', () => (stalled.pause(), resolve())));
  const cutOff = async (): Promise<number> =>
    Number(((await api.send('/stats')).json['salt-api'] as Record<string, unknown>)['Event Readers Cut Off']);
  for (let sent = 0; sent < 60 && (await cutOff()) === 0; sent++)
    await api.send('/hook/large', { json: { text: 'x'.repeat(500_000) } });
  assert.equal(await cutOff(), 1);
  stalled.resume();
  await closed;
  await api.send('/logout', { method: 'POST' });
  await api.fleet.run('salt-run', ['event.send', 'after/logout']);
  await reading;
  assert.ok(!heard.includes('after/logout'), 'who has logged out hears nothing more');
  socket.terminate();
});
