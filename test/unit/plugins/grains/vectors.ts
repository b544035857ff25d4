/** What was recorded from a real Salt (test/fixtures/grains). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Value } from '../../../../src/python/values/value.ts';

const folder = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/fixtures/grains');

/** A recorded file. */
export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
}

/** A value as plain JSON, for comparing with what was recorded. */
export function toPlain(value: Value | undefined): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([k, v]) => [String(k), toPlain(v)]));
  return Array.isArray(value) ? value.map(toPlain) : value;
}
