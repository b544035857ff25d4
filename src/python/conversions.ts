/** Python's conversions, as functions apply them to arguments that may come in any type. */
import { ArgumentError } from '../errors/errors.ts';
import { fromBigInt, IntDigitsError, intOfText } from './values/int-text.ts';
import { pyRepr, pyStr } from './values/repr.ts';
import { strip } from './values/text.ts';
import { isInt, pyTypeName, toNumber, truthy, type Value } from './values/value.ts';
import { PythonError } from './exceptions.ts';

/**
 * Python's `int(value)`.
 * @throws PythonError (`ValueError: invalid literal for int() with base 10: 'abc'`), ArgumentError for other types
 */
export function pyInt(value: Value): number | bigint {
  if (typeof value === 'boolean') return Number(value);
  if (isInt(value)) return value;
  if (typeof value === 'string') return intFromText(value);
  const number = toNumber(value);
  if (number === undefined) {
    const type = pyTypeName(value);
    throw new ArgumentError(
      `int() argument must be a string, a bytes-like object or a real number, not '${type}'`,
    );
  }
  if (Number.isNaN(number)) throw new PythonError('ValueError', 'cannot convert float NaN to integer');
  if (!Number.isFinite(number))
    throw new PythonError('OverflowError', 'cannot convert float infinity to integer');
  return fromBigInt(BigInt(Math.trunc(number)));
}

function intFromText(text: string): number | bigint {
  try {
    const number = intOfText(text);
    if (number !== undefined) return number;
  } catch (error) {
    if (error instanceof IntDigitsError) throw new PythonError('ValueError', error.message);
    throw error;
  }
  throw new PythonError('ValueError', `invalid literal for int() with base 10: ${pyRepr(text)}`);
}

/**
 * Python's `int(value, base)`, or undefined where it raises.
 * @param base of a text; other values are what they are
 */
export function toPyInt(value: Value, base = 10): number | bigint | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (isInt(value)) return value;
  if (typeof value !== 'string') {
    const number = toNumber(value);
    return Number.isFinite(number) ? fromBigInt(BigInt(Math.trunc(number as number))) : undefined;
  }
  try {
    return intOfText(value, base);
  } catch (error) {
    if (error instanceof IntDigitsError) return undefined;
    throw error;
  }
}

/** `int(value)` where only an ordinary size makes sense (seconds, counts): great values are cut at 2^53. */
export function pyCount(value: Value): number {
  const number = Number(pyInt(value));
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, number));
}

/** A value as text, as Python's `str()` gives it; undefined for None. */
export function optionalText(value: Value): string | undefined {
  return value === null ? undefined : pyStr(value);
}

/**
 * Salt's `is_true` (3006.16 salt/utils/data.py): a number, also in a text, when it is above zero; a text only when it
 * says `true`; anything else by Python's truth.
 */
export function isTrue(value: Value | undefined): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  if (typeof value === 'string') {
    const number = numberInText(value);
    return number === undefined ? value.toLowerCase() === 'true' : number > 0;
  }
  const number = toNumber(value);
  return number === undefined ? truthy(value) : Math.trunc(number) > 0;
}

function numberInText(text: string): number | undefined {
  const bare = strip(text);
  return /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(bare) ? Number(bare) : undefined;
}
