/**
 * Whose a job is, in the second version of the API: everybody who may be somebody else's namesake, every route by which
 * a job is seen or ended, and every way in which a job begins.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { Attacker, returnOf } from '../support/attacker.ts';
import { Fleet, freePort } from '../support/fleet.ts';

const PASSED = 'marked-by-its-owner';

/** Name and system of everybody; `token` stands for API tokens. */
const PEOPLE = {
  'file alice': { sees: 'all' },
  'file limited': {},
  'auto limited': {},
  'file root': {},
  'file token:ci': {},
  'token ci': {},
  'file nobody': {},
} as const;
type Person = keyof typeof PEOPLE;

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly text: string;
}

class Api {
  readonly fleet: Fleet;
  readonly base: string;
  readonly tokens = new Map<Person, string>();

  private constructor(fleet: Fleet, port: number) {
    this.fleet = fleet;
    this.base = `http://127.0.0.1:${port}/api/v2`;
  }

  static async start(t: TestContext): Promise<Api> {
    const [port, fleet] = [await freePort(), await Fleet.create(t)];
    const names = ['alice', 'limited', 'root', 'token:ci', 'nobody'];
    writeFileSync(fleet.path('users'), names.map((name) => `${name.replace(':', '\\:')}:pw\n`).join(''));
    const few = "[test.ping, test.echo, {'@runner': [test.arg]}]";
    fleet.configureMaster([
      'auto_accept: True',
      `api_pidfile: ${fleet.path('api.pid')}`,
      `api_logfile: ${fleet.path('api.log')}`,
      'external_auth:',
      '  file:',
      `    ^filename: ${fleet.path('users')}`,
      '    ^hashtype: plaintext',
      '    ^field_separator: "|"',
      "    alice: ['.*', '@runner', '@wheel']",
      ...['limited', 'root', 'token:ci', 'nobody'].map((name) => `    '${name}': ${few}`),
      '  auto:',
      `    limited: ${few}`,
      `roles: {ci: {rules: ${few}}}`,
      'peer: {web1: [test.echo]}',
      'netapi_enable_clients: [local, local_async, runner, runner_async, wheel]',
      `rest_cherrypy: {port: ${port}, disable_ssl: True}`,
    ]);
    writeFileSync(fleet.path('users'), names.map((name) => `${name}|pw\n`).join(''));
    const api = new Api(fleet, port);
    await fleet.startMaster();
    await fleet.start('salt-api', ['-c', fleet.masterDir, '-l', 'info']).logged('Salt API is starting');
    for (const person of Object.keys(PEOPLE) as Person[]) api.tokens.set(person, await api.#logIn(person));
    return api;
  }

  async #logIn(person: Person): Promise<string> {
    const [eauth = '', username = ''] = person.split(' ');
    if (eauth === 'token') {
      const made = await this.fleet.run('salt-run', [
        ...['-c', this.fleet.masterDir, '--out=newline_values_only'],
        ...['auth.token_create', username, 'roles=ci'],
      ]);
      const token = /brine\.[\w-]+\.[0-9a-f]{64}/.exec(made.stdout)?.[0];
      assert.ok(token, made.stdout + made.stderr);
      return token;
    }
    const { status, text } = await this.send(undefined, 'POST', '/session', {
      eauth,
      username,
      password: 'pw',
    });
    assert.equal(status, 201, `${person}: ${text}`);
    return (JSON.parse(text) as { token: string }).token;
  }

  /** @returns the answer, of a stream its beginning */
  async send(person: Person | undefined, method: string, path: string, body?: unknown): Promise<Answer> {
    const abort = new AbortController();
    const response = await fetch(`${this.base}${path}`, {
      method,
      signal: abort.signal,
      headers: {
        ...(person === undefined ? {} : { Authorization: `Bearer ${this.tokens.get(person) ?? ''}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const text = isStream ? '' : await response.text();
    abort.abort();
    const fault = response.status >= 400 ? (JSON.parse(text) as { error: { code: string } }) : undefined;
    return { status: response.status, code: fault?.error.code ?? '', text };
  }
}

/** Jobs by who has begun them; undefined for those that nobody may see but whoever sees all. */
async function begin(api: Api, t: TestContext): Promise<Map<string, Person | undefined>> {
  const { fleet } = api;
  const owners = new Map<string, Person | undefined>();
  const started = async (person: Person, path: string, body: unknown): Promise<string> => {
    const { status, text } = await api.send(person, 'POST', path, body);
    assert.equal(status, 202, `${person} ${path}: ${text}`);
    return (JSON.parse(text) as { jid: string }).jid;
  };
  for (const person of Object.keys(PEOPLE) as Person[]) {
    if (person === 'file nobody') continue;
    const job = { tgt: 'web1', fun: 'test.echo', arg: [PASSED] };
    owners.set(await started(person, '/jobs', job), person);
    owners.set(await started(person, '/runners/test.arg', { arg: [PASSED] }), person);
  }
  const local = await fleet.salt(['-c', fleet.masterDir, '--async', 'web1', 'test.echo', PASSED]);
  owners.set(/\d{20}/.exec(local.stdout)?.[0] ?? local.stderr, undefined);
  const eauth = ['-a', 'auto', '--username=limited', '--password=x'];
  const named = await fleet.salt(['-c', fleet.masterDir, ...eauth, '--async', 'web1', 'test.echo', PASSED]);
  owners.set(/\d{20}/.exec(named.stdout)?.[0] ?? named.stderr, 'auto limited');
  // a minion says whose a job of its own is, and nobody believes it
  const rogue = new Attacker(t, 'rogue', fleet.retPort);
  assert.equal((await rogue.authenticate()).kind, 'accepted');
  for (const system of ['file', 'auto', 'pam', 'api-token'])
    await rogue.call({ ...returnOf('req', 'rogue'), user: 'limited', eauth: system, return: PASSED });
  const peer = await rogue.call({
    ...{ cmd: 'minion_pub', tgt: 'web1', tgt_type: 'glob', fun: 'test.echo', arg: [PASSED], ret: '' },
    ...{ user: 'limited', eauth: 'file' },
  });
  assert.ok(peer !== undefined);
  const all = await api.send('file alice', 'GET', '/jobs?limit=200');
  for (const { jid } of (JSON.parse(all.text) as { items: { jid: string }[] }).items)
    if (!owners.has(jid)) owners.set(jid, undefined);
  return owners;
}

const ROUTES: readonly (readonly [string, (jid: string) => string])[] = [
  ['GET', (jid) => `/jobs/${jid}`],
  ['GET', (jid) => `/jobs/${jid}/returns`],
  ['GET', (jid) => `/jobs/${jid}/stream`],
  ['GET', (jid) => `/runners/runs/${jid}/stream`],
  ['POST', (jid) => `/jobs/${jid}/term`],
  ['POST', (jid) => `/jobs/${jid}/kill`],
];
const LISTS = ['/jobs?limit=200', '/minions/web1/jobs?limit=200', '/minions/rogue/jobs?limit=200'];
/** Show jobs of everybody, and take the right to see all. */
const OF_ALL = ['/events', '/orchestrations', '/states/drift', '/doctor'];

test('API v2 - a job is its own for whoever has begun it, and for no namesake, by every route', async (t) => {
  const api = await Api.start(t);
  await api.fleet.joinMinion('web1');
  const owners = await begin(api, t);
  assert.ok(owners.size > 15, String(owners.size));
  for (const person of Object.keys(PEOPLE) as Person[]) {
    const seesAll = 'sees' in PEOPLE[person];
    for (const [jid, owner] of owners) {
      const isHis = seesAll || owner === person;
      for (const [method, path] of ROUTES) {
        const { code, status } = await api.send(person, method, path(jid));
        const what = `${person} ${method} ${path(jid)} of ${owner ?? 'nobody'}: ${status} ${code}`;
        assert.equal(code !== 'not-found', isHis, what);
      }
    }
    for (const list of LISTS) {
      const { status, text } = await api.send(person, 'GET', list);
      assert.equal(status, 200);
      for (const { jid } of (JSON.parse(text) as { items: { jid: string }[] }).items)
        assert.ok(
          seesAll || owners.get(jid) === person,
          `${person} ${list} shows a job of ${owners.get(jid)}`,
        );
    }
    for (const path of OF_ALL) {
      const { code } = await api.send(person, 'GET', path);
      assert.equal(code, seesAll ? '' : 'not-allowed', `${person} ${path}`);
    }
  }
  const begun = await api.send('file limited', 'POST', '/jobs', {
    ...{ tgt: 'web1', fun: 'test.echo', arg: [PASSED], batch: '1' },
  });
  const { run } = JSON.parse(begun.text) as { run: string };
  for (const person of Object.keys(PEOPLE) as Person[])
    for (const path of [`/runs/${run}`, `/runs/${run}/stream`]) {
      const { code } = await api.send(person, 'GET', path);
      assert.equal(
        code,
        person === 'file limited' || 'sees' in PEOPLE[person] ? '' : 'not-found',
        `${person} ${path}`,
      );
    }
  assert.equal((await api.send('auto limited', 'DELETE', `/runs/${run}`)).code, 'not-found');
});
