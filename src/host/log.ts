/** Logging: the interface every part is handed. Where the lines go is decided in `host/log-sinks.ts`. */

/** Salt's level names with Python's numbers (3006.16 salt/_logging/impl.py). */
export const LOG_LEVELS = {
  all: 0,
  garbage: 1,
  trace: 5,
  debug: 10,
  profile: 15,
  info: 20,
  warning: 30,
  error: 40,
  critical: 50,
  quiet: 1000,
} as const;

/** A level's name. */
export type LogLevel = keyof typeof LOG_LEVELS;

/** A place that takes finished records. */
export interface LogSink {
  /** Records below this level are not even built. */
  readonly level: number;
  write(record: LogRecord): void;
}

/** One line to log. */
export interface LogRecord {
  readonly level: LogLevel;
  /** Dotted name of the part that speaks, as Salt's logger names (`salt.master`). */
  readonly logger: string;
  readonly message: string;
  /** The error behind the message; its stack is shown at debug level only. */
  readonly error?: unknown;
}

/** What a part uses to log. Messages are built by the caller; guard costly ones with {@link Logger.enabled}. */
export interface Logger {
  readonly name: string;
  enabled(level: LogLevel): boolean;
  log(level: LogLevel, message: string, error?: unknown): void;
  trace(message: string, error?: unknown): void;
  debug(message: string, error?: unknown): void;
  info(message: string, error?: unknown): void;
  warning(message: string, error?: unknown): void;
  error(message: string, error?: unknown): void;
  critical(message: string, error?: unknown): void;
  /** A logger of another name that writes to the same sinks. */
  child(name: string): Logger;
}

/** Makes a logger over sinks; the list may grow later (a log file opened after the configuration is read). */
export function createLogger(name: string, sinks: readonly LogSink[]): Logger {
  const enabled = (level: LogLevel): boolean => sinks.some((sink) => LOG_LEVELS[level] >= sink.level);
  const log = (level: LogLevel, message: string, error?: unknown): void => {
    for (const sink of sinks) {
      if (LOG_LEVELS[level] < sink.level) continue;
      sink.write({ level, logger: name, message, ...(error === undefined ? {} : { error }) });
    }
  };
  return {
    name,
    enabled,
    log,
    trace: (message, error) => log('trace', message, error),
    debug: (message, error) => log('debug', message, error),
    info: (message, error) => log('info', message, error),
    warning: (message, error) => log('warning', message, error),
    error: (message, error) => log('error', message, error),
    critical: (message, error) => log('critical', message, error),
    child: (childName) => createLogger(childName, sinks),
  };
}

/** A logger that says nothing. */
export const silentLogger: Logger = createLogger('silent', []);
