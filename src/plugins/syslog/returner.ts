/**
 * `syslog`: each return as JSON to the system log (salt/returners/syslog_return.py, 3006.16). Node cannot send to the
 * log's socket itself, so the system's program `logger` does it.
 */
import { runProcess } from '../../host/process.ts';
import { findProgram } from '../../host/which.ts';
import { CommandExecutionError } from '../../errors/errors.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { toJson } from '../../formats/json/text.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { returnerOptions } from '../shared/returner/options.ts';
import { param } from '../../runtime/loader/params.ts';

const LEVELS = ['EMERG', 'ALERT', 'CRIT', 'ERR', 'WARNING', 'NOTICE', 'INFO', 'DEBUG'];
const FACILITIES = [
  ...['KERN', 'USER', 'MAIL', 'DAEMON', 'AUTH', 'LPR', 'NEWS', 'UUCP', 'CRON', 'SYSLOG', 'AUTHPRIV', 'FTP'],
  ...Array.from({ length: 8 }, (_, index) => `LOCAL${index}`),
];
/** What these options of `openlog` mean to `logger`; the others have no meaning there. */
const OPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['LOG_PID', [`--id=${process.pid}`]],
  ['LOG_PERROR', ['--stderr']],
  ['LOG_CONS', []],
  ['LOG_NDELAY', []],
  ['LOG_NOWAIT', []],
  ['LOG_ODELAY', []],
]);
const TAG_LENGTH_MAX = 32;
const RECORD_BYTES_MAX = 1024 * 1024;
const TIMEOUT_MS = 30_000;
const DEFAULTS = new Map<string, Value | undefined>([
  ['level', 'LOG_INFO'],
  ['facility', 'LOG_USER'],
  ['tag', undefined],
  ['options', []],
]);

/** The words for `logger`; undefined, with a line in the log, when an option is none that syslog has. */
function loggerWords(ctx: ModuleContext, options: ReadonlyMap<string, Value>): string[] | undefined {
  const level = named(ctx, options.get('level'), LEVELS);
  const facility = named(ctx, options.get('facility'), FACILITIES);
  if (level === undefined || facility === undefined) return undefined;
  const words: string[] = [];
  const wanted = options.get('options');
  for (const name of Array.isArray(wanted) ? wanted : [wanted]) {
    const meaning = OPTIONS.get(String(name));
    if (meaning === undefined) return void ctx.log.error(`syslog has no attribute ${String(name)}`);
    words.push(...meaning);
  }
  const tag = options.get('tag') ?? 'salt-minion';
  if (typeof tag !== 'string') return void ctx.log.error('tag must be a string');
  if (tag.length > TAG_LENGTH_MAX)
    return void ctx.log.error(`tag size is limited to ${TAG_LENGTH_MAX} characters`);
  return [...words, '--priority', `${facility}.${level}`, `--tag=${tag}`, `--size=${RECORD_BYTES_MAX}`];
}

function named(ctx: ModuleContext, value: Value | undefined, names: readonly string[]): string | undefined {
  const name = String(value).replace(/^LOG_/, '');
  if (String(value).startsWith('LOG_') && names.includes(name)) return name.toLowerCase();
  ctx.log.error(`syslog has no attribute ${String(value)}`);
  return undefined;
}

async function send(ctx: ModuleContext, ret: Dict): Promise<null> {
  const words = loggerWords(ctx, await returnerOptions(ctx, 'syslog', ret, DEFAULTS));
  if (words === undefined) return null;
  const { retcode, stderr } = await runProcess(['logger', ...words], {
    stdin: `${toJson(ret)}\n`,
    timeoutMs: TIMEOUT_MS,
    clock: ctx.clock,
  });
  if (retcode !== 0)
    throw new CommandExecutionError(`logger ended with ${retcode}: ${stderr.toString().trim()}`);
  return null;
}

export const syslogReturner = defineModule({
  name: 'syslog',
  file: 'syslog_return',
  doc: 'Sends each return as JSON to the system log; `syslog.level`, `syslog.facility`, `syslog.tag` and `syslog.options` say how.',
  unavailable: () =>
    findProgram('logger') === undefined ? 'The program logger is not installed.' : undefined,
  settings: [...DEFAULTS.keys()],
  functions: {
    returner: defineFunction({
      doc: 'Sends one return to the system log.',
      params: { ret: param.mapping({ doc: 'The return, as the master gets it.' }) },
      returns: 'None',
      examples: ["salt '*' test.ping --return syslog --return_kwargs '{level: LOG_DEBUG}'"],
      run: (ctx, { ret }) => send(ctx, ret),
    }),
  },
});
