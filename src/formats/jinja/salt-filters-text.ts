/**
 * Salt's filters on text (3006.16 salt/utils/stringutils.py, salt/utils/hashutils.py, salt/utils/yamlencoding.py,
 * salt/utils/jinja.py).
 */
import { toPyInt } from '../../python/conversions.ts';
import { substitute } from '../../python/regex/replace.ts';
import { createHash, createHmac } from 'node:crypto';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { compilePattern, PatternError, type PyMatch } from '../../python/regex/pattern.ts';
import { decodeUtf8, isPySpace, strip } from '../../python/values/text.ts';
import { dumpYaml } from '../yaml/dump.ts';
import { representerError, typeError, valueError } from './errors.ts';
import { tuple, typeName, type TValue } from './model.ts';
import { iter, len, truthy } from './operators.ts';
import { toYamlValue } from './plain.ts';
import { PySet } from './set.ts';
import { pyCapitalize } from './text-case.ts';
import { str } from './text-of.ts';
import { Undefined } from './undefined.ts';
import { toNumberOr } from './salt-filters-data.ts';
import { isHashableType } from './hashable.ts';
import { bound, type BoundBody, type Entry, type Values } from './bind.ts';

const UUID_SPACE = '91633ebf1c865e33935a28061f4b480e';

/** Bytes of text or bytes. @throws TypeError */
function bytesOf(value: TValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string') return Buffer.from(value);
  throw typeError(`expected str, bytes, or bytearray not <class '${typeName(value)}'>`);
}

/** uuid5 in Salt's name space. */
function uuid(value: TValue): string {
  const text = value instanceof Uint8Array ? value : Buffer.from(str(value));
  const hash = createHash('sha1')
    .update(Buffer.from(UUID_SPACE, 'hex'))
    .update(text)
    .digest()
    .subarray(0, 16);
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50;
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const digest =
  (kind: string): BoundBody<1> =>
  ([v]) =>
    createHash(kind).update(bytesOf(v)).digest('hex');

function base64Decode(value: TValue): TValue {
  const text = Buffer.from(bytesOf(value))
    .toString('latin1')
    .replace(/[^A-Za-z0-9+/=]/g, '');
  if (text.replace(/=+$/, '').length % 4 === 1 || text.length % 4 !== 0)
    throw valueError('Incorrect padding');
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return decodeUtf8(bytes) ?? bytes;
}

function pattern([, regex, ignorecase, multiline]: Values<4>): ReturnType<typeof compilePattern> {
  return compilePattern(str(regex), {
    ignoreCase: truthy(ignorecase),
    multiline: truthy(multiline),
  });
}

/** Salt compat: as 3008, a pattern without groups gives what it matched, and not an empty tuple, which is no truth. */
function groups(match: PyMatch | undefined): TValue {
  if (match === undefined) return null;
  const found = match.groups().map((group) => group ?? null);
  return tuple(found.length > 0 ? found : [match.group(0) ?? null]);
}

function snakeCase(text: string): string {
  const chars = [...text];
  const isUpper = (char: string | undefined): boolean => char !== undefined && char !== char.toLowerCase();
  const isLower = (char: string | undefined): boolean => char !== undefined && char !== char.toUpperCase();
  let out = (chars[0] ?? '').toLowerCase();
  for (let i = 1; i < chars.length; i++) {
    const char = chars[i] as string;
    if (isUpper(char) && (isLower(chars[i - 1]) || isLower(chars[i + 1]))) out += '_';
    out += char.toLowerCase();
  }
  return out;
}

function camelCase(text: string, upper: boolean): string {
  const [first = '', ...rest] = text.split('_');
  return (upper ? pyCapitalize(first) : first) + rest.map(pyCapitalize).join('');
}

function humanToBytes([size, unit, metric]: Values<3>): TValue {
  const match = /^([0-9.]*)\s*(.*)$/.exec(strip(str(size)));
  const amount = Number(match?.[1] === '' ? NaN : match?.[1]);
  const letter = ((match?.[2] ?? '') || str(unit)).toLowerCase();
  const isMetric = /^[kmgtpezy]b$/.test(letter);
  if (Number.isNaN(amount) || (!isMetric && !/^(b|[kmgtpezy](ib)?)$/.test(letter))) return 0;
  const power = 'bkmgtpezy'.indexOf(letter.charAt(0));
  const result = Math.trunc(amount * (isMetric && truthy(metric) ? 1000 ** power : 1024 ** power));
  return Number.isSafeInteger(result) ? result : BigInt(result);
}

function listOf(value: TValue, what: string): string[] {
  if (!truthy(value)) return [];
  if (typeof value === 'string') return [value];
  if (!(Array.isArray(value) || value instanceof PySet || value instanceof Map))
    throw typeError(`Expecting iterable ${what}, but got ${typeName(value)} (${str(value)})`);
  return [...iter(value)].map(str);
}

function expressionMatches(text: string, expression: string): boolean {
  if (compileGlob(expression).matches(text)) return true;
  try {
    return compilePattern(expression).fullMatch(text) !== undefined;
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

function checkLists([value, allow, deny]: Values<3>): boolean {
  const white = listOf(allow, 'whitelist');
  const black = listOf(deny, 'blacklist');
  const text = str(value);
  const matches = (expression: string): boolean => expressionMatches(text, expression);
  return !black.some(matches) && (white.length === 0 || white.some(matches));
}

const YAML_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '0'],
  ['\x07', 'a'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\v', 'v'],
  ['\f', 'f'],
  ['\r', 'r'],
  ['\x1b', 'e'],
  ['"', '"'],
  ['\\', '\\'],
  ['\x85', 'N'],
  ['\xa0', '_'],
  ['\u2028', 'L'],
  ['\u2029', 'P'],
]);

function quoteDouble(text: string): string {
  const body = text.replace(/["\\]|[^\x20-\x7e]/gu, (char) => {
    const named = YAML_ESCAPES.get(char);
    if (named !== undefined) return `\\${named}`;
    const code = char.codePointAt(0) ?? 0;
    const hex = code.toString(16).toUpperCase();
    if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
    return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
  });
  return `"${body}"`;
}

function quoteSingle(text: string): string {
  return `'${text.replaceAll("'", "''").replace(/\n+/g, (breaks) => `${breaks}\n`)}'`;
}

function yamlEncode(value: TValue): string {
  if (Array.isArray(value) || value instanceof Map || value instanceof PySet)
    throw typeError(
      `yaml_encode() only works with YAML scalar data; failed for <class '${typeName(value)}'>`,
    );
  if (typeof value === 'string') return quoteDouble(value);
  // where `yaml` writes null for what is undefined, this one fails
  if (value instanceof Undefined) throw representerError(`('cannot represent an object', ${value.repr()})`);
  const text = strip(dumpYaml(toYamlValue(value)));
  return text.endsWith('\n...') ? text.slice(0, -4) : text;
}

function toBool(value: TValue): boolean {
  if (value === null) return false;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return ['yes', '1', 'true'].includes(value.toLowerCase());
  if (typeof value === 'number' && Number.isInteger(value)) return value > 0;
  if (typeof value === 'bigint') return value > 0n;
  return isHashableType(value) ? false : len(value) > 0;
}

function quoteShell(text: string): string {
  if (text === '') return "''";
  return /[^\w@%+=:,./-]/.test(text) ? `'${text.replaceAll("'", "'\"'\"'")}'` : text;
}

function macBytes(text: string): Uint8Array {
  let hex = text;
  if (text.length === 17) hex = text.replaceAll(text.charAt(2), '');
  else if (text.length !== 12) throw valueError('Invalid MAC address');
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => {
    const byte = toPyInt(pair, 16);
    if (byte === undefined) throw valueError(`invalid literal for int() with base 16: '${pair}'`);
    return Number(byte);
  });
}

const s = (value: TValue | undefined): string => str(value as TValue);
const text = (value: TValue | undefined): string => {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) throw typeError('cannot use a string pattern on a bytes-like object');
  throw typeError(`expected string or bytes-like object, got '${typeName(value as TValue)}'`);
};
const REGEX_PARAMS = ['rgx', ['ignorecase', false], ['multiline', false]] as const;

export const SALT_TEXT_FILTERS: readonly Entry[] = [
  bound('to_bool', [], ([v]) => toBool(v)),
  bound('quote', [], ([v]) => quoteShell(text(v))),
  bound('regex_escape', [], ([v]) =>
    s(v).replace(/[\t\n\v\f\r !"#$&'()*+,\-./:;<=>?@[\\\]^`{|}~%]/g, (char) =>
      /[!"',/:;<=>@`%]/.test(char) ? char : `\\${char}`,
    ),
  ),
  bound('regex_search', REGEX_PARAMS, (args) => groups(pattern(args).search(text(args[0])))),
  bound('regex_match', REGEX_PARAMS, (args) => groups(pattern(args).matchStart(text(args[0])))),
  bound(
    'regex_replace',
    ['rgx', 'val', ['ignorecase', false], ['multiline', false]],
    ([v, regex, to, ignorecase, multiline]) =>
      substitute(pattern([null, regex, ignorecase, multiline]), s(to), text(v)).text,
  ),
  bound('uuid', [], ([v]) => uuid(v)),
  bound(
    'to_bytes',
    [
      ['encoding', null],
      ['errors', 'strict'],
    ],
    ([v]) => Uint8Array.from(bytesOf(v)),
  ),
  bound('str_to_num', [], ([v]) => toNumberOr(v)),
  bound('to_num', [], ([v]) => toNumberOr(v)),
  bound('is_hex', [], ([v]) => typeof v === 'string' && toPyInt(v, 16) !== undefined),
  bound('contains_whitespace', [], ([v]) => [...text(v)].some(isPySpace)),
  bound(
    'human_to_bytes',
    [
      ['default_unit', 'B'],
      ['handle_metric', false],
    ],
    humanToBytes,
  ),
  bound(
    'check_whitelist_blacklist',
    [
      ['whitelist', null],
      ['blacklist', null],
    ],
    checkLists,
  ),
  bound('to_snake_case', [], ([v]) => snakeCase(text(v))),
  bound('to_camelcase', [['uppercamel', false]], ([v, upper]) => camelCase(text(v), truthy(upper))),
  bound('base64_encode', [], ([v]) => Buffer.from(bytesOf(v)).toString('base64')),
  bound('base64_decode', [], ([v]) => base64Decode(v)),
  bound('md5', [], digest('md5')),
  bound('sha1', [], digest('sha1')),
  bound('sha256', [], digest('sha256')),
  bound('sha512', [], digest('sha512')),
  bound(
    'hmac',
    ['shared_secret', 'challenge_hmac'],
    ([v, secret, challenge]) =>
      createHmac('sha256', bytesOf(secret)).update(bytesOf(v)).digest('base64') ===
      Buffer.from(bytesOf(challenge)).toString(),
  ),
  bound('hmac_compute', ['shared_secret'], ([v, secret]) =>
    createHmac('sha256', bytesOf(secret)).update(bytesOf(v)).digest('hex'),
  ),
  bound('yaml_dquote', [], ([v]) => quoteDouble(s(v))),
  bound('yaml_squote', [], ([v]) => quoteSingle(s(v))),
  bound('yaml_encode', [], ([v]) => yamlEncode(v)),
  bound('path_join', ['*', '**'], ([v], _scope, rest) => joinPaths([v, ...rest].map(str))),
  bound('mac_str_to_bytes', [], ([v]) => macBytes(text(v))),
];

function normalPath(path: string): string {
  if (path === '') return '.';
  const lead = path.startsWith('//') && !path.startsWith('///') ? '//' : path.startsWith('/') ? '/' : '';
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..' || (lead === '' && (out.length === 0 || out.at(-1) === '..'))) out.push(part);
    else out.pop();
  }
  return lead + out.join('/') || '.';
}

/** Salt's `path.join`: a later absolute part does not start anew. */
function joinPaths(parts: readonly string[]): string {
  const [root = '', ...rest] = parts.map(normalPath);
  const joined = rest.reduce((path, part) => {
    const piece = part.replace(/^\/+/, '');
    return path === '' || path.endsWith('/') ? path + piece : `${path}/${piece}`;
  }, root);
  return normalPath(joined);
}
