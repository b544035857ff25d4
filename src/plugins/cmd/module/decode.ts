/** Text out of what a program has written. */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';

/**
 * Python's names for the encodings that map each byte to the character of that number, as they are normalised below.
 */
const LATIN_1 = new Set(['latin-1', 'latin1', 'latin', 'l1', 'iso-8859-1', 'iso8859-1', '8859', 'cp819']);
const ASCII = new Set(['ascii', 'us-ascii', '646']);
const CP1252 = new Set(['cp1252', 'windows-1252', '1252']);

/** Python's names that the Web's standard of encodings writes otherwise. */
const WEB_NAMES: ReadonlyMap<string, string> = new Map([
  ['utf-16', 'utf-16le'],
  ['utf-16-le', 'utf-16le'],
  ['utf-16-be', 'utf-16be'],
  ['cp932', 'shift_jis'],
  ['shift-jis', 'shift_jis'],
  ['cp936', 'gbk'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
]);

/** Windows' characters in place of the control characters 0x80 to 0x9f; a blank where there is none. */
const CP1252_CHARS = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Decoded output. */
export interface DecodedOutput {
  readonly text: string;
  /** True when bytes that do not fit the encoding had to be replaced. */
  readonly damaged: boolean;
}

/**
 * Decodes output.
 * @param encoding the option `output_encoding`: Python's or the Web's name of an encoding, undefined for UTF-8
 * @throws CommandExecutionError `unknown encoding: X`
 */
export function decodeOutput(bytes: Buffer, encoding: string | undefined): DecodedOutput {
  const name = encoding === undefined ? 'utf-8' : encoding.toLowerCase().replaceAll('_', '-');
  if (LATIN_1.has(name)) return { text: bytes.toString('latin1'), damaged: false };
  if (ASCII.has(name)) return mapped(bytes, /[\x80-\xff]/g, () => undefined);
  // Node 20 takes windows-1252 for Latin-1.
  if (CP1252.has(name)) return mapped(bytes, /[\x80-\x9f]/g, (byte) => CP1252_CHARS[byte - 0x80]?.trim());
  const utf8 = name === 'utf-8' || name === 'utf8' ? decodeUtf8(bytes) : undefined;
  if (utf8 !== undefined) return { text: utf8, damaged: false };
  const ignoreBOM = name !== 'utf-16' && name !== 'utf-8-sig';
  const label = name === 'utf-8-sig' ? 'utf-8' : (WEB_NAMES.get(name) ?? name);
  try {
    return { text: decoder(label, { fatal: true, ignoreBOM }).decode(bytes), damaged: false };
  } catch (error) {
    if (error instanceof CommandExecutionError) throw error;
    return { text: decoder(label, { ignoreBOM }).decode(bytes), damaged: true };
  }
}

function mapped(bytes: Buffer, odd: RegExp, charOf: (byte: number) => string | undefined): DecodedOutput {
  let damaged = false;
  const text = bytes.toString('latin1').replace(odd, (char) => {
    const known = charOf(char.charCodeAt(0));
    if (!known) damaged = true;
    return known || '\ufffd';
  });
  return { text, damaged };
}

function decoder(
  label: string,
  options: { fatal?: boolean; ignoreBOM?: boolean },
): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label, options);
  } catch {
    throw new CommandExecutionError(`unknown encoding: ${label}`);
  }
}
