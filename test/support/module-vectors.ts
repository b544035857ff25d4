/** Cases recorded from a real Salt (test/fixtures/modules), and running them on our modules. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ArgumentError,
  BrineError,
  CommandExecutionError,
  CommandNotFoundError,
  SaltInvocationError,
} from '../../src/errors/errors.ts';
import { runFunction } from '../../src/runtime/loader/execute.ts';
import { parseKeyword } from '../../src/formats/yaml/keyword.ts';
import { PythonError } from '../../src/python/exceptions.ts';
import { pyRepr } from '../../src/python/values/repr.ts';
import { float, isDict, type Dict, type Value } from '../../src/python/values/value.ts';
import { yamlifyArgument } from '../../src/formats/yaml/yamlify.ts';
import { dumpYaml } from '../../src/formats/yaml/dump.ts';
import { fakeContext, type FakeContext, type FakeContextOptions } from './module-context.ts';

/** One call and what Salt answered. */
export interface Vector {
  readonly fun: string;
  readonly args: readonly string[];
  readonly return?: unknown;
  readonly retcode?: number;
  readonly error?: string;
  readonly message?: string;
}

const FOLDER = join(process.env['BRINE_ROOT'] ?? '.', 'test/fixtures/modules');

/** The text of a file of the fixtures. */
export function moduleFixture(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

/** The recorded cases of one file. */
export function moduleVectors(name: string): Vector[] {
  return JSON.parse(moduleFixture(name)) as Vector[];
}

/** A value from a fixture: marked floats and mappings with other keys than text are undone. */
export function fixtureValue(json: unknown): Value {
  if (Array.isArray(json)) return json.map(fixtureValue);
  if (typeof json !== 'object' || json === null) return json as Value;
  const entries = Object.entries(json);
  const [key, inner] = entries[0] ?? [];
  if (key === '__float__') return float(Number(inner));
  if (key === '__dict__') {
    return new Map((inner as unknown[][]).map(([k, v]) => [fixtureValue(k), fixtureValue(v)]));
  }
  return new Map(entries.map(([name, value]) => [name, fixtureValue(value)]));
}

/** Words of a command line as a published argument list. */
export function publishedWords(words: readonly string[]): Value[] {
  const positional: Value[] = [];
  const keywords: Dict = new Map([['__kwarg__', true]]);
  for (const word of words) {
    const keyword = parseKeyword(word);
    if (keyword) keywords.set(keyword.name, keyword.value);
    else positional.push(yamlifyArgument(word));
  }
  return keywords.size > 1 ? [...positional, keywords] : positional;
}

/** The minion of the recordings, in a folder of its own. */
export interface RecordedMinion extends FakeContext {
  readonly folder: string;
  remove(): void;
}

/** Makes the minion that `settings.json` describes: its options, grains (also in the grains file) and pillar. */
export function recordedMinion(options: FakeContextOptions = {}): RecordedMinion {
  const folder = mkdtempSync(join(tmpdir(), 'brine-modules-'));
  const settings = fixtureValue(JSON.parse(moduleFixture('settings.json')) as unknown);
  const part = (name: string): Dict => {
    const value = isDict(settings) ? settings.get(name) : undefined;
    return isDict(value) ? value : new Map();
  };
  const opts: Dict = new Map<Value, Value>([
    ...part('opts'),
    ['conf_file', join(folder, 'minion')],
    ['cachedir', join(folder, 'cache')],
    ['pki_dir', join(folder, 'pki')],
    ['file_client', 'local'],
    ['local', true],
    ['backup_mode', ''],
    // the recorded return codes are Salt's
    ['exit_codes', 'salt'],
  ]);
  const grains = part('grains');
  writeFileSync(join(folder, 'minion'), '');
  writeFileSync(join(folder, 'grains'), dumpYaml(grains));
  grains.set('id', 'vec');
  const ctx = fakeContext({ id: 'vec', opts, grains, pillar: part('pillar'), ...options });
  return Object.assign(ctx, { folder, remove: () => rmSync(folder, { recursive: true, force: true }) });
}

/** Runs one case and compares the return, the order of mappings included, or the error with what Salt answered. */
export async function checkVector(ctx: FakeContext, vector: Vector): Promise<void> {
  const label = `${vector.fun} ${vector.args.join(' ')}`;
  const { spec } = await ctx.functions.find(vector.fun);
  assert.ok(spec, `${vector.fun} is missing`);
  let value: Value;
  try {
    value = await runFunction(vector.fun, spec, ctx, publishedWords(vector.args));
  } catch (error) {
    assert.ok(error instanceof Error);
    if (vector.error === undefined) throw new Error(`${label} failed: ${error.message}`, { cause: error });
    assert.equal(error.message, vector.message, label);
    assert.equal(pythonName(error), vector.error, label);
    return;
  }
  assert.equal(vector.error, undefined, `${label} did not fail but gave ${pyRepr(value)}`);
  assert.equal(pyRepr(value), pyRepr(fixtureValue(vector.return)), label);
  assert.equal(ctx.retcode, vector.retcode ?? 0, label);
}

function pythonName(error: Error): string {
  if (error instanceof PythonError) return error.type.replace('salt.exceptions.', '');
  if (error instanceof ArgumentError) return 'TypeError';
  if (error instanceof SaltInvocationError) return 'SaltInvocationError';
  if (error instanceof CommandNotFoundError) return 'CommandNotFoundError';
  if (error instanceof CommandExecutionError) return 'CommandExecutionError';
  return error instanceof BrineError ? 'SaltClientError' : error.name;
}
