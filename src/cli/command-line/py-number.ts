/** Numbers as Python's optparse reads them. */
import { toPyInt } from '../../python/conversions.ts';
import { toPyFloat } from '../../python/values/number-format.ts';
import { float, type PyFloat } from '../../python/values/value.ts';

/**
 * An integer as optparse's `int` options read it: decimal, `0x` hexadecimal, `0b` binary, a leading `0` octal.
 * @returns undefined when Python would raise ValueError
 */
export function parsePyInt(text: string): number | bigint | undefined {
  const head = text.slice(0, 2).toLowerCase();
  if (head === '0x') return toPyInt(text, 16);
  if (head === '0b') return toPyInt(text.slice(2) || '0', 2);
  return toPyInt(text, text.startsWith('0') ? 8 : 10);
}

/** Python's `float(text)`. @returns undefined when Python would raise ValueError */
export function parsePyFloat(text: string): number | PyFloat | undefined {
  const number = toPyFloat(text);
  return typeof number === 'number' ? float(number) : undefined;
}
