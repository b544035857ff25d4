/** What Salt takes for a certificate, a key and the like: a path, a text (PEM, hex, base64) or bytes. */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { readBytes, statFacts } from '../../../host/file-operations.ts';
import { isFile } from '../../../python/paths.ts';
import { isBytes, type Value } from '../../../python/values/value.ts';

/** A path, a text or bytes. */
export type Source = Value;

/** Files above this are no certificates; reading one must not cost the memory of the minion. */
const LARGEST = 16 * 1024 * 1024;

/** Whether a source is the path of a file. */
export function isFileSource(source: Source): boolean {
  return typeof source === 'string' && source.length < 4096 && !source.includes('\0') && isFile(source);
}

/** Whether bytes have something in PEM. */
export const isPem = (bytes: Buffer): boolean => bytes.includes('-----BEGIN');

const NO_FILE = 'Could not load provided source: there is no file ';

/** Whether an error says that a file is not there, which an earlier state may still make. */
export const isMissingFile = (error: unknown): boolean =>
  error instanceof SaltInvocationError && error.message.startsWith(NO_FILE);

/** The bytes of a source. @throws SaltInvocationError for what is none */
export function sourceBytes(source: Source): Buffer {
  if (typeof source === 'string' && isFileSource(source)) {
    if (statFacts(source).size > LARGEST)
      throw new SaltInvocationError(`Could not load ${source}: it is larger than ${LARGEST} bytes.`);
    return readBytes(source);
  }
  if (isBytes(source)) return Buffer.from(source);
  if (typeof source === 'string' && source.startsWith('/') && source.length < 4096)
    // no DER in base64 begins so; Salt takes a path that there is not for base64
    throw new SaltInvocationError(`${NO_FILE}${source}`);
  if (typeof source === 'string') {
    if (source.startsWith('b64:')) return Buffer.from(source.slice(4), 'base64');
    if (source.includes('-----BEGIN')) return Buffer.from(source);
    const bare = source.replace(/\s+/g, '');
    if (bare !== '' && /^(?:[0-9A-Fa-f]{2})*$/.test(bare)) return Buffer.from(bare, 'hex');
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(bare) && bare.length % 4 === 0) return Buffer.from(bare, 'base64');
  }
  throw new SaltInvocationError(
    'Could not load provided source. You need to pass an existing file, ' +
      '(PEM|hex|base64)-encoded string or raw bytes.',
  );
}

/** The blocks of PEM in bytes. */
export function pemBlocks(bytes: Buffer): { type: string; der: Buffer }[] {
  const out: { type: string; der: Buffer }[] = [];
  for (const [, type = '', body = ''] of bytes
    .toString('latin1')
    .matchAll(/-----BEGIN ([A-Z0-9 ]+)-----\s+([A-Za-z0-9+/=\s]+?)-----END \1-----/g))
    out.push({ type, der: Buffer.from(body.replace(/\s+/g, ''), 'base64') });
  return out;
}

/** Bytes as a block of PEM, with a line end behind it. */
export function toPem(type: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n');
}
