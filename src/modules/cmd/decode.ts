/** Text out of what a program has written. */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../values/repr.ts';
import { decodeUtf8 } from '../../values/text.ts';
import type { Value } from '../../values/value.ts';

/** Python's names for the encodings that map each byte to the character of that number. */
const LATIN_1 = /^(latin[-_]?1|latin|l1|iso[-_]?8859[-_]1|8859|cp819)$/i;
const ASCII = /^(us[-_]?)?ascii$/i;

/**
 * Decodes output.
 * @param encoding the option `output_encoding`: Python's or the Web's name of an encoding, null for UTF-8
 * @returns the text; `damaged` when bytes had to be replaced
 * @throws CommandExecutionError `unknown encoding: X`
 */
export function decodeOutput(
  bytes: Buffer,
  encoding: Value,
): { readonly text: string; readonly damaged: boolean } {
  const name = encoding === null ? 'utf-8' : pyStr(encoding).replaceAll('_', '-');
  if (LATIN_1.test(name)) return { text: bytes.toString('latin1'), damaged: false };
  if (ASCII.test(name)) {
    const text = bytes.toString('latin1').replace(/[\x80-\xff]/g, '\ufffd');
    return { text, damaged: text.includes('\ufffd') };
  }
  const utf8 = /^utf-?8$/i.test(name) ? decodeUtf8(bytes) : undefined;
  if (utf8 !== undefined) return { text: utf8, damaged: false };
  const strict = decoder(name, true);
  try {
    return { text: strict.decode(bytes), damaged: false };
  } catch {
    return { text: decoder(name, false).decode(bytes), damaged: true };
  }
}

function decoder(name: string, fatal: boolean): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(name, { fatal, ignoreBOM: true });
  } catch {
    throw new CommandExecutionError(`unknown encoding: ${name}`);
  }
}
