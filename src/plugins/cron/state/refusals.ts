/**
 * What no line of a crontab can have, as every `crontab` refuses it.
 * Salt compat: there, test mode promises it.
 */
import { oneLine } from '../../../runtime/loader/words.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import type { Value } from '../../../python/values/value.ts';

/** The fields, with their largest number; the last two may also have names: `jan`, `sun`. */
const FIELDS = { minute: 59, hour: 23, daymonth: 31, month: 12, dayweek: 7 } as const;
const NAMED = new Set(['month', 'dayweek']);
/** Words in place of the times; the last ones are those of FreeBSD. */
const SPECIAL =
  /^@(?:reboot|yearly|annually|monthly|weekly|daily|midnight|hourly|every_minute|every_second|every|\d+.*)$/i;

/** The times of a job. */
export type Times = Readonly<Record<keyof typeof FIELDS, Value>>;

/** Why a job cannot be at these times. */
export function timesRefusal(times: Times, special: Value): string | undefined {
  if (special !== null)
    return SPECIAL.test(pyStr(special))
      ? undefined
      : `special must be a word such as @hourly or @reboot, not ${pyRepr(special)}`;
  for (const [key, largest] of Object.entries(FIELDS)) {
    const text = pyStr(times[key as keyof typeof FIELDS]).trim();
    if (text !== 'random' && !isField(text, largest, NAMED.has(key)))
      return `${key} must be *, or numbers up to ${largest} as a crontab has them, not ${pyRepr(text)}`;
  }
  return undefined;
}

const VARIABLE_LINE = /^["']?[\w.-]+["']?\s*=/;

/** Why a text is no table: the first line that is neither empty, a comment, a variable nor a job. */
export function tableRefusal(text: string): string | undefined {
  for (const [i, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || VARIABLE_LINE.test(line)) continue;
    const wrong = jobRefusal(line);
    if (wrong !== undefined) return `line ${i + 1}, ${pyRepr(line)}, is no job: ${wrong}`;
  }
  return undefined;
}

function jobRefusal(line: string): string | undefined {
  const [, special, ofSpecial] = /^(@\S+)(?:\s+(.*))?$/.exec(line) ?? [];
  if (special !== undefined) {
    const wrong = timesRefusal({ minute: '*', hour: '*', daymonth: '*', month: '*', dayweek: '*' }, special);
    return wrong ?? (ofSpecial === undefined ? 'it has no command' : undefined);
  }
  // a minus in front keeps it out of the log
  const [minute = '', hour = '', daymonth = '', month = '', dayweek = '', command] = line
    .replace(/^-/, '')
    .split(/\s+/);
  const wrong = timesRefusal({ minute, hour, daymonth, month, dayweek }, null);
  return wrong ?? (command === undefined ? 'it has no command' : undefined);
}

/** Steps are not looked at; the ranges of cronie (`0~30`) pass. */
function isField(text: string, largest: number, isNamed: boolean): boolean {
  return text.split(',').every((part) => {
    const [range = '', step, more] = part.split('/');
    if (more !== undefined || (step !== undefined && !/^\d+$/.test(step))) return false;
    return range === '*' || range.split(/[-~]/).every((end) => isEnd(end, largest, isNamed, range));
  });
}

function isEnd(end: string, largest: number, isNamed: boolean, range: string): boolean {
  // a number with a point behind it, as YAML may give one, is left to `crontab`
  if (/^\d+(?:\.0)?$/.test(end)) return Number(end) <= largest;
  return (isNamed && /^[a-z]{3,9}$/i.test(end)) || (end === '' && range.includes('~'));
}

/** @throws SaltInvocationError for a text that would be two lines */
export function checkLines(texts: Readonly<Record<string, Value>>): void {
  for (const [key, value] of Object.entries(texts))
    if (value !== null && value !== false) oneLine(pyStr(value), key);
}

/** Why a line that sets a variable cannot be. */
export function variableRefusal(name: Value, value: Value): string | undefined {
  checkLines({ name, value });
  return /^[^\s=]+$/.test(pyStr(name).trim())
    ? undefined
    : `The name of a variable has no blanks and equals signs: ${pyRepr(name)}`;
}
