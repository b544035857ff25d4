/** The folder and the services that cases of `queue.*` and `sdb.*` run on, the same for a real Salt and for ours. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { startHttpStandIn, type HttpGiven, type HttpTaken } from './http-stand-in.ts';

/** One call of a program. Calls of one scenario run one after the other on one folder. */
export interface QueueSdbCall {
  readonly program: 'salt-run' | 'salt-call';
  readonly argv: readonly string[];
}

/** What a program did. The folder and the port are written as FOLDER and PORT. */
export interface QueueSdbRecorded extends QueueSdbCall {
  readonly scenario: string;
  readonly code: number | null;
  readonly stdout: string;
}

const ROOT = process.env['BRINE_ROOT'] ?? '.';
/** Where the recording is. */
export const QUEUE_SDB_FIXTURE = join(ROOT, 'test/fixtures/runners/queue-sdb-3006.16.json');

/** The calls by scenario. */
export function queueSdbCases(): ReadonlyMap<string, readonly QueueSdbCall[]> {
  const text = readFileSync(join(ROOT, 'test/compare/queue-sdb/cases.json'), 'utf8');
  const told = JSON.parse(text) as Record<string, readonly (readonly string[])[]>;
  return new Map(
    Object.entries(told).map(([name, calls]) => [
      name,
      calls.map(([program, ...argv]) => ({ program: program as QueueSdbCall['program'], argv })),
    ]),
  );
}

const profiles = (folder: string, port: number): string => `
osenv: {driver: env}
yamlfile:
  driver: yaml
  files: [${folder}/a.yaml, ${folder}/b.yaml]
yamlmerge:
  driver: yaml
  files: [${folder}/a.yaml, ${folder}/b.yaml]
  merge: {strategy: overwrite}
yamllists:
  driver: yaml
  files: [${folder}/a.yaml, ${folder}/b.yaml]
  merge: {strategy: recurse, merge_lists: true}
yamlmissing: {driver: yaml, files: [${folder}/missing.yaml]}
yamlnothing: {driver: yaml}
lite: {driver: sqlite3, database: ${folder}/sdb.sqlite}
litetable: {driver: sqlite3, database: ${folder}/sdb.sqlite, table: my "own" table}
litequeries:
  driver: sqlite3
  database: ${folder}/queries.sqlite
  create_statements: ['CREATE TABLE adv (a text unique, d blob)']
  get_query: 'SELECT d FROM adv WHERE a=:key'
  set_query: 'INSERT OR REPLACE INTO adv (a, d) VALUES (:key, :value)'
cached: {driver: cache, bank: sdb/bank}
webs:
  driver: rest
  plain: {url: 'http://127.0.0.1:${port}/plain'}
  user: {url: 'http://127.0.0.1:${port}/users/{{user}}/keys'}
  asked: {url: 'http://127.0.0.1:${port}/asked', params: {a: b}}
  posted: {url: 'http://127.0.0.1:${port}/posted', method: POST, data: '{"x": 1}'}
  missing: {url: 'http://127.0.0.1:${port}/missing'}
myvault: {driver: vault}
nodriver: {a: b}
odd: {driver: no_such_driver}
vault:
  url: http://127.0.0.1:${port}
  config_location: local
  auth: {method: token, token: canary-vault-token}
plain_value: sdb://yamlfile/user
nested_value: {a: [sdb://yamlfile/deep:er]}
`;

/** Writes the configuration and the files. @param more further options of the master */
export function prepareQueueSdb(folder: string, port: number, more: readonly string[] = []): void {
  mkdirSync(join(folder, 'cache', 'master', 'queues'), { recursive: true });
  const places = [
    'pki_dir: /pki',
    'cachedir: /cache',
    'sock_dir: /s',
    'log_file: /log',
    'sqlite_queue_dir: /queues',
  ];
  const common = [`root_dir: ${folder}`, `conf_file: ${folder}`, ...places];
  mkdirSync(join(folder, 'queues'), { recursive: true });
  const master = ['id: vm_master', ...common, 'runner_queue: {queue: jobs, backend: sqlite}', ...more];
  const minion = ['id: vm', 'file_client: local', `pillar_roots: {base: [${folder}/pillar]}`, ...common];
  writeFileSync(join(folder, 'master'), master.join('\n') + profiles(folder, port));
  writeFileSync(join(folder, 'minion'), minion.join('\n') + profiles(folder, port));
  mkdirSync(join(folder, 'pillar'), { recursive: true });
  writeFileSync(join(folder, 'pillar', 'top.sls'), "base: {'*': [a]}\n");
  writeFileSync(
    join(folder, 'pillar', 'a.sls'),
    `fromsdb: {{ salt['sdb.get']('sdb://yamlfile/user') }}\ninpillar: {driver: yaml, files: [${folder}/b.yaml]}\n`,
  );
  writeFileSync(join(folder, 'a.yaml'), 'user: sam\ndeep: {er: value, list: [1, 2]}\nnumber: 5\n');
  writeFileSync(join(folder, 'b.yaml'), 'deep: {more: 2.5, list: [3]}\nother: null\n');
}

/** A web server with answers of a REST interface and of a Vault with both versions of its key-value engine. */
export function startQueueSdbServer(t: TestContext): ReturnType<typeof startHttpStandIn> {
  const kept = new Map<string, string>([
    ['/v1/secret/app', JSON.stringify({ data: { user: 'kv1', pw: 'one' } })],
    [
      '/v1/kv/data/app',
      JSON.stringify({ data: { data: { user: 'kv2', pw: 'two' }, metadata: { version: 1 } } }),
    ],
    ['/v1/kv/data/whole', JSON.stringify({ data: { data: { a: 1, b: [2] }, metadata: {} } })],
  ]);
  return startHttpStandIn(t, (request) =>
    request.path.startsWith('/v1/') ? vault(kept, request) : web(request),
  );
}

function web({ method, path, body }: HttpTaken): HttpGiven {
  if (path === '/missing') return { status: 404, body: '{"error": "none"}' };
  return { body: JSON.stringify({ method, path, body }), headers: { 'content-type': 'application/json' } };
}

function vault(kept: Map<string, string>, { method, path, headers, body }: HttpTaken): HttpGiven {
  if (headers.get('x-vault-token') !== 'canary-vault-token')
    return { status: 403, body: '{"errors": ["permission denied"]}' };
  if (path.startsWith('/v1/sys/internal/ui/mounts/')) {
    const mount = path.split('/')[6] ?? '';
    const version = mount === 'kv' ? '2' : mount === 'secret' ? '1' : undefined;
    if (version === undefined)
      return { status: 403, body: '{"errors": ["preflight capability check returned 403"]}' };
    return { body: JSON.stringify({ data: { type: 'kv', path: `${mount}/`, options: { version } } }) };
  }
  if (method === 'POST') {
    const sent = JSON.parse(body) as { data?: unknown };
    const isSecond = path.startsWith('/v1/kv/');
    kept.set(path, JSON.stringify({ data: isSecond ? { data: sent.data, metadata: {} } : sent }));
    return isSecond ? { body: '{"data": {"version": 1}}' } : { status: 204 };
  }
  const found = kept.get(path);
  return found === undefined ? { status: 404, body: '{"errors": []}' } : { body: found };
}

/** Takes what differs between two runs out of a text. */
export function neutral(text: string, folder: string, port: number): string {
  return text.replaceAll(folder, 'FOLDER').replaceAll(`:${port}`, ':PORT');
}
