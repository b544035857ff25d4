/** `salt-api`: serves the master beside it over HTTP (salt/cli/api.py, salt/client/netapi.py, 3006.16). */
import { dirname } from 'node:path';
import { readApiOptions } from '../../config/api-options.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { makeDirectory } from '../../host/files.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { EventBusWriter } from '../../network/events/bus-client.ts';
import { openTracing, type Tracing } from '../../runtime/tracing/open.ts';
import { reportDaemonUp } from '../daemon/daemonize.ts';
import { serviceManager } from '../daemon/notify.ts';
import { removePidFile, runningFromPidFile, writePidFile } from '../daemon/pid-file.ts';
import { accountOf, becomeUser, prepareOnDisk, requireSwitchable } from '../daemon/privileges.ts';
import { handleSignals } from '../daemon/signals.ts';
import { outliveUnexpected } from '../daemon/unexpected.ts';
import { buildApplication, type BuiltApplication } from './build-application.ts';
import { BusFeed } from './bus-feed.ts';
import { CLIENT_NAMES } from './clients.ts';
import { MasterLink } from './master-link.ts';
import type { MasterCallsDeps } from './master-calls.ts';
import { ApiServer } from './server.ts';

/** What the program is started with. */
export interface ApiStart {
  readonly opts: MasterOptions;
  readonly runnerParameters: MasterCallsDeps['runnerParameters'];
  /** Where the files of the console are. */
  readonly consoleFolder: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: NodeJS.ProcessEnv;
}

/** Web hooks that wait while the event bus is away. */
const HOOK_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Serves until it is told to stop.
 * @returns the exit code
 * @throws BrineError when it cannot start
 */
export async function runApi(start: ApiStart): Promise<number> {
  const { opts, log, clock, env } = start;
  const manager = serviceManager(env, start);
  const { servers: settings, warnings } = readApiOptions(opts);
  for (const warning of [...warnings, ...clientWarnings(opts)]) log.warning(warning);
  const pidFile = opts.get('api_pidfile');
  refuseSecond(pidFile);
  const tracing = await openTracing(opts, { ...start, service: 'salt-api' });
  const shared = sharedParts(start, tracing);
  const built = settings.map((each) => ({ each, ...buildApplication(each, shared) }));
  const servers = built.map(({ each, application }) => new ApiServer(each, application, clock, log));
  // ports below 1024 are taken before root is given up
  for (const server of servers) await server.listen();
  await prepareHost(opts);
  const stopped = new Promise<string>((resolve) => {
    const reload = (): void => servers.forEach((server) => server.reload());
    handleSignals(
      { stop: resolve, reload, describe: () => [...built, ...servers].flatMap((one) => one.describe()) },
      clock,
      log,
    );
  });
  // one request must not take all sessions with it; what is thrown here is a mistake of ours all the same
  process.on('uncaughtException', outliveUnexpected(clock, log));
  writePidFile(pidFile, log, manager);
  await manager.ready();
  reportDaemonUp(env);
  log.info(
    `Salt API is starting as user '${opts.get('user')}', beside the master in ${opts.get('sock_dir')}`,
  );
  const signal = await stopped;
  manager.stopping();
  log.info('Shutting down the Salt API');
  await close(built, servers, shared);
  await tracing.close();
  removePidFile(pidFile);
  log.warning(`The Salt API is shutdown. Salt API received a ${signal}. Exited.`);
  return 0;
}

function sharedParts(start: ApiStart, tracing: Tracing): Parameters<typeof buildApplication>[1] {
  const { opts, clock, log } = start;
  return {
    ...start,
    link: new MasterLink({ ...start, tracer: tracing.tracer }),
    tracing,
    feed: new BusFeed(start),
    bus: new EventBusWriter({
      path: masterSockets(opts).eventPull,
      clock,
      eventBytesMax: opts.get('max_event_size'),
      queueBytesMax: HOOK_BYTES_MAX,
    }),
    log,
  };
}

async function close(
  built: readonly BuiltApplication[],
  servers: readonly ApiServer[],
  { link, feed, bus }: Parameters<typeof buildApplication>[1],
): Promise<void> {
  for (const one of built) one.close();
  await Promise.all(servers.map((server) => server.close()));
  feed.close();
  bus.close();
  await link.close();
}

/** What `netapi_enable_clients` says and what comes of it. */
function clientWarnings(opts: MasterOptions): string[] {
  const enabled = opts.get('netapi_enable_clients').map(String);
  if (enabled.length === 0)
    return [
      'netapi_enable_clients is empty: every call is refused. Name the clients to serve, such as local, runner and wheel.',
    ];
  const out = enabled
    .filter((name) => !CLIENT_NAMES.includes(name))
    .map(
      (name) =>
        `netapi_enable_clients names ${name}, which is no client; there are ${CLIENT_NAMES.join(', ')}.`,
    );
  if (enabled.includes('ssh'))
    out.push('netapi_enable_clients names ssh, which is not served: there is no salt-ssh.');
  return out;
}

function refuseSecond(path: string): void {
  const pid = runningFromPidFile(path, 'salt-api');
  if (pid !== undefined)
    throw new BrineError(`A salt-api is running already with process id ${pid} (${path}).`, {
      code: 'already-running',
    });
}

async function prepareHost(opts: MasterOptions): Promise<void> {
  const user = await accountOf(opts.get('user'));
  requireSwitchable(user);
  if (opts.get('verify_env'))
    await prepareOnDisk(() => {
      const logFile = opts.get('api_logfile');
      if (logFile.startsWith('/')) makeDirectory(dirname(logFile), 0o755);
    });
  await becomeUser(user);
}
