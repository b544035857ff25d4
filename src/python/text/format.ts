/**
 * Python's format mini-language: what `format(value, spec)` and `str.format` understand. Templates and outputters have
 * values of their own kinds, so that both say how theirs are shown and what is in them.
 */
import { PythonError } from '../exceptions.ts';
import { intText } from '../values/int-text.ts';
import { formatFixed } from '../values/number-format.ts';
import { floatRepr, pyRepr } from '../values/repr.ts';
import { textLength } from '../values/text.ts';
import { PyFloat } from '../values/value.ts';

/** What formatting needs to know of values: their forms, and how `str.format` reaches what is in them. */
export interface FormatModel<T> {
  str(value: T): string;
  repr(value: T): string;
  /** The name of its type, for errors. */
  typeName(value: T): string;
  attr(value: T, name: string): T;
  item(value: T, key: string | number): T;
}

const typeError = (message: string): PythonError => new PythonError('TypeError', message);
const valueError = (message: string): PythonError => new PythonError('ValueError', message);

/** Widths and precisions beyond this are refused: nobody reads such output. */
const SIZE_MAX = 10_000;

interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | undefined;
  readonly type: string;
}

const SPEC = /^(?:([^])?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([bcdeEfFgGnosxX%])?$/u;

function parseSpec(text: string, isText: boolean, typeName: string): Spec {
  const match = SPEC.exec(text);
  if (!match) {
    if (/^[^]*[a-zA-Z]$/.test(text) && SPEC.test(text.slice(0, -1)))
      throw valueError(`Unknown format code '${text.slice(-1)}' for object of type '${typeName}'`);
    throw valueError('Invalid format specifier');
  }
  const [, fill, align, sign, , alternate, zero, width, grouping, precision, type] = match;
  return {
    fill: fill ?? (zero ? '0' : ' '),
    align: align ?? (zero && !isText ? '=' : ''),
    sign: sign ?? '-',
    alternate: alternate !== undefined,
    width: sized(width),
    grouping: grouping ?? '',
    precision: precision === undefined ? undefined : sized(precision),
    type: type ?? '',
  };
}

/** @throws ValueError for sizes nobody can mean */
export function sized(text: string | undefined): number {
  const size = Number(text ?? 0);
  if (size > SIZE_MAX) throw valueError('Too many decimal digits in format string');
  return size;
}

/** Python's `format(value, spec)`. @throws PythonError ValueError, TypeError */
function formatValue<T>(value: T, text: string, model: FormatModel<T>): string {
  if (text === '') return model.str(value);
  const typeName = model.typeName(value);
  if (typeof value === 'boolean') {
    const spec = parseSpec(text, false, typeName);
    return spec.type === '' || spec.type === 's'
      ? padded(model.str(value), '', spec, '<')
      : formatNumber(Number(value), spec);
  }
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof PyFloat)
    return formatNumber(value, parseSpec(text, false, typeName));
  if (typeof value === 'string') return formatShown(value, text);
  throw typeError(`unsupported format string passed to ${typeName}.__format__`);
}

/** `format(value, spec)` of a text. */
function formatShown(value: string, text: string): string {
  if (text === '') return value;
  const spec = parseSpec(text, true, 'str');
  if (spec.type !== '' && spec.type !== 's')
    throw valueError(`Unknown format code '${spec.type}' for object of type 'str'`);
  if (spec.align === '=') throw valueError("'=' alignment not allowed in string format specifier");
  const shown = spec.precision === undefined ? value : [...value].slice(0, spec.precision).join('');
  return padded(shown, '', spec, '<');
}

function padded(body: string, prefix: string, spec: Spec, usual: string): string {
  const room = spec.width - textLength(prefix) - textLength(body);
  if (room <= 0) return prefix + body;
  const align = spec.align || usual;
  if (align === '=') return prefix + spec.fill.repeat(room) + body;
  const left = align === '<' ? 0 : align === '>' ? room : Math.floor(room / 2);
  return spec.fill.repeat(left) + prefix + body + spec.fill.repeat(room - left);
}

function formatNumber(value: number | bigint | PyFloat, spec: Spec): string {
  const isInt = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
  const { type } = spec;
  if (isInt && (type === '' || 'bcdnoxX'.includes(type))) return formatInt(BigInt(value), spec);
  if (type !== '' && !'eEfFgGn%'.includes(type))
    throw valueError(`Unknown format code '${type}' for object of type '${isInt ? 'int' : 'float'}'`);
  const number = Number(value instanceof PyFloat ? value.value : value);
  const isNegative = number < 0 || Object.is(number, -0);
  const body = floatBody(Math.abs(number), spec);
  return padded(grouped(body, spec, 3), signOf(isNegative, spec), spec, '>');
}

function signOf(isNegative: boolean, spec: Spec): string {
  if (isNegative) return '-';
  return spec.sign === '-' ? '' : spec.sign;
}

function formatInt(value: bigint, spec: Spec): string {
  const size = value < 0n ? -value : value;
  if (spec.type === 'c') return padded(String.fromCodePoint(Number(value)), '', spec, '<');
  if (spec.precision !== undefined) throw valueError('Precision not allowed in integer format specifier');
  const bases: Record<string, number> = { b: 2, o: 8, x: 16, X: 16 };
  const base = bases[spec.type] ?? 10;
  let digits = base === 10 ? intText(size) : size.toString(base);
  let prefix = spec.alternate && base !== 10 ? `0${spec.type}` : '';
  if (spec.type === 'X') {
    digits = digits.toUpperCase();
    prefix = prefix.toUpperCase();
  }
  return padded(grouped(digits, spec, base === 10 ? 3 : 4), signOf(value < 0n, spec) + prefix, spec, '>');
}

function grouped(digits: string, spec: Spec, every: number): string {
  if (spec.grouping === '') return digits;
  const at = digits.search(/[^0-9a-fA-F]/);
  const whole = at < 0 ? digits : digits.slice(0, at);
  const rest = at < 0 ? '' : digits.slice(at);
  return whole.replace(new RegExp(`\\B(?=(?:[0-9a-fA-F]{${every}})+$)`, 'g'), spec.grouping) + rest;
}

function floatBody(size: number, spec: Spec): string {
  const { type, precision } = spec;
  if (!Number.isFinite(size)) {
    const word = Number.isNaN(size) ? 'nan' : 'inf';
    return (
      (type === 'F' || type === 'E' || type === 'G' ? word.toUpperCase() : word) + (type === '%' ? '%' : '')
    );
  }
  if (type === 'f' || type === 'F') return formatFixed(size, precision ?? 6);
  if (type === '%') return `${formatFixed(size * 100, precision ?? 6)}%`;
  if (type === 'e' || type === 'E') return exponential(size, precision ?? 6, type);
  if (type === '' && precision === undefined) return floatRepr(size);
  return general(size, precision ?? 6, type === 'G' ? 'E' : 'e', spec.alternate, type === '');
}

/** `%e`. */
export function exponential(size: number, precision: number, letter: string): string {
  const [mantissa = '', exponent = ''] = size.toExponential(precision).split('e');
  return `${mantissa}${letter}${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`;
}

/** `%g`. @param keepsPoint `format(1.0, '.3')` keeps `.0` */
export function general(
  size: number,
  precision: number,
  letter: string,
  alternate: boolean,
  keepsPoint = false,
): string {
  const digits = precision === 0 ? 1 : precision;
  const exponent = size === 0 ? 0 : Number(size.toExponential(digits - 1).split('e')[1]);
  const strip = (text: string): string =>
    alternate || !text.includes('.') ? text : text.replace(/\.?0+$/, '');
  if (exponent >= -4 && exponent < digits - (keepsPoint ? 1 : 0)) {
    const fixed = strip(formatFixed(size, Math.max(0, digits - 1 - exponent)));
    return keepsPoint && !fixed.includes('.') ? `${fixed}.0` : fixed;
  }
  const [mantissa = '', power = ''] = exponential(size, digits - 1, letter).split(letter);
  return `${strip(mantissa)}${letter}${power}`;
}

const FIELD = /^([^.[\]]*)((?:\.[^.[\]]+|\[[^\]]+\])*)$/;

/**
 * Python's `str.format`.
 * @param args what `{}` and `{0}` stand for
 * @param kwargs what `{name}` stands for
 * @throws PythonError KeyError, IndexError, ValueError, TypeError
 */
export function formatText<T>(
  text: string,
  args: readonly T[],
  kwargs: ReadonlyMap<string, T>,
  model: FormatModel<T>,
  depth = 2,
): string {
  if (depth < 0) throw valueError('Max string recursion exceeded');
  let automatic = 0;
  let out = '';
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char !== '{' && char !== '}') {
      out += char;
      continue;
    }
    if (text.charAt(i + 1) === char) {
      out += char;
      i++;
      continue;
    }
    if (char === '}') throw valueError("Single '}' encountered in format string");
    const end = fieldEnd(text, i + 1);
    const field = text.slice(i + 1, end);
    const [, name = '', conversion, spec = ''] =
      /^([^!:]*(?:\[[^\]]*\][^!:]*)*)(?:!(.))?(?::([^]*))?$/u.exec(field) ?? [];
    const value = convert(
      fieldValue(name, args, kwargs, model, () => automatic++),
      conversion,
      model,
    );
    const form = spec.includes('{') ? formatText(spec, args, kwargs, model, depth - 1) : spec;
    out += typeof value === 'string' ? formatShown(value, form) : formatValue(value, form, model);
    i = end;
  }
  return out;
}

function fieldEnd(text: string, from: number): number {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text.charAt(i) === '{') depth++;
    else if (text.charAt(i) === '}' && --depth === 0) return i;
  }
  throw valueError(
    from >= text.length ? "Single '{' encountered in format string" : "expected '}' before end of string",
  );
}

function fieldValue<T>(
  name: string,
  args: readonly T[],
  kwargs: ReadonlyMap<string, T>,
  model: FormatModel<T>,
  next: () => number,
): T {
  const match = FIELD.exec(name);
  if (!match) throw valueError("Only '.' or '[' may follow ']' in format field specifier");
  const [, first = '', rest = ''] = match;
  const index = first === '' ? next() : /^\d+$/.test(first) ? Number(first) : undefined;
  let value = index === undefined ? kwargs.get(first) : args[index];
  if (value === undefined) {
    if (index !== undefined) throw new PythonError('IndexError', 'tuple index out of range');
    throw new PythonError('KeyError', pyRepr(first));
  }
  for (const [, attr, item] of rest.matchAll(/\.([^.[\]]+)|\[([^\]]+)\]/g)) {
    if (attr !== undefined) value = model.attr(value, attr);
    else if (item !== undefined) value = model.item(value, /^\d+$/.test(item) ? Number(item) : item);
  }
  return value;
}

/** A field's value after `!s`, `!r` or `!a`: a text, or without one of them the value itself. */
function convert<T>(value: T, conversion: string | undefined, model: FormatModel<T>): T | string {
  if (conversion === undefined) return value;
  if (conversion === 's') return model.str(value);
  if (conversion === 'r' || conversion === 'a') return model.repr(value);
  throw valueError(`Unknown conversion specifier '${conversion}'`);
}
