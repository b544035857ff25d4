/** Checks values of a configuration file against their options, in the words of Salt. */
import { ConfigError } from '../errors/errors.ts';
import type { Logger } from '../host/log.ts';
import { pyStr } from '../python/values/repr.ts';
import {
  PyFloat,
  isDict,
  isFloat,
  isInt,
  pyTypeName,
  toNumber,
  type Dict,
  type Value,
} from '../python/values/value.ts';
import { fitsKind, leastOf, type OptionKind, type OptionSpec, type OptionTable } from './option.ts';

const KIND_TYPES: Readonly<Record<OptionKind, readonly string[] | undefined>> = {
  str: ['str'],
  'str?': ['NoneType', 'str'],
  int: ['int'],
  'int?': ['NoneType', 'int'],
  num: ['float'],
  bool: ['bool'],
  'bool?': ['NoneType', 'bool'],
  list: ['list'],
  dict: ['dict'],
  any: undefined,
};

/** Types whose values Python would turn into the wanted type, but not into what the user meant. */
const FALSE_FRIENDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['str', ['list', 'dict']],
  ['list', ['dict', 'str']],
  ['tuple', ['dict', 'str']],
  ['bool', ['list', 'str', 'int', 'float', 'dict', 'NoneType']],
  ['int', ['bool', 'float']],
  ['float', ['bool']],
]);

/** The Python types an option takes; undefined when anything goes. */
export function acceptedTypes(spec: OptionSpec): readonly string[] | undefined {
  return spec.types ?? KIND_TYPES[spec.kind];
}

/**
 * Checks every known option in `values`. A wrong value is reported with Salt's warning and removed, so that the default
 * applies; one that only needs another spelling (`"4506"` for a number) is converted.
 * @param start where a program starts with these values: then each warning also says the file, and what is used instead
 * @throws ConfigError where a program starts with a port that is none, as Salt's do when they come to open it
 */
export function checkTypes(table: OptionTable, values: Dict, log: Logger, start?: ProgramStart): void {
  if (start !== undefined) requirePorts(table, values, start.source);
  for (const [key, value] of [...values]) {
    if (typeof key !== 'string' || !Object.hasOwn(table, key)) continue;
    const spec = table[key] as OptionSpec;
    const { kind } = spec;
    const types = acceptedTypes(spec);
    if (typeof value === 'string' && value.startsWith('sdb://')) continue;
    if (types && !isAccepted(types, value)) {
      log.warning(
        `Config option '${key}' with value ${pyStr(value)} has an invalid type of ${pyTypeName(value)}, ` +
          `a ${required(types)} is required for this option${usedInstead(start, spec, value)}`,
      );
      if (kind === 'any') values.delete(key);
    }
    const isKept = fitsKind(kind, value) || spec.also?.(value) === true;
    const used = isKept ? value : convert(kind, value);
    // what Python's constructors make something of, such as a mapping of ['.*'], is nothing that anybody meant
    if (used === undefined && start !== undefined && (types === undefined || isAccepted(types, value)))
      log.warning(
        `Config option '${key}' with value ${pyStr(value)} is none that this option takes${usedInstead(start, spec, value)}`,
      );
    const isSmall = used !== undefined && isTooSmall(spec, used);
    if (isSmall) log.warning(tooSmall(key, spec, value, start));
    if (used === undefined || isSmall) values.delete(key);
    else values.set(key, used);
  }
}

/** A program that starts with the values. */
export interface ProgramStart {
  /** The file that is named in messages. */
  readonly source: string;
}

function usedInstead(start: ProgramStart | undefined, spec: OptionSpec, value: Value): string {
  if (start === undefined) return '';
  const { kind, default: usual } = spec;
  const isKept = kind !== 'any' && (fitsKind(kind, value) || spec.also?.(value) === true);
  const converted = isKept || kind === 'any' ? undefined : convert(kind, value);
  const used = isKept ? value : (converted ?? usual);
  return insteadIn(start, used);
}

function insteadIn({ source }: ProgramStart, used: Value): string {
  return `. In ${source}; ${pyStr(used)} is used. Correct it, or remove it`;
}

function isTooSmall(spec: OptionSpec, value: Value): boolean {
  const least = leastOf(spec);
  return least !== undefined && typeof value === 'number' && value < least;
}

/** Salt goes on with such a number, and its jobs are gone at once, or its process waits for nobody. */
function tooSmall(key: string, spec: OptionSpec, value: Value, start: ProgramStart | undefined): string {
  const text = `Config option '${key}' with value ${pyStr(value)} is too small: it takes ${leastOf(spec)} or more`;
  return start === undefined ? text : text + insteadIn(start, spec.default);
}

const PORT_MAX = 65_535;

/**
 * A port that is none would be another one than the other side is told: nothing comes of a program that listens, or
 * asks, there.
 */
function requirePorts(table: OptionTable, values: Dict, source: string): void {
  for (const [key, value] of values) {
    if (typeof key !== 'string' || !Object.hasOwn(table, key) || !/_port$/.test(key)) continue;
    const { kind, least = 1, default: usual } = table[key] as OptionSpec;
    if (!isPort(kind, value) || (typeof value === 'string' && value.startsWith('sdb://'))) continue;
    const port = typeof value === 'boolean' ? undefined : toNumber(convert('int', value) ?? null);
    if (port !== undefined && port >= least && port <= PORT_MAX) continue;
    const without = usual === null ? '' : `, which then means ${pyStr(usual)}`;
    throw new ConfigError(
      `${key} in ${source} is ${pyStr(value)}, which is no port. Write a number from ${least} to ${PORT_MAX}, or remove the option${without}.`,
    );
  }
}

/** One that may be left empty, such as `syndic_master_port`, stands for another option then. */
function isPort(kind: OptionKind | undefined, value: Value): boolean {
  return kind === 'int' || (kind === 'any' && value !== null);
}

function required(types: readonly string[]): string {
  const last = types.at(-1) ?? '';
  return types.length === 1 ? last : `${types.slice(0, -1).join(', ')} or ${last}`;
}

/** Salt's rule (3006.16 salt/config/__init__.py _validate_opts), which is more lenient than `isinstance`. */
function isAccepted(types: readonly string[], value: Value): boolean {
  const type = pyTypeName(value);
  if (types.includes(type)) return true;
  const [only] = types;
  if (types.length === 1 && only !== undefined) {
    return converts(only, value) && !(FALSE_FRIENDS.get(only)?.includes(type) ?? false);
  }
  return types.some((wanted) => {
    const friends = FALSE_FRIENDS.get(wanted);
    return friends !== undefined && converts(wanted, value) && !friends.includes(type);
  });
}

/** True when Python's constructor of the type takes the value. */
function converts(type: string, value: Value): boolean {
  switch (type) {
    case 'str':
    case 'bool':
      return true;
    case 'int':
      if (typeof value === 'string') return /^\s*[-+]?\d+(?:_\d+)*\s*$/.test(value);
      return typeof value === 'boolean' || isInt(value) || (isFloat(value) && Number.isFinite(Number(value)));
    case 'float':
      return typeof value === 'string'
        ? numberIn(value) !== undefined
        : typeof value === 'boolean' || isNumber(value);
    case 'list':
    case 'tuple':
      return typeof value === 'string' || Array.isArray(value) || isDict(value);
    case 'dict':
      return isDict(value) || value === '' || (Array.isArray(value) && value.every(isPair));
    default:
      return false;
  }
}

function isPair(value: Value): boolean {
  return Array.isArray(value) ? value.length === 2 : typeof value === 'string' && [...value].length === 2;
}

function isNumber(value: Value): boolean {
  return isInt(value) || isFloat(value);
}

function numberIn(text: string): number | undefined {
  return /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** The value in the shape of the kind, or undefined where only the default is left. */
function convert(kind: OptionKind, value: Value): Value | undefined {
  switch (kind) {
    case 'str':
    case 'str?':
      return isNumber(value) ? pyStr(value) : undefined;
    case 'int':
    case 'int?': {
      const number = typeof value === 'string' ? numberIn(value) : toNumber(value);
      return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
    }
    case 'num':
      return typeof value === 'string'
        ? numberIn(value)
        : value instanceof PyFloat
          ? value.value
          : toNumber(value);
    case 'bool':
    case 'bool?':
      return value === 0 || value === 1 ? value === 1 : undefined;
    case 'dict':
      return value === '' || (Array.isArray(value) && value.length === 0) ? new Map() : undefined;
    case 'list':
    case 'any':
      return undefined;
  }
}
