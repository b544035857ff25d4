/** Python's `text % values`. */
import { PythonError } from '../../python/exceptions.ts';
import { exponential, general, sized } from '../../python/text/format.ts';
import { intText } from '../../python/values/int-text.ts';
import { formatFixed } from '../../python/values/number-format.ts';
import { padLeft, padRight } from '../../python/values/text.ts';
import { isBytes, PyFloat } from '../../python/values/value.ts';
import { typeError, valueError } from './errors.ts';
import { PyTuple, typeName, type TValue } from './model.ts';
import { Undefined } from './undefined.ts';
import { repr, str } from './text-of.ts';

const CONVERSION = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?[hlL]?([^])?/gu;

/** @throws TypeError, ValueError, KeyError */
export function formatPercent(text: string, values: TValue): string {
  const list: readonly TValue[] = values instanceof PyTuple ? values : [values];
  let at = 0;
  let usedMapping = false;
  const next = (): TValue => {
    const value = list[at++];
    if (value === undefined) throw typeError('not enough arguments for format string');
    return value;
  };
  const out = text.replace(
    CONVERSION,
    (all: string, key?: string, flags = '', width?: string, precision?: string, type?: string) => {
      if (type === undefined) throw valueError('incomplete format');
      if (type === '%') return '%';
      const size = width === '*' ? sized(str(next())) : sized(width);
      const hasPrecision = /\.(?:\*|\d+)?[hlL]?[^]$/u.test(all.replace(/^%(?:\([^)]*\))?/, '%'));
      const digits = precision === '*' ? sized(str(next())) : hasPrecision ? sized(precision) : undefined;
      let value: TValue;
      if (key === undefined) value = next();
      else {
        if (!hasItems(values)) throw typeError('format requires a mapping');
        usedMapping = true;
        const found = namedItem(values, key);
        if (found === undefined) throw new PythonError('KeyError', repr(key));
        value = found;
      }
      return convert(value, String(flags), size, digits, type, text);
    },
  );
  const unused = at < list.length && !usedMapping;
  if (unused && !hasItems(values)) throw typeError('not all arguments converted during string formatting');
  return out;
}

/**
 * Whether Python takes a value for the mapping of `%(name)s`, of which not everything need be used: it has items, and
 * is no text or tuple.
 */
const hasItems = (values: TValue): boolean =>
  values instanceof Map ||
  values instanceof Undefined ||
  isBytes(values) ||
  (Array.isArray(values) && !(values instanceof PyTuple));

/** @throws TypeError where the items have no names, UndefinedError */
function namedItem(values: TValue, key: string): TValue | undefined {
  if (values instanceof Undefined) return values.getItem();
  if (values instanceof Map) return values.get(key);
  throw typeError(
    isBytes(values)
      ? 'byte indices must be integers or slices, not str'
      : 'list indices must be integers or slices, not str',
  );
}

function convert(
  value: TValue,
  flags: string,
  width: number,
  precision: number | undefined,
  type: string,
  text: string,
): string {
  let prefix = '';
  let body: string;
  if (type === 's' || type === 'r' || type === 'a') {
    body = type === 's' ? str(value) : repr(value);
    if (precision !== undefined) body = [...body].slice(0, precision).join('');
  } else if (type === 'c') body = typeof value === 'string' ? value : String.fromCodePoint(Number(value));
  else {
    const number = numeric(value, type, text);
    const isNegative = typeof number === 'bigint' ? number < 0n : number < 0 || Object.is(number, -0);
    prefix = isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
    if (typeof number === 'bigint') {
      const size = isNegative ? -number : number;
      const bases: Record<string, number> = { o: 8, x: 16, X: 16 };
      const base = bases[type] ?? 10;
      body = (base === 10 ? intText(size) : size.toString(base)).padStart(precision ?? 0, '0');
      if (type === 'X') body = body.toUpperCase();
      if (flags.includes('#') && type in bases) prefix += `0${type}`;
    } else body = floatBody(Math.abs(number), precision ?? 6, type, flags.includes('#'));
    if (flags.includes('0') && !flags.includes('-')) body = body.padStart(width - prefix.length, '0');
  }
  const whole = prefix + body;
  return flags.includes('-') ? padRight(whole, width) : padLeft(whole, width);
}

function floatBody(size: number, precision: number, type: string, alternate: boolean): string {
  if (!Number.isFinite(size)) return Number.isNaN(size) ? 'nan' : 'inf';
  if (type === 'f' || type === 'F') return formatFixed(size, precision);
  if (type === 'e' || type === 'E') return exponential(size, precision, type);
  return general(size, precision, type === 'G' ? 'E' : 'e', alternate);
}

function numeric(value: TValue, type: string, text: string): bigint | number {
  const isIntType = 'diuoxX'.includes(type);
  if (!isIntType && !'eEfFgG'.includes(type)) {
    const code = (type.codePointAt(0) ?? 0).toString(16);
    throw valueError(`unsupported format character '${type}' (0x${code}) at index ${text.lastIndexOf(type)}`);
  }
  const plain = value instanceof PyFloat ? value.value : typeof value === 'boolean' ? Number(value) : value;
  if (typeof plain === 'number' || typeof plain === 'bigint') {
    if (!isIntType) return Number(plain);
    if (typeof plain === 'bigint') return plain;
    if ('oxX'.includes(type) && (value instanceof PyFloat || !Number.isInteger(plain)))
      throw typeError(`%${type} format: an integer is required, not float`);
    return BigInt(Math.trunc(plain));
  }
  if (!isIntType) throw typeError(`must be real number, not ${typeName(value)}`);
  const needed = 'oxX'.includes(type) ? 'an integer' : 'a real number';
  throw typeError(`%${type} format: ${needed} is required, not ${typeName(value)}`);
}
