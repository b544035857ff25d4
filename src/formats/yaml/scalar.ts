/**
 * The meaning of scalars: PyYAML's YAML 1.1 rules with the changes of Salt's loader (leading zeros of integers are
 * dropped, timestamps stay text). Salt 3006.16 salt/utils/yamlloader.py, PyYAML 6.0 resolver and constructor.
 */
import { fromBigInt, INT_DIGITS_MAX, IntDigitsError, intOfDigits } from '../../python/values/int-text.ts';
import { float, type Value } from '../../python/values/value.ts';
import { plainTag, type PlainTag } from './plain-tags.ts';

/** Tags a plain scalar may get without being told, in short form (`int` is `tag:yaml.org,2002:int`). */
export type ImplicitTag = Exclude<PlainTag, 'timestamp' | 'yaml'>;

/** First characters of everything that is not plain text; most scalars end here. */
const SPECIAL_FIRST = /^[-+.0-9~yYnNtTfFoO<=]/;

/** The tag of a plain scalar as Salt's loader reads it: `y` and `n` are text, as in PyYAML, and so are timestamps. */
export function implicitTag(text: string): ImplicitTag {
  if (text === '') return 'null';
  if (!SPECIAL_FIRST.test(text)) return 'str';
  const tag = plainTag(text);
  return tag === 'timestamp' || tag === 'yaml' ? 'str' : tag;
}

/** A value a scalar cannot have: PyYAML ends with Python's ValueError, KeyError or IndexError. */
export class ScalarError extends Error {
  override readonly name = 'ScalarError';
}

/**
 * An integer: decimal, `0b`, `0x`, sexagesimal (`1:30` is 90); octal only after a sign (`-0644`), else leading zeros
 * are dropped.
 * @throws ScalarError when no digits are left (`0x_`)
 */
export function parseInteger(text: string): number | bigint {
  let digits = text;
  if (digits !== '0' && digits.startsWith('0') && !/^0[bx]/.test(digits))
    digits = digits.replace(/^0+/, '') || '0';
  digits = digits.replaceAll('_', '');
  const sign = digits.startsWith('-') ? -1n : 1n;
  if (/^[-+]/.test(digits)) digits = digits.slice(1);
  const magnitude = sign * integerMagnitude(digits, text);
  return fromBigInt(magnitude);
}

function integerMagnitude(digits: string, original: string): bigint {
  try {
    if (/^0[bx]./.test(digits)) return BigInt(digits);
    if (/^0[0-9]/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
    if (digits.includes(':') && digits.length <= INT_DIGITS_MAX)
      return digits.split(':').reduce((sum, part) => sum * 60n + BigInt(part), 0n);
    if (/^[0-9]+$/.test(digits)) return intOfDigits(digits);
  } catch (error) {
    if (error instanceof IntDigitsError) throw new ScalarError(error.message);
    // falls through to the one error below
  }
  throw new ScalarError(`invalid literal for int(): '${original}'`);
}

/**
 * A float, sexagesimal ones included (`1:30.5` is 90.5).
 * @throws ScalarError for text behind an explicit `!!float` that is no number
 */
export function parseFloat(text: string): Value {
  let digits = text.replaceAll('_', '').toLowerCase();
  const sign = digits.startsWith('-') ? -1 : 1;
  if (/^[-+]/.test(digits)) digits = digits.slice(1);
  if (digits === '.inf') return sign * Infinity;
  if (digits === '.nan') return NaN;
  const parts = digits.split(':').reverse();
  let value = 0;
  let base = 1;
  for (const part of parts) {
    if (!/^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?$/.test(part)) {
      throw new ScalarError(`could not convert string to float: '${text}'`);
    }
    value += Number(part) * base;
    base *= 60;
  }
  return float(sign * value);
}

/** The value of `yes`, `off`, `True`…. @throws ScalarError for any other word */
export function parseBoolean(text: string): boolean {
  switch (text.toLowerCase()) {
    case 'yes':
    case 'true':
    case 'on':
      return true;
    case 'no':
    case 'false':
    case 'off':
      return false;
    default:
      throw new ScalarError(`'${text}' is no boolean`);
  }
}

/**
 * The value of a plain scalar standing alone: `5` is a number, `yes` is true, `~` is null, all else is text. Where
 * YAML itself would refuse the scalar (`<<`, `=`, `0x_`) the text comes back unchanged.
 */
export function resolvePlainScalar(text: string): Value {
  try {
    switch (implicitTag(text)) {
      case 'null':
        return null;
      case 'bool':
        return parseBoolean(text);
      case 'int':
        return parseInteger(text);
      case 'float':
        return parseFloat(text);
      case 'merge':
      case 'value':
      case 'str':
        return text;
    }
  } catch (error) {
    if (error instanceof ScalarError) return text;
    throw error;
  }
}
