/** `salt-syndic`. */
import { loadSyndicConfig } from '../../config/syndic-options.ts';
import { isDaemonProcess, leaveFolder, startInBackground } from '../../programs/daemon/daemonize.ts';
import { daemonLogging } from '../../programs/daemon/logging.ts';
import { dropAllocatorSettings } from '../../host/allocator.ts';
import { systemClock } from '../../host/clock.ts';
import { releaseMemoryAtRest } from '../../host/idle-memory.ts';
import { systemRandom } from '../../host/random.ts';
import { runSyndic } from '../../programs/syndic/daemon.ts';
import { readDaemonLine } from './read-line.ts';
import type { CommandIo } from '../terminal/io.ts';
import { saltSyndicProgram } from '../options/daemons.ts';
import { readyOptions } from '../program/ready-options.ts';
import { effectiveOption } from '../command-line/optparse.ts';
import { readWithLog } from '../../programs/daemon/config-log.ts';

/** Runs the command. @returns the exit code */
export async function saltSyndic(argv: readonly string[], io: CommandIo): Promise<number> {
  const parsed = await readDaemonLine(saltSyndicProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.flag('daemon') && !isDaemonProcess(io.env)) return startInBackground();
  dropAllocatorSettings(io.env);
  const { config, messages } = await readWithLog(parsed.text('log_level'), async (log) => {
    const { upper, lower } = loadSyndicConfig({
      configDir: parsed.text('config_dir'),
      env: io.env,
      overrides: parsed.overrides(),
      log,
      cacheId: true,
      program: 'salt-syndic',
    });
    return { upper: await readyOptions(upper, log), lower: await readyOptions(lower, log) };
  });
  leaveFolder(io.env);
  releaseMemoryAtRest(systemClock);
  const level = String(effectiveOption(parsed, config.lower, 'log_level') ?? 'warning');
  const logging = daemonLogging(config.upper.with(new Map([['log_level', level]])), {
    name: 'salt.syndic',
    daemon: isDaemonProcess(io.env),
    fileOption: 'log_file',
  });
  messages.release(logging.logger);
  return runSyndic({
    ...config,
    log: logging.logger,
    clock: systemClock,
    random: systemRandom,
    env: io.env,
  });
}
