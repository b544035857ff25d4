/**
 * Compiles the SLS of public formulas with a real Salt and with ours on this host, and prints what differs:
 * `node scripts/run-ts.mjs test/compare/states.ts FORMULAS [--salt DIR] [--only REGEX] [--show COUNT] [--keep FILE]`.
 *
 * FORMULAS is a folder with one checkout for each formula (`nginx-formula/nginx/init.sls`, `nginx-formula/pillar.example`); `--salt`
 * the folder of the real commands. Every SLS is compiled with the formula's example pillar and with none, in two ways: by
 * `state.show_low_sls`, and as a highstate does it, with extensions, requisites and excludes worked in. Same low data, or the
 * same errors, is the same. `--keep` keeps what the real Salt gave in that file, and takes it from there the next time.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toJson } from '../../src/formats/json/text.ts';
import { isDict, valuesEqual, type Value } from '../../src/python/values/value.ts';
import { ownCompilations } from './own-compilations.ts';
import { realCompilations } from './real-compilations.ts';
import { WAYS, type Compilation, type StateCase } from './compile-case.ts';

const words = process.argv.slice(2);

function optionOf(name: string): string | undefined {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words[at + 1];
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Folders of a checkout that hold no states. */
const NO_STATES = new Set(['test', 'tests', 'docs', 'bin', 'kitchen']);

/** The SLS of a formula, by name. */
function slsOf(formula: string): string[] {
  const names: string[] = [];
  const visit = (folder: string, path: readonly string[]): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (/^[._]/.test(entry.name) && path.length === 0) continue;
      if (path.length === 0 && NO_STATES.has(entry.name)) continue;
      if (entry.isDirectory()) visit(join(folder, entry.name), [...path, entry.name]);
      else if (path.length > 0 && entry.name.endsWith('.sls')) {
        const name = entry.name.slice(0, -'.sls'.length);
        names.push((name === 'init' ? path : [...path, name]).join('.'));
      }
    }
  };
  visit(formula, []);
  return names.sort();
}

/** Lays formulas and pillar out as the files of one minion. @returns what is compiled */
function layOut(formulas: string, folder: string): StateCase[] {
  const cases: StateCase[] = [];
  const only = new RegExp(optionOf('--only') ?? '');
  mkdirSync(join(folder, 'pillar'), { recursive: true });
  mkdirSync(join(folder, 'srv'));
  for (const formula of readdirSync(formulas).sort()) {
    const from = join(formulas, formula);
    const example = join(from, 'pillar.example');
    const pillar = formula.replace(/[^\w-]/g, '_');
    const found = slsOf(from);
    for (const name of new Set(found.map((sls) => sls.split('.')[0] ?? '')))
      cpSync(join(from, name), join(folder, 'srv', name), { recursive: true });
    if (existsSync(example)) cpSync(example, join(folder, 'pillar', `${pillar}.sls`));
    for (const sls of found)
      for (const used of [null, ...(existsSync(example) ? [pillar] : [])])
        if (only.test(`${formula} ${sls} ${used === null ? 'none' : 'example'}`))
          cases.push({ formula, sls, pillar: used });
  }
  return cases;
}

/** Leaves that are not the same twice in a row: random numbers, times of day. */
const CHANGING = '<changing>';

/** A value with {@link CHANGING} where two compilations of ours gave different leaves. */
function masked(value: Value, one: Value, other: Value): Value {
  if (Array.isArray(value) && Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return value.map((item, i) => masked(item, one[i] ?? null, other[i] ?? null));
  if (isDict(value) && isDict(one) && isDict(other))
    return new Map(
      [...value].map(([key, item]) => [key, masked(item, one.get(key) ?? null, other.get(key) ?? null)]),
    );
  return valuesEqual(one, other) ? value : CHANGING;
}

function isSame(real: Compilation, own: Compilation, again: Compilation): boolean {
  return WAYS.every((way) => {
    const [expected, actual] = withoutTracebacks(real[way], own[way]);
    return valuesEqual(masked(expected, own[way], again[way]), masked(actual, own[way], again[way]));
  });
}

/** Ours has no tracebacks: of an error with one only the sentence before it is compared. */
function withoutTracebacks(real: Value, own: Value): [Value, Value] {
  if (!Array.isArray(real) || !Array.isArray(own)) return [real, own];
  const hasOne = (i: number): boolean => {
    const error = real[i];
    return typeof error === 'string' && error.includes('Traceback (most recent call last)');
  };
  const cut = (list: Value[]): Value[] =>
    list.map((item, i) =>
      typeof item === 'string' && hasOne(i) ? (item.split(/\n|; line/)[0] ?? '') : item,
    );
  return [cut(real), cut(own)];
}

/** Whether the real Salt ended with an exception, which no list of errors can be the same as. */
function isRaised(value: Value): boolean {
  return typeof value === 'string' && value !== 'pillar' && !value.startsWith('CommandExecutionError');
}

function short(value: Compilation['low']): string {
  return toJson(value, { indent: 1 }).slice(0, Number(optionOf('--length') ?? 1200));
}

function showDifference(at: StateCase, real: Compilation, own: Compilation): void {
  const way = WAYS.find((one) => !valuesEqual(real[one], own[one])) ?? 'low';
  say(`\n== ${at.sls} with ${at.pillar === null ? 'no pillar' : 'example pillar'} (${way})`);
  const [realValue, ownValue] = [real[way], own[way]];
  if (Array.isArray(realValue) && Array.isArray(ownValue) && realValue.length === ownValue.length) {
    const index = realValue.findIndex((item, i) => !valuesEqual(item, ownValue[i] ?? null));
    say(`item ${index}\nreal: ${short(realValue[index] ?? null)}\nours: ${short(ownValue[index] ?? null)}`);
  } else say(`real: ${short(realValue)}\nours: ${short(ownValue)}`);
}

function report(
  cases: readonly StateCase[],
  real: readonly Compilation[],
  own: readonly Compilation[],
  again: readonly Compilation[],
): void {
  const most = Number(optionOf('--show') ?? 10);
  const different = cases.flatMap((at, i) => {
    const [a, b, c] = [real[i], own[i], again[i]];
    return a === undefined || b === undefined || c === undefined || isSame(a, b, c) ? [] : [{ at, a, b }];
  });
  for (const { at, a, b } of different.slice(0, most)) showDifference(at, a, b);
  const compiles = real.filter(({ low }) => Array.isArray(low) && typeof low[0] !== 'string').length;
  const percent = ((1 - different.length / Math.max(1, cases.length)) * 100).toFixed(2);
  const mean = (all: readonly Compilation[]): string =>
    (all.reduce((sum, one) => sum + one.ms, 0) / Math.max(1, all.length)).toFixed(1);
  say(`\ndifferent: ${different.map(({ at }) => `${at.sls}${at.pillar === null ? '' : '+'}`).join(' ')}`);
  const raised = different.filter(({ a }) => WAYS.some((way) => isRaised(a[way]))).length;
  say(`of these ${raised} end with an exception of Salt's`);
  say(`${cases.length} cases, of which ${compiles} compile; ${percent} % are the same`);
  say(`mean time: real ${mean(real)} ms, ours ${mean(own)} ms`);
}

const [formulas] = words;
if (formulas === undefined || !existsSync(formulas))
  throw new Error('Name a folder with checkouts of formulas.');
const folder = mkdtempSync(join(tmpdir(), 'brine-states-'));
try {
  const cases = layOut(formulas, folder);
  const salt = optionOf('--salt') ?? '/opt/realsalt/bin/3006';
  const real = await realCompilations(folder, cases, { salt, kept: optionOf('--keep') });
  const own = await ownCompilations(folder, cases);
  report(cases, real, own, await ownCompilations(folder, cases));
} finally {
  rmSync(folder, { recursive: true });
}
