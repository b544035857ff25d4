/** The methods of Python's str. */
import { PythonError } from '../../python/exceptions.ts';
import {
  center,
  isPySpace,
  lstrip,
  padLeft,
  padRight,
  PY_SPACE,
  rstrip,
  splitLines,
  strip,
  textLength,
} from '../../python/values/text.ts';
import { bound, native, type BoundBody, type Entry } from './bind.ts';
import { typeError, valueError } from './errors.ts';
import { PyTuple, TObject, tuple, typeName, type NativeBody, type TValue } from './model.ts';
import { dictGet, itemsOf } from './operators.ts';
import { pyCapitalize, pySwapCase, pyTitle } from './text-case.ts';

/** Checks that an argument is text. @param what the words before the type. @throws TypeError */
function textArg(value: TValue, what = 'must be str, not'): string {
  if (typeof value === 'string') return value;
  throw typeError(`${what} ${typeName(value)}`);
}

/** The same for the methods whose errors name the function, and call `None` by its name. @throws TypeError */
function namedArg(value: TValue, what: string): string {
  if (value === null) throw typeError(`${what} must be str, not None`);
  return textArg(value, `${what} must be str, not`);
}

/** The character that pads. @throws TypeError */
const fillArg = (value: TValue | undefined): string =>
  textArg(value as TValue, 'The fill character must be a unicode character, not');

function intArg(value: TValue): number {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  if (typeof value === 'boolean') return Number(value);
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

/** Wider than this nothing is padded: it would only fill the memory. */
const SIZE_MAX = 10_000_000;

/** @throws OverflowError for a size that nobody can mean */
export function boundedSize(size: number): number {
  if (size > SIZE_MAX) throw new PythonError('OverflowError', 'the result is too large');
  return size;
}

const sizeArg = (value: TValue): number => boundedSize(intArg(value));

const SPACES = new RegExp(`[${PY_SPACE}]+`);

/** `str.split(sep, maxsplit)`. */
function pySplit(text: string, separator: TValue, limit: number): string[] {
  if (separator === null) {
    const body = lstrip(text);
    if (body === '') return [];
    if (limit < 0) return rstrip(body).split(SPACES);
    const out: string[] = [];
    let rest = body;
    while (out.length < limit) {
      const at = rest.search(SPACES);
      if (at < 0) break;
      out.push(rest.slice(0, at));
      rest = lstrip(rest.slice(at));
      if (rest === '') return out;
    }
    out.push(rest);
    return out;
  }
  const mark = textArg(separator, 'must be str or None, not');
  if (mark === '') throw valueError('empty separator');
  const parts = text.split(mark);
  return limit < 0 || parts.length <= limit + 1
    ? parts
    : [...parts.slice(0, limit), parts.slice(limit).join(mark)];
}

function pyRsplit(text: string, separator: TValue, limit: number): string[] {
  if (limit < 0) return pySplit(text, separator, -1);
  if (separator === null) {
    let rest = rstrip(text);
    const out: string[] = [];
    while (out.length < limit && rest !== '') {
      let start = rest.length;
      while (start > 0 && !isPySpace(rest.charAt(start - 1))) start--;
      if (start === 0) break;
      out.unshift(rest.slice(start));
      rest = rstrip(rest.slice(0, start));
    }
    return rest === '' ? out : [rest, ...out];
  }
  const parts = pySplit(text, separator, -1);
  const head = parts.slice(0, Math.max(0, parts.length - limit));
  return head.length <= 1 ? parts : [head.join(separator as string), ...parts.slice(parts.length - limit)];
}

function stripBy(text: string, chars: TValue, left: boolean, right: boolean): string {
  if (chars === null) return left && right ? strip(text) : left ? lstrip(text) : rstrip(text);
  if (typeof chars !== 'string')
    throw typeError(`${left && right ? '' : left ? 'l' : 'r'}strip arg must be None or str`);
  const set = new Set(chars);
  const points = [...text];
  let start = 0;
  let end = points.length;
  if (left) while (start < end && set.has(points[start] as string)) start++;
  if (right) while (end > start && set.has(points[end - 1] as string)) end--;
  return points.slice(start, end).join('');
}

/** `text[start:end]` with Python's rules for the bounds. */
function part(text: string, start: TValue, end: TValue): string {
  if (start === null && end === null) return text;
  const points = [...text];
  return points
    .slice(start === null ? 0 : boundArg(start), end === null ? points.length : boundArg(end))
    .join('');
}

function boundArg(value: TValue): number {
  if (typeof value === 'number' || typeof value === 'boolean') return intArg(value);
  throw typeError('slice indices must be integers or None or have an __index__ method');
}

function affix(name: string, test: (text: string, mark: string) => boolean): BoundBody<4> {
  return ([self, mark, start, end]) => {
    const text = part(self as string, start, end);
    if (typeof mark === 'string') return test(text, mark);
    if (mark instanceof PyTuple)
      return mark.some((one) => test(text, textArg(one, `tuple for ${name} must only contain str, not`)));
    throw typeError(`${name} first arg must be str or a tuple of str, not ${typeName(mark)}`);
  };
}

function finder(last: boolean, failing: boolean): BoundBody<4> {
  return ([self, wanted, start, end]) => {
    const text = self as string;
    const mark = textArg(wanted);
    const points = textLength(text);
    const from = clamp(start === null ? 0 : boundArg(start), points);
    const inside = part(text, start, end);
    const at = last ? inside.lastIndexOf(mark) : inside.indexOf(mark);
    if (at < 0 && failing) throw valueError('substring not found');
    return at < 0 ? -1 : from + textLength(inside.slice(0, at));
  };
}

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(length, index < 0 ? index + length : index));
}

function countIn(text: string, mark: string): number {
  return mark === '' ? textLength(text) + 1 : text.split(mark).length - 1;
}

function pyReplace(text: string, from: string, to: string, limit: number): string {
  if (limit < 0)
    return from === '' ? to + [...text].map((char) => char + to).join('') : text.split(from).join(to);
  const parts = from === '' ? ['', ...text] : text.split(from);
  const done = Math.min(limit, parts.length - 1 + (from === '' ? 1 : 0));
  if (from === '') {
    const points = [...text];
    return points.map((char, i) => (i < done ? to : '') + char).join('') + (done > points.length ? to : '');
  }
  return (
    parts.slice(0, done + 1).join(to) +
    parts
      .slice(done + 1)
      .map((piece) => from + piece)
      .join('')
  );
}

function partition(text: string, mark: string, last: boolean): TValue {
  if (mark === '') throw valueError('empty separator');
  const at = last ? text.lastIndexOf(mark) : text.indexOf(mark);
  if (at < 0) return tuple(last ? ['', '', text] : [text, '', '']);
  return tuple([text.slice(0, at), mark, text.slice(at + mark.length)]);
}

function joinTexts(separator: string, items: TValue): string {
  const out: string[] = [];
  const source = itemsOf(items);
  if (!source) throw typeError('can only join an iterable');
  for (const item of source) {
    const text = item instanceof TObject && item.isAnything ? item.str() : item;
    if (typeof text !== 'string')
      throw typeError(`sequence item ${out.length}: expected str instance, ${typeName(item)} found`);
    out.push(text);
  }
  return out.join(separator);
}

function translate(text: string, table: TValue): string {
  if (!(table instanceof Map)) return text;
  return [...text]
    .map((char) => {
      const to = dictGet(table, char.codePointAt(0) ?? 0);
      if (to === undefined) return char;
      return to === null ? '' : typeof to === 'number' ? String.fromCodePoint(to) : String(to);
    })
    .join('');
}

function expandTabs(text: string, size: number): string {
  let column = 0;
  let out = '';
  for (const char of text) {
    if (char === '\t') {
      const spaces = size > 0 ? size - (column % size) : 0;
      out += ' '.repeat(spaces);
      column += spaces;
    } else {
      out += char;
      column = char === '\n' || char === '\r' ? 0 : column + 1;
    }
  }
  return out;
}

const all =
  (pattern: RegExp): BoundBody<1> =>
  ([self]) =>
    self !== '' && pattern.test(self as string);
const cased =
  (upper: boolean): BoundBody<1> =>
  ([self]) => {
    const text = self as string;
    return (
      /\p{L}/u.test(text) &&
      text === (upper ? text.toUpperCase() : text.toLowerCase()) &&
      text.toUpperCase() !== text.toLowerCase()
    );
  };
const t = (value: TValue | undefined): string => value as string;

const METHODS: readonly Entry[] = [
  bound('capitalize', [], ([s]) => pyCapitalize(t(s))),
  bound('casefold', [], ([s]) => t(s).toLowerCase().replaceAll('ß', 'ss')),
  bound('center', ['width', ['fillchar', ' ']], ([s, w, fill]) =>
    filled(center(t(s), sizeArg(w)), t(s), fillArg(fill)),
  ),
  bound('count', ['sub', ['start', null], ['end', null]], ([s, mark, start, end]) =>
    countIn(part(t(s), start, end), textArg(mark)),
  ),
  bound(
    'encode',
    [
      ['encoding', 'utf-8'],
      ['errors', 'strict'],
    ],
    ([s, encoding]) => {
      namedArg(encoding, "encode() argument 'encoding'");
      return new Uint8Array(Buffer.from(t(s)));
    },
  ),
  bound(
    'endswith',
    ['suffix', ['start', null], ['end', null]],
    affix('endswith', (text, mark) => text.endsWith(mark)),
  ),
  bound('expandtabs', [['tabsize', 8]], ([s, size]) => expandTabs(t(s), sizeArg(size))),
  bound('find', ['sub', ['start', null], ['end', null]], finder(false, false)),
  bound('index', ['sub', ['start', null], ['end', null]], finder(false, true)),
  bound('isalnum', [], all(/^[\p{L}\p{N}]+$/u)),
  bound('isalpha', [], all(/^\p{L}+$/u)),
  bound('isascii', [], ([s]) => /^[\x00-\x7f]*$/.test(t(s))),
  bound('isdecimal', [], all(/^\p{Nd}+$/u)),
  bound('isdigit', [], all(/^[\p{Nd}\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089]+$/u)),
  bound('isidentifier', [], all(/^[\p{ID_Start}_][\p{ID_Continue}]*$/u)),
  bound('islower', [], cased(false)),
  bound('isnumeric', [], all(/^\p{N}+$/u)),
  bound('isprintable', [], ([s]) => !/\p{C}|(?! )\p{Z}/u.test(t(s))),
  bound('isspace', [], all(new RegExp(`^[${PY_SPACE}]+$`))),
  bound('istitle', [], ([s]) => /\p{L}/u.test(t(s)) && pyTitle(t(s)) === t(s)),
  bound('isupper', [], cased(true)),
  bound('join', ['iterable'], ([s, items]) => joinTexts(t(s), items)),
  bound('ljust', ['width', ['fillchar', ' ']], ([s, w, fill]) =>
    filled(padRight(t(s), sizeArg(w)), t(s), fillArg(fill)),
  ),
  bound('lower', [], ([s]) => t(s).toLowerCase()),
  bound('lstrip', [['chars', null]], ([s, chars]) => stripBy(t(s), chars, true, false)),
  bound('partition', ['sep'], ([s, mark]) => partition(t(s), textArg(mark), false)),
  bound('removeprefix', ['prefix'], ([s, prefix]) => {
    const mark = namedArg(prefix, 'removeprefix() argument');
    return t(s).startsWith(mark) ? t(s).slice(mark.length) : t(s);
  }),
  bound('removesuffix', ['suffix'], ([s, suffix]) => {
    const mark = namedArg(suffix, 'removesuffix() argument');
    return mark !== '' && t(s).endsWith(mark) ? t(s).slice(0, -mark.length) : t(s);
  }),
  bound('replace', ['old', 'new', ['count', -1]], ([s, from, to, count]) =>
    pyReplace(
      t(s),
      namedArg(from, 'replace() argument 1'),
      namedArg(to, 'replace() argument 2'),
      intArg(count),
    ),
  ),
  bound('rfind', ['sub', ['start', null], ['end', null]], finder(true, false)),
  bound('rindex', ['sub', ['start', null], ['end', null]], finder(true, true)),
  bound('rjust', ['width', ['fillchar', ' ']], ([s, w, fill]) =>
    filled(padLeft(t(s), sizeArg(w)), t(s), fillArg(fill)),
  ),
  bound('rpartition', ['sep'], ([s, mark]) => partition(t(s), textArg(mark), true)),
  bound(
    'rsplit',
    [
      ['sep', null],
      ['maxsplit', -1],
    ],
    ([s, mark, limit]) => pyRsplit(t(s), mark, intArg(limit)),
  ),
  bound('rstrip', [['chars', null]], ([s, chars]) => stripBy(t(s), chars, false, true)),
  bound(
    'split',
    [
      ['sep', null],
      ['maxsplit', -1],
    ],
    ([s, mark, limit]) => pySplit(t(s), mark, intArg(limit)),
  ),
  bound('splitlines', [['keepends', false]], ([s, keep]) => splitLines(t(s), intArg(keep) !== 0)),
  bound(
    'startswith',
    ['prefix', ['start', null], ['end', null]],
    affix('startswith', (text, mark) => text.startsWith(mark)),
  ),
  bound('strip', [['chars', null]], ([s, chars]) => stripBy(t(s), chars, true, true)),
  bound('swapcase', [], ([s]) => pySwapCase(t(s))),
  bound('title', [], ([s]) => pyTitle(t(s))),
  bound('translate', ['table'], ([s, table]) => translate(t(s), table)),
  bound('upper', [], ([s]) => t(s).toUpperCase()),
  bound('zfill', ['width'], ([s, w]) => {
    const [, sign = '', digits = ''] = /^([-+]?)([^]*)$/.exec(t(s)) ?? [];
    return sign + digits.padStart(Math.min(sizeArg(w), 100_000) - sign.length, '0');
  }),
];

/** The padding of a padded text, in another character. */
function filled(result: string, text: string, fill: string): string {
  if ([...fill].length !== 1) throw typeError('The fill character must be exactly one character long');
  if (fill === ' ' || result === text) return result;
  const at = text === '' ? result.length : result.indexOf(text);
  return fill.repeat(at) + text + fill.repeat([...result.slice(at + text.length)].length);
}

/** Every method but `format` and `format_map`; the text is the first argument. */
export const TEXT_METHODS: ReadonlyMap<string, NativeBody> = new Map(
  METHODS.map(({ name, params, body }) => [name, native(name, ['self', ...params], body, 'str')]),
);
