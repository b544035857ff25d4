/** Times and durations as people read them. */

/**
 * When a job began, by its id (`20261125164012345678`), in milliseconds since 1970; ids are in the time zone of the
 * master, or in UTC.
 */
export function jidTimeMs(jid: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})\d*/.exec(jid);
  if (match === null) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, ms = 0] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/** A duration: `0.42 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, `4 d`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return '';
  if (seconds < 1) return `${seconds.toFixed(2)} s`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(minutes, 'min', Math.floor(seconds % 60), 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return joined(hours, 'h', minutes % 60, 'min');
  return joined(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function joined(great: number, greatUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${great} ${greatUnit}` : `${great} ${greatUnit} ${small} ${smallUnit}`;
}

/** How long ago something was: `just now`, `40 s ago`, `3 min ago`; beyond a day its date. */
export function ago(timeMs: number, nowMs: number): string {
  const seconds = (nowMs - timeMs) / 1000;
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${Math.floor(seconds)} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return dateTime(timeMs);
}

/** `2026-11-25 16:40:12` in the time zone of whoever looks. */
export function dateTime(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return '';
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clockTime(timeMs)}`;
}

/** `16:40:12` in the time zone of whoever looks. */
export function clockTime(timeMs: number): string {
  const date = new Date(timeMs);
  if (Number.isNaN(date.getTime())) return '';
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Milliseconds of an ISO time; undefined for none. */
export function isoMs(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined;
  // Salt's own stamps are in UTC and do not say so
  const value = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(value) ? undefined : value;
}
