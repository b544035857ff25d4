/**
 * What the files of all families have in common: switches, options of cards, and Salt's sentences about wrong settings.
 */
import { readTextIfExists } from '../../../host/files.ts';
import { findProgram } from '../../../host/which.ts';
import { pyInt } from '../../../python/conversions.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { pyRepr, pyStr } from '../../../python/values/repr.ts';
import { PY_SPACE, strip } from '../../../python/values/text.ts';
import { pyTypeName, toNumber, valuesEqual, type Dict, type Value } from '../../../python/values/value.ts';
import { noItem } from '../../../runtime/loader/params.ts';
import { ArgumentError } from '../../../errors/errors.ts';

/** What switches something on. */
export const ON: readonly Value[] = ['yes', 'on', 'true', '1', true];
/** What switches something off. */
const OFF: readonly Value[] = ['no', 'off', 'false', '0', false];
/** What a switch may be, as Salt's sentences list it. */
export const SWITCH: readonly Value[] = [...ON, ...OFF];

/** Python's `value in list`. */
export function isIn(list: readonly Value[], value: Value): boolean {
  return list.some((item) => valuesEqual(item, value));
}

/** The error by which Salt's module tells its states of a setting; they show its text. */
export function settingError(message: string): PythonError {
  return new PythonError('AttributeError', message);
}

/** True for what {@link settingError} makes. */
export function isSettingError(error: unknown): error is PythonError {
  return error instanceof PythonError && error.type === 'AttributeError';
}

/** A setting of an interface that cannot be. */
export function wrongOption(iface: string, option: Value, expected: readonly Value[]): PythonError {
  return settingError(
    `Invalid option -- Interface: ${iface}, Option: ${pyStr(option)}, Expected: [${expected.map(pyStr).join('|')}]`,
  );
}

/** Routes that cannot be. */
export function wrongRoutes(iface: string, option: string, expected: string): PythonError {
  return settingError(
    `Invalid option -- Route interface: ${iface}, Option: ${option}, Expected: [${expected}]`,
  );
}

/** A setting of the whole system that cannot be. */
export function wrongNetworkSetting(option: string, expected: readonly Value[]): PythonError {
  return settingError(
    `Invalid network setting -- Setting: ${option}, Expected: [${expected.map(pyStr).join('|')}]`,
  );
}

/** Whether a value switches something on, or undefined where it is no switch. */
export function switchOf(value: Value): boolean | undefined {
  if (isIn(ON, value)) return true;
  return isIn(OFF, value) ? false : undefined;
}

/** Python's `int(value)` is possible. @throws ArgumentError for what is neither number nor text */
export function isWhole(value: Value): boolean {
  try {
    pyInt(value);
    return true;
  } catch (error) {
    if (error instanceof PythonError && error.type === 'ValueError') return false;
    throw error;
  }
}

/** Python's `joint.join(items)`. @throws ArgumentError for an item that is no text */
export function joinTexts(items: readonly Value[], joint: string): string {
  return items
    .map((item, at) => {
      if (typeof item === 'string') return item;
      throw new ArgumentError(noItem(at)(item));
    })
    .join(joint);
}

/** Settings by their names in small letters. */
export function lowerKeys(settings: Dict): Dict {
  return new Map([...settings].map(([key, value]) => [pyStr(key).toLowerCase(), value]));
}

/**
 * The name of an interface, which becomes a part of paths and an operand of programs.
 * @throws PythonError (AttributeError) for what no interface can be called
 */
export function interfaceName(iface: string): string {
  if (/^[^\s/\0-][^\s/\0]*$/.test(iface) && iface !== '.' && iface !== '..') return iface;
  throw settingError(
    `${pyRepr(iface)} cannot be the name of an interface: it needs to be one word without '/', and not begin with '-'.`,
  );
}

/**
 * The options of a network card that all families know, as `ethtool` calls them.
 * @throws PythonError for wrong values
 */
export function cardOptions(opts: Dict, iface: string): Dict {
  const out: Dict = new Map();
  setSwitch(out, opts, 'autoneg', iface);
  const duplex = opts.get('duplex');
  if (duplex !== undefined) {
    const valid = ['full', 'half'];
    if (!isIn(valid, duplex)) throw wrongOption(iface, 'duplex', valid);
    out.set('duplex', duplex);
  }
  const speed = opts.get('speed');
  if (speed !== undefined) {
    const valid = ['10', '100', '1000', '10000'];
    if (!valid.includes(pyStr(speed))) throw wrongOption(iface, speed, valid);
    out.set('speed', speed);
  }
  return out;
}

/** Adds what a card does itself: checksums, segmentation. @throws PythonError for wrong values */
export function addOffloads(out: Dict, opts: Dict, iface: string): void {
  for (const option of ['rx', 'tx', 'sg', 'tso', 'ufo', 'gso', 'gro', 'lro'])
    setSwitch(out, opts, option, iface);
}

function setSwitch(out: Dict, opts: Dict, option: string, iface: string): void {
  const value = opts.get(option);
  if (value === undefined) return;
  const isOn = switchOf(value);
  if (isOn === undefined) throw wrongOption(iface, option, SWITCH);
  out.set(option, isOn ? 'on' : 'off');
}

/** How bonds share out what they send. */
export const HASHES: readonly Value[] = ['layer2', 'layer2+3', 'layer3+4'];

const BOND_MODES: ReadonlyMap<Value, number> = new Map(
  [
    'balance-rr',
    'active-backup',
    'balance-xor',
    'broadcast',
    '802.3ad',
    'balance-tlb',
    'balance-alb',
  ].flatMap((name, mode): [Value, number][] => [
    [name, mode],
    [String(mode), mode],
  ]),
);

/**
 * The number of a bond's mode.
 * @throws PythonError for another. Salt compat: without any, Salt ends with a KeyError.
 */
export function bondMode(opts: Dict, iface: string): number {
  const mode = BOND_MODES.get(opts.get('mode') ?? null);
  if (mode !== undefined) return mode;
  const names = [...BOND_MODES.keys()];
  const [numbers, words] = [/^\d$/, /^.{2,}$/].map((form) => names.filter((name) => form.test(pyStr(name))));
  throw wrongOption(iface, 'mode', [...(numbers ?? []), ...(words ?? [])]);
}

/** The lines of a text with their ends, as Python's files give them; none of a file that does not exist. */
export function fileLines(path: string): string[] | undefined {
  const text = readTextIfExists(path);
  return text === undefined ? undefined : linesOf(text);
}

/** The lines of a text with their ends. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/**
 * Whether this is a system of a family. On one with dpkg alone nothing has to be asked of the grains, which cost time.
 */
export function isFamily(family: 'Debian' | 'RedHat' | 'Suse', grains: Dict): boolean {
  const [hasDpkg, hasRpm] = [findProgram('dpkg') !== undefined, findProgram('rpm') !== undefined];
  if (family === 'Debian' && hasDpkg && !hasRpm) return true;
  return (family === 'Debian' ? hasDpkg : hasRpm) && grains.get('os_family') === family;
}

/** Python's `text.split()`. */
export function pythonWords(text: string): string[] {
  const bare = strip(text);
  return bare === '' ? [] : bare.split(new RegExp(`[${PY_SPACE}]+`));
}

/** Python's `float(value)` is possible. @throws ArgumentError for what is neither number nor text */
export function isFloatText(value: Value): boolean {
  if (typeof value === 'boolean' || toNumber(value) !== undefined) return true;
  if (typeof value === 'string')
    return /^[-+]?(?:(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[-+]?\d+(?:_\d+)*)?|inf(?:inity)?|nan)$/i.test(
      strip(value),
    );
  throw new ArgumentError(`float() argument must be a string or a real number, not '${pyTypeName(value)}'`);
}
