/**
 * What a real Salt answered on the machine, as it is kept in `test/fixtures/machine/calls`: one file for each module.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDict, type Dict } from '../../src/python/values/value.ts';
import type { MachineCall, Scene } from './machine-calls.ts';
import { valueFromJson } from './module-calls.ts';

/** Where the files are. */
export const RECORDS = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/fixtures/machine');

/** One call with what Salt did, and with what we do where that is not the same. */
export type RecordedCall = readonly [call: MachineCall, salt: string, ours?: string];

/** A scene with its answers. */
export interface RecordedScene extends Omit<Scene, 'calls'> {
  readonly calls: readonly RecordedCall[];
}

/** The names of all files: modules, and `states-` modules of states. */
export function recordedTables(): string[] {
  return readdirSync(join(RECORDS, 'calls'))
    .map((name) => name.replace(/\.json$/, ''))
    .sort();
}

/** The scenes of one file. */
export function recordedScenes(table: string): RecordedScene[] {
  return JSON.parse(readFileSync(join(RECORDS, 'calls', `${table}.json`), 'utf8')) as RecordedScene[];
}

/** A scene as it is played. */
export function sceneOf(recorded: RecordedScene): Scene {
  return { ...recorded, calls: recorded.calls.map(([call]) => call) };
}

/** What the machine told the real Salt of itself. */
export function recordedGrains(): Dict {
  const grains = valueFromJson(JSON.parse(readFileSync(join(RECORDS, 'grains.json'), 'utf8')));
  if (!isDict(grains)) throw new Error('test/fixtures/machine/grains.json is no mapping');
  return grains;
}
