/** Python's methods of bytes. Most do to bytes what those of text do to text; they want bytes where those want text. */
import { PythonError } from '../../python/exceptions.ts';
import { isBytes } from '../../python/values/value.ts';
import { native } from './bind.ts';
import { typeError } from './errors.ts';
import { TEXT_METHODS } from './methods-text.ts';
import { PyTuple, tuple, typeName, type NativeBody, type TValue } from './model.ts';

/** Methods of text that bytes have too, by what they say of an argument that is no bytes. */
const WANTS: ReadonlyMap<string, (name: string, type: string) => string> = new Map([
  ...'lower upper capitalize title swapcase isalpha isalnum isdigit isspace islower isupper istitle expandtabs zfill splitlines strip lstrip rstrip split rsplit replace partition rpartition removeprefix removesuffix ljust rjust center'
    .split(' ')
    .map(
      (name) =>
        [name, (_: string, type: string) => `a bytes-like object is required, not '${type}'`] as const,
    ),
  ...'find rfind index rindex count'
    .split(' ')
    .map(
      (name) =>
        [
          name,
          (_: string, type: string) => `argument should be integer or bytes-like object, not '${type}'`,
        ] as const,
    ),
  ...'startswith endswith'
    .split(' ')
    .map(
      (name) =>
        [
          name,
          (method: string, type: string) =>
            `${method} first arg must be bytes or a tuple of bytes, not ${type}`,
        ] as const,
    ),
]);
/** Those whose first argument may be a number, or is one. */
const TAKES_NUMBERS = new Set(['expandtabs', 'zfill', 'splitlines', 'ljust', 'rjust', 'center']);

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** What a method of text gives, in bytes. */
function inBytes(value: TValue): TValue {
  if (typeof value === 'string') return Buffer.from(value, 'latin1');
  if (value instanceof PyTuple) return tuple(value.map(inBytes));
  return Array.isArray(value) ? value.map(inBytes) : value;
}

/** A method of text for bytes: one character for each. */
function likeText(name: string, body: NativeBody, fault: (name: string, type: string) => string): NativeBody {
  const given = (value: TValue, at: number): TValue => {
    if (isBytes(value)) return asText(value);
    if (value instanceof PyTuple && at === 0) return tuple(value.map((one) => given(one, 0)));
    const isAllowed = typeof value !== 'string' && (at > 0 || value === null || TAKES_NUMBERS.has(name));
    if (isAllowed) return value;
    throw typeError(fault(name, typeName(value)));
  };
  return ([self, ...args], kwargs, scope) => {
    const made = body([asText(self as Uint8Array), ...args.map(given)], kwargs, scope);
    return made instanceof Promise ? made.then(inBytes) : inBytes(made);
  };
}

function joined(separator: Uint8Array, items: TValue): TValue {
  if (!Array.isArray(items)) throw typeError('can only join an iterable');
  const parts = items.flatMap((item, at) => {
    if (!isBytes(item))
      throw typeError(`sequence item ${at}: expected a bytes-like object, ${typeName(item)} found`);
    return at === 0 ? [item] : [separator, item];
  });
  return Buffer.concat(parts);
}

const ENCODINGS: ReadonlyMap<string, string> = new Map([
  ['latin1', 'latin1'],
  ['iso88591', 'latin1'],
  ['utf8', 'utf-8'],
  ['ascii', 'ascii'],
]);

function decoded(bytes: Uint8Array, encoding: TValue): string {
  const known = ENCODINGS.get(String(encoding).toLowerCase().replaceAll(/[-_ ]/g, ''));
  if (known === 'latin1') return asText(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new PythonError('ValueError', "'utf-8' codec can't decode bytes");
  }
}

/** Every method; the bytes are the first argument. */
export const BYTES_METHODS: ReadonlyMap<string, NativeBody> = new Map<string, NativeBody>([
  ...[...WANTS].flatMap(([name, fault]): [string, NativeBody][] => {
    const body = TEXT_METHODS.get(name);
    return body === undefined ? [] : [[name, likeText(name, body, fault)]];
  }),
  ['join', native('join', ['self', 'iterable'], ([self, items]) => joined(self as Uint8Array, items))],
  [
    'decode',
    native('decode', ['self', ['encoding', 'utf-8'], ['errors', 'strict']], ([self, encoding]) =>
      decoded(self as Uint8Array, encoding),
    ),
  ],
  ['hex', native('hex', ['self'], ([self]) => Buffer.from(self as Uint8Array).toString('hex'))],
]);
