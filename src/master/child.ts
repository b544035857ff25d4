/** A part of the master: waits for its orders, does its work, ends with its parent. */
import type { Crypticle } from '../crypto/crypticle.ts';
import { daemonLogging } from '../daemon/logging.ts';
import { systemClock } from '../host/clock.ts';
import { releaseMemoryAtRest } from '../host/idle-memory.ts';
import { systemRandom } from '../host/random.ts';
import { readAes, readStart, type FromChild, type Role, type ToChild } from './messages.ts';
import type { RunningRole, StartRole } from './roles/role.ts';

/** The code of a part is loaded by the part alone. */
const ROLES: Readonly<Record<Role, () => Promise<StartRole>>> = {
  PubServer: async () => (await import('./roles/publisher.ts')).startPublisher,
  EventPublisher: async () => (await import('./roles/event-publisher.ts')).startEventPublisher,
  ReqServer: async () => (await import('./roles/request-server.ts')).startRequestServer,
  Maintenance: async () => (await import('./roles/maintenance.ts')).startMaintenance,
  Returners: async () => (await import('./roles/returners.ts')).startReturners,
  MWorker: async () => (await import('./roles/worker.ts')).startWorker,
};

/** Runs this process as a part of a master. */
export function runMasterChild(): void {
  process.title = (process.argv[2] ?? 'salt-master').trim();
  let aes: readonly Crypticle[] = [];
  let running: Promise<RunningRole> | undefined;
  const tell = (message: FromChild): void => {
    if (process.connected) process.send?.(message, () => undefined);
  };
  const stop = async (): Promise<void> => {
    await (await running?.catch(() => undefined))?.stop();
    process.exit(0);
  };
  process.on('message', (message: ToChild) => {
    if (message.type === 'aes') aes = readAes(message.aes);
    else if (message.type === 'ping') tell({ type: 'pong' });
    else if (message.type === 'stop') void stop();
    else {
      const start = readStart(message);
      aes = start.aes;
      running = startRole(
        start,
        () => aes,
        (reason) => tell({ type: 'rotate', reason }),
      );
      running.then(() => tell({ type: 'ready' }), fail);
    }
  });
  // the parent decides when we end: signals of the terminal go to it too
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => void stop());
}

async function startRole(
  start: ReturnType<typeof readStart>,
  sharedKeys: () => readonly Crypticle[],
  requestRotation: (reason: string) => void,
): Promise<RunningRole> {
  const { opts, role, index, userKeys, console } = start;
  const logging = daemonLogging(opts, {
    name: 'salt.master',
    daemon: console.daemon,
    fileOption: 'log_file',
    isPart: true,
  });
  const log = logging.logger;
  process.on('uncaughtException', (error) => {
    log.critical(`${process.title} ends after an unexpected error: ${error.message}`, error);
    process.exit(1);
  });
  releaseMemoryAtRest(systemClock);
  const startIt = await ROLES[role]();
  return startIt({
    opts,
    log,
    clock: systemClock,
    random: systemRandom,
    index,
    userKeys,
    sharedKeys,
    requestRotation,
  });
}

function fail(error: unknown): void {
  process.stderr.write(`${process.title}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
