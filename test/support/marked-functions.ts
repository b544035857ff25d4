/**
 * The functions that are to answer as Salt's do, against what there is. In `test/compare/marked`: `marked.json` has the
 * modules that were chosen first, and `key` and `system`, with the functions that Salt 3006.16 has in them on Linux;
 * `left-out.json` those that are missing or are not compared, with the reason. A unit test holds both to be true.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MODULE_TABLE } from '../../src/plugins/registry/module/table.generated.ts';
import { readRunCases } from './state-runs.ts';
import { callOf, callTables, readCallGroups } from './module-calls.ts';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();

function readJson<T>(...parts: string[]): T {
  return JSON.parse(readFileSync(join(ROOT, ...parts), 'utf8')) as T;
}

/** One marked function. */
export interface MarkedFunction {
  readonly name: string;
  readonly exists: boolean;
  /** Where its answers are compared with Salt's: tables of calls, recorded cases, lines of commands. */
  readonly compared: readonly string[];
  /** Why it is missing or not compared. */
  readonly reason: string | undefined;
}

/** All marked functions, and reasons that stand for nothing (any more). */
export async function markedFunctions(): Promise<{ functions: MarkedFunction[]; idle: string[] }> {
  const marked = readJson<Record<string, string[]>>('test/compare/marked/marked.json');
  const reasons = readJson<Record<string, string>>('test/compare/marked/left-out.json');
  const [existing, compared] = [await ownFunctions(), comparedFunctions()];
  const used = new Set<string>();
  const reasonFor = (name: string): string | undefined => {
    const key = [name, `${name.split('.')[0] ?? ''}.*`].find((each) => Object.hasOwn(reasons, each));
    return key === undefined ? undefined : (used.add(key), reasons[key]);
  };
  const functions = Object.entries(marked).flatMap(([module, names]) =>
    names.map((short): MarkedFunction => {
      const name = `${module}.${short}`;
      const [exists, where] = [existing.has(name), [...(compared.get(name) ?? [])]];
      const reason = exists && where.length > 0 ? undefined : reasonFor(name);
      return { name, exists, compared: where, reason };
    }),
  );
  return { functions, idle: Object.keys(reasons).filter((key) => !used.has(key)) };
}

async function ownFunctions(): Promise<Set<string>> {
  const names = new Set<string>();
  for (const entry of MODULE_TABLE)
    for (const short of Object.keys((await entry.load()).functions)) names.add(`${entry.name}.${short}`);
  return names;
}

function comparedFunctions(): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  const add = (name: string, where: string): void =>
    void out.set(name, (out.get(name) ?? new Set()).add(where));
  for (const table of callTables())
    for (const group of readCallGroups(table))
      for (const call of group.calls) add(callOf(call).call.split(' ')[0] ?? '', `calls of ${table}`);
  const recorded = 'test/fixtures/modules';
  for (const file of readdirSync(join(ROOT, recorded)).filter((name) => name.endsWith('.json'))) {
    const rows = readJson<unknown>(recorded, file);
    for (const row of Array.isArray(rows) ? (rows as { fun?: string }[]) : [])
      if (typeof row.fun === 'string') add(row.fun, `recorded in ${file}`);
  }
  for (const { fun, name } of readRunCases()) add(fun, `state runs: ${name}`);
  const commands = readFileSync(join(ROOT, 'test/compare/commands.json'), 'utf8');
  for (const [name] of commands.matchAll(/\b[a-z]+\.[a-z_]+\b/g)) add(name, 'lines of commands');
  return out;
}
