/** `salt-minion`. */
import { resolve } from 'node:path';
import { loadMinionConfig } from '../config/load.ts';
import { isDaemonProcess, leaveFolder, startInBackground } from '../daemon/daemonize.ts';
import { daemonLogging } from '../daemon/logging.ts';
import { systemClock } from '../host/clock.ts';
import { setupLogging } from '../host/log-sinks.ts';
import { systemRandom } from '../host/random.ts';
import { runMinion } from '../minion/daemon.ts';
import { readCommandLine } from './command-line.ts';
import type { CommandIo } from './io.ts';
import { saltMinionProgram } from './options/daemons.ts';
import { effectiveOption } from './optparse.ts';

/** Runs the command. @returns the exit code */
export async function saltMinion(
  argv: readonly string[],
  io: CommandIo,
  workerScript: string,
): Promise<number> {
  const parsed = readCommandLine(saltMinionProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.flag('daemon') && !isDaemonProcess(io.env)) return startInBackground();
  const early = setupLogging({ level: parsed.text('log_level') || 'warning', name: 'salt.config' });
  const opts = loadMinionConfig({
    configDir: resolve(parsed.text('config_dir')),
    env: io.env,
    overrides: parsed.overrides(),
    log: early.logger,
    strictIncludes: true,
    cacheId: true,
  });
  early.close();
  leaveFolder(io.env);
  const level = String(effectiveOption(parsed, opts, 'log_level') ?? 'warning');
  const logging = daemonLogging(opts.with(new Map([['log_level', level]])), {
    name: 'salt.minion',
    daemon: isDaemonProcess(io.env),
    fileOption: 'log_file',
  });
  return runMinion({
    opts,
    log: logging.logger,
    clock: systemClock,
    random: systemRandom,
    env: io.env,
    workerScript,
  });
}
