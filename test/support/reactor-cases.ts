/** Cases of the reactor (`test/compare/reactor/cases.yaml`), the same for a real Salt and for ours. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJson } from '../../src/formats/json/text.ts';
import { loadYaml } from '../../src/formats/yaml/load.ts';

/** Rules, files and events. DIR stands for the folder in all of them. */
export interface ReactorCase {
  readonly name: string;
  /** Whose reactor it is. */
  readonly on: 'master' | 'minion';
  readonly reactor: unknown;
  /** Path in the folder to text. */
  readonly files: Readonly<Record<string, string>>;
  readonly events: readonly (readonly [tag: string, data: Readonly<Record<string, unknown>>])[];
}

/** One thing that a reactor does: an event that it takes, a call, an event of its own, a line in the log. */
export type ReactorDeed = readonly [kind: string, what: unknown];

/** A case, and what the reactor did. */
export interface RecordedReactorCase {
  readonly name: string;
  readonly did: readonly ReactorDeed[];
}

const ROOT = process.env['BRINE_ROOT'] ?? '.';
export const REACTOR_FOLDER = join(ROOT, 'test/compare/reactor');
/** Where the recording is. */
export const REACTOR_FIXTURE = join(ROOT, 'test/fixtures/runners/reactor-3006.16.json');

/** All cases. */
export function reactorCases(): readonly ReactorCase[] {
  const read = loadYaml(readFileSync(join(REACTOR_FOLDER, 'cases.yaml'), 'utf8'));
  const plain = JSON.parse(toJson(read)) as (Partial<ReactorCase> &
    Pick<ReactorCase, 'name' | 'events' | 'reactor'>)[];
  return plain.map((one) => ({ on: 'master', files: {}, ...one }));
}

/** A case in a folder, or a recording without it. */
export function withFolder<T>(value: T, from: string, to: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T;
}

/** The configuration of the one that reacts. */
export function reactorConfiguration(folder: string): string {
  return [
    'id: the_id',
    'user: root',
    `root_dir: ${folder}`,
    `pki_dir: ${folder}/pki`,
    `sock_dir: ${folder}/run`,
    `cachedir: ${folder}/cache`,
    `log_file: ${folder}/log`,
    `file_roots: {base: [${folder}/srv]}`,
    "nodegroups: {pair: 'L@a,b'}",
    '',
  ].join('\n');
}
