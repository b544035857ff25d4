/**
 * Job ids: 20 digits of UTC time, `YYYYMMDDhhmmssffffff` (docs/internals/wire-protocol.md#job-ids; salt/utils/jid.py
 * 3006.16).
 */
import type { Clock } from '../../host/clock.ts';
import { SHORT_MONTHS } from '../../python/values/calendar.ts';

/** Pseudo-jids that minions may return with. */
export const REQUEST_JID = 'req';
/**
 * The field in which a minion of ours proposes a jid for such a return, so that one that had to be sent twice is one
 * job. Salt's masters take no notice of it.
 */
export const PROPOSED_JID = 'req_jid';

/** The time part of a jid. @param atMs milliseconds since 1970, with a fraction */
export function jidAt(atMs: number): string {
  const iso = new Date(atMs).toISOString();
  const micros = String(Math.floor((atMs % 1000) * 1000)).padStart(6, '0');
  return iso.slice(0, 19).replace(/[-:T]/g, '') + micros;
}

/** True when a jid from outside may be used: no character that means something in tags and paths. */
export function isSafeJid(jid: unknown): jid is string {
  return typeof jid === 'string' && jid.length <= 64 && /^[0-9A-Za-z_]+$/.test(jid);
}

/** True when the text is a jid of Salt's form: 20 digits, perhaps with `_<pid>`. */
export function isJid(jid: unknown): jid is string {
  return isSafeJid(jid) && /^\d{20}(_.*)?$/.test(jid);
}

/** When the job began, milliseconds since 1970, or undefined when the jid is not made of a time. */
export function jidTimeMs(jid: string): number | undefined {
  const m = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{6})/.exec(jid);
  if (m === null) return undefined;
  const [year, month, day, hour, minute, second, micros] = m.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute, second) + micros / 1000;
}

/** Salt's display of a jid's time: `2026, Nov 21 03:31:52.084875`; empty for a jid without one. */
export function jidTimeText(jid: string): string {
  const atMs = jidTimeMs(jid);
  if (atMs === undefined) return '';
  const month = SHORT_MONTHS[Number(jid.slice(4, 6)) - 1];
  const time = `${jid.slice(8, 10)}:${jid.slice(10, 12)}:${jid.slice(12, 14)}.${jid.slice(14, 20)}`;
  return `${jid.slice(0, 4)}, ${month} ${jid.slice(6, 8)} ${time}`;
}

/** Hands out jids that never repeat and always grow within one process. */
export class JidSource {
  readonly #clock: Clock;
  readonly #suffix: string;
  #last = '';

  /** @param uniqueSuffix `_<pid>` with `unique_jid`, else empty */
  constructor(clock: Clock, uniqueSuffix = '') {
    this.#clock = clock;
    this.#suffix = uniqueSuffix;
  }

  next(): string {
    let jid = jidAt(this.#clock.nowMs());
    if (jid <= this.#last) jid = String(BigInt(this.#last) + 1n).padStart(20, '0');
    this.#last = jid;
    return jid + this.#suffix;
  }
}
