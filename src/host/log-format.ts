/** Lines of a log from a form such as `[%(levelname)-8s] %(message)s`, which is Python's `logging.Formatter`. */
import type { LogLevel, LogRecord } from './log.ts';
import { LOG_LEVELS } from './log.ts';
import { formatTime } from './log-time.ts';

/** What a line says beside its record. */
export interface LineContext {
  readonly timeMs: number;
  readonly pid: number;
  /** already in the form of `log_fmt_jid`; empty outside of jobs */
  readonly jid: string;
  /** already in the form of `log_fmt_minion_id`; empty in the lines of a master */
  readonly minion: string;
}

/** How lines look. */
export interface LineFormat {
  /** Python's %-form over names of record attributes */
  readonly form: string;
  /** form of `%(asctime)s`, as `strftime` takes it */
  readonly dateForm: string;
  /** colours for the `color…` names */
  readonly colour: boolean;
}

/** Makes one line, without its line end. */
export type LineFormatter = (record: LogRecord, context: LineContext) => string;

/** Colours of levels and of messages (3006.16 salt/_logging/impl.py LOG_COLORS). */
const LEVEL_COLOURS: Readonly<Record<string, readonly [level: string, message: string]>> = {
  critical: ['1;31', '1;31'],
  error: ['1;31', '31'],
  warning: ['1;33', '33'],
  info: ['1;32', '32'],
  profile: ['1;36', '1;36'],
  debug: ['1;36', '36'],
  trace: ['1;35', '35'],
  garbage: ['1;34', '34'],
};
const NAME_COLOUR = '1;32';
const PROCESS_COLOUR = '1;34';

type Piece = string | ((record: LogRecord, context: LineContext) => string);

/** A field with its padding, or a percent sign, as Python reads them. */
export const LINE_PIECES = /%\(([^)]*)\)([-#0+ ]*)(\d*)(?:\.(\d+))?[diouxXeEfFgGcrsa]|%%/g;
/** The fields that lines have. */
export const LINE_FIELDS: ReadonlySet<string> = new Set([
  ...['message', 'levelname', 'levelno', 'name', 'process', 'asctime', 'created', 'msecs', 'jid', 'lineno'],
  'minion_id',
  ...['processName', 'threadName', 'bracketname', 'bracketlevel', 'bracketprocess'],
  ...['colorname', 'colorlevel', 'colorprocess', 'colormsg'],
]);

/** Reads a form once; names it does not know become empty. */
export function compileLineFormat(format: LineFormat): LineFormatter {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of format.form.matchAll(LINE_PIECES)) {
    pieces.push(format.form.slice(end, match.index));
    end = match.index + match[0].length;
    const [whole, name = '', flags = '', width = '', precision] = match;
    if (whole === '%%') pieces.push('%');
    else pieces.push(field(name, format, { flags, width: Number(width || 0), precision }));
  }
  pieces.push(format.form.slice(end));
  return (record, context) => {
    let line = '';
    for (const piece of pieces) line += typeof piece === 'string' ? piece : piece(record, context);
    return line;
  };
}

interface Padding {
  readonly flags: string;
  readonly width: number;
  readonly precision: string | undefined;
}

function field(name: string, format: LineFormat, padding: Padding): Piece {
  const read = reader(name, format);
  return (record, context) => {
    const text = read(record, context).slice(
      0,
      padding.precision === undefined ? undefined : Number(padding.precision),
    );
    if (padding.flags.includes('-')) return text.padEnd(padding.width);
    return text.padStart(padding.width, padding.flags.includes('0') ? '0' : ' ');
  };
}

function reader(name: string, format: LineFormat): (record: LogRecord, context: LineContext) => string {
  const paint = (code: string | undefined, text: string): string =>
    format.colour && code !== undefined ? `\x1b[${code}m${text}\x1b[0m` : text;
  switch (name) {
    case 'message':
      return (record) => record.message;
    case 'levelname':
      return (record) => levelName(record.level);
    case 'levelno':
      return (record) => String(LOG_LEVELS[record.level]);
    case 'name':
      return (record) => record.logger;
    case 'process':
      return (_, context) => String(context.pid);
    case 'asctime':
      return (_, context) => formatTime(format.dateForm, context.timeMs);
    case 'created':
      return (_, context) => String(context.timeMs / 1000);
    case 'msecs':
      return (_, context) => String(Math.floor(context.timeMs) % 1000);
    case 'jid':
      return (_, context) => context.jid;
    case 'minion_id':
      return (_, context) => context.minion;
    case 'lineno':
      return () => '0';
    case 'processName':
      return () => 'MainProcess';
    case 'threadName':
      return () => 'MainThread';
    case 'bracketname':
      return (record) => bracketName(record);
    case 'bracketlevel':
      return (record) => bracketLevel(record);
    case 'bracketprocess':
      return (_, context) => bracketProcess(context);
    case 'colorname':
      return (record) => paint(NAME_COLOUR, bracketName(record));
    case 'colorlevel':
      return (record) => paint(LEVEL_COLOURS[record.level]?.[0] ?? '0', bracketLevel(record));
    case 'colorprocess':
      return (_, context) => paint(PROCESS_COLOUR, bracketProcess(context));
    case 'colormsg':
      return (record) => paint(LEVEL_COLOURS[record.level]?.[1] ?? '0', record.message);
    default:
      return () => '';
  }
}

/** A level as it is printed: `WARNING`. */
function levelName(level: LogLevel): string {
  return level === 'all' ? 'NOTSET' : level.toUpperCase();
}

function bracketName(record: LogRecord): string {
  return `[${record.logger.padEnd(17)}]`;
}

function bracketLevel(record: LogRecord): string {
  return `[${levelName(record.level).padEnd(8)}]`;
}

function bracketProcess(context: LineContext): string {
  return `[${String(context.pid).padStart(5)}]`;
}
