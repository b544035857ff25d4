/**
 * What a daemon says to systemd: that it is up, that it is alive, and that it ends. Node has no unix datagram sockets,
 * so the program `systemd-notify` speaks for us; the unit needs `NotifyAccess=all`.
 */
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { runProcess } from '../../host/process.ts';

const SAYING_MAX_MS = 10_000;
/** The program says so more than once within the time after which systemd takes it for stuck. */
const SHARE_OF_WATCHDOG = 2.5;

/** The one who started a daemon and wants to hear from it. */
export interface ServiceManager {
  /** Whether there is one. */
  readonly isThere: boolean;
  /** The daemon serves; from here on it says that it is alive, as often as systemd wants. */
  ready(): Promise<void>;
  /** The daemon begins to end. */
  stopping(): void;
  /** Another process is the daemon from now on; this one says nothing more. */
  handedOver(): void;
  /** What another process needs in its environment to speak as the daemon. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Reads who listens, and takes that out of the environment: what a daemon starts must not speak in its name.
 * @param env with `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`, where systemd has set them
 */
export function serviceManager(
  env: NodeJS.ProcessEnv,
  { clock, log, pid = process.pid }: { clock: Clock; log: Logger; pid?: number },
): ServiceManager {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: watched } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  if (socket === undefined || socket === '')
    return {
      isThere: false,
      environment: {},
      ready: () => Promise.resolve(),
      stopping: () => undefined,
      handedOver: () => undefined,
    };
  const spoken = new Map([
    ['NOTIFY_SOCKET', socket],
    ['PATH', env['PATH'] ?? '/usr/bin:/bin'],
  ]);
  const say = async (word: string): Promise<void> => {
    try {
      const argv = ['systemd-notify', `--pid=${pid}`, word];
      const { retcode, stderr } = await runProcess(argv, { env: spoken, clock, timeoutMs: SAYING_MAX_MS });
      if (retcode !== 0) log.warning(`systemd-notify ${word} failed: ${stderr.toString('utf8').trim()}`);
    } catch (error) {
      log.warning(`The service manager could not be told ${word}: ${(error as Error).message}`);
    }
  };
  const periodMs = watchdogMs(usec, watched, pid) / SHARE_OF_WATCHDOG;
  let alive: Timer | undefined;
  let isOver = false;
  return {
    isThere: true,
    // it is watched as the main process, whatever its id
    environment: { NOTIFY_SOCKET: socket, ...(usec === undefined ? {} : { WATCHDOG_USEC: usec }) },
    ready: async () => {
      if (alive !== undefined) return;
      await say('READY=1');
      // a timer of the event loop: one that is stuck says nothing
      if (periodMs > 0) alive = clock.every(periodMs, () => void say('WATCHDOG=1'), { background: true });
    },
    stopping: () => {
      alive?.cancel();
      if (!isOver) void say('STOPPING=1');
    },
    handedOver: () => {
      alive?.cancel();
      isOver = true;
    },
  };
}

/** Zero where nobody watches this process. */
function watchdogMs(usec: string | undefined, watched: string | undefined, pid: number): number {
  if (usec === undefined || !/^[1-9]\d*$/.test(usec)) return 0;
  const isOurs = watched === undefined || watched === String(pid);
  return isOurs ? Number(usec) / 1000 : 0;
}
