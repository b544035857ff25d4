/** Real database servers for tests: each in a temporary folder, on a port of its own, ended with the test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { findProgram } from '../../src/host/which.ts';

const START_MS = 15_000;

/** A server that runs. */
export interface ServerProcess {
  readonly port: number;
  /** What it keeps; removed with the test. */
  readonly folder: string;
  /** Ends it with this signal and waits until it is gone. SIGSTOP only makes it stand still. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same port and folder; after SIGSTOP it goes on. */
  start(): Promise<void>;
}

/** Whether a server's program is on this machine. */
export function hasServer(program: string): boolean {
  return findProgram(program) !== undefined;
}

/** Starts `redis-server`. @param more further arguments */
export function startRedis(t: TestContext, more: readonly string[] = []): Promise<ServerProcess> {
  return startServer(t, (port, folder) => [
    'redis-server',
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes'],
    ...['--unixsocket', join(folder, 'redis.sock'), ...more],
  ]);
}

/** Starts `nats-server`, with JetStream unless `more` says otherwise. */
export function startNats(t: TestContext, more?: readonly string[]): Promise<ServerProcess> {
  return startServer(t, (port, folder) => [
    'nats-server',
    ...['-a', '127.0.0.1', '-p', String(port), ...(more ?? ['-js', '-sd', join(folder, 'jetstream')])],
  ]);
}

async function startServer(
  t: TestContext,
  command: (port: number, folder: string) => readonly string[],
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'br-db-'));
  const port = await freePort();
  const [program = '', ...args] = command(port, folder);
  let child: ChildProcess | undefined;
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    if (child === undefined) return;
    const ending = child;
    if (signal === 'SIGSTOP') return void ending.kill(signal);
    child = undefined;
    const gone = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill('SIGCONT');
    ending.kill(signal);
    await gone;
  };
  const start = async (): Promise<void> => {
    if (child !== undefined) return void child.kill('SIGCONT');
    child = spawn(program, args, { cwd: folder, stdio: 'ignore' });
    await reachable(port, program);
  };
  t.after(async () => {
    await stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return { port, folder, stop, start };
}

/** A port that nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

async function reachable(port: number, program: string): Promise<void> {
  const until = systemClock.monotonicMs() + START_MS;
  while (!(await accepts(port))) {
    if (systemClock.monotonicMs() > until) throw new Error(`${program} does not listen on port ${port}.`);
    await systemClock.sleep(20);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
