/**
 * Servers that keep what they are told, for states that speak with one: each in this process, as long as a scene is
 * played.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { startDockerDaemon } from './docker-daemon.ts';
import { startHttpStandIn } from './http-stand-in.ts';
import {
  keepingConsul,
  keepingElasticsearch,
  keepingEtcd,
  keepingGrafana,
  type KeepingService,
} from './keeping-http.ts';
import { startMongo } from './mongo-stand-in.ts';
import { scramAnswers } from './scram.ts';

/** A server while it runs. */
export interface KeepingServer {
  /** Lines of the minion's configuration that say where it is. */
  readonly options: readonly string[];
  /** Where it listens; nothing where that is a socket. */
  readonly port?: number;
  stop(): Promise<void>;
}

/** Notes what a server was told that changes something. */
type Note = (act: string) => void;

interface Role {
  readonly role: string;
  readonly db: string;
}

/** A stand-in of InfluxDB 1.x, with the statements of users, databases, retention policies and continuous queries. */
class Influx {
  readonly #note: Note;
  readonly #databases = new Set(['shop', 'old']);
  readonly #users = new Map<string, boolean>([['ann', false]]);
  /** Each as the server lists it: how long, how many copies, whether it is the default. */
  readonly #policies = new Map<string, [string, number, boolean]>([['old', ['24h0m0s', 1, false]]]);
  readonly #grants = new Map<string, string>();
  readonly #queries = new Map<string, string>([
    ['old', 'CREATE CONTINUOUS QUERY "old" ON "shop" BEGIN x END'],
  ]);

  constructor(note: Note) {
    this.#note = note;
  }

  answer(statement: string): unknown[] {
    const name = (of: RegExp): string => of.exec(statement)?.[1] ?? '';
    const table = (columns: string[], values: unknown[][], series = 'results'): unknown[] =>
      values.length === 0 ? [] : [{ name: series, columns, values }];
    if (statement === 'SHOW DATABASES')
      return table(
        ['name'],
        [...this.#databases].map((one) => [one]),
      );
    if (statement === 'SHOW USERS') return table(['user', 'admin'], [...this.#users]);
    if (statement.startsWith('SHOW RETENTION')) {
      const columns = ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'];
      return table(
        columns,
        [...this.#policies].map(([one, [time, copies, isDefault]]) => [
          one,
          time,
          '24h0m0s',
          copies,
          isDefault,
        ]),
      );
    }
    if (statement.startsWith('SHOW GRANTS')) return table(['database', 'privilege'], [...this.#grants]);
    if (statement.startsWith('SHOW CONTINUOUS')) return table(['name', 'query'], [...this.#queries], 'shop');
    if (statement.startsWith('SHOW')) return [];
    this.#note(`influxdb ${statement}`);
    const subject = name(/^\w+ (?:RETENTION |CONTINUOUS )?\w+ "?([^" ]+)/);
    const isNew = !statement.startsWith('DROP');
    if (this.#rights(statement)) return [];
    const hours = Number(name(/DURATION (\d+)d/)) * 24;
    const policy = [
      `${hours}h0m0s`,
      Number(name(/REPLICATION (\d+)/)),
      statement.endsWith('DEFAULT'),
    ] as const;
    if (/^\w+ DATABASE/.test(statement)) {
      if (isNew) this.#databases.add(subject);
      else this.#databases.delete(subject);
    } else if (/^\w+ USER/.test(statement))
      keep(this.#users, subject, isNew, statement.endsWith('ALL PRIVILEGES'));
    else if (/^\w+ RETENTION/.test(statement)) keep(this.#policies, subject, isNew, [...policy]);
    else if (/^\w+ CONTINUOUS/.test(statement)) keep(this.#queries, subject, isNew, statement);
    return [];
  }

  /** Gives or takes a right. @returns whether the statement does so */
  #rights(statement: string): boolean {
    const [, verb, right = '', database, user = ''] =
      /^(GRANT|REVOKE) (\w+)(?: PRIVILEGES)?(?: ON "?([^" ]+)"?)? (?:TO|FROM) "?([^" ]+)/.exec(statement) ??
      [];
    if (verb === undefined) return false;
    if (database === undefined) this.#users.set(user, verb === 'GRANT');
    else keep(this.#grants, database, verb === 'GRANT', right === 'ALL' ? 'ALL PRIVILEGES' : right);
    return true;
  }
}

function keep<T>(table: Map<string, T>, name: string, isNew: boolean, value: T): void {
  if (isNew) table.set(name, value);
  else table.delete(name);
}

/** What is to be done when the server is stopped, as the stand-ins ask a test to do it. */
class Ending {
  readonly #all: (() => unknown)[] = [];
  after(run: () => unknown): void {
    this.#all.push(run);
  }
  async end(): Promise<void> {
    for (const run of this.#all) await run();
  }
}

async function influxServer(note: Note): Promise<KeepingServer> {
  const [ending, influx] = [new Ending(), new Influx(note)];
  const { port } = await startHttpStandIn(ending, ({ path, body }) => {
    const asked = new URLSearchParams(path.split('?')[1] ?? body).get('q') ?? '';
    return { body: JSON.stringify({ results: [{ statement_id: 0, series: influx.answer(asked) }] }) };
  });
  return { port, options: ['influxdb.host: 127.0.0.1', `influxdb.port: ${port}`], stop: () => ending.end() };
}

async function mongoServer(note: Note): Promise<KeepingServer> {
  const ending = new Ending();
  const { answers, port } = await startMongo(ending);
  const databases = new Set(['admin', 'shop']);
  const users = new Map<string, Role[]>([['ann', [{ role: 'read', db: 'shop' }]]]);
  for (const [command, answer] of scramAnswers('root', 's3cret')) answers.set(command, answer);
  answers.set('buildInfo', () => ({ version: '7.0.5' }));
  answers.set('listDatabases', () => ({ databases: [...databases].map((name) => ({ name })) }));
  answers.set('dropDatabase', ({ $db }) => {
    note(`mongodb dropDatabase ${String($db)}`);
    databases.delete(String($db));
    return {};
  });
  answers.set('usersInfo', ({ usersInfo }) => ({
    users: [...users]
      .filter(([user]) => usersInfo === 1 || usersInfo === user)
      .map(([user, roles]) => ({ user, db: 'shop', roles })),
  }));
  answers.set('createUser', ({ createUser, roles }) => {
    note(`mongodb createUser ${String(createUser)}`);
    users.set(String(createUser), roles as Role[]);
    return {};
  });
  for (const [command, isGiven] of [
    ['grantRolesToUser', true],
    ['revokeRolesFromUser', false],
  ] as const)
    answers.set(command, (asked) => {
      const user = String(asked[command]);
      note(`mongodb ${command} ${user}`);
      const roles = asked['roles'] as Role[];
      const others = (users.get(user) ?? []).filter((held) => !roles.some(({ role }) => role === held.role));
      users.set(user, [...others, ...(isGiven ? roles : [])]);
      return {};
    });
  answers.set('dropUser', ({ dropUser }) => {
    note(`mongodb dropUser ${String(dropUser)}`);
    users.delete(String(dropUser));
    return {};
  });
  return { port, options: ['mongodb.host: 127.0.0.1', `mongodb.port: ${port}`], stop: () => ending.end() };
}

/** The words of the commands that have come whole, in Redis' protocol, and what is left. */
function redisCommands(text: string): { readonly commands: string[][]; readonly rest: string } {
  const commands: string[][] = [];
  let rest = text;
  for (;;) {
    const lines = rest.split('\r\n');
    const count = Number(lines[0]?.slice(1)) * 2;
    if (!rest.startsWith('*') || lines.length < count + 2) return { commands, rest };
    commands.push(lines.slice(1, count + 1).filter((_, i) => i % 2 === 1));
    rest = lines.slice(count + 1).join('\r\n');
  }
}

/** A stand-in of Redis with keys that are texts. */
async function redisServer(note: Note): Promise<KeepingServer> {
  const keys = new Map([['old', 'x']]);
  const answer = ([name = '', key = '', value = '']: readonly string[]): string => {
    const found = keys.get(key);
    switch (name.toUpperCase()) {
      case 'GET':
        return found === undefined ? '$-1\r\n' : `$${found.length}\r\n${found}\r\n`;
      case 'EXISTS':
        return `:${found === undefined ? 0 : 1}\r\n`;
      case 'SET':
        note(`redis SET ${key}`);
        keys.set(key, value);
        return '+OK\r\n';
      case 'DEL':
        note(`redis DEL ${key}`);
        return `:${keys.delete(key) ? 1 : 0}\r\n`;
      default:
        return '+OK\r\n';
    }
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let pending = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const { commands, rest } = redisCommands(pending + chunk.toString('latin1'));
      pending = rest;
      for (const words of commands) socket.write(answer(words));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { port, options: ['redis.host: 127.0.0.1', `redis.port: ${port}`], stop };
}

/** A service over HTTP. @param optionsOf the lines of the configuration that say where it is */
async function httpService(
  service: KeepingService,
  note: Note,
  optionsOf: (port: number) => readonly string[],
): Promise<KeepingServer> {
  const ending = new Ending();
  const { port } = await startHttpStandIn(ending, (request) => service(request, note));
  return { port, options: optionsOf(port), stop: () => ending.end() };
}

/**
 * The server that a state function speaks with, started; nothing where it speaks with none.
 * @param fun its full name
 * @param socket where one with a unix socket listens
 */
export async function startServerFor(
  fun: string,
  socket: string,
  note: Note,
): Promise<KeepingServer | undefined> {
  if (fun.startsWith('influxdb_')) return influxServer(note);
  if (fun.startsWith('redis.')) return redisServer(note);
  if (fun.startsWith('mongodb_')) return mongoServer(note);
  if (fun.startsWith('etcd.'))
    return httpService(keepingEtcd(), note, (port) => [
      ...['my_etcd:', '  etcd.host: 127.0.0.1', `  etcd.port: ${port}`],
    ]);
  if (fun.startsWith('consul.')) return httpService(keepingConsul(), note, () => []);
  if (fun.startsWith('elasticsearch'))
    return httpService(keepingElasticsearch(), note, (port) => [
      ...['elasticsearch:', `  host: 127.0.0.1:${port}`],
    ]);
  if (fun.startsWith('grafana'))
    return httpService(keepingGrafana(), note, (port) => [
      ...['grafana:', `  grafana_url: http://127.0.0.1:${port}`, '  grafana_token: x'],
    ]);
  if (!fun.startsWith('docker_')) return undefined;
  const daemon = await startDockerDaemon(socket, note);
  return { options: [`docker.url: unix://${socket}`], stop: () => daemon.stop() };
}
