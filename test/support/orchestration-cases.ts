/** Orchestrations that a real Salt and ours are held against each other with, and how what they print is compared. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { toJson } from '../../src/formats/json/text.ts';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import type { Fleet } from './fleet.ts';

/** One command, and what a real Salt made of it. */
export interface RecordedOrchestration {
  readonly name: string;
  /** Words of `salt-run`. */
  readonly args: readonly string[];
  readonly code: number | 'timeout';
  readonly stdout: string;
  /** Why ours is different. */
  readonly differs?: string;
}

/** A command of `cases.yaml`. */
export type OrchestrationCase = Pick<RecordedOrchestration, 'name' | 'args' | 'differs'>;

/** A case as it is written. */
interface WrittenCase {
  readonly sls?: string;
  readonly run?: readonly (readonly string[])[];
  readonly files?: Readonly<Record<string, string>>;
  /** Why ours is different, or that by what is run. */
  readonly differs?: string | Readonly<Record<string, string>>;
}

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
/** What a real Salt printed in the cases of `cases.yaml`. */
export const ODD_ORCHESTRATIONS = join(ROOT, 'test/fixtures/orchestration/odd-3006.16.json');

/** The first cases, recorded with their files. */
export function firstOrchestrations(): {
  readonly files: Readonly<Record<string, string>>;
  readonly cases: readonly RecordedOrchestration[];
} {
  return JSON.parse(readFileSync(join(ROOT, 'test/fixtures/orchestration/runs.json'), 'utf8')) as ReturnType<
    typeof firstOrchestrations
  >;
}

/** The cases of `cases.yaml`, and the files of all of them. */
export function oddOrchestrations(): {
  readonly files: Readonly<Record<string, string>>;
  readonly cases: readonly OrchestrationCase[];
} {
  const text = readFileSync(join(ROOT, 'test/compare/orchestrations/cases.yaml'), 'utf8');
  const written = JSON.parse(toJson(loadYaml(text))) as Record<string, string | number | WrittenCase>;
  const files: Record<string, string> = {};
  const cases: OrchestrationCase[] = [];
  for (const [name, value] of Object.entries(written)) {
    const { sls, run, differs, ...more } = typeof value === 'object' ? value : { sls: String(value) };
    Object.assign(files, more.files);
    if (sls !== undefined) files[`srv/c/${name}.sls`] = sls;
    const runs = run ?? (sls === undefined ? [] : [['state.orchestrate', `c.${name}`]]);
    for (const args of runs) {
      const words = args.join(' ');
      const reason = typeof differs === 'object' ? differs[words] : differs;
      cases.push({
        name: runs.length === 1 ? name : `${name}: ${words}`,
        args: args.map(String),
        ...(reason === undefined ? {} : { differs: reason }),
      });
    }
  }
  return { files, cases };
}

/** Puts the files of all cases into a fleet's folder, and configures its master for them. */
export function prepareOrchestrations(fleet: Fleet): void {
  for (const { files } of [firstOrchestrations(), oddOrchestrations()])
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(fleet.path(path)), { recursive: true });
      writeFileSync(fleet.path(path), text);
    }
  fleet.configureMaster([
    'auto_accept: True',
    'gather_job_timeout: 3',
    `sqlite_queue_dir: ${fleet.path('queues')}`,
    "nodegroups: {pair: 'L@min-a,min-b'}",
    `file_roots: {base: [${fleet.path('srv')}], dev: [${fleet.path('srvdev')}]}`,
    `pillar_roots: {base: [${fleet.path('pillar')}]}`,
  ]);
}

/** An error that another one of a traceback follows on. */
const CHAIN =
  /Traceback \(most recent call last\):\n[^\n]*\n\s*\n *During handling of the above exception, another exception occurred:\n\s*\n *(Traceback )/;

/** Leaves the last error of each traceback. */
function lastErrors(text: string): string {
  const shorter = text.replace(CHAIN, '$1');
  return shorter === text ? text : lastErrors(shorter);
}

/**
 * What is printed without what differs from run to run, frames of tracebacks, and the documentation behind a refusal.
 */
export function neutralOutput(text: string, folder: string): string {
  return lastErrors(withoutDocumentation(withoutFrames(text.split('\n'))).join('\n'))
    .replaceAll(folder, 'DIR')
    .replace(/\d\d:\d\d:\d\d\.\d{6}/g, 'TIME')
    .replace(/(Duration|Total run time):\s+[\d.]+ (ms|s)/g, '$1: N')
    .replace(/("?duration"?: )[\d.]+/g, '$1 N')
    .replace(/(duration:\n\s+)[\d.]+/g, '$1N')
    .replace(/(\bpid:\n\s+)\d+/g, '$1N')
    .replace(/\b20\d{18}\b/g, 'JID')
    .replace(/seen in [\d.e-]+ s/g, 'seen in N s')
    .replace(/('duration': )[\d.]+/g, '$1N')
    .replaceAll(`${hostname()}_master`, 'HOST_master');
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Leaves out what stands deeper than a line that begins a traceback. */
function withoutFrames(lines: readonly string[]): string[] {
  const out: string[] = [];
  let depth: number | undefined;
  for (const line of lines) {
    if (depth !== undefined && line.trim() !== '' && indentOf(line) > depth) continue;
    depth = undefined;
    out.push(line);
    if (line.trimEnd().endsWith('Traceback (most recent call last):')) depth = frameDepth(line);
  }
  return out;
}

/** How deep the error's own line stands: as the traceback, also when that begins behind other words. */
function frameDepth(line: string): number {
  const comment = line.indexOf('Comment: ');
  return comment < 0 ? indentOf(line) : comment + 'Comment: '.length;
}

/** Leaves out what is said of a function behind `Passed invalid arguments`: it is in our own words. */
function withoutDocumentation(lines: readonly string[]): string[] {
  const out: string[] = [];
  let depth: number | undefined;
  for (const line of lines) {
    if (depth !== undefined && (['', 'Usage:'].includes(line.trim()) || indentOf(line) > depth)) continue;
    depth = undefined;
    out.push(line);
    if (line.includes('Passed invalid arguments')) depth = indentOf(line);
  }
  return out;
}
