/** Data formats by name (3006.16 salt/serializers/). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { PythonError } from '../../python/exceptions.ts';
import { parseJson, toJson } from '../../formats/json/text.ts';
import { pformat } from '../../python/values/pprint.ts';
import { pyStr } from '../../python/values/repr.ts';
import { decodeUtf8 } from '../../python/values/text.ts';
import { isBytes, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { dumpPlist } from '../../formats/plist/write.ts';
import { parsePlist } from '../../formats/plist/read.ts';
import { dumpToml } from '../../formats/toml/write.ts';
import { parseToml } from '../../formats/toml/read.ts';
import { loadYamlex } from '../../formats/yaml/yamlex.ts';
import { readPairs, readSections, writePairs, writeSections } from './line-formats.ts';
import { dumpYaml } from '../../formats/yaml/dump.ts';
import { loadYaml } from '../../formats/yaml/load.ts';

/** A format of data. */
export interface Serializer {
  readonly serialize?: (value: Value, options: Dict) => Value;
  readonly deserialize?: (text: Value, options: Dict) => Value;
}

const textOf = (value: Value): string => (isBytes(value) ? (decodeUtf8(value) ?? '') : pyStr(value));

function numberOption(options: Dict, name: string): number | undefined {
  return toNumber(options.get(name) ?? undefined);
}

/** What of PyYAML's `dump` is served. */
const YAML_OPTIONS: ReadonlySet<Value> = new Set([
  ...[
    'default_flow_style',
    'sort_keys',
    'indent',
    'width',
    'allow_unicode',
    'explicit_start',
    'explicit_end',
  ],
  'line_break',
]);
/** What PyYAML takes besides; where it is false, it changes nothing. */
const FURTHER_YAML_OPTIONS: ReadonlySet<Value> = new Set([
  ...['default_style', 'canonical', 'encoding', 'version', 'tags', 'Dumper'],
]);

/** @throws CommandExecutionError for options that would have no effect */
function assertYamlOptions(options: Dict): void {
  for (const [name, value] of options) {
    if (YAML_OPTIONS.has(name)) continue;
    if (!FURTHER_YAML_OPTIONS.has(name))
      throw new CommandExecutionError(`dump_all() got an unexpected keyword argument '${pyStr(name)}'`);
    if (truthy(value))
      throw new CommandExecutionError(`the option ${pyStr(name)} of yaml is not served: leave it out`);
  }
  for (const name of ['indent', 'width'])
    if ((options.get(name) ?? null) !== null && numberOption(options, name) === undefined)
      throw new CommandExecutionError(`the option ${name} of yaml has to be a number`);
}

function writeYaml(value: Value, options: Dict): string {
  const flow = options.get('default_flow_style');
  const sortKeys = options.get('sort_keys');
  const [indent, width] = [numberOption(options, 'indent'), numberOption(options, 'width')];
  assertYamlOptions(options);
  const lineBreak = options.get('line_break');
  const dumped = dumpYaml(value, {
    defaultFlowStyle: typeof flow === 'boolean' ? flow : null,
    allowUnicode: truthy(options.get('allow_unicode') ?? false),
    sortKeys: sortKeys === undefined || truthy(sortKeys),
    ...(indent === undefined ? {} : { indent }),
    ...(width === undefined ? {} : { width }),
    explicitStart: truthy(options.get('explicit_start') ?? false),
    explicitEnd: truthy(options.get('explicit_end') ?? false),
  });
  const text = lineBreak === '\r' || lineBreak === '\r\n' ? dumped.replaceAll('\n', lineBreak) : dumped;
  return text.endsWith('\n...\n') ? text.slice(0, -5) : text.replace(/\n$/, '');
}

/** What Python's `json.dumps` takes. */
const JSON_OPTIONS: ReadonlySet<Value> = new Set([
  ...['skipkeys', 'ensure_ascii', 'check_circular', 'allow_nan', 'cls', 'indent', 'separators', 'default'],
  'sort_keys',
]);

/** @throws CommandExecutionError for anything but two texts */
function jsonSeparators(options: Dict): { separators?: readonly [string, string] } {
  const given = options.get('separators') ?? null;
  if (given === null) return {};
  const [item, key] = Array.isArray(given) && given.length === 2 ? given : [];
  if (typeof item !== 'string' || typeof key !== 'string')
    throw new CommandExecutionError("separators has to be a list of two texts, as in [',', ': ']");
  return { separators: [item, key] };
}

function writeJson(value: Value, options: Dict): string {
  const unknown = [...options.keys()].find((name) => !JSON_OPTIONS.has(name));
  if (unknown !== undefined)
    throw new CommandExecutionError(
      `JSONEncoder.__init__() got an unexpected keyword argument '${pyStr(unknown)}'`,
    );
  return toJson(value, {
    ...jsonSeparators(options),
    indent: numberOption(options, 'indent') ?? null,
    sortKeys: truthy(options.get('sort_keys') ?? false),
    ensureAscii: truthy(options.get('ensure_ascii') ?? false),
  });
}

/** @throws Error for the binary form */
function writePlist(value: Value, options: Dict): Uint8Array {
  if (options.get('fmt') === 'FMT_BINARY')
    throw new Error('binary property lists (fmt: FMT_BINARY) are not written, only those in XML');
  const sortKeys = options.get('sort_keys');
  const text = dumpPlist(value, {
    ...(sortKeys === undefined ? {} : { sortKeys: truthy(sortKeys) }),
    skipKeys: truthy(options.get('skipkeys') ?? false),
  });
  return new Uint8Array(Buffer.from(text));
}

const SERIALIZERS: ReadonlyMap<string, Serializer> = new Map<string, Serializer>([
  ['json', { serialize: writeJson, deserialize: (text) => parseJson(textOf(text)) }],
  ['yaml', { serialize: writeYaml, deserialize: (text) => loadYaml(textOf(text)) }],
  ['configparser', { serialize: writeSections, deserialize: (text) => readSections(textOf(text)) }],
  ['keyvalue', { serialize: writePairs, deserialize: (text, options) => readPairs(textOf(text), options) }],
  ['plist', { serialize: writePlist, deserialize: (text) => parsePlist(textOf(text)) }],
  ['toml', { serialize: (value) => dumpToml(value), deserialize: (text) => parseToml(textOf(text)) }],
  ['yamlex', { serialize: writeYaml, deserialize: (text) => loadYamlex(textOf(text)) }],
  ['python', { serialize: (value) => pformat(parseJson(toJson(value))) }],
  [
    'msgpack',
    {
      serialize: (value) => encode(value, 'local'),
      deserialize: (bytes) =>
        decode(isBytes(bytes) ? Buffer.from(bytes) : Buffer.from(pyStr(bytes), 'latin1'), 'local'),
    },
  ],
]);

/** A format by Salt's name; undefined when there is none. */
export function dataFormat(name: string): Serializer | undefined {
  return SERIALIZERS.get(name);
}

/**
 * Writes or reads data in a format.
 * @throws CommandExecutionError for a format that is not known; PythonError with Salt's class for data that does not
 *   fit
 */
export function convertData(
  serializer: string,
  direction: 'serialize' | 'deserialize',
  value: Value,
  options: Dict,
): Value {
  const known = SERIALIZERS.get(serializer);
  if (known === undefined) throw new CommandExecutionError(`Serializer '${serializer}' not found.`);
  const convert = known[direction];
  if (convert === undefined)
    throw new CommandExecutionError(`Serializer '${serializer}' does not implement ${direction}.`);
  try {
    return convert(value, options);
  } catch (error) {
    const name = direction === 'serialize' ? 'SerializationError' : 'DeserializationError';
    throw new PythonError(`salt.serializers.${name}`, (error as Error).message);
  }
}
