/** What reading a configuration has to say before it is known where messages go. */
import { createLogger, type LogRecord, type Logger } from '../../host/log.ts';
import { setupLogging } from '../../host/log-sinks.ts';

/** Messages kept; a configuration that causes more of them has its first ones told. */
const KEPT_MAX = 1_000;

/** Messages that wait for the logging that the configuration itself sets up. */
class ConfigLog {
  readonly #kept: LogRecord[] = [];
  readonly logger: Logger = createLogger('salt.config', [
    {
      level: 0,
      write: (record) => {
        if (this.#kept.length < KEPT_MAX) this.#kept.push(record);
      },
    },
  ]);

  /** Hands on what was said, once. @param log of the program, which writes to the terminal and to its log file */
  release(log: Logger): void {
    for (const { level, logger, message, error } of this.#kept.splice(0))
      log.child(logger).log(level, message, error);
  }
}

/**
 * Reads a configuration.
 * @param level of the terminal, for what is said when reading fails
 * @param read gets the logger to use
 * @returns what was read, and the messages, to be released once there is logging
 * @throws what `read` throws, after its messages were shown on the terminal
 */
export async function readWithLog<T>(
  level: string,
  read: (log: Logger) => T | Promise<T>,
): Promise<{ readonly config: T; readonly messages: ConfigLog }> {
  const messages = new ConfigLog();
  try {
    return { config: await read(messages.logger), messages };
  } catch (error) {
    const early = setupLogging({ level: level || 'warning', name: 'salt.config' });
    messages.release(early.logger);
    early.close();
    throw error;
  }
}
