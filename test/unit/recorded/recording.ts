/**
 * Traffic recorded from real Salt (test/fixtures/README.md), read back: bytes are base64, and what JSON cannot say
 * stands as one-key maps.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanKeyText } from '../../../src/network/crypto/pem.ts';
import { RsaPrivateKey } from '../../../src/network/crypto/rsa.ts';
import { isBytes, isDict, isFloat, PyDatetime, type Value } from '../../../src/python/values/value.ts';

/** The recorded versions. */
export const SALTS = ['3006.16', '3007.8'] as const;

/** A fixture file of one version. */
export function readRecording<T>(version: string, name: string): T {
  const root = process.env['BRINE_ROOT'] ?? '.';
  return JSON.parse(
    readFileSync(join(root, 'test/fixtures', `salt-${version}`, `${name}.json`), 'utf8'),
  ) as T;
}

/** The rows of a fixture file. */
export function rowsOf<T>(version: string, name: string): T[] {
  return readRecording<{ vectors: T[] }>(version, name).vectors;
}

/** The keys that open a recording. */
export class RecordedKeys {
  readonly #file: {
    rsa: Record<string, { private: string; public: string }>;
    minionKeys: { recording: string; minion: string; key: string }[];
    aes: { name: string; recording: string; value: string }[];
    session: { recording: string; minion: string; value: string }[];
  };
  readonly #parsed = new Map<string, RsaPrivateKey>();

  constructor(version: string) {
    this.#file = readRecording(version, 'keys');
  }

  /** A key pair by its name. */
  pair(name: string): RsaPrivateKey {
    let key = this.#parsed.get(name);
    if (key === undefined) {
      key = RsaPrivateKey.parse((this.#file.rsa[name] as { private: string }).private);
      this.#parsed.set(name, key);
    }
    return key;
  }

  /** The public half as its file has it, with its last newline. */
  publicFile(name: string): string {
    return (this.#file.rsa[name] as { public: string }).public;
  }

  /** The private half as its file has it. */
  privateFile(name: string): string {
    return (this.#file.rsa[name] as { private: string }).private;
  }

  /** Names of the pairs of a recording's minions, by minion. */
  minions(recording: string): Map<string, string> {
    const rows = this.#file.minionKeys.filter((row) => row.recording === recording);
    return new Map(rows.map((row) => [row.minion, row.key]));
  }

  /** Session key texts of a recording, by minion. */
  sessions(recording: string): Map<string, string> {
    const rows = this.#file.session.filter((row) => row.recording === recording);
    return new Map(rows.map((row) => [row.minion, row.value]));
  }

  /** The shared keys of a recording, oldest first. */
  shared(recording: string): string[] {
    return this.#file.aes.filter((row) => row.recording === recording).map((row) => row.value);
  }
}

/** Bytes of a base64 field. */
export function bytes(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

const FLOATS: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['-inf', -Infinity],
  ['nan', NaN],
]);

/**
 * Compares a value with its recorded form; the order of a map's keys is not compared, because JSON loses it.
 * @returns where and how they differ, or undefined
 */
export function difference(
  actual: Value | undefined,
  recorded: unknown,
  keys: RecordedKeys,
  path = 'value',
): string | undefined {
  const differ = `${path}: ${show(actual)} is not ${JSON.stringify(recorded)}`;
  if (actual === undefined) return differ;
  if (recorded === null || typeof recorded !== 'object') {
    const isSame = actual === recorded && !Object.is(actual, -0);
    return isSame ? undefined : differ;
  }
  if (Array.isArray(recorded)) {
    if (!Array.isArray(actual) || actual.length !== recorded.length) return differ;
    return first(recorded.map((item, index) => difference(actual[index], item, keys, `${path}[${index}]`)));
  }
  const entries = Object.entries(recorded);
  const [tag = '', body] = entries.length === 1 ? (entries[0] as [string, unknown]) : [];
  if (tag.startsWith('$')) return special(actual, tag, body, keys, path) ? undefined : differ;
  if (!isDict(actual) || actual.size !== entries.length) return differ;
  return first(entries.map(([key, item]) => difference(actual.get(key), item, keys, `${path}.${key}`)));
}

function first(differences: (string | undefined)[]): string | undefined {
  return differences.find((text) => text !== undefined);
}

function special(actual: Value, tag: string, body: unknown, keys: RecordedKeys, path: string): boolean {
  switch (tag) {
    case '$bytes':
      return isBytes(actual) && Buffer.from(actual).equals(bytes(body as string));
    case '$bytesLength':
      return (isBytes(actual) ? actual.length : Buffer.byteLength(String(actual))) === body;
    case '$int':
      return typeof actual === 'bigint' && actual === BigInt(body as string);
    case '$float':
      return isFloat(actual) && Object.is(Number(actual), FLOATS.get(body as string) ?? Number(body));
    case '$datetime':
      return actual instanceof PyDatetime && actual.text === body;
    case '$publicKey':
      return actual === cleanKeyText(keys.publicFile(body as string));
    case '$map':
      return isDict(actual) && samePairs([...actual], body as [unknown, unknown][], keys, path);
    default:
      return false;
  }
}

function samePairs(
  actual: [Value, Value][],
  recorded: [unknown, unknown][],
  keys: RecordedKeys,
  path: string,
): boolean {
  if (actual.length !== recorded.length) return false;
  return recorded.every(([key, item], index) => {
    const [actualKey, actualItem] = actual[index] as [Value, Value];
    return (
      difference(actualKey, key, keys, path) === undefined &&
      difference(actualItem, item, keys, path) === undefined
    );
  });
}

function show(value: Value | undefined): string {
  if (isDict(value)) return `a map of ${[...value.keys()].map(String).join(', ')}`;
  if (isBytes(value)) return `${value.length} bytes`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? 'nothing');
}
