/** A fleet with a salt-api beside its master, and requests to it. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { Fleet, freePort } from '../fleet.ts';

/** An answer. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: { readonly return: readonly Record<string, unknown>[] } & Record<string, unknown>;
}

/** A fleet with an API beside its master. */
export class ApiFleet {
  readonly fleet: Fleet;
  readonly port: number;
  token = '';

  private constructor(fleet: Fleet, port: number) {
    this.fleet = fleet;
    this.port = port;
  }

  /**
   * @param options below `rest_cherrypy`; they may name files of the fleet
   * @param prepare is run before anything is started
   */
  static async start(
    t: TestContext,
    options: readonly string[] | ((fleet: Fleet) => readonly string[]) = [],
    prepare: (fleet: Fleet) => void = () => undefined,
  ): Promise<ApiFleet> {
    const port = await freePort();
    const fleet = await Fleet.create(t);
    prepare(fleet);
    const further = typeof options === 'function' ? options(fleet) : options;
    writeFileSync(fleet.path('users'), 'alice:pw\nlimited:pw\n');
    mkdirSync(fleet.path('static'));
    writeFileSync(fleet.path('static', 'a.css'), 'body{}\n');
    fleet.configureMaster([
      'auto_accept: True',
      `file_roots: {base: [${fleet.path('srv')}]}`,
      `api_pidfile: ${fleet.path('api.pid')}`,
      `api_logfile: ${fleet.path('api.log')}`,
      'external_auth:',
      '  file:',
      `    ^filename: ${fleet.path('users')}`,
      '    ^hashtype: plaintext',
      "    alice: ['.*', '@runner', '@wheel', '@jobs']",
      '    limited: [test.ping]',
      'netapi_enable_clients: [local, local_async, local_batch, local_subset, runner, runner_async, wheel, wheel_async]',
      'rest_cherrypy:',
      `  port: ${port}`,
      ...(further.some((line) => line.startsWith('disable_ssl:')) ? [] : ['  disable_ssl: True']),
      '  collect_stats: True',
      `  static: ${fleet.path('static')}`,
      ...further.map((line) => `  ${line}`),
    ]);
    const api = new ApiFleet(fleet, port);
    await fleet.startMaster();
    await fleet.start('salt-api', ['-c', fleet.masterDir, '-l', 'info']).logged('Salt API is starting');
    return api;
  }

  async logIn(username = 'alice'): Promise<string> {
    const reply = await this.send('/login', {
      json: { username, password: 'pw', eauth: 'file' },
      isAnonymous: true,
    });
    assert.equal(reply.status, 200, reply.text);
    const [first] = reply.json.return;
    return String(first?.['token']);
  }

  async send(
    path: string,
    given: {
      json?: unknown;
      method?: string;
      headers?: Record<string, string>;
      body?: string;
      isAnonymous?: boolean;
    } = {},
  ): Promise<Reply> {
    const body = given.body ?? (given.json === undefined ? undefined : JSON.stringify(given.json));
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: given.method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...(given.json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(given.isAnonymous === true || this.token === '' ? {} : { 'X-Auth-Token': this.token }),
        ...given.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json';
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: (isJson ? JSON.parse(text) : {}) as Reply['json'],
    };
  }

  run(low: unknown): Promise<Reply> {
    return this.send('/', { json: low });
  }

  /** Sends bytes as they are. @returns everything that comes back until the connection ends */
  raw(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write(bytes));
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      socket.on('error', reject);
      socket.on('close', () => resolve(answer));
    });
  }
}
