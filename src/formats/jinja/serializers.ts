/** Salt's filters that read and write data formats (3006.16 salt/utils/jinja.py `SerializerExtension`). */
import { parseJson, toJson } from '../json/text.ts';
import { strip } from '../../python/values/text.ts';
import { dumpYaml } from '../yaml/dump.ts';
import { loadYaml, YamlError } from '../yaml/load.ts';
import { TemplateRuntimeError, typeError } from './errors.ts';
import { excerpt } from './excerpt.ts';
import { whole } from './filters-text.ts';
import type { TDict, TValue } from './model.ts';
import { Undefined } from './undefined.ts';
import { truthy } from './operators.ts';
import { pretty, toJsonValue, toYamlValue } from './plain.ts';
import { TemplateModule } from './template.ts';
import { str } from './text-of.ts';
import { formatXml } from './xml.ts';
import { bound, type Entry, type Values } from './bind.ts';

const source = (value: TValue): TValue => (value instanceof TemplateModule ? value.str() : value);

function readYaml(value: TValue): TValue {
  const text = source(value);
  if (typeof text !== 'string') {
    if (text instanceof Uint8Array) return readYaml(new TextDecoder().decode(text));
    throw new TemplateRuntimeError(`Unable to load yaml from ${str(text)}`);
  }
  try {
    return loadYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new TemplateRuntimeError(
      `Encountered error loading yaml: ${error.reason}\n${excerpt(text, error.line)}`,
    );
  }
}

function readJson(value: TValue): TValue {
  const text = source(value);
  try {
    if (typeof text !== 'string') throw new SyntaxError('no text');
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TemplateRuntimeError(`Unable to load json from ${str(text)}`);
  }
}

/** The yaml filter. @param flow false for block style */
function writeYaml(value: TValue, flow: boolean): string {
  if (value instanceof Undefined) return 'NULL';
  const text = strip(dumpYaml(toYamlValue(value), { defaultFlowStyle: flow }));
  return text.endsWith('\n...') ? text.slice(0, -4) : text;
}

function writeJson(value: TValue, sortKeys: boolean, indent: TValue, ensureAscii = false): string {
  const columns = indent === null ? null : typeof indent === 'string' ? indent.length : whole(indent);
  try {
    return toJson(toJsonValue(value), { sortKeys, indent: columns, ensureAscii });
  } catch (error) {
    if (error instanceof TypeError) throw typeError(error.message);
    throw error;
  }
}

const HTML_SAFE: ReadonlyMap<string, string> = new Map([
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
  ["'", '\\u0027'],
]);

function tojson([value, indent]: Values<2>, kwargs: ReadonlyMap<string, TValue>): string {
  const ascii = kwargs.get('ensure_ascii') ?? true;
  const sortKeys = truthy(kwargs.get('sort_keys') ?? false);
  return writeJson(value, sortKeys, indent, truthy(ascii)).replace(
    /[<>&']/g,
    (char) => HTML_SAFE.get(char) ?? char,
  );
}

function slsParams(value: TValue): TValue[] {
  if (!(value instanceof Map)) throw typeError('dict_to_sls_yaml_params needs a mapping');
  return [...value].map(([key, item]): TDict => new Map([[key, item]]));
}

export const SERIALIZER_FILTERS: readonly Entry[] = [
  bound('yaml', [['flow_style', true]], ([v, flow]) => writeYaml(v, truthy(flow))),
  bound(
    'json',
    [
      ['sort_keys', true],
      ['indent', null],
    ],
    ([v, sort, indent]) => strip(writeJson(v, truthy(sort), indent)),
  ),
  bound('tojson', [['indent', null], '**'], (args, _scope, _rest, kwargs) => tojson(args, kwargs)),
  bound('xml', [], ([v]) => formatXml(v)),
  bound('python', [], ([v]) => strip(pretty(v))),
  bound('load_yaml', [], ([v]) => readYaml(v)),
  bound('load_json', [], ([v]) => readJson(v)),
  bound('load_text', [], ([v]) => source(v)),
  bound('dict_to_sls_yaml_params', [['flow_style', false]], ([v, flow]) =>
    writeYaml(slsParams(v), truthy(flow)),
  ),
];
