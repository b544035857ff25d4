/** `salt-master`. */
import { loadMasterConfig } from '../../config/load.ts';
import { isDaemonProcess, leaveFolder, startInBackground } from '../../programs/daemon/daemonize.ts';
import { daemonLogging } from '../../programs/daemon/logging.ts';
import { dropAllocatorSettings } from '../../host/allocator.ts';
import { systemClock } from '../../host/clock.ts';
import { releaseMemoryAtRest } from '../../host/idle-memory.ts';
import { runMaster } from '../../programs/master/daemon.ts';
import { readDaemonLine } from './read-line.ts';
import type { CommandIo } from '../terminal/io.ts';
import { saltMasterProgram } from '../options/daemons.ts';
import { readyOptions } from '../program/ready-options.ts';
import { effectiveOption } from '../command-line/optparse.ts';
import { readWithLog } from '../../programs/daemon/config-log.ts';

/** Runs the command. @returns the exit code */
export async function saltMaster(
  argv: readonly string[],
  io: CommandIo,
  childScript: string,
): Promise<number> {
  const parsed = await readDaemonLine(saltMasterProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.flag('daemon') && !isDaemonProcess(io.env)) return startInBackground();
  dropAllocatorSettings(io.env);
  const { config: opts, messages } = await readWithLog(parsed.text('log_level'), (log) =>
    readyOptions(
      loadMasterConfig({
        configDir: parsed.text('config_dir'),
        env: io.env,
        overrides: parsed.overrides(),
        log,
        program: 'salt-master',
      }),
      log,
    ),
  );
  leaveFolder(io.env);
  releaseMemoryAtRest(systemClock);
  const level = String(effectiveOption(parsed, opts, 'log_level') ?? 'warning');
  const logging = daemonLogging(opts.with(new Map([['log_level', level]])), {
    name: 'salt.master',
    daemon: isDaemonProcess(io.env),
    fileOption: 'log_file',
  });
  messages.release(logging.logger);
  return runMaster({ opts, log: logging.logger, clock: systemClock, env: io.env, childScript });
}
