/** `salt-api`. */
import { loadClientConfig } from '../../config/load.ts';
import { masterOptions } from '../../config/master-options.ts';
import { pathOptions } from '../../config/option.ts';
import { prependRootDir } from '../../config/paths.ts';
import { isDaemonProcess, leaveFolder, startInBackground } from '../../programs/daemon/daemonize.ts';
import { daemonLogging } from '../../programs/daemon/logging.ts';
import { readWithLog } from '../../programs/daemon/config-log.ts';
import { dropAllocatorSettings } from '../../host/allocator.ts';
import { systemClock } from '../../host/clock.ts';
import { releaseMemoryAtRest } from '../../host/idle-memory.ts';
import { systemRandom } from '../../host/random.ts';
import type { Logger } from '../../host/log.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { runApi, type ApiStart } from '../../programs/api/daemon.ts';
import { readDaemonLine } from './read-line.ts';
import { effectiveOption } from '../command-line/optparse.ts';
import { saltApiProgram } from '../options/daemons.ts';
import { readyOptions } from '../program/ready-options.ts';
import type { CommandIo } from '../terminal/io.ts';

/** Runs the command. @param consoleFolder where the files of the console are @returns the exit code */
export async function saltApi(
  argv: readonly string[],
  io: CommandIo,
  consoleFolder: string,
): Promise<number> {
  const parsed = await readDaemonLine(saltApiProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.flag('daemon') && !isDaemonProcess(io.env)) return startInBackground();
  dropAllocatorSettings(io.env);
  const { config, messages } = await readWithLog(parsed.text('log_level'), async (log) =>
    readyOptions(
      loadClientConfig({
        configDir: parsed.text('config_dir'),
        env: io.env,
        overrides: parsed.overrides(),
        log,
        program: 'salt-api',
      }),
      log,
    ),
  );
  leaveFolder(io.env);
  releaseMemoryAtRest(systemClock);
  const level = String(effectiveOption(parsed, config, 'log_level') ?? 'warning');
  // as Salt's salt-api alone puts them below root_dir, and no other program
  const paths: Dict = new Map<Value, Value>([
    ['root_dir', config.get('root_dir')],
    ['api_pidfile', parsed.isExplicit('pidfile') ? parsed.text('pidfile') : config.get('api_pidfile')],
    ['api_logfile', config.get('api_logfile')],
  ]);
  prependRootDir(paths, pathOptions(masterOptions, 'salt-api'));
  const opts = config.with(new Map<Value, Value>([['log_level', level], ...paths]));
  const isDaemon = isDaemonProcess(io.env);
  const logging = daemonLogging(opts, { name: 'salt.api', daemon: isDaemon, fileOption: 'api_logfile' });
  messages.release(logging.logger);
  return runApi({
    opts,
    runnerParameters: runnerParametersOf(opts.toDict(), logging.logger),
    consoleFolder,
    log: logging.logger,
    clock: systemClock,
    random: systemRandom,
    env: io.env,
  });
}

/**
 * Looks functions up as `salt-run` does; custom ones are passed on as they are called. Nothing of it is loaded before
 * the first call.
 */
function runnerParametersOf(settings: Dict, log: Logger): ApiStart['runnerParameters'] {
  return async (fun) => {
    const [{ findFunction }, { isSaltsRunner }, { ownFunctions }] = await Promise.all([
      import('../../programs/runner/find-function.ts'),
      import('../../plugins/registry/runner/salts-runners.ts'),
      import('../../programs/runner/own-functions.ts'),
    ]);
    const spec = await findFunction('runner', fun);
    const own = ownFunctions(settings, log);
    if ((await own('runner')).modules.has(fun.split('.')[0] ?? '') || isSaltsRunner(fun)) return 'any';
    if (spec === undefined) return 'none';
    return spec.kwargs !== undefined ? 'any' : new Set(Object.keys(spec.params ?? {}));
  };
}
