/**
 * The servers that requests are replayed to: a master with two minions, and a salt-api for each of several
 * configurations.
 */
import { connect } from 'node:net';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { systemClock } from '../../../src/host/clock.ts';
import { Fleet, freePort, namesIn, ours, until, type Lifetime, type Programs } from '../fleet.ts';

const CLIENTS = 'local, local_async, local_batch, local_subset, runner, runner_async, wheel, wheel_async';
const ALL_CLIENTS = `netapi_enable_clients: [${CLIENTS}]`;

/** What a salt-api is configured with, beside its master's options; `DIR` stands for the folder of the fleet. */
const SERVERS = {
  plain: [ALL_CLIENTS, 'rest_cherrypy: {STATIC}'],
  app: [
    ALL_CLIENTS,
    'rest_cherrypy: {STATIC, app: DIR/app.html, app_path: /ui, favicon: DIR/favicon.ico, static_path: /files}',
  ],
  prefix: [
    ALL_CLIENTS,
    'rest_cherrypy: {STATIC, root_prefix: /salt/api, app: DIR/app.html, webhook_url: /incoming, webhook_disable_auth: True}',
  ],
  closed: [
    'netapi_enable_clients: [local, wheel]',
    'rest_cherrypy: {enable_sessions: False, stats_disable_auth: True, expire_responses: False, api_acl: {users: {alice: [10.9.9.9], "*": [127.0.0.1]}}}',
  ],
  acl: [
    'netapi_enable_clients: []',
    'rest_cherrypy: {api_acl: {users: {alice: ["*"], bob: [10.9.9.9]}}, cors_origin: "https://ui.example", max_request_body_size: 2000}',
  ],
  elsewhere: [ALL_CLIENTS, 'rest_cherrypy: {authorized_ips: [10.9.9.9], webhook_disable_auth: True}'],
} as const;

/** The name of a configuration. */
export type ServerName = keyof typeof SERVERS;

/** The options of the master, which its APIs read as well. */
function masterOptions(folder: string): string[] {
  return [
    'auto_accept: True',
    'gather_job_timeout: 5',
    'token_expire_user_override: True',
    'external_auth:',
    '  file:',
    `    ^filename: ${folder}/users`,
    '    ^hashtype: plaintext',
    "    alice: ['.*', '@runner', '@wheel', '@jobs']",
    '    limited: [test.ping, {min1: [test.arg]}]',
    '    bob: [test.ping]',
  ];
}

/** Whose passwords are known. */
export const USERS: ReadonlyMap<string, string> = new Map([
  ['alice', 'pw'],
  ['limited', 'pw'],
  ['bob', 'pw'],
  ['Jürgen', 'pässword'],
]);

/** The servers of one kind of programs. */
export class ApiServers {
  readonly fleet: Fleet;
  readonly ports: ReadonlyMap<ServerName, number>;

  private constructor(fleet: Fleet, ports: ReadonlyMap<ServerName, number>) {
    this.fleet = fleet;
    this.ports = ports;
  }

  /**
   * Starts master, minions and APIs, and waits until all answer.
   * @param api programs of the APIs, where they are others
   */
  static async start(
    t: Lifetime,
    programs: Programs = ours,
    api: Programs = programs,
    names: readonly ServerName[] = Object.keys(SERVERS) as ServerName[],
  ): Promise<ApiServers> {
    const fleet = await Fleet.create(t);
    prepareFiles(fleet);
    fleet.configureMaster(masterOptions(fleet.folder));
    await startMaster(fleet, programs);
    const minions = ['min1', 'min2'].map((id) => fleet.startMinion(id, [], programs));
    await keysAreAccepted(fleet);
    const ports = new Map<ServerName, number>();
    for (const name of names) ports.set(name, await startApi(fleet, name, api));
    await Promise.all(minions.map((daemon) => daemon.logged('Minion is ready to receive requests')));
    const servers = new ApiServers(fleet, ports);
    await Promise.all([...ports.values()].map((port) => untilListens(port)));
    for (let tries = 0; tries < 20; tries++) {
      const { stdout } = await fleet.salt(['*', 'test.ping', '--out', 'txt', '-t', '3'], programs);
      if (['min1: True', 'min2: True'].every((text) => stdout.includes(text))) return servers;
    }
    throw new Error('the minions never answered');
  }
}

/** A real master, too. */
async function startMaster(fleet: Fleet, programs: Programs): Promise<void> {
  try {
    await fleet.startMaster(programs);
  } catch (error) {
    if (programs === ours) throw error;
    for (let tries = 0; tries < 3 && !existsSync(fleet.path('m', 'run', 'master_event_pull.ipc')); tries++)
      await until('the master is up', () =>
        existsSync(fleet.path('m', 'run', 'master_event_pull.ipc')),
      ).catch(() => undefined);
  }
}

/** A real minion takes long on a machine that is busy. */
async function keysAreAccepted(fleet: Fleet): Promise<void> {
  const areThere = (): boolean => namesIn(fleet.path('m', 'pki', 'minions')).length === 2;
  for (let tries = 0; tries < 4 && !areThere(); tries++)
    await until('both keys are accepted', areThere).catch(() => undefined);
  await until('both keys are accepted', areThere);
}

function prepareFiles(fleet: Fleet): void {
  writeFileSync(fleet.path('users'), [...USERS].map(([name, word]) => `${name}:${word}\n`).join(''));
  mkdirSync(fleet.path('static', 'sub'), { recursive: true });
  const files: Record<string, string> = {
    'app.html': '<!DOCTYPE html><title>The app</title>\n',
    'favicon.ico': 'icon',
    'static/a.css': 'body{}\n',
    'static/b.js': 'let b;\n',
    'static/c.unknown': 'c\n',
    'static/d.txt': 'text\n',
    'static/e f.html': '<p>e</p>\n',
    'static/ü.json': '{}\n',
    'static/empty': '',
    'static/large.txt': 'salt\n'.repeat(20_000),
    'static/sub/index.html': '<p>index</p>\n',
    'static/data.json': '{"a": 1}\n',
    'static/f.svg': '<svg/>\n',
    'static/g.tar.gz': 'no archive\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(fleet.path(name), text);
}

async function startApi(fleet: Fleet, name: ServerName, programs: Programs): Promise<number> {
  const port = await freePort();
  const folder = fleet.path(`api-${name}`);
  mkdirSync(folder);
  const common = `port: ${port}, host: 127.0.0.1, disable_ssl: True`;
  const lines = SERVERS[name].map((line) =>
    line
      .replace('rest_cherrypy: {', `rest_cherrypy: {${common}, `)
      .replace('STATIC', `static: ${fleet.path('static')}`)
      .replaceAll('DIR', fleet.folder),
  );
  const master = readFileSync(fleet.path('m', 'master'), 'utf8');
  const own = [`api_pidfile: ${folder}/pid`, `api_logfile: ${folder}/log`];
  writeFileSync(`${folder}/master`, `${master}${[...own, ...lines].join('\n')}\n`);
  fleet.start('salt-api', ['-c', folder, '-l', 'info'], programs);
  return port;
}

/** Six real ones take long to start on a machine that is busy. */
const LISTEN_MS = 240_000;

async function untilListens(port: number): Promise<void> {
  const endMs = systemClock.monotonicMs() + LISTEN_MS;
  while (systemClock.monotonicMs() < endMs) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
      socket.on('error', () => resolve(false));
    });
    if (isThere) return;
    await systemClock.sleep(50);
  }
  throw new Error(`nobody listens on port ${port}`);
}
