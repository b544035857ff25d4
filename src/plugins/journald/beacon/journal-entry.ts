/**
 * An entry of the journal as Salt's beacon gives it: numbers as such, and what Python has no simple type for as its
 * `repr`.
 */
import { pyRepr } from '../../../python/values/repr.ts';
import type { Dict, Value } from '../../../python/values/value.ts';

const NUMBERS = new Set([
  ...[
    'PRIORITY',
    'LEADER',
    'SESSION_ID',
    'USERSPACE_USEC',
    'INITRD_USEC',
    'KERNEL_USEC',
    '_UID',
    '_GID',
    '_PID',
  ],
  ...['SYSLOG_FACILITY', 'SYSLOG_PID', '_AUDIT_SESSION', '_AUDIT_LOGINUID', '_SYSTEMD_SESSION'],
  ...[
    '_SYSTEMD_OWNER_UID',
    'CODE_LINE',
    'ERRNO',
    'EXIT_STATUS',
    'COREDUMP_PID',
    'COREDUMP_UID',
    'COREDUMP_GID',
  ],
  ...['COREDUMP_SESSION', 'COREDUMP_SIGNAL'],
]);
const UUIDS = new Set(['MESSAGE_ID', '_MACHINE_ID', '_BOOT_ID']);
const TIMES = new Set(['_SOURCE_REALTIME_TIMESTAMP', '__REALTIME_TIMESTAMP', 'COREDUMP_TIMESTAMP']);
/** What the journal itself says of an entry; python-systemd gives these three, journalctl also others. */
const OWN = ['__REALTIME_TIMESTAMP', '__MONOTONIC_TIMESTAMP', '__CURSOR'];

/** @param raw as `journalctl --output=json` prints it */
export function journalEntry(raw: Dict): Dict {
  const out: Dict = new Map();
  for (const [key, value] of raw)
    if (typeof key === 'string' && !key.startsWith('__')) out.set(key, fieldOf(key, value));
  for (const key of OWN) {
    const value = raw.get(key);
    if (value === undefined) continue;
    const boot = raw.get('_BOOT_ID');
    out.set(
      key,
      key === '__MONOTONIC_TIMESTAMP'
        ? [durationRepr(String(value)), typeof boot === 'string' ? uuidRepr(boot) : null]
        : fieldOf(key, value),
    );
  }
  return out;
}

/** A field; one that comes more than once is a list, and one with bytes that are no text a list of numbers. */
function fieldOf(key: string, value: Value): Value {
  if (Array.isArray(value)) {
    if (!value.every((item) => typeof item === 'number')) return value.map((item) => fieldOf(key, item));
    const bytes = Buffer.from(value);
    const text = bytes.toString('utf8');
    return Buffer.from(text).equals(bytes) ? text : pyRepr(new Uint8Array(bytes));
  }
  if (typeof value !== 'string') return value;
  if (NUMBERS.has(key) && /^[+-]?\d+$/.test(value.trim())) return wholeNumber(value);
  if (UUIDS.has(key)) return uuidRepr(value);
  if (TIMES.has(key) && /^\d+$/.test(value)) return timeRepr(value);
  if (key === '_SOURCE_MONOTONIC_TIMESTAMP' && /^\d+$/.test(value)) return durationRepr(value);
  return value;
}

function wholeNumber(text: string): Value {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

function uuidRepr(hex: string): string {
  const parts = /^(.{8})-?(.{4})-?(.{4})-?(.{4})-?(.{12})$/.exec(hex.toLowerCase());
  return parts === null ? hex : `UUID('${parts.slice(1).join('-')}')`;
}

/** @param microseconds since 1970 */
function timeRepr(microseconds: string): string {
  const total = BigInt(microseconds);
  const date = new Date(Number(total / 1000n));
  const micro = Number(total % 1_000_000n);
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const fields = [date.getFullYear(), date.getMonth() + 1, date.getDate(), hours, minutes];
  if (seconds !== 0 || micro !== 0) fields.push(seconds);
  if (micro !== 0) fields.push(micro);
  const offsetSeconds = -date.getTimezoneOffset() * 60;
  const zone = `datetime.timezone(${deltaRepr(BigInt(offsetSeconds) * 1_000_000n)}, '${zoneName(date)}')`;
  return `datetime.datetime(${fields.join(', ')}, tzinfo=${zone})`;
}

function zoneName(date: Date): string {
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(date);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'UTC';
}

const durationRepr = (microseconds: string): string =>
  /^\d+$/.test(microseconds) ? deltaRepr(BigInt(microseconds)) : microseconds;

/** Python's `repr(datetime.timedelta(microseconds=…))`. */
function deltaRepr(total: bigint): string {
  const day = 86_400_000_000n;
  const rest = ((total % day) + day) % day;
  const parts: [string, bigint][] = [
    ['days', (total - rest) / day],
    ['seconds', rest / 1_000_000n],
    ['microseconds', rest % 1_000_000n],
  ];
  const named = parts.filter(([, count]) => count !== 0n).map(([name, count]) => `${name}=${count}`);
  return `datetime.timedelta(${named.join(', ') || '0'})`;
}
