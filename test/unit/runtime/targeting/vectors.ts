/** Reads the vectors in test/fixtures/targeting, recorded from Salt 3006.16 and Python 3.11. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { float, type Dict, type Value } from '../../../../src/python/values/value.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const folder = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/fixtures/targeting');

/** The rows of a file; `T` is their form. */
export function vectors<T>(name: string): T[] {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as T[];
}

/** A value as it is recorded: odd keys as `$map`, floats as `$float`. */
export function valueOf(json: unknown): Value {
  const given = json as Json;
  if (Array.isArray(given)) return given.map(valueOf);
  if (typeof given !== 'object' || given === null) return given;
  if ('$float' in given) return float(Number(given['$float']));
  const entries = '$map' in given ? (given['$map'] as [Json, Json][]) : Object.entries(given);
  return new Map(entries.map(([key, value]) => [valueOf(key), valueOf(value)]));
}

export const dictOf = (json: unknown): Dict => valueOf(json) as Dict;
