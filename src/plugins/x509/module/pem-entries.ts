/**
 * Entries of PEM: found in texts, put into proper lines, and written to files. Follows 3006.16 salt/modules/x509_v2.py
 * `get_pem_entry`, `write_pem`.
 */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { createFile } from '../../../host/files.ts';
import { readBytes, writeInPlace } from '../../../host/file-operations.ts';
import { isFile } from '../../../python/paths.ts';
import type { Value } from '../../../python/values/value.ts';
import { sourceBytes } from './sources.ts';

const PRIVATE_KEY = '(?:RSA )?PRIVATE KEY';

/** A text whose lines the mine has run together, with its lines again. */
function unfolded(text: string): string {
  if (/[\r\n]./s.test(text) || !text.startsWith('-----') || !text.endsWith('-----')) return text;
  return text.replace(/-----[^-]+-----/g, (mark) => `\n${mark}\n`).trim();
}

/**
 * One entry of PEM in proper lines.
 * @param source a path or a text
 * @param type the kind of entry, as a part of a regular expression; any without it
 * @throws SaltInvocationError
 */
export function pemEntry(source: Value, type?: string): string {
  const text = unfolded(sourceBytes(source).toString('utf8').replaceAll('\\n', '\n'));
  const kind = type ?? '[0-9A-Z ]+';
  const entry = new RegExp(
    `(-----BEGIN (${kind})-----)\\s+(?:(Proc-Type: 4,ENCRYPTED)\\s*)?(?:(DEK-Info: [0-9A-Z-]+,[0-9A-F]{16,32})\\s*)?([A-Za-z0-9+/=\\s]+?)\\s*(-----END ${kind}-----)`,
  ).exec(text);
  if (entry === null)
    throw new SaltInvocationError(
      type === undefined
        ? `PEM text not valid:\n${text}`
        : `PEM does not contain a single entry of type ${type}:\n${text}`,
    );
  // the kind may have a group of its own
  const [begin = ''] = entry.slice(1);
  const [procType, dekInfo, body = '', end = ''] = entry.slice(-4) as (string | undefined)[];
  const lines = body.replace(/\s+/g, '').match(/.{1,64}/g) ?? [];
  const head = [
    ...(procType === undefined ? [] : [procType]),
    ...(dekInfo === undefined ? [] : [dekInfo, '']),
  ];
  return [begin, ...head, ...lines, end, ''].join('\n');
}

function kept(path: string, type: string): string {
  try {
    return pemEntry(readBytes(path), type);
  } catch {
    return '';
  }
}

/** Writes bytes to a file, which only its owner can read where it is new. */
export function writePrivately(path: string, content: string | Uint8Array): void {
  if (isFile(path)) writeInPlace(path, content);
  else createFile(path, content, { mode: 0o600 });
}

/**
 * Writes an entry of PEM to a file.
 * @param options without `overwrite` a key and DH parameters of a file with a certificate stay in it
 * @returns Salt's sentence
 */
export function writePem(
  source: Value,
  path: string,
  options: { readonly overwrite?: boolean; readonly type?: string | undefined } = {},
): string {
  const text = pemEntry(source, options.type);
  const keeps = options.type === 'CERTIFICATE' && options.overwrite === false && isFile(path);
  const [key, dhparams] = keeps ? [kept(path, PRIVATE_KEY), kept(path, 'DH PARAMETERS')] : ['', ''];
  writePrivately(path, `${key}${text}${dhparams}`);
  return `PEM written to ${path}`;
}
