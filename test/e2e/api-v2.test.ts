/**
 * The second version of the API on a fleet of built programs: every answer is held against the schema that the document
 * shows.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { parseJson } from '../../src/formats/json/text.ts';
import { ROUTES } from '../../src/programs/api/v2/table.ts';
import { brineVersion, saltCompatVersion } from '../../src/version.ts';
import { Fleet, freePort } from '../support/fleet.ts';

type Json = Readonly<Record<string, unknown>>;
interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Json;
}

/** An API beside a master, and requests to it in the name of whoever has logged in. */
class Api {
  readonly fleet: Fleet;
  readonly base: string;
  /** Operations that have answered with success. */
  readonly seen = new Set<string>();

  private constructor(fleet: Fleet, port: number) {
    this.fleet = fleet;
    this.base = `http://127.0.0.1:${port}/api/v2`;
  }

  static async start(t: TestContext): Promise<Api> {
    const port = await freePort();
    const fleet = await Fleet.create(t);
    writeFileSync(fleet.path('users'), 'alice:pw\nlimited:pw\n');
    mkdirSync(fleet.path('srv', 'web'), { recursive: true });
    writeFileSync(fleet.path('srv', 'web', 'init.sls'), `/tmp/never:\n  test.succeed_with_changes: []\n`);
    fleet.configureMaster([
      'auto_accept: True',
      'con_cache: True',
      `file_roots: {base: [${fleet.path('srv')}]}`,
      `api_pidfile: ${fleet.path('api.pid')}`,
      `api_logfile: ${fleet.path('api.log')}`,
      'external_auth:',
      '  file:',
      `    ^filename: ${fleet.path('users')}`,
      '    ^hashtype: plaintext',
      "    alice: ['.*', '@runner', '@wheel']",
      "    limited: [{'web*': [test.ping]}]",
      'roles: {readers: {users: [bob], rules: [test.ping]}}',
      'netapi_enable_clients: [local, local_async, runner, runner_async, wheel]',
      `rest_cherrypy: {port: ${port}, disable_ssl: True}`,
    ]);
    const api = new Api(fleet, port);
    await fleet.startMaster();
    await fleet.start('salt-api', ['-c', fleet.masterDir, '-l', 'info']).logged('Salt API is starting');
    return api;
  }

  async logIn(username: string): Promise<string> {
    const { status, json } = await this.send('POST', '/session', {
      body: { eauth: 'file', username, password: 'pw' },
    });
    assert.equal(status, 201, JSON.stringify(json));
    return String(json['token']);
  }

  /** Sends a request, and holds its answer against the schema of its route. */
  async send(
    method: string,
    path: string,
    { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const response = await fetch(`${this.base}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = text === '' ? {} : (JSON.parse(text) as Json);
    this.#check(method, path.split('?')[0] ?? '', response.status, text);
    return { status: response.status, headers: response.headers, json };
  }

  #check(method: string, path: string, status: number, text: string): void {
    if (status >= 400) {
      const { error } = JSON.parse(text) as { error: { code: string; message: string } };
      assert.match(error.code, /^[a-z-]+$/);
      assert.match(error.message, /[.?]$/, error.message);
      return;
    }
    const names = path.split('/').slice(1);
    const route = ROUTES.filter((each) => each.method === method)
      .filter(({ path: said }) => {
        const parts = said.split('/').slice(1);
        return (
          parts.length === names.length &&
          parts.every((part, at) => part.startsWith('{') || part === names[at])
        );
      })
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
    assert.ok(route, `${method} ${path} is in the table`);
    this.seen.add(route.id);
    if (status === route.status) {
      if (route.answer === undefined) assert.equal(text, '');
      else route.answer.read(parseJson(text), route.id);
    }
  }

  /** Reads a stream to its end. @returns its events in their order */
  async stream(path: string, token: string): Promise<{ name: string; data: Json }[]> {
    const response = await fetch(`${this.base}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    const blocks = (await response.text()).split('\n\n').filter((block) => block.startsWith('event: '));
    return blocks.map((block) => ({
      name: /^event: (.*)$/m.exec(block)?.[1] ?? '',
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}') as Json,
    }));
  }
}

function items(reply: Reply): Json[] {
  assert.equal(reply.status, 200, JSON.stringify(reply.json));
  return reply.json['items'] as Json[];
}

test('API v2 - a fleet from log-in to log-out, each answer as the document says', async (t) => {
  const api = await Api.start(t);
  await Promise.all([api.fleet.joinMinion('web1'), api.fleet.joinMinion('db1')]);
  const token = await api.logIn('alice');
  const get = (path: string): Promise<Reply> => api.send('GET', path, { token });
  const post = (path: string, body: unknown = {}): Promise<Reply> => api.send('POST', path, { token, body });

  assert.equal((await api.send('GET', '/openapi.json')).json['openapi'], '3.1.0');
  assert.deepEqual((await api.send('GET', '/session/options')).json['eauths'], ['file']);
  const me = (await get('/session')).json as { user: string; can: Record<string, boolean> };
  assert.deepEqual([me.user, me.can['keys.accept']], ['alice', true]);

  const preview = (await post('/targets/preview', { tgt: 'web* or db*', tgt_type: 'compound' })).json;
  assert.deepEqual([preview['count'], preview['connected'], preview['allowed']], [2, 2, true]);
  const wrong = (await post('/targets/preview', { tgt: 'web1 and (', tgt_type: 'compound' })).json;
  assert.deepEqual((wrong['error'] as Json)['position'], 9);

  const job = await post('/jobs', { tgt: '*', fun: 'test.arg', arg: ['a', 1.0], kwarg: { b: 2 } });
  assert.equal(job.status, 202);
  const jid = String(job.json['jid']);
  const events = await api.stream(`/jobs/${jid}/stream`, token);
  assert.equal(events[0]?.name, 'job');
  assert.deepEqual(
    events
      .filter(({ name }) => name === 'return')
      .map(({ data }) => data['minion'])
      .sort(),
    ['db1', 'web1'],
  );
  assert.deepEqual(events.at(-1), {
    name: 'end',
    data: { expected: 2, returned: 2, failed: 0, running: 0, silent: 0 },
  });
  const detail = (await get(`/jobs/${jid}`)).json;
  assert.deepEqual([detail['state'], detail['kwarg']], ['done', { b: 2 }]);
  assert.equal(items(await get(`/jobs/${jid}/returns?minion=web1`)).length, 1);
  assert.equal(items(await get('/jobs?fun=test.*&outcome=returned&limit=1'))[0]?.['jid'], jid);
  assert.equal((await post(`/jobs/${jid}/term`)).status, 404, 'nobody is left to end it');
  assert.equal((await post('/jobs', { tgt: '*', fun: 'test.ping', dry_run: true })).json['count'], 2);
  const run = String(
    (await post('/jobs', { tgt: '*', fun: 'test.false', canary: { size: '1' } })).json['run'],
  );
  const ended = (await api.stream(`/runs/${run}/stream`, token)).at(-1)?.data;
  assert.deepEqual([ended?.['state'], ended?.['waiting']], ['done', []], 'False is no failure');
  await get(`/runs/${run}`);

  assert.deepEqual(
    items(await get('/minions?search=web')).map(({ id }) => id),
    ['web1'],
  );
  const { json: web1 } = await get('/minions/web1');
  assert.equal(web1['connected'], true);
  assert.deepEqual([web1['version'], web1['brine_version']], [saltCompatVersion, brineVersion]);
  assert.deepEqual(
    items(await get(`/minions?search=brine%20${brineVersion}`)).map(({ id }) => id),
    items(await get('/minions?key=accepted')).map(({ id }) => id),
  );
  for (const part of ['grains', 'pillar', 'mine', 'schedule', 'beacons'])
    assert.equal((await get(`/minions/web1/${part}`)).status, 200, part);
  assert.equal((await get('/minions/nobody/grains')).status, 404);
  await get('/minions/web1/jobs');
  await get('/targets/nodegroups');

  const [key] = items(await get('/keys?state=accepted'));
  await get('/keys/master');
  await get(`/keys/${String(key?.['id'])}`);
  const refused = await post('/keys/delete', { ids: ['db1'], fingerprint: '00:11' });
  assert.deepEqual([refused.status, (refused.json['error'] as Json)['code']], [409, 'conflict']);
  assert.deepEqual((await post('/keys/delete', { ids: ['db1'] })).json['changed'], { accepted: ['db1'] });

  assert.ok(items(await get('/functions?module=test')).some(({ name }) => name === 'test.ping'));
  assert.equal((await get('/functions/cmd.run')).json['name'], 'cmd.run');
  assert.equal((await get('/functions/test.arg?minion=web1')).json['varargs'], true);
  await get('/runners');
  await get('/runners/jobs.list_jobs');
  await get('/wheel');
  await get('/wheel/key.accept');
  const waited = await post('/runners/test.arg', { arg: [1], wait: true });
  assert.equal((waited.json['return'] as Json | undefined) !== undefined, true);
  const begun = String((await post('/runners/test.arg', { arg: ['x'] })).json['jid']);
  const last = (await api.stream(`/runners/runs/${begun}/stream`, token)).at(-1);
  assert.deepEqual([last?.name, last?.data['success']], ['end', true]);
  assert.equal((await post('/wheel/key.list_all')).json['success'], true);

  assert.deepEqual((await get('/states/environments')).json['items'], ['base']);
  assert.deepEqual(
    items(await get('/states/files')).map(({ sls }) => sls),
    ['web'],
  );
  assert.match(
    String((await get('/states/files/content?path=web/init.sls')).json['text']),
    /succeed_with_changes/,
  );
  const dry = String(
    (await post('/jobs', { tgt: 'web1', fun: 'state.apply', arg: ['web'], test: true })).json['jid'],
  );
  await api.stream(`/jobs/${dry}/stream`, token);
  const [drift] = items(await get('/states/drift'));
  assert.deepEqual([drift?.['minion'], drift?.['changes'], drift?.['states']], ['web1', 1, ['/tmp/never']]);
  assert.equal(items(await get('/states/drift?since=2001-01-01T00:00:00Z')).length, 1);
  assert.deepEqual(items(await get('/states/drift?since=2101-01-01T00:00:00Z')), []);
  await get('/orchestrations');

  const made = await post('/tokens', { name: 'ci', rules: ['test.ping'], expire: '1h' });
  const secret = String(made.json['token']);
  assert.equal((await post('/tokens', { name: 'ci', rules: ['test.ping'] })).status, 409);
  assert.equal((await api.send('GET', '/session', { token: secret })).json['user'], 'token:ci');
  assert.equal(
    (await api.send('POST', '/jobs', { token: secret, body: { tgt: 'web1', fun: 'cmd.run', arg: ['id'] } }))
      .status,
    403,
  );
  assert.equal(items(await get('/tokens')).length, 1);
  assert.equal((await api.send('DELETE', '/tokens/ci', { token })).status, 204);
  assert.equal((await api.send('GET', '/session', { token: secret })).status, 401);
  assert.equal(items(await get('/roles'))[0]?.['role'], 'readers');
  const may = await post('/session/may', { questions: [{ client: 'local', fun: 'cmd.run', tgt: 'web1' }] });
  assert.deepEqual(may.json, { answers: [{ allowed: true, reason: null }] });

  assert.equal((await api.send('DELETE', '/session', { token })).status, 204);
  assert.equal((await api.send('GET', '/session', { token })).status, 401);
});

test('API v2 - a limited user, a stranger, a foreign page, and requests that are none', async (t) => {
  const api = await Api.start(t);
  await api.fleet.joinMinion('web1');
  const [alice, limited] = [await api.logIn('alice'), await api.logIn('limited')];
  const theirs = String(
    (await api.send('POST', '/jobs', { token: alice, body: { tgt: '*', fun: 'test.ping' } })).json['jid'],
  );
  const codeOf = async (sent: Promise<Reply>): Promise<unknown> =>
    ((await sent).json['error'] as Json | undefined)?.['code'];

  const me = (await api.send('GET', '/session', { token: limited })).json as { can: Record<string, boolean> };
  assert.deepEqual(
    [me.can['jobs.start'], me.can['minions.list'], me.can['tokens.create']],
    [true, false, false],
  );
  for (const { id, method, path, needs } of ROUTES)
    if (needs !== undefined && method === 'GET') {
      const given = path.replace(/\{\w+\}/g, 'web1').replace(/content$/, 'content?path=x');
      assert.equal(await codeOf(api.send('GET', given, { token: limited })), 'not-allowed', id);
      assert.equal(await codeOf(api.send('GET', given)), 'not-logged-in', id);
    }
  assert.deepEqual(items(await api.send('GET', '/jobs', { token: limited })), []);
  assert.equal(await codeOf(api.send('GET', `/jobs/${theirs}`, { token: limited })), 'not-found');
  const body = { tgt: 'web1', fun: 'cmd.run', arg: ['id'] };
  assert.equal(await codeOf(api.send('POST', '/jobs', { token: limited, body })), 'not-allowed');
  assert.equal(
    await codeOf(api.send('POST', '/jobs', { token: limited, body: { ...body, batch: '1' } })),
    'not-allowed',
  );
  assert.equal(
    await codeOf(api.send('POST', '/wheel/key.delete', { token: limited, body: { arg: ['*'] } })),
    'not-allowed',
  );
  assert.equal(
    await codeOf(api.send('POST', '/runners/manage.up', { token: limited, body: {} })),
    'not-allowed',
  );
  const own = (await api.send('POST', '/jobs', { token: limited, body: { tgt: 'web1', fun: 'test.ping' } }))
    .json['jid'];
  assert.deepEqual(
    items(await api.send('GET', '/jobs', { token: limited })).map(({ jid }) => jid),
    [own],
  );
  const preview = (
    await api.send('POST', '/targets/preview', { token: limited, body: { tgt: '*', fun: 'cmd.run' } })
  ).json;
  assert.deepEqual([preview['allowed'], preview['minions']], [false, []], 'whom it reaches is not shown');

  const cookie = { Cookie: `session_id=${alice}` };
  assert.equal((await api.send('GET', '/session', { headers: cookie })).status, 200);
  const foreign = { ...cookie, Origin: 'https://evil.example' };
  assert.equal(await codeOf(api.send('POST', '/jobs', { body, headers: foreign })), 'foreign-origin');
  assert.equal(
    await codeOf(api.send('POST', '/jobs', { token: alice, body: { ...body, nonsense: 1 } })),
    'bad-request',
  );
  assert.equal(
    await codeOf(api.send('POST', '/jobs', { token: alice, headers: { 'Content-Type': 'text/yaml' }, body })),
    'unsupported-media-type',
  );
  assert.equal(await codeOf(api.send('GET', '/jobs?limit=1001', { token: alice })), 'bad-request');
  assert.equal(await codeOf(api.send('GET', '/jobs?cursor=x', { token: alice })), 'bad-cursor');
  assert.equal(
    await codeOf(api.send('GET', '/minions/..%2f..%2fmaster/grains', { token: alice })),
    'not-found',
  );
  assert.equal(
    await codeOf(api.send('GET', '/states/files/content?path=../master/master', { token: alice })),
    'not-found',
  );
  assert.equal(await codeOf(api.send('DELETE', '/jobs', { token: alice })), 'method-not-allowed');
  assert.equal(await codeOf(api.send('GET', '/__proto__', { token: alice })), 'not-found');
  const wrong = { eauth: 'file', username: 'alice', password: 'x' };
  assert.equal(await codeOf(api.send('POST', '/session', { body: wrong })), 'login-failed');
});

test('API v2 - templates: each sees his own and the shared ones, and changes nobody else’s', async (t) => {
  const api = await Api.start(t);
  const [alice, limited] = [await api.logIn('alice'), await api.logIn('limited')];
  const call = {
    ...{ kind: 'local', tgt: '*', tgt_type: 'glob', fun: 'cmd.run', line: '' },
    fields: { cmd: 'uptime' },
  };
  const keep = (token: string, body: object, path = '/templates'): Promise<Reply> =>
    api.send('POST', path, { token, body: { name: 'load', call, ...body } });
  const remove = (token: string, id: unknown, query = ''): Promise<Reply> =>
    api.send('DELETE', `/templates/${encodeURIComponent(String(id))}${query}`, { token });
  const codeOf = ({ json }: Reply): unknown => (json['error'] as Json | undefined)?.['code'];
  const namesFor = async (token: string): Promise<unknown[]> =>
    items(await api.send('GET', '/templates', { token })).map(({ name, shared, mine }) => [
      name,
      shared,
      mine,
    ]);

  const own = await keep(alice, {});
  assert.deepEqual([own.status, own.json['shared'], own.json['call']], [201, false, call]);
  const shared = await keep(alice, { name: 'of all' }, '/templates/shared');
  assert.deepEqual([shared.status, shared.json['mine']], [201, true]);
  // cmd.run is nothing that he may run; he sees what is shared, and has names of his own
  assert.equal((await keep(limited, {})).status, 201);
  assert.deepEqual(await namesFor(limited), [
    ['load', false, true],
    ['of all', true, false],
  ]);
  const { can } = (await api.send('GET', '/session', { token: limited })).json as { can: Json };
  assert.deepEqual([can['templates.save'], can['templates.share']], [true, false]);
  assert.equal(codeOf(await keep(limited, { name: 'x' }, '/templates/shared')), 'not-allowed');
  const { id, version } = shared.json;
  assert.equal(codeOf(await keep(limited, { name: 'of all', version }, '/templates/shared')), 'not-allowed');
  assert.equal(codeOf(await remove(limited, id)), 'not-allowed');
  assert.equal(codeOf(await remove(limited, own.json['id'])), 'not-found', 'of somebody else');
  assert.equal(codeOf(await api.send('GET', '/templates')), 'not-logged-in');

  // somebody who has not seen the last change does not take it back
  assert.equal(codeOf(await keep(alice, {})), 'conflict');
  const next = await keep(alice, { version: own.json['version'], call: { ...call, line: 'bg=True' } });
  assert.deepEqual([next.status, next.json['id']], [201, own.json['id']]);
  assert.equal(codeOf(await keep(alice, { version: own.json['version'] })), 'conflict');
  assert.equal(codeOf(await remove(alice, id, '?version=00')), 'conflict');
  assert.equal(codeOf(await keep(alice, { name: 'new', version: '00' })), 'not-found');
  for (const name of ['../../master', 'a/b', '.', 'shared', 'é\n'])
    assert.equal((await keep(alice, { name })).status, 201, name);

  // ids that are none of ours reach no file
  for (const bad of ['..%2f..%2fmaster.pem', '../../master.pem', '..', '%00', 'f'.repeat(32)])
    assert.equal((await remove(alice, bad)).status, 404, bad);
  assert.equal((await remove(alice, 'F'.repeat(4000))).status, 400);
  assert.equal(existsSync(api.fleet.path('m', 'pki', 'master.pem')), true);
  for (const body of [
    { name: '' },
    { name: 'x'.repeat(81) },
    { name: 1 },
    { name: null },
    { call: { ...call, more: 1 } },
    { call: { ...call, kind: 'ssh' } },
    { call: { ...call, fields: { cmd: 1 } } },
    { call: [] },
    { call: null },
    { more: 1 },
  ])
    assert.equal(codeOf(await keep(alice, body)), 'bad-request', JSON.stringify(body).slice(0, 60));
  const large = Object.fromEntries(Array.from({ length: 6 }, (_, nth) => [`f${nth}`, 'x'.repeat(7000)]));
  assert.equal(codeOf(await keep(alice, { name: 'large', call: { ...call, fields: large } })), 'too-large');
  const proto = JSON.parse('{"__proto__": "x", "constructor": "y"}') as object;
  const odd = await keep(alice, { name: 'odd', call: { ...call, fields: proto } });
  assert.deepEqual(
    [odd.status, JSON.stringify((odd.json['call'] as Json)['fields'])],
    [201, JSON.stringify(proto)],
  );
  assert.equal((await remove(alice, id, `?version=${String(version)}`)).status, 204);
  assert.deepEqual(await namesFor(limited), [['load', false, true]]);
});
