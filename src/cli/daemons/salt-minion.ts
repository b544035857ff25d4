/** `salt-minion`. */
import { loadMinionConfig } from '../../config/load.ts';
import { isDaemonProcess, leaveFolder, startInBackground } from '../../programs/daemon/daemonize.ts';
import { daemonLogging } from '../../programs/daemon/logging.ts';
import { dropAllocatorSettings } from '../../host/allocator.ts';
import { systemClock } from '../../host/clock.ts';
import { releaseMemoryAtRest } from '../../host/idle-memory.ts';
import { systemRandom } from '../../host/random.ts';
import { runMinion } from '../../programs/minion/daemon.ts';
import type { MinionStart } from '../../programs/minion/minion-start.ts';
import { Installation } from '../../runtime/upgrade/installation.ts';
import { setupLogging } from '../../host/log-sinks.ts';
import { readDaemonLine } from './read-line.ts';
import type { CommandIo } from '../terminal/io.ts';
import { saltMinionProgram } from '../options/daemons.ts';
import { readyOptions } from '../program/ready-options.ts';
import { effectiveOption } from '../command-line/optparse.ts';
import { readWithLog } from '../../programs/daemon/config-log.ts';

/** Runs the command. @returns the exit code */
export async function saltMinion(
  argv: readonly string[],
  io: CommandIo,
  { home, ...scripts }: Pick<MinionStart, 'workerScript' | 'engineScript'> & { readonly home: string },
): Promise<number> {
  const line = { args: argv, folder: process.cwd(), env: io.env };
  const parsed = await readDaemonLine(saltMinionProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.flag('daemon') && !parsed.flag('prove') && !isDaemonProcess(io.env)) return startInBackground();
  dropAllocatorSettings(io.env);
  const { config: opts, messages } = await readWithLog(parsed.text('log_level'), (log) =>
    readyOptions(
      loadMinionConfig({
        configDir: parsed.text('config_dir'),
        env: io.env,
        overrides: parsed.overrides(),
        log,
        strictIncludes: true,
        cacheId: true,
        program: 'salt-minion',
      }),
      log,
    ),
  );
  if (parsed.flag('prove')) {
    const { proveMinion } = await import('./prove-minion.ts');
    const { logger } = setupLogging({ level: parsed.text('log_level') || 'error', name: 'salt.minion' });
    messages.release(logger);
    return proveMinion(opts, logger, scripts.workerScript);
  }
  leaveFolder(io.env);
  const installation = Installation.around(home);
  releaseMemoryAtRest(systemClock);
  const level = String(effectiveOption(parsed, opts, 'log_level') ?? 'warning');
  const logging = daemonLogging(opts.with(new Map([['log_level', level]])), {
    name: 'salt.minion',
    daemon: isDaemonProcess(io.env),
    fileOption: 'log_file',
  });
  messages.release(logging.logger);
  return runMinion({
    opts,
    log: logging.logger,
    clock: systemClock,
    random: systemRandom,
    env: io.env,
    installation,
    line,
    ...scripts,
  });
}
