/** Jinja's filters on text (jinja2/filters.py 3.1). */
import { PythonError } from '../../python/exceptions.ts';
import { formatFixed } from '../../python/values/number-format.ts';
import { center, splitLines, strip } from '../../python/values/text.ts';
import { bound, native, type Entry, type Values } from './bind.ts';
import { TemplateRuntimeError, typeError } from './errors.ts';
import { formatPercent } from './format-percent.ts';
import type { NativeBody, TValue } from './model.ts';
import { PyTuple, typeName } from './model.ts';
import { Undefined } from './undefined.ts';
import { iter, len, mul, numberOf, truthy } from './operators.ts';
import { pyCapitalize } from './text-case.ts';
import { boundedSize, TEXT_METHODS } from './methods-text.ts';
import { str } from './text-of.ts';
import { wrapText } from './wrap.ts';
import { pretty } from './plain.ts';

/** Jinja's own functions, as errors about their arguments name them. */
const SYNC = new Set(['join', 'first', 'groupby', 'list', 'map', 'slice', 'sum']);

/** Makes a table of filters. @param own whether they are Jinja's own */
export function filterTable(entries: readonly Entry[], own = false): [string, NativeBody][] {
  const title = (name: string): string => (own ? `${SYNC.has(name) ? 'sync_' : ''}do_${name}` : name);
  return entries.map(({ name, params, body }) => [name, native(title(name), ['value', ...params], body)]);
}

const HTML: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ["'", '&#39;'],
  ['"', '&#34;'],
]);

/** Text safe inside HTML (markupsafe). */
const escapeHtml = (text: string): string => text.replace(/[&<>'"]/g, (char) => HTML.get(char) ?? char);

const s = (value: TValue | undefined): string => str(value as TValue);

/** Integer of an argument. @throws TypeError */
export function whole(value: TValue | undefined): number {
  const number = numberOf(value as TValue);
  if (number === undefined || !Number.isInteger(Number(number)))
    throw typeError(`'${typeName(value as TValue)}' object cannot be interpreted as an integer`);
  return Number(number);
}

/**
 * An argument that Python reckons with, so that an undefined one says which it is.
 * @throws UndefinedError, TypeError in `wrong`'s words
 */
export function reckoned(value: TValue | undefined, wrong: (type: string) => string): number {
  if (value instanceof Undefined) value.fail();
  if (numberOf(value as TValue) === undefined) throw typeError(wrong(typeName(value as TValue)));
  return whole(value);
}

/** A width or a count that a result is made as great as. @throws TypeError, OverflowError */
export function sizeOf(value: TValue | undefined): number {
  return boundedSize(whole(value));
}

function indent([value, width, first, blank]: Values<4>): string {
  const indention = typeof width === 'string' ? width : s(mul(' ', width));
  const lines = splitLines(`${s(value)}\n`);
  let out: string;
  if (truthy(blank)) out = lines.join(`\n${indention}`);
  else {
    const [head = '', ...rest] = lines;
    out = [head, ...rest.map((line) => (line === '' ? line : indention + line))].join('\n');
  }
  return truthy(first) ? indention + out : out;
}

function truncate([value, length, kill, end, leeway]: Values<5>): string {
  const points = [...s(value)];
  const most = reckoned(length, (type) => `'>=' not supported between instances of '${type}' and 'int'`);
  const tail = s(end);
  const slack = leeway === null ? 5 : whole(leeway);
  if (most < [...tail].length)
    throw new PythonError('RuntimeError', `expected length >= ${[...tail].length}, got ${most}`);
  if (points.length <= most + slack) return points.join('');
  const cut = points.slice(0, most - [...tail].length).join('');
  if (truthy(kill)) return cut + tail;
  const space = cut.lastIndexOf(' ');
  return (space < 0 ? cut : cut.slice(0, space)) + tail;
}

function fileSize([value, binary]: Values<2>): string {
  const size = Number(typeof value === 'string' ? value : (numberOf(value) ?? NaN));
  if (Number.isNaN(size))
    throw new PythonError('ValueError', `could not convert string to float: '${s(value)}'`);
  const base = truthy(binary) ? 1024 : 1000;
  if (size === 1) return '1 Byte';
  if (size < base) return `${Math.trunc(size)} Bytes`;
  const prefixes = 'KMGTPEZY';
  for (let i = 0; ; i++) {
    const unit = base ** (i + 2);
    if (size >= unit && i < prefixes.length - 1) continue;
    const letter = prefixes.charAt(i);
    const name = base === 1024 ? `${letter}iB` : `${i === 0 ? 'k' : letter}B`;
    return `${formatFixed((base * size) / unit, 1)} ${name}`;
  }
}

const UNRESERVED = /[A-Za-z0-9_.~-]/;

/** `urllib.parse.quote`, with `/` left alone unless in a query. */
function urlQuote(value: TValue, inQuery = false): string {
  const bytes = value instanceof Uint8Array ? value : Buffer.from(s(value));
  let out = '';
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    if (UNRESERVED.test(char) || (char === '/' && !inQuery)) out += char;
    else out += inQuery && char === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

function urlencode([value]: Values<1>): string {
  if (typeof value === 'string' || value === null || typeof value !== 'object') return urlQuote(value);
  const pairs =
    value instanceof Map ? [...value] : [...iter(value)].map((pair) => [...iter(pair)] as [TValue, TValue]);
  return pairs.map(([key, item]) => `${urlQuote(key, true)}=${urlQuote(item, true)}`).join('&');
}

function xmlattr([value, autospace]: Values<2>): string {
  if (!(value instanceof Map)) throw typeError('xmlattr needs a mapping');
  const parts = [...value]
    .filter(([, item]) => item !== null && !(item instanceof Undefined))
    .map(([key, item]) => `${escapeHtml(s(key))}="${escapeHtml(s(item))}"`);
  const out = parts.join(' ');
  return truthy(autospace) && out !== '' ? ` ${out}` : out;
}

/** A text without what is between marks, the marks included; one that is not closed stays. */
function without(text: string, open: string, close: string): string {
  let [out, at] = ['', 0];
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start < 0 ? -1 : text.indexOf(close, start);
    if (end < 0) return out + text.slice(at);
    out += text.slice(at, start);
    at = end + close.length;
  }
}

function stripTags(text: string): string {
  const bare = without(without(text, '<!--', '-->'), '<', '>');
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };
  return bare
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ')
    .replace(/&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g, (all: string, dec?: string, hex?: string, name = '') => {
      if (dec !== undefined) return String.fromCodePoint(Number(dec));
      if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16));
      return Object.hasOwn(names, name) ? (names[name] ?? all) : all;
    });
}

function title(text: string): string {
  return text
    .split(/([-\s({[<]+)/u)
    .filter((part) => part !== '')
    .map((part) => {
      const [first = '', ...rest] = part;
      return first.toUpperCase() + rest.join('').toLowerCase();
    })
    .join('');
}

function format(args: TValue[], rest: readonly TValue[], kwargs: ReadonlyMap<string, TValue>): string {
  if (rest.length > 0 && kwargs.size > 0)
    throw new TemplateRuntimeError("can't handle positional and keyword arguments at the same time");
  const tupled = new PyTuple();
  rest.forEach((item) => tupled.push(item));
  return formatPercent(s(args[0]), kwargs.size > 0 ? new Map<TValue, TValue>(kwargs) : tupled);
}

const URL = /(?:https?:\/\/|www\.)[^\s<>()]+[^\s<>().,:;!?'"]/g;

export const TEXT_FILTERS: readonly Entry[] = [
  bound('capitalize', [], ([v]) => pyCapitalize(s(v))),
  bound('center', [['width', 80]], ([v, w]) => center(s(v), sizeOf(w))),
  bound('e', [], ([v]) => escapeHtml(s(v))),
  bound('escape', [], ([v]) => escapeHtml(s(v))),
  bound('forceescape', [], ([v]) => escapeHtml(s(v))),
  bound('filesizeformat', [['binary', false]], fileSize),
  bound('format', ['*', '**'], (args, _scope, rest, kwargs) => format(args, rest, kwargs)),
  bound(
    'indent',
    [
      ['width', 4],
      ['first', false],
      ['blank', false],
    ],
    indent,
  ),
  bound('lower', [], ([v]) => s(v).toLowerCase()),
  bound('pprint', [], ([v]) => pretty(v)),
  bound('replace', ['old', 'new', ['count', null]], ([v, from, to, count], scope) => {
    const limit = count === null ? -1 : (count as TValue);
    return TEXT_METHODS.get('replace')?.([s(v), s(from), s(to), limit], undefined, scope) ?? '';
  }),
  bound('safe', [], ([v]) => s(v)),
  bound('string', [], ([v]) => s(v)),
  bound('striptags', [], ([v]) => stripTags(s(v))),
  bound('title', [], ([v]) => title(s(v))),
  bound('trim', [['chars', null]], ([v, chars], scope) =>
    chars === null
      ? strip(s(v))
      : (TEXT_METHODS.get('strip')?.([s(v), chars as TValue], undefined, scope) ?? ''),
  ),
  bound(
    'truncate',
    [
      ['length', 255],
      ['killwords', false],
      ['end', '...'],
      ['leeway', null],
    ],
    truncate,
  ),
  bound('upper', [], ([v]) => s(v).toUpperCase()),
  bound('urlencode', [], urlencode),
  bound(
    'urlize',
    [
      ['trim_url_limit', null],
      ['nofollow', false],
      ['target', null],
      ['rel', null],
      ['extra_schemes', null],
    ],
    ([v]) =>
      escapeHtml(s(v)).replace(
        URL,
        (url) => `<a href="${url.startsWith('www.') ? 'https://' : ''}${url}" rel="noopener">${url}</a>`,
      ),
  ),
  bound('wordcount', [], ([v]) => (s(v).match(/[\p{L}\p{N}_]+/gu) ?? []).length),
  bound(
    'wordwrap',
    [
      ['width', 79],
      ['break_long_words', true],
      ['wrapstring', null],
      ['break_on_hyphens', true],
    ],
    ([v, w, long, mark, hyphens]) => {
      const join = mark === null ? '\n' : s(mark);
      const wrap = (line: string): string =>
        wrapText(
          line,
          reckoned(w, (type) => `'<=' not supported between instances of '${type}' and 'int'`),
          {
            breakLong: truthy(long),
            onHyphens: truthy(hyphens),
          },
        ).join(join);
      return splitLines(s(v)).map(wrap).join(join);
    },
  ),
  bound('xmlattr', [['autospace', true]], xmlattr),
  bound('count', [], ([v]) => len(v)),
  bound('length', [], ([v]) => len(v)),
];
