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
import { fitsKind, type OptionKind, type OptionTable } from './option.ts';

const NICENESS = [
  'req_server_niceness',
  'pub_server_niceness',
  'fileserver_update_niceness',
  'maintenance_niceness',
  'mworker_niceness',
  'mworker_queue_niceness',
  'event_return_niceness',
  'event_publisher_niceness',
  'reactor_niceness',
];

/** Python types of options that take several, in the order in which Salt names them (VALID_OPTS). */
const SEVERAL_TYPES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...NICENESS.map((key) => [key, ['NoneType', 'int']] as const),
  ['master', ['str', 'list']],
  ['syndic_master', ['str', 'list']],
  ['master_port', ['str', 'int']],
  ['source_ret_port', ['str', 'int']],
  ['source_publish_port', ['str', 'int']],
  ['id_function', ['dict', 'str']],
  ['ipv6', ['NoneType', 'bool']],
  ['state_queue', ['bool', 'int']],
  ['update_url', ['bool', 'str']],
  ['retry_dns_count', ['NoneType', 'int']],
  ['event_return', ['list', 'str']],
  ['token_expire_user_override', ['bool', 'dict']],
  ['file_ignore_regex', ['list', 'str']],
  ['file_ignore_glob', ['list', 'str']],
  ['nodegroups', ['dict', 'list']],
  ['minion_id_remove_domain', ['str', 'bool']],
  ['return', ['str', 'list']],
  ['ssl', ['dict', 'bool', 'NoneType']],
  ['pass_to_ext_pillars', ['str', 'list']],
  ['discovery', ['dict', 'bool']],
  ['disabled_requisites', ['str', 'list']],
  ['global_state_conditions', ['NoneType', 'dict']],
  ['log_fmt_logfile', ['tuple', 'str']],
]);

const KIND_TYPES: Readonly<Record<OptionKind, readonly string[] | undefined>> = {
  str: ['str'],
  'str?': ['NoneType', 'str'],
  int: ['int'],
  num: ['float'],
  bool: ['bool'],
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
export function acceptedTypes(key: string, kind: OptionKind): readonly string[] | undefined {
  return SEVERAL_TYPES.get(key) ?? KIND_TYPES[kind];
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
    const kind = (table[key] as OptionTable[string]).kind;
    const types = acceptedTypes(key, kind);
    if (typeof value === 'string' && value.startsWith('sdb://')) continue;
    if (types && !isAccepted(types, value)) {
      log.warning(
        `Config option '${key}' with value ${pyStr(value)} has an invalid type of ${pyTypeName(value)}, ` +
          `a ${required(types)} is required for this option${usedInstead(start, table, key, value)}`,
      );
      if (kind === 'any') values.delete(key);
    }
    if (fitsKind(kind, value) || waitsForNormalisation(key, value)) continue;
    const converted = convert(kind, value);
    if (converted === undefined) values.delete(key);
    else values.set(key, converted);
  }
}

/** A program that starts with the values. */
export interface ProgramStart {
  /** The file that is named in messages. */
  readonly source: string;
}

function usedInstead(start: ProgramStart | undefined, table: OptionTable, key: string, value: Value): string {
  if (start === undefined) return '';
  const { kind, default: usual } = table[key] as OptionTable[string];
  const isKept = kind !== 'any' && (fitsKind(kind, value) || waitsForNormalisation(key, value));
  const converted = isKept || kind === 'any' ? undefined : convert(kind, value);
  const used = isKept ? value : (converted ?? usual);
  return `. In ${start.source}; ${pyStr(used)} is used. Correct it, or remove it`;
}

/** Ports that may be 0, which means that there is none. */
const OPTIONAL_PORTS: ReadonlySet<string> = new Set(['source_ret_port', 'source_publish_port', 'proxy_port']);
const PORT_MAX = 65_535;

/**
 * A port that is none would be another one than the other side is told: nothing comes of a program that listens, or
 * asks, there.
 */
function requirePorts(table: OptionTable, values: Dict, source: string): void {
  for (const [key, value] of values) {
    if (typeof key !== 'string' || !Object.hasOwn(table, key) || !/_port$/.test(key)) continue;
    if (table[key]?.kind !== 'int' || (typeof value === 'string' && value.startsWith('sdb://'))) continue;
    const port = typeof value === 'boolean' ? undefined : toNumber(convert('int', value) ?? null);
    const least = OPTIONAL_PORTS.has(key) ? 0 : 1;
    if (port !== undefined && port >= least && port <= PORT_MAX) continue;
    throw new ConfigError(
      `${key} in ${source} is ${pyStr(value)}, which is no port. Write a number from ${least} to ${PORT_MAX}, or remove the option, ` +
        `which then means ${pyStr(table[key].default)}.`,
    );
  }
}

/** Options whose other accepted shapes are brought into one shape later on. */
function waitsForNormalisation(key: string, value: Value): boolean {
  if (key === 'file_ignore_regex' || key === 'file_ignore_glob') return typeof value === 'string';
  if (key === 'ipc_write_buffer') return value === 'dynamic';
  return key === 'nodegroups' && Array.isArray(value);
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
    case 'int': {
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
      return value === 0 || value === 1 ? value === 1 : undefined;
    case 'dict':
      return value === '' || (Array.isArray(value) && value.length === 0) ? new Map() : undefined;
    case 'list':
    case 'any':
      return undefined;
  }
}
