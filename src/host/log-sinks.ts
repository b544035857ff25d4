/** Where log lines go: the terminal, a file, each with its level and form (3006.16 salt/_logging). */
import { messageOf } from '../errors/errors.ts';
import { withoutCredentials } from '../python/values/masked.ts';
import { visible, visibleEntry, visibleName } from '../python/values/visible.ts';
import { systemClock, type Clock } from './clock.ts';
import { diskRefusal } from './disk-refusal.ts';
import { LogFile, type LogFileNotices, type LogRotation } from './log-file.ts';
import { isSystemLog, openSystemLog } from './log-syslog.ts';
import { checkLineForm, timeFormFaults } from './log-form-faults.ts';
import { compileLineFormat, type LineContext, type LineFormatter } from './log-format.ts';
import { SourcePlaces } from './source-places.ts';
import {
  LOG_LEVELS,
  createLogger,
  silentLogger,
  type LogLevel,
  type LogRecord,
  type LogSink,
  type Logger,
} from './log.ts';

/** Built-in forms, also the defaults of the options of the same purpose. */
export const LOG_FORMS = {
  console: '[%(levelname)-8s] %(message)s',
  consoleDate: '%H:%M:%S',
  file: '%(asctime)s,%(msecs)03d [%(name)-17s:%(lineno)-4d][%(levelname)-8s][%(process)d] %(message)s',
  fileDate: '%Y-%m-%d %H:%M:%S',
  jid: '[JID: %(jid)s]',
} as const;

/** A stream for lines, usually standard error. */
export interface LineTarget {
  write(text: string): unknown;
  /** true for a terminal, which may show colours */
  readonly isTTY?: boolean;
}

/** How logging is set up; each entry is the option of that name. */
export interface LoggingOptions {
  /** `log_level`: level of the terminal */
  readonly level: string;
  /** `log_file`: a path, or null for none */
  readonly file?: string | null;
  /** `log_level_logfile`: level of the file; null for the terminal's */
  readonly fileLevel?: string | null;
  /** `log_rotate_max_bytes`, `log_rotate_backup_count` */
  readonly rotation?: LogRotation;
  /** `log_fmt_console`, `log_datefmt` */
  readonly form?: string;
  readonly dateForm?: string;
  /** `log_fmt_logfile`, `log_datefmt_logfile` */
  readonly fileForm?: string;
  readonly fileDateForm?: string;
  /** `log_fmt_jid`, and the job the program is busy with, if any */
  readonly jidForm?: string;
  readonly currentJid?: () => string | undefined;
  /** The id of the program's minion in the form of `log_fmt_minion_id`; not set for a master's */
  readonly minion?: string;
  /** `log_granular_levels`: logger prefix to level; they can make parts quieter, never louder than a sink */
  readonly granular?: ReadonlyMap<unknown, unknown>;
  /** name of the first logger, `salt` if not given */
  readonly name?: string;
  readonly console?: LineTarget;
  /**
   * True for a command whose terminal shows the errors of this machine alone, as Salt's does: further lines begin at
   * the margin.
   */
  readonly hasPlainConsole?: boolean;
  readonly clock?: Clock;
  readonly pid?: number;
  /** Further places for messages. */
  readonly further?: readonly ((shared: LineSinkDeps) => LogSink)[];
  /** True in a process that another one has started with the same options: what is wrong with them has been said. */
  readonly isPart?: boolean;
}

/**
 * The forms of lines and times as the options of every program have them; one that is not set is left out.
 * @param valueOf an option by its name
 */
export function logForms(
  valueOf: (option: string) => unknown,
): Pick<LoggingOptions, 'form' | 'dateForm' | 'fileForm' | 'fileDateForm' | 'minion'> {
  const text = (option: string): string | undefined => {
    const value = valueOf(option);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const forms = {
    form: text('log_fmt_console'),
    dateForm: text('log_datefmt_console') ?? text('log_datefmt'),
    fileForm: text('log_fmt_logfile'),
    fileDateForm: text('log_datefmt_logfile'),
    minion:
      valueOf('__role') === 'minion'
        ? (text('log_fmt_minion_id') ?? '').replaceAll('%(minion_id)s', () => visibleName(text('id') ?? ''))
        : undefined,
  };
  return Object.fromEntries(Object.entries(forms).filter(([, value]) => value !== undefined));
}

/** Logging that has been set up. */
export interface Logging {
  readonly logger: Logger;
  /** Writes what waits and closes the file. Also happens by itself when the process exits. */
  close(): void;
}

/** Levels at which secrets may show; Salt calls them insecure. */
const INSECURE_LEVELS: readonly string[] = ['all', 'debug', 'garbage', 'profile', 'trace'];

/**
 * Sets up logging to the terminal and, where the options name one, to a file. A file or a system log that cannot be
 * opened, and an unknown level are reported on the terminal and otherwise ignored.
 */
export function setupLogging(options: LoggingOptions): Logging {
  const sinks: LogSink[] = [];
  const logger = createLogger(options.name ?? 'salt', sinks);
  const shared = sharedParts(options);
  const forms = checkedForms(options);
  const terminal = consoleSink(options, forms.console, shared);
  sinks.push(terminal);
  const fileLevel = options.fileLevel ?? options.level;
  const complaints = options.isPart === true ? silentLogger : logger;
  const line = fileLine(options, forms.file);
  const file =
    options.file && fileLevel !== 'quiet'
      ? openTarget(
          options,
          options.file,
          complaints,
          noticesOf(options, { path: options.file, line, terminal, shared }),
        )
      : undefined;
  if (file) sinks.push(fileSink(file, { level: fileLevel, line, asEntry: visibleEntry }, shared));
  for (const make of options.further ?? []) sinks.push(make(shared));
  for (const fault of forms.faults) complaints.warning(fault);
  for (const name of new Set([options.level, fileLevel])) {
    if (levelNamed(name) === undefined) {
      complaints.warning(
        `Could not translate the logging level string '${name}' into an actual logging level integer. ` +
          `Returning 'logging.ERROR'.`,
      );
    }
  }
  if ([options.level, fileLevel].some((name) => INSECURE_LEVELS.includes(name))) {
    complaints.warning('Insecure logging configuration detected! Sensitive data may be logged.');
  }
  const flush = (): void => file?.close();
  if (file) process.once('exit', flush);
  return {
    logger,
    close: () => {
      process.removeListener('exit', flush);
      flush();
    },
  };
}

/** The number of a level by its name in any case; undefined for others. */
export function levelNamed(name: string): number | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(LOG_LEVELS, lower) ? LOG_LEVELS[lower as LogLevel] : undefined;
}

/** What the sinks of one program share. */
export interface LineSinkDeps {
  readonly context: () => LineContext;
  /** A message without credentials. */
  readonly safe: (message: string) => string;
  /** false for records that a granular level holds back */
  readonly passes: (record: LogRecord) => boolean;
}

function sharedParts(options: LoggingOptions): LineSinkDeps {
  const clock = options.clock ?? systemClock;
  const pid = options.pid ?? process.pid;
  const jidForm = options.jidForm ?? LOG_FORMS.jid;
  return {
    context: () => {
      const jid = options.currentJid?.();
      return {
        timeMs: clock.nowMs(),
        pid,
        jid: jid === undefined ? '' : jidForm.replaceAll('%(jid)s', () => visibleName(jid)),
        minion: options.minion ?? '',
      };
    },
    safe: withoutCredentials,
    passes: granularFilter(options.granular ?? new Map()),
  };
}

/** The level of the longest matching prefix decides; `root` stands for every logger. */
function granularFilter(granular: ReadonlyMap<unknown, unknown>): (record: LogRecord) => boolean {
  const levels = new Map<string, number>();
  for (const [name, level] of granular) {
    if (typeof name === 'string' && typeof level === 'string') {
      levels.set(name, levelNamed(level) ?? LOG_LEVELS.error);
    }
  }
  if (levels.size === 0) return () => true;
  return (record) => {
    for (let name = record.logger; name !== ''; name = name.slice(0, Math.max(name.lastIndexOf('.'), 0))) {
      const level = levels.get(name);
      if (level !== undefined) return LOG_LEVELS[record.level] >= level;
    }
    return LOG_LEVELS[record.level] >= (levels.get('root') ?? 0);
  };
}

/** The forms as they are used, with what is wrong with those of the options. */
function checkedForms(options: LoggingOptions): { console: string; file: string; faults: readonly string[] } {
  const terminal = checkLineForm('log_fmt_console', options.form || LOG_FORMS.console, LOG_FORMS.console);
  const file = checkLineForm('log_fmt_logfile', options.fileForm || LOG_FORMS.file, LOG_FORMS.file);
  const faults = [...terminal.faults, ...timeFormFaults('log_datefmt', options.dateForm ?? '')];
  if (options.file)
    faults.push(...file.faults, ...timeFormFaults('log_datefmt_logfile', options.fileDateForm ?? ''));
  if (options.minion === undefined) faults.push(...minionFaults(options));
  return { console: terminal.form, file: file.form, faults };
}

/** Salt compat: 3008's master names the minion whose request it serves when it writes a line. */
function minionFaults({ form = '', file, fileForm = '' }: LoggingOptions): string[] {
  const forms = [
    ['log_fmt_console', form] as const,
    ...(file ? [['log_fmt_logfile', fileForm] as const] : []),
  ];
  return forms
    .filter(([, text]) => text.includes('%(minion_id)'))
    .map(
      ([option]) => `${option} asks for %(minion_id)s, which only lines of a minion have; it stays empty.`,
    );
}

function consoleSink(options: LoggingOptions, form: string, shared: LineSinkDeps): LogSink {
  const target = options.console ?? process.stderr;
  const line = compileLineFormat({
    form,
    dateForm: options.dateForm || LOG_FORMS.consoleDate,
    colour: target.isTTY === true,
  });
  const asEntry = options.hasPlainConsole === true ? visible : visibleEntry;
  return lineSink({ level: options.level, line, asEntry }, shared, (text) => target.write(`${text}\n`));
}

function fileLine(options: LoggingOptions, form: string): LineFormatter {
  return compileLineFormat({
    form,
    dateForm: options.fileDateForm || LOG_FORMS.fileDate,
    colour: false,
  });
}

/** A log file that cannot be written is told of on the terminal, and in the file itself once it can be written. */
function noticesOf(
  options: Pick<LoggingOptions, 'name'>,
  deps: {
    readonly path: string;
    readonly line: LineFormatter;
    readonly terminal: LogSink;
    readonly shared: LineSinkDeps;
  },
): LogFileNotices {
  const { path, line, terminal, shared } = deps;
  const record = (message: string): LogRecord => ({
    level: 'error',
    logger: options.name ?? 'salt',
    message,
  });
  const reason = (error: unknown): string =>
    visibleEntry(diskRefusal(error, path)?.message ?? messageOf(error));
  return {
    refused: (error) => {
      const why = reason(error);
      if (terminal.level <= LOG_LEVELS.error)
        terminal.write(record(`Lines of the log file are lost until it can be written: ${why}`));
      return why;
    },
    missing: (count, why) => line(record(`${count} lines are missing here: ${why}`), shared.context()),
  };
}

function fileSink(file: LineFile, form: LineForm, shared: LineSinkDeps): LogSink {
  return lineSink(form, shared, (text, record) =>
    file.append(text, LOG_LEVELS[record.level] >= LOG_LEVELS.warning, record.level),
  );
}

/** How a sink writes lines. */
interface LineForm {
  readonly level: string;
  readonly line: LineFormatter;
  /** Makes what others say visible: it can neither steer a terminal nor, by default, look like an entry of its own. */
  readonly asEntry: (text: string) => string;
}

function lineSink(
  form: LineForm,
  shared: LineSinkDeps,
  write: (text: string, record: LogRecord) => unknown,
): LogSink {
  const { line, asEntry } = form;
  const level = levelNamed(form.level) ?? LOG_LEVELS.error;
  const places = new SourcePlaces();
  return {
    level,
    write: (record) => {
      if (!shared.passes(record)) return;
      const stack =
        level <= LOG_LEVELS.debug ? asEntry(withoutCredentials(places.of(stackOf(record.error)))) : '';
      const message = asEntry(withoutCredentials(record.message));
      write(line({ ...record, message }, shared.context()) + stack, record);
    },
  };
}

function stackOf(error: unknown): string {
  if (error === undefined) return '';
  return `\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

/** What takes the lines of `log_file`. */
interface LineFile {
  append(text: string, isUrgent: boolean, level: LogLevel): void;
  close(): void;
}

function openTarget(
  options: LoggingOptions,
  path: string,
  logger: Logger,
  notices: LogFileNotices,
): LineFile | undefined {
  if (!isSystemLog(path)) return openLogFile(path, options.rotation, { logger, notices });
  const opened = openSystemLog(path, (options.name ?? 'salt').replace('.', '-'));
  if ('fault' in opened) {
    logger.warning(`Failed to open the system log ${path}: ${opened.fault}. Only the terminal is used.`);
    return undefined;
  }
  const { channel, frame } = opened;
  return {
    append: (text, _, level) => channel.send(frame(level, text)),
    close: () => channel.close(),
  };
}

function openLogFile(
  path: string,
  rotation: LogRotation | undefined,
  { logger, notices }: { readonly logger: Logger; readonly notices: LogFileNotices },
): LogFile | undefined {
  try {
    return new LogFile(path, rotation, notices);
  } catch (error) {
    const reason = diskRefusal(error, path)?.message ?? `do you have permission to write to ${path}?`;
    logger.warning(`Failed to open log file, ${reason}`);
    return undefined;
  }
}
