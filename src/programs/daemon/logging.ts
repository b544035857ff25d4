/** Logging of a daemon from its options. */
import type { Options } from '../../config/option.ts';
import {
  levelNamed,
  logForms,
  setupLogging,
  type Logging,
  type LoggingOptions,
} from '../../host/log-sinks.ts';
import { LOG_LEVELS } from '../../host/log.ts';
import { logHandlers } from './log-handlers.ts';
import { isDict, toNumber } from '../../python/values/value.ts';

/** What the daemon's options say about logging. */
export interface DaemonLogging {
  /** Name of the first logger: `salt.master`, `salt.minion`. */
  readonly name: string;
  /** True in the background: once it is up, nothing goes to the terminal. */
  readonly daemon: boolean;
  /** The option that names the log file. */
  readonly fileOption: string;
  /**
   * True in a process of the daemon that its main process has started: it does not repeat what is wrong with the
   * options.
   */
  readonly isPart?: boolean;
}

/** Sets up console, file and log servers as the options want them. */
export function daemonLogging(
  opts: Pick<Options, 'raw'>,
  { name, daemon, fileOption, isPart = false }: DaemonLogging,
): Logging {
  const text = (key: string): string | undefined => {
    const value = opts.raw(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const number = (key: string): number => toNumber(opts.raw(key) ?? 0) ?? 0;
  const granular = opts.raw('log_granular_levels');
  const level = text('log_level') ?? 'warning';
  const handlers = logHandlers(opts);
  const logging = setupLogging({
    name,
    isPart,
    ...(daemon ? startTerminal(level, isPart) : { level }),
    file: text(fileOption) ?? null,
    fileLevel: text('log_level_logfile') ?? level,
    rotation: { maxBytes: number('log_rotate_max_bytes'), backups: number('log_rotate_backup_count') },
    ...logForms((option) => opts.raw(option)),
    ...(granular !== undefined && isDict(granular) ? { granular } : {}),
    further: handlers.make,
  });
  if (!isPart) for (const fault of handlers.faults) logging.logger.warning(fault);
  return logging;
}

/**
 * The terminal that `-d` was called on, which a daemon has until it says that it is up: whoever waits there learns of
 * warnings and errors, such as a log file that cannot be opened.
 */
function startTerminal(level: string, isPart: boolean): Pick<LoggingOptions, 'level' | 'console'> {
  if (isPart) return { level: 'quiet' };
  const asked = levelNamed(level) ?? LOG_LEVELS.error;
  return {
    level: asked < LOG_LEVELS.warning ? 'warning' : level,
    console: { write: (text) => (process.connected ? process.stderr.write(text) : false) },
  };
}
