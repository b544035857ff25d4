/** `salt-master`. */
import { resolve } from 'node:path';
import { loadMasterConfig } from '../config/load.ts';
import { isDaemonProcess, leaveFolder, startInBackground } from '../daemon/daemonize.ts';
import { daemonLogging } from '../daemon/logging.ts';
import { systemClock } from '../host/clock.ts';
import { setupLogging } from '../host/log-sinks.ts';
import { runMaster } from '../master/daemon.ts';
import { readCommandLine } from './command-line.ts';
import type { CommandIo } from './io.ts';
import { saltMasterProgram } from './options/daemons.ts';
import { effectiveOption } from './optparse.ts';

/** Runs the command. @returns the exit code */
export async function saltMaster(
  argv: readonly string[],
  io: CommandIo,
  childScript: string,
): Promise<number> {
  const parsed = readCommandLine(saltMasterProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.flag('daemon') && !isDaemonProcess(io.env)) return startInBackground();
  const early = setupLogging({ level: parsed.text('log_level') || 'warning', name: 'salt.config' });
  const opts = loadMasterConfig({
    configDir: resolve(parsed.text('config_dir')),
    env: io.env,
    overrides: parsed.overrides(),
    log: early.logger,
  });
  early.close();
  leaveFolder(io.env);
  const level = String(effectiveOption(parsed, opts, 'log_level') ?? 'warning');
  const logging = daemonLogging(opts.with(new Map([['log_level', level]])), {
    name: 'salt.master',
    daemon: isDaemonProcess(io.env),
    fileOption: 'log_file',
  });
  return runMaster({ opts, log: logging.logger, clock: systemClock, env: io.env, childScript });
}
