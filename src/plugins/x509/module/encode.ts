/** The forms in which certificates, keys and the like are handed out. */
import type { KeyObject } from 'node:crypto';
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import type { Random } from '../../../host/random.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import { writePkcs7, type Certificate } from './certificates.ts';
import { writePkcs12 } from './pkcs12.ts';
import { toPem } from './sources.ts';

/** Checks a form. @throws CommandExecutionError */
export function checkedEncoding(given: Value, valid: readonly string[]): string {
  const encoding = pyStr(given);
  if (valid.includes(encoding)) return encoding;
  throw new CommandExecutionError(`Invalid value '${encoding}' for encoding. Valid: ${valid.join(', ')}`);
}

/** The forms of certificates, of keys, and of requests and lists. */
export const CERT_ENCODINGS = ['der', 'pem', 'pkcs7_der', 'pkcs7_pem', 'pkcs12'] as const;
export const KEY_ENCODINGS = ['der', 'pem', 'pkcs12'] as const;
export const PLAIN_ENCODINGS = ['der', 'pem'] as const;

/** What a caller gets: text as text, DER in base64, either as bytes where he asks for that. */
export function handedOut(encoded: string | Buffer, raw: boolean): Value {
  if (raw) return new Uint8Array(Buffer.from(encoded));
  return typeof encoded === 'string' ? encoded : encoded.toString('base64');
}

/** A password of PKCS 12, and whether old programs are to read it. */
export interface Pkcs12Options {
  readonly passphrase: Value;
  readonly compat: Value;
  readonly friendlyName?: Value;
}

/** A private key in a form. */
export function encodeKey(
  key: KeyObject,
  encoding: string,
  { passphrase, compat }: Pkcs12Options,
  random: Random,
): string | Buffer {
  const password = passphrase === null ? undefined : pyStr(passphrase);
  if (encoding === 'pkcs12')
    return writePkcs12({ key, cert: undefined, others: [] }, { password, compat: truthy(compat), random });
  const cipher = password === undefined ? {} : { cipher: 'aes-256-cbc', passphrase: password };
  return encoding === 'pem'
    ? key.export({ format: 'pem', type: 'pkcs8', ...cipher }).toString()
    : key.export({ format: 'der', type: 'pkcs8', ...cipher });
}

/** A certificate in a form, with those that go with it. @throws SaltInvocationError */
export function encodeCertificate(
  cert: Certificate,
  parts: {
    readonly encoding: string;
    readonly others: readonly Certificate[];
    readonly key: KeyObject | undefined;
    readonly pkcs12: Pkcs12Options;
    readonly random: Random;
  },
): string | Buffer {
  const { encoding, others, key, pkcs12, random } = parts;
  const all = [cert, ...others].map(({ whole }) => whole);
  if (encoding === 'der') return cert.whole;
  if (encoding === 'pem') return all.map((one) => toPem('CERTIFICATE', one)).join('\n');
  if (encoding === 'pkcs7_der') return writePkcs7(all);
  if (encoding === 'pkcs7_pem') return toPem('PKCS7', writePkcs7(all));
  if (key === undefined)
    throw new SaltInvocationError(
      'Creating a PKCS12-encoded certificate without embedded private key is unsupported',
    );
  const name = pkcs12.friendlyName;
  return writePkcs12(
    {
      key,
      cert: cert.whole,
      others: others.map(({ whole }) => whole),
      friendlyName: truthy(name) ? pyStr(name ?? '') : undefined,
    },
    {
      password: pkcs12.passphrase === null ? undefined : pyStr(pkcs12.passphrase),
      compat: truthy(pkcs12.compat),
      random,
    },
  );
}
