/** Python's `repr()` and `str()` of every value: what Salt prints wherever it formats a value into text. */
import { intText } from './int-text.ts';
import { OrderedDict, PyDatetime, PyFloat, type Dict, type Value, PyObject } from './value.ts';

const PLAIN_TEXT = /^[\x20-\x26\x28-\x5b\x5d-\x7e]*$/;
// What Python calls not printable: the Unicode categories "other" and "separator", the space excepted.
const UNPRINTABLE = /\p{C}|(?! )\p{Z}|\\/gu;
const NAMED_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Python's `str(value)`: text as it is, everything else as {@link pyRepr} prints it, datetimes readable. */
export function pyStr(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof PyDatetime) return value.toString();
  if (value instanceof PyObject) return value.str;
  return pyRepr(value);
}

/** Python's `repr(value)`: the literal that would make the value again. */
export function pyRepr(value: Value): string {
  if (value === null) return 'None';
  switch (typeof value) {
    case 'string':
      return textRepr(value);
    case 'boolean':
      return value ? 'True' : 'False';
    case 'bigint':
      return intText(value);
    case 'number':
      return Number.isInteger(value) ? intRepr(value) : floatRepr(value);
    default:
      return objectRepr(value);
  }
}

/** Python's `repr(float)`: the shortest digits that read back, exponents from 1e16 up and below 1e-4. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e16) {
    const plain = String(value);
    return plain.includes('.') ? plain : `${plain}.0`;
  }
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return `${mantissa}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`;
}

function intRepr(value: number): string {
  return Math.abs(value) < 1e21 ? String(value === 0 ? 0 : value) : String(BigInt(value));
}

function objectRepr(value: Value[] | Dict | Uint8Array | PyFloat | PyDatetime | PyObject): string {
  if (value instanceof PyFloat) return floatRepr(value.value);
  if (value instanceof PyObject) return value.repr;
  if (Array.isArray(value)) return `[${value.map(pyRepr).join(', ')}]`;
  if (value instanceof OrderedDict) return orderedRepr(value, pyRepr);
  if (value instanceof Map) {
    return `{${[...value].map(([key, item]) => `${pyRepr(key)}: ${pyRepr(item)}`).join(', ')}}`;
  }
  return value instanceof PyDatetime ? datetimeRepr(value) : bytesRepr(value);
}

/** Python's `repr(OrderedDict)`. @param inner writes keys and values */
export function orderedRepr<Item>(
  value: Iterable<readonly [Item, Item]>,
  inner: (item: Item) => string,
): string {
  const pairs = Array.from(value, ([key, item]) => `(${inner(key)}, ${inner(item)})`);
  return pairs.length === 0 ? 'OrderedDict()' : `OrderedDict([${pairs.join(', ')}])`;
}

/** Python's `repr(str)`: single quotes unless only those occur inside, escapes for all that does not print. */
export function textRepr(text: string): string {
  if (PLAIN_TEXT.test(text)) return `'${text}'`;
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(UNPRINTABLE, escapeChar);
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

function escapeChar(char: string): string {
  const named = NAMED_ESCAPES.get(char);
  if (named !== undefined) return named;
  const code = char.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${hex(code, 2)}`;
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}

/** Python's `repr(bytes)`. */
export function bytesRepr(bytes: Uint8Array): string {
  let body = '';
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    body += NAMED_ESCAPES.get(char) ?? (byte < 0x20 || byte > 0x7e ? `\\x${hex(byte, 2)}` : char);
  }
  const quote = body.includes("'") && !body.includes('"') ? '"' : "'";
  return `b${quote}${quote === "'" ? body.replaceAll("'", "\\'") : body}${quote}`;
}

function datetimeRepr(value: PyDatetime): string {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?/.exec(value.text);
  if (!match) return `datetime.datetime(${textRepr(value.text)})`;
  const [year, month, day, hour, minute, second, micros] = match.slice(1).map((part) => Number(part ?? 0));
  const fields = [year, month, day, hour, minute];
  if (second || micros) fields.push(second);
  if (micros) fields.push(micros);
  return `datetime.datetime(${fields.join(', ')})`;
}
