/**
 * `api`: salt-api beside its master: how soon and how often `POST /` of `test.ping` to one minion is answered, what it
 * holds when nothing happens, and, with ours, 500 readers of events at 1,000 events/s while another one reads nothing.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusWriter } from '../../src/network/events/bus-client.ts';
import { dict } from '../../src/python/values/value.ts';
import { sampled, single, type Figure } from '../figure.ts';
import { Fleet, REAL_MINION } from '../fleet.ts';
import { EventReader } from '../load/event-reader.ts';
import { cpuSeconds, pause, pssBytes, until, type Daemon } from '../processes.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';

const NAME = 'api';
const SETTLE_MS = 3_000;
const START_MS = 60_000;
/** Requests one after the other, and many side by side for so long. */
const LATENCY_REQUESTS = { brine: 200, salt: 40 };
const IN_FLIGHT = 16;
const MEASURE_MS = 8_000;
const READERS = 500;
const EVENTS_PER_SECOND = 1_000;
const EVENT_SECONDS = 5;
const DRAIN_MS = 60_000;

/** What stands before each event that the readers count. */
const MARK = 'tag: bench/';

/** The API of one kind. */
export const api: Scenario = {
  name: NAME,
  isLong: true,
  run: async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'brine-api-'));
    const port = await freePort();
    const { kind, groups } = context.fleet;
    const users = join(folder, 'users');
    writeFileSync(users, 'bench:secret\n');
    const fleet = await Fleet.start(kind, join(folder, 'm'), groups, [
      `external_auth: {file: {^filename: ${users}, ^hashtype: plaintext, bench: ['.*']}}`,
      'netapi_enable_clients: [local]',
      `api_pidfile: ${folder}/api.pid`,
      `api_logfile: ${folder}/api.log`,
      `rest_cherrypy: {port: ${port}, host: 127.0.0.1, disable_ssl: True}`,
    ]);
    const program = join(dirname(kind.master[0] ?? ''), 'salt-api');
    const daemon = groups.start([program, '-c', fleet.folder, '-l', 'warning'], join(folder, 'api.out'));
    try {
      await until('The start of the API', () => isListening(port), START_MS, daemon);
      return await measure(context, fleet, daemon, port);
    } finally {
      await groups.stop(daemon);
      await fleet.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function measure(
  context: ScenarioContext,
  fleet: Fleet,
  daemon: Daemon,
  port: number,
): Promise<Figure[]> {
  context.step('it comes to rest');
  await pause(SETTLE_MS);
  const figures = [memory('idle', daemon)];
  await fleet.minion();
  const client = new Client(port);
  await client.logIn();
  figures.push(...(await calls(context, client, daemon)));
  client.close();
  if (fleet.kind.name === 'brine') figures.push(...(await readers(context, fleet, daemon, port)));
  return figures;
}

function memory(name: string, daemon: Daemon): Figure {
  const row = { scenario: NAME, name: `memory ${name}`, unit: 'MB', better: 'lower' } as const;
  return single(row, (pssBytes(daemon) ?? NaN) / 1e6);
}

/** Calls of test.ping. */
async function calls({ step, fleet }: ScenarioContext, client: Client, daemon: Daemon): Promise<Figure[]> {
  step('one call after the other');
  await client.ping();
  const times: number[] = [];
  for (let at = 0; at < LATENCY_REQUESTS[fleet.kind.name]; at++) times.push(await client.ping());
  step(`${IN_FLIGHT} calls at a time`);
  const [startedMs, startedCpu] = [performance.now(), cpuSeconds(daemon)];
  let count = 0;
  const work = async (): Promise<void> => {
    while (performance.now() - startedMs < MEASURE_MS) {
      await client.ping();
      count++;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  const seconds = (performance.now() - startedMs) / 1000;
  const cpu = ((cpuSeconds(daemon) ?? NaN) - (startedCpu ?? NaN)) / count;
  return [
    sampled({ scenario: NAME, name: 'POST / of test.ping', unit: 'ms', better: 'lower' }, times),
    single(
      { scenario: NAME, name: 'POST / of test.ping, rate', unit: '/s', better: 'higher' },
      count / seconds,
    ),
    single(
      { scenario: NAME, name: 'CPU of the API per 1,000 calls', unit: 'CPU s', better: 'lower' },
      cpu * 1000,
    ),
  ];
}

/** 500 readers of events, and one that reads nothing. */
async function readers(
  { step }: ScenarioContext,
  fleet: Fleet,
  daemon: Daemon,
  port: number,
): Promise<Figure[]> {
  step(`${READERS} readers of events come`);
  const client = new Client(port);
  const token = await client.logIn();
  client.close();
  const all = await Promise.all(Array.from({ length: READERS }, () => openReader(port, token)));
  const stalled = await openReader(port, token);
  stalled.stall();
  await pause(SETTLE_MS);
  const before = memory(`with ${READERS} readers`, daemon);
  const writer = new EventBusWriter({
    path: join(fleet.sockDir, 'master_event_pull.ipc'),
    clock: systemClock,
    eventBytesMax: 1_000_000,
    queueBytesMax: 64_000_000,
  });
  step(`${EVENTS_PER_SECOND} events/s`);
  const [startedMs, startedCpu] = [performance.now(), cpuSeconds(daemon)];
  let sent = 0;
  while (sent < EVENTS_PER_SECOND * EVENT_SECONDS) {
    const due = Math.min(
      EVENTS_PER_SECOND * EVENT_SECONDS,
      ((performance.now() - startedMs) / 1000) * EVENTS_PER_SECOND,
    );
    for (; sent < due; sent++) writer.fire(`bench/${sent}`, dict({ number: sent, text: 'x'.repeat(100) }));
    await pause(5);
  }
  await writer.flush();
  const sentMs = performance.now();
  const endMs = sentMs + DRAIN_MS;
  while (all.some(({ count }) => count < sent) && performance.now() < endMs) await pause(20);
  const lateMs = performance.now() - sentMs;
  const seconds = (performance.now() - startedMs) / 1000;
  const lost = all.reduce((sum, { count }) => sum + Math.max(0, sent - count), 0);
  const figures = [
    before,
    memory(`with ${READERS} readers, after the events`, daemon),
    single({ scenario: NAME, name: 'events lost', unit: 'count', better: 'lower' }, lost),
    single({ scenario: NAME, name: 'events/s to each reader', unit: '/s', better: 'higher' }, sent / seconds),
    single({ scenario: NAME, name: 'last event late by', unit: 'ms', better: 'lower' }, lateMs),
    single(
      { scenario: NAME, name: 'CPU of the API per second of events', unit: 'CPU s', better: 'lower' },
      ((cpuSeconds(daemon) ?? NaN) - (startedCpu ?? NaN)) / seconds,
    ),
  ];
  writer.close();
  for (const reader of [...all, stalled]) reader.close();
  return figures;
}

/** Sends requests over kept connections. */
class Client {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  #token = '';

  constructor(port: number) {
    this.#port = port;
  }

  async logIn(): Promise<string> {
    const text = await this.#post('/login', { username: 'bench', password: 'secret', eauth: 'file' });
    this.#token = (JSON.parse(text) as { return: { token: string }[] }).return[0]?.token ?? '';
    return this.#token;
  }

  /** @returns how long it took, milliseconds @throws Error for a wrong answer */
  async ping(): Promise<number> {
    const startedMs = performance.now();
    const text = await this.#post('/', { client: 'local', tgt: REAL_MINION, fun: 'test.ping' });
    if (text !== `{"return": [{"${REAL_MINION}": true}]}`) throw new Error(`the API answered ${text}`);
    return performance.now() - startedMs;
  }

  close(): void {
    this.#agent.destroy();
  }

  #post(path: string, body: object): Promise<string> {
    const text = JSON.stringify(body);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
      'X-Auth-Token': this.#token,
    };
    return new Promise((resolve, reject) => {
      const options = {
        port: this.#port,
        host: '127.0.0.1',
        method: 'POST',
        path,
        headers,
        agent: this.#agent,
      };
      const sent = httpRequest(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }
}

function openReader(port: number, token: string): Promise<EventReader> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET /events?token=${token} HTTP/1.1\r\nHost: bench\r\n\r\n`),
    );
    socket.once('data', (chunk: Buffer) => {
      if (chunk.toString('latin1').startsWith('HTTP/1.1 200')) resolve(new EventReader(socket, MARK));
      else reject(new Error(chunk.toString('latin1')));
    });
    socket.on('error', reject);
  });
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
    socket.on('error', () => resolve(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
