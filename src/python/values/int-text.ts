/**
 * Whole numbers and their texts, with Python's limit on the digits (`sys.set_int_max_str_digits`, 3.11): turning many
 * of them into a number and back takes quadratic time.
 */
import { strip } from './text.ts';

/** Decimal digits beyond which Python refuses. */
export const INT_DIGITS_MAX = 4300;

const GREATEST = 10n ** BigInt(INT_DIGITS_MAX);

/** A number has too many digits. The message is Python's, of its ValueError. */
export class IntDigitsError extends RangeError {
  override readonly name = 'IntDigitsError';

  /** @param digits how many there are, where that is known */
  constructor(digits?: number) {
    const size = digits === undefined ? '' : `: value has ${digits} digits`;
    super(
      `Exceeds the limit (${INT_DIGITS_MAX} digits) for integer string conversion${size}; ` +
        'use sys.set_int_max_str_digits() to increase the limit',
    );
  }
}

/** The whole number that a big integer is, as the model of values spells it. */
export function fromBigInt(value: bigint): number | bigint {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : value;
}

const PREFIXES: ReadonlyMap<string, number> = new Map([
  ['0b', 2],
  ['0o', 8],
  ['0x', 16],
]);

/**
 * Python's `int(text, base)`: blanks around, a sign, the prefix of the base, single underscores between digits.
 * @param base 2 to 36, or 0 for the one that the prefix says
 * @returns undefined where Python complains about the text
 * @throws IntDigitsError
 */
export function intOfText(text: string, base = 10): number | bigint | undefined {
  const match = /^([-+]?)(?:(0[xXoObB])_?)?([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)$/.exec(strip(text));
  if (!match) return undefined;
  const [, sign, marker = '', body = ''] = match;
  const prefix = marker.toLowerCase();
  const implied = PREFIXES.get(prefix);
  const isPrefixed = implied !== undefined && (base === 0 || base === implied);
  const radix = base === 0 ? (implied ?? 10) : base;
  const digits = (isPrefixed ? '' : prefix) + body.replaceAll('_', '').toLowerCase();
  if (base === 0 && !isPrefixed && /^0+[^0]/.test(digits)) return undefined;
  for (const digit of digits) if (!(parseInt(digit, 36) < radix)) return undefined;
  const size = intOfDigits(digits, radix);
  return fromBigInt(sign === '-' ? -size : size);
}

/**
 * The number that digits stand for.
 * @param digits nothing but digits of the base, at least one
 * @param base 2 to 36; those that are powers of two know no limit, because they take linear time
 * @throws IntDigitsError
 */
export function intOfDigits(digits: string, base = 10): bigint {
  if (base === 2) return BigInt(`0b${digits}`);
  if (base === 8) return BigInt(`0o${digits}`);
  if (base === 16) return BigInt(`0x${digits}`);
  const isFree = base === 4 || base === 32;
  if (!isFree && digits.length > INT_DIGITS_MAX) throw new IntDigitsError(digits.length);
  if (base === 10) return BigInt(digits);
  if (isFree) return BigInt(`0b${[...digits].map((digit) => bitsOf(digit, base)).join('')}`);
  let total = 0n;
  for (const digit of digits) total = total * BigInt(base) + BigInt(parseInt(digit, base));
  return total;
}

function bitsOf(digit: string, base: number): string {
  return parseInt(digit, base).toString(2).padStart(Math.log2(base), '0');
}

/** The decimal digits of a number. @throws IntDigitsError */
export function intText(value: bigint): string {
  if (value >= GREATEST || value <= -GREATEST) throw new IntDigitsError();
  return value.toString();
}
