/** Values as ZFS writes them and as Salt has them: sizes, switches, numbers. Follows 3006.16 salt/utils/zfs.py. */
import { toPyInt } from '../../../python/conversions.ts';
import { fromBigInt } from '../../../python/values/int-text.ts';
import { formatFixed, toPyFloat } from '../../../python/values/number-format.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { float, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** What kind of value a property has. */
export type PropertyType = 'str' | 'bool' | 'bool_alt' | 'size' | 'numeric';
/** Kinds of properties by name; what is not in it is a text. */
export type PropertyTypes = ReadonlyMap<string, PropertyType>;

const UNITS = 'KMGTPE';
const UNIT = 1024;
const SIZE = /^(\d+|\d+\.\d+)([KMGTPE])B?$/i;
/** The longest text that a size is given. */
const SIZE_LENGTH = 5;

/** Python's `int(text)`, else its `float(text)`, else the text. */
function numberOf(value: Value): Value {
  const whole = toPyInt(value);
  if (whole !== undefined) return whole;
  const real = toPyFloat(value);
  return typeof real === 'number' ? float(real) : value;
}

function fromNumeric(value: Value): Value {
  if (value === 'none') return null;
  return truthy(value) ? numberOf(value) : value;
}

function fromSwitch(value: Value): Value {
  if (value === 'on' || value === 'yes') return true;
  if (value === 'off' || value === 'no') return false;
  return value === 'none' ? null : value;
}

function toSwitch(value: Value, on: string, off: string): Value {
  const plain = fromSwitch(value);
  if (typeof plain === 'boolean') return plain ? on : off;
  return plain ?? 'none';
}

/** A size in bytes, of what ZFS or somebody writes: `1.5G`. */
export function fromSize(value: Value): Value {
  const match = SIZE.exec(pyStr(value));
  if (match === null) return fromNumeric(value === null ? null : pyStr(value));
  const power = UNITS.indexOf((match[2] ?? '').toUpperCase()) + 1;
  return fromBigInt(BigInt(Math.trunc(Number(match[1]) * UNIT ** power)));
}

/** A size as ZFS writes it, at most five letters long; as a number where it is not for people. */
export function toSize(value: Value, forPeople: boolean): Value {
  const bytes = fromSize(value) ?? 'none';
  const count = typeof bytes === 'bigint' ? Number(bytes) : toNumber(bytes);
  if (typeof bytes === 'string' || count === undefined || count <= UNIT || !forPeople) return bytes;
  const power = Math.floor(Math.log(count) / Math.log(UNIT));
  const [scaled, unit] = [count / UNIT ** power, UNITS[power - 1] ?? ''];
  if (Number.isInteger(scaled)) return `${formatFixed(scaled, 0)}${unit}`;
  const texts = [2, 1, 0].map((digits) => `${formatFixed(scaled, digits)}${unit}`);
  return texts.find((text) => text.length <= SIZE_LENGTH) ?? bytes;
}

/** A text, without the quotes that ZFS puts around one with spaces. */
function fromText(value: Value): Value {
  if (value === 'none' || !truthy(value)) return value === 'none' ? null : value;
  const text = pyStr(value);
  const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
  return (isQuoted ? text.slice(1, -1) : text).replaceAll('\\"', '"');
}

/** A text as ZFS writes it. */
function toText(value: Value): Value {
  const plain = fromText(value);
  if (plain === null) return 'none';
  if (typeof plain !== 'string') return plain;
  const quoted = plain.replaceAll('"', '\\"');
  return quoted.includes(' ') ? `"${quoted}"` : quoted;
}

/** A text as a word of a command, which needs no quotes. */
export const wordOf = (value: Value): string => pyStr(fromText(value) ?? 'none');

/** A property's value as Salt has it. */
export function fromZfs(types: PropertyTypes, name: string, value: Value): Value {
  const type = types.get(name) ?? 'str';
  if (type === 'str') return fromText(value);
  if (type === 'size') return fromSize(value);
  return type === 'numeric' ? fromNumeric(value) : fromSwitch(value);
}

/** A property's value as ZFS has it. @param forPeople sizes are made short */
export function toZfs(types: PropertyTypes, name: string, value: Value, forPeople: boolean): Value {
  const type = types.get(name) ?? 'str';
  if (type === 'str') return toText(value);
  if (type === 'size') return toSize(value, forPeople);
  if (type === 'numeric') return fromNumeric(value) ?? 'none';
  return type === 'bool' ? toSwitch(value, 'on', 'off') : toSwitch(value, 'yes', 'no');
}

/** A property's value as a word of a command: sizes in bytes, texts without quotes. */
export function wordForZfs(types: PropertyTypes, name: string, value: Value): string {
  return (types.get(name) ?? 'str') === 'str' ? wordOf(value) : pyStr(toZfs(types, name, value, false));
}

/** All values of a mapping of properties, as Salt has them. */
export function allFromZfs(types: PropertyTypes, values: Dict): Dict {
  return new Map([...values].map(([name, value]) => [name, fromZfs(types, pyStr(name), value)]));
}

/** The same as ZFS has them, for people. */
export function allToZfs(types: PropertyTypes, values: Dict): Dict {
  return new Map([...values].map(([name, value]) => [name, toZfs(types, pyStr(name), value, true)]));
}

const count = (name: string, sign: string): number => wordOf(name).split(sign).length - 1;
/** Whether a name is one of a snapshot. */
export const isSnapshot = (name: string): boolean => count(name, '@') === 1;
/** Whether a name is one of a bookmark. */
export const isBookmark = (name: string): boolean => count(name, '#') === 1;
/** Whether a name is one of a file system or a volume. */
export const isDataset = (name: string): boolean => !isSnapshot(name) && !isBookmark(name);
