/** Python's ways from numbers to text and back that JavaScript has not: `'%.3f'`, `round(x, n)`, `float('1e3 ')`. */
import { strip } from './text.ts';
import { toNumber, type Value } from './value.ts';

/** Python's `f'{value:.{digits}f}'`: exact decimal value, halves to the even neighbour. */
export function formatFixed(value: number, digits: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  if (size >= 1e21) return `${sign}${BigInt(size)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
  // toFixed(100) shows every digit there is, so a tie can be seen; toFixed itself rounds those up
  const [whole = '', fraction = ''] = size.toFixed(100).split('.');
  const kept = whole + fraction.slice(0, digits);
  const isTie = /^50*$/.test(fraction.slice(digits));
  if (!isTie || /[13579]$/.test(kept)) return sign + size.toFixed(digits);
  return `${sign}${whole}${digits > 0 ? `.${fraction.slice(0, digits)}` : ''}`;
}

/** Python's `round(value, digits)` for floats. */
export function roundTo(value: number, digits: number): number {
  return Number.isFinite(value) ? Number(formatFixed(value, digits)) : value;
}

const FLOAT_TEXT = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const SPECIAL_TEXT = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i;

/** The outcome of Python's `float(value)`: a number, or what it would have raised. */
export type FloatResult = number | 'ValueError' | 'TypeError';

/** Python's `float(value)`. */
export function toPyFloat(value: Value | undefined): FloatResult {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string') return value === undefined ? 'TypeError' : (toNumber(value) ?? 'TypeError');
  const text = strip(value);
  if (FLOAT_TEXT.test(text)) return Number(text.replaceAll('_', ''));
  const special = SPECIAL_TEXT.exec(text);
  if (!special) return 'ValueError';
  if (special[2] === undefined) return NaN;
  return special[1] === '-' ? -Infinity : Infinity;
}
