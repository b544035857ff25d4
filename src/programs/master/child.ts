/** A part of the master: waits for its orders, does its work, ends with its parent. */
import type { Crypticle } from '../../network/crypto/crypticle.ts';
import { dropAllocatorSettings } from '../../host/allocator.ts';
import { handleDebugSignals } from '../daemon/debug-signals.ts';
import { daemonLogging } from '../daemon/logging.ts';
import { NOT_YET_STATUS } from '../daemon/supervisor.ts';
import { NotYetError } from '../../errors/errors.ts';
import { applyNiceness } from '../daemon/niceness.ts';
import { systemClock } from '../../host/clock.ts';
import { releaseMemoryAtRest } from '../../host/idle-memory.ts';
import type { Logger } from '../../host/log.ts';
import { systemRandom } from '../../host/random.ts';
import { readAes, readStart, readToChild, type ChildStart, type FromChild, type Role } from './messages.ts';
import type { Sample } from '../../runtime/metrics/sample.ts';
import { processFigures } from '../../runtime/metrics/process-figures.ts';
import type { RoleContext, RunningRole, StartRole } from './roles/role.ts';

/** The code of a part is loaded by the part alone. */
const ROLES: Readonly<Record<Role, () => Promise<StartRole>>> = {
  PubServer: async () => (await import('./roles/publisher.ts')).startPublisher,
  EventPublisher: async () => (await import('./roles/event-publisher.ts')).startEventPublisher,
  ReqServer: async () => (await import('./roles/request-server.ts')).startRequestServer,
  Maintenance: async () => (await import('./roles/maintenance.ts')).startMaintenance,
  Returners: async () => (await import('./roles/returners.ts')).startReturners,
  Reactor: async () => (await import('./roles/reactor.ts')).startReactor,
  Engine: async () => (await import('./roles/engine.ts')).startEngine,
  Cache: async () => (await import('./roles/cache.ts')).startCache,
  Cluster: async () => (await import('./roles/cluster.ts')).startCluster,
  MWorker: async () => (await import('./roles/worker.ts')).startWorker,
};

/** How nice each part is to be. */
const NICENESS = {
  PubServer: 'pub_server_niceness',
  EventPublisher: 'event_publisher_niceness',
  ReqServer: 'req_server_niceness',
  Maintenance: 'maintenance_niceness',
  Returners: 'event_return_niceness',
  Reactor: 'reactor_niceness',
  Engine: undefined,
  Cache: undefined,
  Cluster: undefined,
  MWorker: 'mworker_niceness',
} as const satisfies Readonly<Record<Role, string | undefined>>;

/** How long a part that is to end may go on starting. */
const STARTING_MS = 500;

/** Runs this process as a part of a master. */
export function runMasterChild(): void {
  dropAllocatorSettings(process.env);
  process.title = (process.argv[2] ?? 'salt-master').trim();
  let aes: readonly Crypticle[] = [];
  const keyListeners: (() => void)[] = [];
  let running: Promise<RunningRole> | undefined;
  let role: RunningRole | undefined;
  let name = '';
  let hasDuty = false;
  let log: Logger | undefined;
  const tell = (message: FromChild): void => {
    if (process.connected) process.send?.(message, () => undefined);
  };
  const stop = async (): Promise<void> => {
    const started = running?.catch(() => undefined) ?? Promise.resolve(undefined);
    // what still starts may wait for somebody who does not come
    const known = role ?? (await Promise.race([started, systemClock.sleep(STARTING_MS)]));
    await known?.stop();
    process.exit(0);
  };
  process.on('message', (received) => {
    const message = readToChild(received);
    if (message === undefined) return fail(new Error('the main process said what no part understands'));
    if (message.type === 'aes') {
      const before = aes[0]?.keyString.reveal();
      aes = readAes(message.aes);
      if (aes[0]?.keyString.reveal() !== before) for (const listener of keyListeners) listener();
    } else if (message.type === 'duty') hasDuty = message.isMine;
    else if (message.type === 'ping') tell({ type: 'pong' });
    else if (message.type === 'figures') tell({ ...message, samples: figuresOf(name, role) });
    else if (message.type === 'stop') void stop();
    else {
      const start = readStart(message);
      aes = start.aes;
      hasDuty = start.hasDuty;
      name = partName(start);
      log = partLogger(start);
      running = startRole(start, log, {
        sharedKeys: () => aes,
        onNewKey: (listener) => keyListeners.push(listener),
        adoptKey: (key) => tell({ type: 'adopt', key: key.reveal() }),
        hasDuty: () => hasDuty,
        tellDuty: (isMine) => tell({ type: 'duty', isMine }),
        startWorkers: (wanted) => tell({ type: 'workers', wanted }),
        requestRotation: (reason) => tell({ type: 'rotate', reason }),
      });
      running.then((started) => {
        role = started;
        tell({ type: 'ready' });
        void started.ended?.then((status) => process.exit(status));
      }, fail);
    }
  });
  // the parent decides when we end: signals of the terminal go to it too
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  handleDebugSignals({ clock: systemClock, log: () => log });
  process.on('disconnect', () => void stop());
}

/** The name of this process among the figures: its part, with a number where there are several. */
function partName({ role, index }: Pick<ChildStart, 'role' | 'index'>): string {
  return role === 'MWorker' || role === 'Engine' ? `${role}-${index}` : role;
}

function figuresOf(name: string, role: RunningRole | undefined): Sample[] {
  return [...processFigures(name, systemClock.nowMs()), ...(role?.figures?.() ?? [])];
}

function partLogger({ opts, console }: ReturnType<typeof readStart>): Logger {
  return daemonLogging(opts, {
    name: 'salt.master',
    daemon: console.daemon,
    fileOption: 'log_file',
    isPart: true,
  }).logger;
}

async function startRole(
  start: ReturnType<typeof readStart>,
  log: Logger,
  keys: Pick<
    RoleContext,
    'sharedKeys' | 'onNewKey' | 'requestRotation' | 'adoptKey' | 'hasDuty' | 'tellDuty' | 'startWorkers'
  >,
): Promise<RunningRole> {
  const { opts, role, index, userKeys } = start;
  process.on('uncaughtException', (error) => {
    log.critical(`${process.title} ends after an unexpected error: ${error.message}`, error);
    process.exit(1);
  });
  releaseMemoryAtRest(systemClock);
  const niceness = NICENESS[role];
  if (niceness !== undefined) applyNiceness(opts.get(niceness), log);
  const startIt = await ROLES[role]();
  return startIt({
    opts,
    log,
    clock: systemClock,
    random: systemRandom,
    index,
    userKeys,
    ...keys,
  });
}

function fail(error: unknown): void {
  // what it waits for has been said
  if (error instanceof NotYetError) process.exit(NOT_YET_STATUS);
  process.stderr.write(`${process.title}: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
