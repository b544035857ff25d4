/** Numbers as Python's optparse reads them. */
import { float, type PyFloat } from '../values/value.ts';

const DIGITS = new Map([
  [2, '[01]'],
  [8, '[0-7]'],
  [10, '\\d'],
  [16, '[0-9a-fA-F]'],
]);
const PREFIX = new Map([
  [2, '(?:0[bB]_?)?'],
  [8, '(?:0[oO]_?)?'],
  [10, ''],
  [16, '(?:0[xX]_?)?'],
]);

/**
 * An integer as optparse's `int` options read it: decimal, `0x` hexadecimal, `0b` binary, a leading `0` octal.
 * @returns undefined when Python would raise ValueError
 */
export function parsePyInt(text: string): number | bigint | undefined {
  const head = text.slice(0, 2).toLowerCase();
  if (head === '0x') return pyInt(text, 16);
  if (head === '0b') return pyInt(text.slice(2) || '0', 2);
  return pyInt(text, text.startsWith('0') ? 8 : 10);
}

/** Python's `int(text, base)`: blanks around, a sign, the base's prefix, single underscores between digits. */
function pyInt(text: string, base: 2 | 8 | 10 | 16): number | bigint | undefined {
  const digit = DIGITS.get(base) as string;
  const shape = new RegExp(`^([-+]?)${PREFIX.get(base) as string}(${digit}+(?:_${digit}+)*)$`);
  const match = shape.exec(text.trim());
  if (match === null) return undefined;
  const digits = (match[2] as string).replaceAll('_', '');
  const prefix = base === 16 ? '0x' : base === 8 ? '0o' : base === 2 ? '0b' : '';
  const value = BigInt(prefix + digits) * (match[1] === '-' ? -1n : 1n);
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

/** Python's `float(text)`. @returns undefined when Python would raise ValueError */
export function parsePyFloat(text: string): number | PyFloat | undefined {
  const word = text.trim();
  const special = /^([-+]?)(?:(inf|infinity)|nan)$/i.exec(word);
  if (special) return special[2] === undefined ? NaN : special[1] === '-' ? -Infinity : Infinity;
  const digits = '\\d+(?:_\\d+)*';
  const shape = new RegExp(`^[-+]?(?:${digits}\\.?(?:${digits})?|\\.${digits})(?:[eE][-+]?${digits})?$`);
  return shape.test(word) ? float(Number(word.replaceAll('_', ''))) : undefined;
}
