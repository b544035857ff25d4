/**
 * Cases of state modules: an SLS each, with what has to be there before. `test/compare/state-modules.ts` runs them on a
 * real Salt and on ours, and the unit tests on ours against recorded results. The tables are
 * `test/compare/state-cases/<module>.yaml`.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pyRepr, pyStr } from '../../src/python/values/repr.ts';
import { isDict, toNumber, type Dict, type Value } from '../../src/python/values/value.ts';
import { loadYaml } from '../../src/formats/yaml/load.ts';
import { setUpGroup, type GivenFile } from './module-calls.ts';

/**
 * One case. In every text, `{dir}` is the case's folder, `{name}` its name within the file roots (`salt://{name}/file`)
 * and `{http}` a web server.
 */
export interface StateCase {
  readonly case: string;
  readonly sls: string;
  /** Files of the case's folder. */
  readonly files?: Readonly<Record<string, GivenFile>>;
  readonly pillar?: Dict;
  /** What is run, one after the other; without it, `test`, `apply` and `apply`. */
  readonly runs?: readonly ('test' | 'apply')[];
  /** A shell command before the first run. */
  readonly setup?: string;
  /** A shell command whose output after the last run is compared. */
  readonly after?: string;
  /** Why the two are meant to differ. */
  readonly differs?: string;
  /** States, by their ids, whose results alone are meant to differ, each with the reason; they are not compared. */
  readonly better?: Dict;
  /** Parts of the outcome, as {@link facetsOf} names them, that are meant to differ, each with the reason. */
  readonly meant?: Dict;
  /** Keys whose values differ from run to run; `pid` is always one of them. */
  readonly mask?: readonly string[];
  /** Patterns whose matches in texts differ from run to run. */
  readonly maskText?: readonly string[];
  /** Mappings and lists whose order means nothing, since Salt makes it of sets. */
  readonly unordered?: boolean;
  /** Owners are changed, so the unit tests of other users leave it out. */
  readonly root?: boolean;
  /**
   * Results do not depend on the machine and nothing is changed outside the folder, so they can be recorded for the
   * unit tests.
   */
  readonly record?: boolean;
  /** Each run is to see the grains that the one before has stored. */
  readonly grains?: boolean;
  /** Do not compare the folder afterwards. */
  readonly noTree?: boolean;
}

/** A case with its place. */
export interface PlacedCase {
  readonly table: string;
  readonly given: StateCase;
  /** The minion's file root, the folder above those of all cases. */
  readonly root: string;
  /** The name of the case's folder. */
  readonly name: string;
  readonly http: string;
}

/** What one side gave for a case: the results of each run, and what `after` printed. */
export interface RunOutcome {
  readonly runs: readonly Value[];
  readonly after: string;
}

const FOLDER = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'test/compare/state-cases');
/** The exceptions during whose handling another one was raised, which is the one that tells. */
const CHAINED =
  /Traceback \(most recent call last\):\n[^\n]*\n\n(?:During handling of|The above exception was)[^\n]*\n\n(?=Traceback)/g;
/** What tells nothing about a result. */
const LEFT_OUT = ['duration', 'start_time', '__run_num__'];

/** All that is compared of a case. */
export interface CaseOutcome extends RunOutcome {
  /** The case's folder afterwards, as lines. */
  readonly tree: readonly string[];
  /** The address of the web server of the run. */
  readonly http: string;
}

/** The names of all tables. */
export function stateTables(): string[] {
  return readdirSync(FOLDER)
    .map((name) => name.replace(/\.yaml$/, ''))
    .sort();
}

/** The cases of one table. */
export function readStateCases(table: string): StateCase[] {
  const list = loadYaml(readFileSync(join(FOLDER, `${table}.yaml`), 'utf8'));
  if (!Array.isArray(list)) throw new Error(`test/compare/state-cases/${table}.yaml is not a list of cases`);
  return list.map((item) => plainCase(item as Dict));
}

function plainCase(item: Dict): StateCase {
  const fields = Object.fromEntries([...item].map(([key, value]) => [pyStr(key), value]));
  const files = item.get('files');
  return {
    ...fields,
    ...(isDict(files) ? { files: plainObject(files) } : {}),
  } as unknown as StateCase;
}

function plainObject(value: Dict): Record<string, GivenFile> {
  const entries = [...value].map(([key, item]) => [
    pyStr(key),
    isDict(item) ? plainObject(item) : typeof item === 'string' ? item : pyStr(item),
  ]);
  return Object.fromEntries(entries) as Record<string, GivenFile>;
}

/** What is run in a case. */
export function runsOf({ runs }: StateCase): readonly ('test' | 'apply')[] {
  return runs ?? ['test', 'apply', 'apply'];
}

/** The folder of a case. */
export function caseFolder({ root, name }: PlacedCase): string {
  return join(root, name);
}

/** A text of the case with its places filled in. */
export function placed(text: string, at: PlacedCase): string {
  return text.replaceAll('{dir}', caseFolder(at)).replaceAll('{name}', at.name).replaceAll('{http}', at.http);
}

/** Makes the case's folder anew, with its files and its SLS `case.sls`. */
export function setUpCase(at: PlacedCase): void {
  const folder = caseFolder(at);
  mkdirSync(at.root, { recursive: true });
  setUpGroup({ group: at.name, calls: [], files: at.given.files ?? {} }, folder);
  writeFileSync(join(folder, 'case.sls'), placed(at.given.sls, at));
}

/** The pillar of the case with its places filled in. */
export function casePillar(at: PlacedCase): Dict | undefined {
  const fill = (value: Value): Value => {
    if (typeof value === 'string') return placed(value, at);
    if (Array.isArray(value)) return value.map(fill);
    return isDict(value) ? new Map([...value].map(([key, item]) => [fill(key), fill(item)])) : value;
  };
  return at.given.pillar && (fill(at.given.pillar) as Dict);
}

/** The results of a run in the order in which the states ran; errors of compiling stay as they are. */
export function orderedResults(returned: Value): Value {
  if (!isDict(returned) || ![...returned.values()].every(isDict)) return returned;
  const number = (result: Value): number => toNumber((result as Dict).get('__run_num__')) ?? 0;
  return [...returned]
    .sort(([, a], [, b]) => number(a) - number(b))
    .map(([tag, result]): Value => {
      const kept = [...(result as Dict)].filter(([key]) => !LEFT_OUT.includes(pyStr(key)));
      return new Map<Value, Value>([['tag', tag], ...kept]);
    });
}

/** A value as text that can be compared: without places, frames of tracebacks, and what differs from run to run. */
export function comparableResult(value: Value, at: PlacedCase): string {
  const patterns = (at.given.maskText ?? []).map((pattern) => new RegExp(pattern, 'g'));
  const masked = new Set(['pid', ...(at.given.mask ?? [])]);
  const neutral = (item: Value): Value => {
    if (typeof item === 'string')
      return patterns.reduce((out, pattern) => out.replace(pattern, '<*>'), neutralText(item, at));
    if (Array.isArray(item)) {
      const items = item.map(neutral);
      return at.given.unordered === true ? items.sort((a, b) => (pyRepr(a) < pyRepr(b) ? -1 : 1)) : items;
    }
    if (!isDict(item)) return item;
    const entries = [...item].map(([key, inner]): [Value, Value] => [
      neutral(key),
      typeof key === 'string' && masked.has(key) ? '<*>' : neutral(inner),
    ]);
    const text = (entry: [Value, Value]): string => pyRepr(entry[0]);
    return new Map(
      at.given.unordered === true ? entries.sort((a, b) => (text(a) < text(b) ? -1 : 1)) : entries,
    );
  };
  return pyRepr(neutral(value));
}

/** A text without places and with the last exception of a traceback only, without frames. */
export function neutralText(text: string, at: PlacedCase): string {
  return text
    .replaceAll(caseFolder(at), '<DIR>')
    .replaceAll(at.root, '<ROOT>')
    .replaceAll(at.http, '<HTTP>')
    .replace(new RegExp(`\\b${at.name}\\b`, 'g'), '<NAME>')
    .replace(/(Traceback \(most recent call last\):\n)(?: {2}[^\n]*\n)+/g, '$1')
    .replace(CHAINED, '');
}

/** What can be compared of a case, by what it is: each result of each run, and what is there afterwards. */
export function facetsOf(outcome: CaseOutcome, chosen: PlacedCase): Map<string, string> {
  const at = { ...chosen, http: outcome.http };
  const runs = runsOf(at.given).flatMap((kind, i): [string, string][] => {
    const run = outcome.runs[i] ?? null;
    const title = `run ${i + 1} (${kind})`;
    if (!Array.isArray(run) || !run.every(isDict)) return [[title, comparableResult(run, at)]];
    return run.flatMap((result, nth): [string, string][] =>
      at.given.better?.has(result.get('__id__') ?? null) === true
        ? []
        : [[`${title}, state ${nth + 1}`, comparableResult(result, at)]],
    );
  });
  return new Map([
    ...runs,
    ['afterwards', neutralText(outcome.after, at)],
    ['the folder', neutralText(comparableTree(outcome.tree), at)],
  ]);
}

/** The lines of a folder, without the SLS of the case and without who we are. */
function comparableTree(tree: readonly string[]): string {
  const own = ` ${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0} `;
  const lines = tree.filter((line) => !line.startsWith('./case.sls '));
  return lines.map((line) => line.replace(own, ' own ')).join('\n');
}
