/** The option `retry` of states (salt/state.py `verify_retry_data`, 3006.16). */
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, isInt, type Dict, type Value } from '../../python/values/value.ts';

/** How often a state is tried, and until when. */
export interface Retry {
  readonly until: boolean;
  readonly attempts: number;
  readonly splay: number;
  /** Seconds. */
  readonly interval: number;
}

const DEFAULTS: Retry = { until: true, attempts: 2, splay: 0, interval: 30 };

/** Reads the option; what does not fit is replaced by the default, with a warning. */
export function readRetry(given: Value, log: Logger): Retry {
  if (given === true) return DEFAULTS;
  if (given === false) return { ...DEFAULTS, attempts: 0 };
  if (!isDict(given)) {
    log.warning(
      'State is set to retry, but retry: True or a valid dict for retry configuration was not found.  Using retry defaults',
    );
    return DEFAULTS;
  }
  return {
    until: flag(given, log),
    attempts: count(given, 'attempts', log),
    interval: count(given, 'interval', log),
    splay: count(given, 'splay', log),
  };
}

function flag(given: Dict, log: Logger): boolean {
  const value = given.get('until');
  if (typeof value === 'boolean') return value;
  if (value !== undefined) warn('until', log);
  return DEFAULTS.until;
}

function count(given: Dict, key: 'attempts' | 'interval' | 'splay', log: Logger): number {
  const value = given.get(key);
  if (value === undefined) return DEFAULTS[key];
  if (typeof value === 'boolean' || isInt(value)) return Number(value);
  warn(key, log);
  return DEFAULTS[key];
}

function warn(key: keyof Retry, log: Logger): void {
  const shown = pyStr(DEFAULTS[key]);
  log.warning(`An invalid value was passed for the retry ${key}, using default value '${shown}'`);
}

/** Seconds until the next attempt. */
export function pauseOf({ interval, splay }: Retry, random: Random): number {
  return splay === 0 ? interval : interval + random.int(0, splay);
}

/** What test mode says instead of trying again. */
export function retrySentence({ interval, splay, attempts, until }: Retry): string {
  return (
    `The state would be retried every ${interval} seconds (with a splay of up to ${splay} seconds) a maximum of ` +
    `${attempts} times or until a result of ${pyStr(until)} is returned`
  );
}

/** The line that an attempt leaves in the comment. */
export function attemptLine(attempt: number, result: Dict): string {
  const shown = pyStr(result.get('result') ?? null);
  return `Attempt ${attempt}: Returned a result of "${shown}", with the following comment: "${pyStr(result.get('comment') ?? '')}"`;
}
