/**
 * What the returners of SQL databases share: fields of rows, what of a batch is new, and which writers wait for each
 * other.
 */
import { createHash } from 'node:crypto';
import { parseJson } from '../../../formats/json/text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import type { SavedEvent } from './return-store.ts';

/**
 * How many locks there are: few enough to take them all for a batch, enough for single returns not to wait for each
 * other.
 */
const LOCK_SLOTS = 16;
/** How many events are remembered by their sum. */
const EVENTS_KEPT = 20_000;
/** How far a database's clock may be away from ours. */
const CLOCK_SLACK_MS = 3_600_000;
const ABOVE_BMP = /[\u{10000}-\u{10ffff}]/gu;
const ABOVE_ASCII = /[^\x00-\x7f]/g;

/**
 * The characters that a column can hold: all, those of MySQL's `utf8` (three bytes), or ASCII where we know of no more.
 */
export type TextRange = 'all' | 'bmp' | 'ascii';

/** A limit of a column in characters, or undefined where there is none. */
export type Width = number | undefined;

/** JSON in which characters that the column cannot hold are escapes; every reader of JSON sees the same text. */
export function fitJson(json: string, range: TextRange): string {
  if (range === 'all') return json;
  return json.replace(range === 'bmp' ? ABOVE_BMP : ABOVE_ASCII, escapes);
}

function escapes(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at++) out += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return out;
}

/** A field of a return as plain text: several names are joined, what a database cannot hold is left out. */
export function textField(ret: Dict, name: string, range: TextRange = 'all'): string {
  return plainText(ret.get(name), range);
}

/** Any value as the text of a column that is not JSON. */
export function plainText(value: Value | undefined, range: TextRange = 'all'): string {
  if (value === undefined || value === null) return '';
  const text = (Array.isArray(value) ? value.map((item) => pyStr(item)).join(',') : pyStr(value)).replaceAll(
    '\0',
    '',
  );
  return range === 'all' ? text : text.replace(range === 'bmp' ? ABOVE_BMP : ABOVE_ASCII, '?');
}

/** The beginning of a text, as much as fits: `fun` is 50 wide, and names of functions are longer at times. */
export function cut(text: string, width: Width): string {
  if (width === undefined || text.length <= width) return text;
  return [...text].slice(0, width).join('');
}

/** The key of a return's row. */
export function returnKey(jid: string, id: string): string {
  return `${jid} ${id}`;
}

/** Those returns that have no row, each once. @param known keys of rows that are there */
export function newReturns(rets: readonly Dict[], known: ReadonlySet<string>): Dict[] {
  const seen = new Set(known);
  return rets.filter((ret) => {
    const key = returnKey(textField(ret, 'jid'), textField(ret, 'id'));
    return !seen.has(key) && seen.add(key);
  });
}

/** The jids and ids of returns, each once. */
export function jidsAndIds(rets: readonly Dict[]): { readonly jids: string[]; readonly ids: string[] } {
  return {
    jids: [...new Set(rets.map((ret) => textField(ret, 'jid')))],
    ids: [...new Set(rets.map((ret) => textField(ret, 'id')))],
  };
}

/**
 * The numbers of the locks that guard the rows of these returns, growing. Salt's tables have no key that would refuse a
 * second row, so whoever looks whether one is there and then writes it must keep others from doing the same in between.
 */
export function lockSlots(rets: readonly Dict[]): number[] {
  const slots = new Set(
    rets.map((ret) => {
      const key = returnKey(textField(ret, 'jid'), textField(ret, 'id'));
      return createHash('md5').update(key).digest().readUInt32BE(0) % LOCK_SLOTS;
    }),
  );
  return [...slots].sort((a, b) => a - b);
}

/** Parts of a list whose sizes together do not pass a limit; at least one in each. */
export function portions<T>(items: readonly T[], sizeOf: (item: T) => number, limit: number): T[][] {
  const out: T[][] = [];
  let size = Infinity;
  for (const item of items) {
    const more = sizeOf(item);
    if (size + more > limit) {
      out.push([]);
      size = 0;
    }
    out[out.length - 1]?.push(item);
    size += more;
  }
  return out;
}

/** A mapping out of a column's JSON; empty when it is something else. */
export function dictOf(json: string): Dict {
  const value = parseJson(json);
  return isDict(value) ? value : new Map<Value, Value>();
}

/** A return; undefined for one of another function, whose name was cut to the same. */
export function returnOf(fun: string, ret: Value): Value | undefined {
  const isOther = ret instanceof Map && ret.has('fun') && plainText(ret.get('fun')) !== fun;
  return isOther ? undefined : ret;
}

/**
 * Tells events that may have been written before from those that cannot: only the former need a look into a table that
 * has no key for them, and that may be long.
 */
export class EventMemory {
  readonly #openedMs: number;
  readonly #tried = new Set<string>();

  /** @param openedMs when the store was opened: what is younger was not written by anybody before */
  constructor(openedMs: number) {
    this.#openedMs = openedMs;
  }

  /** Notes that events are about to be written. @returns for each whether it may be there already */
  note(events: readonly SavedEvent[], texts: readonly string[]): boolean[] {
    return events.map((event, at) => {
      const sum = textSum(`${event.tag} ${texts[at] ?? ''}`);
      const wasTried = this.#tried.has(sum);
      this.#tried.delete(sum);
      this.#tried.add(sum);
      for (const oldest of this.#tried) {
        if (this.#tried.size <= EVENTS_KEPT) break;
        this.#tried.delete(oldest);
      }
      const atMs = stampMs(event);
      return wasTried || atMs === undefined || atMs < this.#openedMs;
    });
  }

  /** The time before which none of these events can have been written, milliseconds since 1970; 0 when nobody knows. */
  static earliestMs(events: readonly SavedEvent[], nowMs: number): number {
    const times = events.map(stampMs);
    if (times.some((atMs) => atMs === undefined)) return 0;
    return Math.max(0, Math.min(nowMs, ...(times as number[])) - CLOCK_SLACK_MS);
  }
}

/** The sum by which databases compare long texts. */
export function textSum(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** When the event bus had it (`_stamp`, UTC). */
function stampMs({ data }: SavedEvent): number | undefined {
  const stamp = data.get('_stamp');
  if (typeof stamp !== 'string') return undefined;
  const atMs = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(stamp) ? stamp : `${stamp}Z`);
  return Number.isNaN(atMs) ? undefined : atMs;
}
