/** `cert_info`: tells of certificates that expire soon (salt/beacons/cert_info.py, 3006.16). */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf } from '../../errors/errors.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { param, readOptions } from '../../runtime/loader/params.ts';
import { defineBeacon, listToDict, VALID } from '../shared/beacon/beacon.ts';

const DEFAULT_NOTIFY_DAYS = 45;
const DAY_MS = 86_400_000;

/** A time as certificates carry it: `20270101000000Z`. */
const rawTime = (atMs: number): string =>
  `${new Date(atMs).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
const timeText = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')}Z`;

/** A name such as `C=DE\nO=Example` as mapping; of several parts of one kind the last stays. */
function nameParts(name: string): [string, string][] {
  return name.split('\n').flatMap((line): [string, string][] => {
    const at = line.indexOf('=');
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
  });
}

const joined = (parts: readonly [string, string][]): string =>
  parts.map(([key, value]) => `${key}="${value}"`).join(',');

/**
 * What is told of a certificate. Salt's `version`, `signature_algorithm` and most `extensions` are not known to Node.
 */
function describe(path: string, certificate: X509Certificate, nowMs: number): Dict {
  const notAfter = Date.parse(certificate.validTo);
  const notBefore = Date.parse(certificate.validFrom);
  const [issuer, subject] = [nameParts(certificate.issuer), nameParts(certificate.subject)];
  const names = certificate.subjectAltName;
  return dict({
    cert_path: path,
    issuer: joined(issuer),
    issuer_dict: new Map<Value, Value>(issuer),
    notAfter_raw: rawTime(notAfter),
    notAfter: timeText(notAfter),
    notBefore_raw: rawTime(notBefore),
    notBefore: timeText(notBefore),
    serial_number: serialOf(certificate),
    subject: joined(subject),
    subject_dict: new Map<Value, Value>(subject),
    extensions: names === undefined ? [] : [dict({ ext_name: 'subjectAltName', ext_data: names })],
    has_expired: notAfter < nowMs,
  });
}

function serialOf({ serialNumber }: X509Certificate): Value {
  const serial = BigInt(`0x${serialNumber}`);
  return serial <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(serial) : serial;
}

/** What is said of one file. */
const FILE_OPTIONS = { notify_days: param.number({ default: null, doc: 'those of this file' }) };

interface WatchedFile {
  readonly path: string;
  /** How many days before its end it is told of, where that is said of it alone. */
  readonly days?: number | undefined;
}

/** `[path, {path: {notify_days: 15}}]`. */
function readFiles(value: Value): WatchedFile[] {
  return (Array.isArray(value) ? value : []).flatMap((item): WatchedFile[] => {
    if (!isDict(item)) return [{ path: String(item) }];
    return [...item].slice(0, 1).map(([path, own]) => ({
      path: String(path),
      days: isDict(own) ? readOptions(FILE_OPTIONS, own).notify_days : undefined,
    }));
  });
}

/** The beacon. */
export const certInfoBeacon = defineBeacon({
  name: 'cert_info',
  doc: 'Reports certificates that expire within `notify_days`.',
  params: {
    files: param.by(readFiles, { type: 'list', default: null, doc: 'paths of certificates' }),
    notify_days: param.number({
      default: DEFAULT_NOTIFY_DAYS,
      doc: 'days before its end that a certificate is reported; below 0: always',
    }),
  },
  validate: (config) => {
    if (!Array.isArray(config)) return [false, 'Configuration for cert_info beacon must be a list.'];
    if (!listToDict(config).has('files'))
      return [false, 'Configuration for cert_info beacon must contain files option.'];
    return VALID;
  },
  start: ({ clock, log }) => ({
    look: async ({ files, notify_days = DEFAULT_NOTIFY_DAYS }) => {
      const nowMs = clock.nowMs();
      const certificates: Value[] = [];
      for (const { path, days = notify_days } of files) {
        try {
          const certificate = new X509Certificate(await readFile(path));
          const left = Math.floor((Date.parse(certificate.validTo) - nowMs) / DAY_MS);
          log.debug(`Certificate ${path} expires in ${left} days.`);
          if (days < 0 || left <= days) certificates.push(describe(path, certificate, nowMs));
        } catch (error) {
          log.error(`Unable to load certificate ${path} (${messageOf(error)})`);
        }
      }
      return certificates.length === 0 ? [] : [dict({ certificates })];
    },
  }),
});
