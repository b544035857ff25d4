/**
 * Reads recorded values. JSON has no spelling for half of Python's types, so fixtures write those as one-key objects:
 * `$dict` (list of pairs), `$int`, `$float`, `$bytes` (hex), `$datetime`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { float, PyDatetime, type Value } from '../../../../src/python/values/value.ts';

const FLOATS: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['-inf', -Infinity],
  ['nan', NaN],
]);

/** A value from its recorded form. */
export function revive(raw: unknown): Value {
  if (raw === null || typeof raw !== 'object') return raw as Value;
  if (Array.isArray(raw)) return raw.map(revive);
  const [[tag, body] = ['', '']] = Object.entries(raw);
  switch (tag) {
    case '$dict':
      return new Map((body as [unknown, unknown][]).map(([key, value]) => [revive(key), revive(value)]));
    case '$int':
      return BigInt(body as string);
    case '$float':
      return float(FLOATS.get(body as string) ?? Number(body));
    case '$bytes':
      return new Uint8Array(Buffer.from(body as string, 'hex'));
    case '$datetime':
      return new PyDatetime(body as string);
    default:
      throw new Error(`unknown tag ${tag} in a fixture`);
  }
}

/** A fixture of this name below test/fixtures. */
export function readVectors<T>(path: string): T[] {
  const root = process.env['BRINE_ROOT'] ?? '.';
  return JSON.parse(readFileSync(join(root, 'test/fixtures', path), 'utf8')) as T[];
}
