/** `log_access_file` and `log_error_file`: a line for each request, in the combined format that CherryPy writes. */
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { LogFile } from '../../host/log-file.ts';
import type { Logger } from '../../host/log.ts';
import { SHORT_MONTHS } from '../../python/values/calendar.ts';
import { visibleName } from '../../python/values/visible.ts';
import type { Exchange } from './exchange.ts';
import { loggedTarget } from './logged-target.ts';

/** Writes both files. */
export class AccessLog {
  readonly #access: LogFile | undefined;
  readonly #errors: LogFile | undefined;
  readonly #clock: Clock;

  constructor(paths: { access: string | null; error: string | null }, clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#access = opened(paths.access, 'log_access_file', log);
    this.#errors = opened(paths.error, 'log_error_file', log);
  }

  /** A request has been answered. */
  answered(exchange: Exchange, status: number, bytes: number): void {
    if (this.#access === undefined) return;
    const { method } = exchange;
    const target = loggedTarget(exchange.request.url ?? '');
    const version = exchange.request.httpVersion;
    const [referer = '', agent = ''] = [exchange.header('referer'), exchange.header('user-agent')];
    const line = `${exchange.address} - - [${this.#time()}] "${method} ${target} HTTP/${version}" ${status} ${bytes} `;
    this.#access.append(visibleName(line) + [loggedTarget(referer), agent].map(quoted).join(' '), false);
  }

  /** Something went wrong that nobody has foreseen. */
  failed(exchange: Pick<Exchange, 'address' | 'method' | 'path'>, error: unknown): void {
    const text = `[${this.#time()}] ${exchange.address} ${exchange.method} ${loggedTarget(exchange.path)}: ${messageOf(error)}`;
    this.#errors?.append(visibleName(text), false);
  }

  #time(): string {
    const now = new Date(this.#clock.nowMs());
    const two = (value: number): string => String(value).padStart(2, '0');
    const day = `${two(now.getDate())}/${SHORT_MONTHS[now.getMonth()]}/${now.getFullYear()}`;
    return `${day}:${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}`;
  }
}

function quoted(text: string): string {
  return `"${visibleName(text).replace(/["\\]/g, '\\$&')}"`;
}

function opened(path: string | null, option: string, log: Logger): LogFile | undefined {
  if (path === null || path === '') return undefined;
  try {
    return new LogFile(path);
  } catch (error) {
    log.error(`The file of ${option}, ${path}, cannot be written: ${messageOf(error)}`);
    return undefined;
  }
}
