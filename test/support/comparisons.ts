/**
 * Which functions are compared with a real Salt, and how: its answers are recorded and `npm test` compares with them, a
 * comparison asks a real Salt each time, or neither. Made from the recordings and tables themselves;
 * `docs/reference/compared.md` shows it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODULE_TABLE } from '../../src/plugins/registry/module/table.generated.ts';
import { STATE_TABLE } from '../../src/plugins/registry/state/table.generated.ts';
import { recordedScenes, recordedTables } from './machine-records.ts';
import { callOf, callTables, readCallGroups } from './module-calls.ts';
import { readStateCases, stateTables } from './state-cases.ts';
import { readRunCases } from './state-runs.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();

/** How a function is compared: `recorded` by `npm test`, `live` only where a real Salt is asked, `never`. */
export type Comparison = 'recorded' | 'live' | 'never';

/** All functions of one kind by full name. */
export interface Comparisons {
  readonly functions: ReadonlyMap<string, Comparison>;
  readonly states: ReadonlyMap<string, Comparison>;
}

/** What is said about a set of functions. */
interface Seen {
  readonly functions: Set<string>;
  readonly states: Set<string>;
}

/** Looks all functions of ours up in the recordings and tables. */
export async function comparisons(): Promise<Comparisons> {
  const [recorded, live] = [recordedNames(), liveNames()];
  const judge = (names: readonly string[], kind: keyof Seen): Map<string, Comparison> =>
    new Map(
      names.map((name) => [
        name,
        recorded[kind].has(name) ? 'recorded' : live[kind].has(name) ? 'live' : 'never',
      ]),
    );
  return {
    functions: judge(await namesOf(MODULE_TABLE), 'functions'),
    states: judge(await namesOf(STATE_TABLE), 'states'),
  };
}

async function namesOf(table: typeof MODULE_TABLE): Promise<string[]> {
  const names = new Set<string>();
  for (const entry of table)
    for (const short of Object.keys((await entry.load()).functions)) names.add(`${entry.name}.${short}`);
  return [...names].sort();
}

function json<T>(...path: string[]): T {
  return JSON.parse(readFileSync(join(ROOT, ...path), 'utf8')) as T;
}

function filesOf(...path: string[]): string[] {
  return readdirSync(join(ROOT, ...path)).filter((name) => name.endsWith('.json'));
}

const firstWord = (line: string): string => line.split(' ')[0] ?? '';

/** State functions that a text of an SLS names as `module.function:`. */
function statesIn(sls: string): string[] {
  return [...sls.matchAll(/^\s*([a-z_]+\.[a-z_]+):/gm)].map(([, name]) => name ?? '');
}

function recordedNames(): Seen {
  const seen: Seen = { functions: new Set(), states: new Set() };
  for (const scene of recordedTables().flatMap(recordedScenes)) {
    const sls = scene.files?.['case.sls'];
    if (typeof sls === 'string') statesIn(sls).forEach((name) => seen.states.add(name));
    for (const [call] of scene.calls) {
      const fun = typeof call === 'string' ? firstWord(call) : call.fun;
      seen.functions.add(fun);
      if (fun === 'state.low' && typeof call !== 'string') seen.states.add(stateOfChunk(call.args?.[0]));
    }
  }
  const saltcheck = json<{ readonly words: readonly string[] }[]>('test/fixtures/saltcheck/answers.json');
  for (const { words } of saltcheck) seen.functions.add(words[0] ?? '');
  for (const file of filesOf('test/fixtures/modules/calls'))
    for (const { calls } of json<{ calls: (string | { call: string })[] }[]>(
      'test/fixtures/modules/calls',
      file,
    ))
      for (const call of calls) seen.functions.add(firstWord(callOf(call).call));
  for (const file of filesOf('test/fixtures/modules')) {
    const rows = json<unknown>('test/fixtures/modules', file);
    for (const { fun, call } of Array.isArray(rows) ? (rows as { fun?: unknown; call?: unknown }[]) : []) {
      if (typeof fun === 'string') seen.functions.add(fun);
      if (typeof call !== 'string') continue;
      if (call.startsWith('state ')) seen.states.add(call.slice('state '.length));
      else seen.functions.add(call);
    }
  }
  for (const { fun } of readRunCases()) seen.functions.add(fun);
  for (const file of filesOf('test/fixtures/states/cases')) {
    const names = new Set(
      json<{ case: string }[]>('test/fixtures/states/cases', file).map((row) => row.case),
    );
    for (const given of readStateCases(file.replace(/\.json$/, '')))
      if (names.has(given.case)) statesIn(given.sls).forEach((name) => seen.states.add(name));
  }
  return seen;
}

function stateOfChunk(chunk: unknown): string {
  const { dict = [] } = (chunk ?? {}) as { dict?: [string, unknown][] };
  const field = (name: string): string => String(dict.find(([key]) => key === name)?.[1] ?? '');
  return `${field('state')}.${field('fun')}`;
}

function liveNames(): Seen {
  const seen: Seen = { functions: new Set(), states: new Set() };
  for (const group of callTables().flatMap(readCallGroups))
    for (const call of group.calls) seen.functions.add(firstWord(callOf(call).call));
  const commands = readFileSync(join(ROOT, 'test/compare/commands.json'), 'utf8');
  for (const [name] of commands.matchAll(/\b[a-z]+\.[a-z_]+\b/g)) seen.functions.add(name);
  for (const { sls } of stateTables().flatMap(readStateCases))
    statesIn(sls).forEach((name) => seen.states.add(name));
  return seen;
}

const TITLES: readonly (readonly [Comparison, string])[] = [
  ['recorded', 'Recorded: `npm test` compares with what a real Salt 3006.16 answered'],
  ['live', 'Compared only where a real Salt is installed'],
  ['never', 'Not compared'],
];

/** Functions of state modules that the state runner calls, and nobody by name. */
const CALLED_BY_RUNS = new Set(['mod_watch', 'mod_init', 'mod_aggregate', 'mod_beacon', 'mod_run_check_cmd']);

/** Why a function is not compared. */
function whyNever(module: string, name: string): string {
  if (CALLED_BY_RUNS.has(name))
    return 'the state runner calls it, for requisites and options of a state; it is no state of its own';
  const path = join(ROOT, 'test/compare/marked/left-out.json');
  const reasons = new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>));
  return reasons.get(`${module}.${name}`) ?? 'no comparison was made yet';
}

/** The page that shows it. */
export function comparisonsPage({ functions, states }: Comparisons): string {
  const out = [
    '# What is compared with Salt',
    '',
    'For every execution and state function, how its answers are held against those of a real Salt 3006.16.',
    '[Comparing with a real Salt](../contributing/comparing.md) says how recordings are made.',
    '',
    '<!-- test/compare/marked.ts --write has written this file. -->',
  ];
  for (const [title, table] of [
    ['Execution functions', functions],
    ['State functions', states],
  ] as const) {
    const count = (kind: Comparison): number => [...table.values()].filter((each) => each === kind).length;
    out.push('', `## ${title}`, '');
    out.push(
      `Of ${table.size}, ${count('recorded')} are recorded, ${count('live')} compared only with a real Salt at hand, ${count('never')} not compared.`,
    );
    for (const [kind, heading] of TITLES) {
      const byModule = new Map<string, string[]>();
      for (const [name, found] of table) {
        if (found !== kind) continue;
        const [module = '', short = ''] = name.split('.');
        byModule.set(module, [...(byModule.get(module) ?? []), short]);
      }
      out.push('', `### ${heading}`, '');
      for (const [module, names] of byModule)
        if (kind === 'never')
          out.push(...names.map((name) => `- \`${module}.${name}\`: ${whyNever(module, name)}`));
        else out.push(`- \`${module}\`: ${names.join(', ')}`);
      if (byModule.size === 0) out.push('None.');
    }
  }
  return `${out.join('\n')}\n`;
}
