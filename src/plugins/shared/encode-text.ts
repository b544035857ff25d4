/** Text as bytes, and bytes as text, in an encoding that a user names as Python would. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { PythonError } from '../../python/exceptions.ts';
import { pyStr, textRepr } from '../../python/values/repr.ts';
import { truthy, type Value } from '../../python/values/value.ts';

/** Highest code points of encodings with one byte for each character. */
const SMALL: ReadonlyMap<string, number> = new Map([
  ['ascii', 0x7f],
  ['us-ascii', 0x7f],
  ['latin-1', 0xff],
  ['latin1', 0xff],
  ['iso-8859-1', 0xff],
  ['iso8859-1', 0xff],
]);

/**
 * @param errors `strict`, `ignore`, `replace`, `xmlcharrefreplace` or `backslashreplace`
 * @throws PythonError UnicodeEncodeError for characters that do not fit; CommandExecutionError for encodings we do not
 *   know
 */
export function encodeText(text: string, encoding: string, errors = 'strict'): Buffer {
  const name = encoding.toLowerCase().replaceAll('_', '-');
  if (name === 'utf-8' || name === 'utf8') return Buffer.from(text);
  if (name === 'utf-8-sig') return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
  if (name === 'utf-16-le' || name === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (name === 'utf-16-be' || name === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  if (name === 'utf-16' || name === 'utf16')
    return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  const limit = SMALL.get(name);
  if (limit === undefined)
    throw new CommandExecutionError(
      `The encoding ${encoding} is not available; use utf-8, utf-16, latin-1 or ascii.`,
    );
  const fitting = [...text].map((char, i) => {
    const code = char.codePointAt(0) ?? 0;
    return code <= limit ? char : substitute(char, code, errors, name, i, limit);
  });
  return Buffer.from(fitting.join(''), 'latin1');
}

/**
 * The contents that a file is compared with. Salt compat: Salt's test mode takes them as UTF-8, and finds a difference
 * each time.
 */
export function encodedContents(contents: Value, encoding: Value | undefined, errors: Value): Value {
  if (typeof contents !== 'string' || encoding === undefined || !truthy(encoding)) return contents;
  return encodeText(contents, pyStr(encoding), pyStr(errors));
}

function substitute(
  char: string,
  code: number,
  errors: string,
  encoding: string,
  position: number,
  limit: number,
): string {
  if (errors === 'ignore') return '';
  if (errors === 'replace') return '?';
  if (errors === 'xmlcharrefreplace') return `&#${code};`;
  if (errors === 'backslashreplace') return textRepr(char).slice(1, -1);
  const shown = encoding.startsWith('latin') || encoding.startsWith('iso') ? 'latin-1' : 'ascii';
  throw new PythonError(
    'UnicodeEncodeError',
    `'${shown}' codec can't encode character '\\u${code.toString(16).padStart(4, '0')}' in position ${position}: ` +
      `ordinal not in range(${limit + 1})`,
  );
}

/**
 * The other way round.
 * @throws PythonError UnicodeDecodeError for bytes that do not fit; CommandExecutionError for encodings we do not know
 */
export function decodeText(bytes: Uint8Array, encoding: string): string {
  const name = encoding.toLowerCase().replaceAll('_', '-');
  const limit = SMALL.get(name);
  if (limit === 0xff) return Buffer.from(bytes).toString('latin1');
  const label = limit === undefined ? name.replace(/-sig$/, '') : 'utf-8';
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: label === 'utf-8' && label === name }).decode(
      bytes,
    );
  } catch (error) {
    if (error instanceof RangeError)
      throw new CommandExecutionError(
        `The encoding ${encoding} is not available; use utf-8, utf-16, latin-1 or ascii.`,
      );
    throw new PythonError('UnicodeDecodeError', `'${label}' codec can't decode the file: invalid bytes`);
  }
}
