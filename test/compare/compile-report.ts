/** Whether two sides compiled SLS to the same, and the report of what differs. */
import { toJson } from '../../src/formats/json/text.ts';
import { isDict, valuesEqual, type Value } from '../../src/python/values/value.ts';
import { WAYS, type Compilation, type StateCase } from './compile-case.ts';

/** What a report shows. */
export interface ReportOptions {
  /** Differences that are shown whole. */
  readonly most: number;
  /** Characters of each. */
  readonly length: number;
}

/** What both sides made of the same cases; ours twice, so that what changes by itself can be told. */
export interface Compilations {
  readonly cases: readonly StateCase[];
  readonly real: readonly Compilation[];
  readonly own: readonly Compilation[];
  readonly again: readonly Compilation[];
}

/** What ours makes of the cases the second time. Only those that are not the same anyway are compiled again. */
export async function compiledAgain(
  { cases, real, own }: Omit<Compilations, 'again'>,
  compile: (cases: readonly StateCase[]) => Promise<readonly Compilation[]>,
): Promise<Compilation[]> {
  const again = [...own];
  const differ = cases.flatMap((_, i) => {
    const [a, b] = [real[i], own[i]];
    return a === undefined || b === undefined || isSame(a, b, b) ? [] : [i];
  });
  const found = await compile(differ.flatMap((i) => cases[i] ?? []));
  for (const [at, one] of found.entries()) again[differ[at] ?? -1] = one;
  return again;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
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
    const [expected, actual] = comparableErrors(real[way], own[way]);
    return valuesEqual(masked(expected, own[way], again[way]), masked(actual, own[way], again[way]));
  });
}

/**
 * The environment in an error about a command: ours has stars for its values, and either side the order of its own
 * process.
 */
const ENVIRONMENT = /'env': \{[^}]*\}/g;

/**
 * Lists of errors as they can be held against each other: ours has no tracebacks, so that of an error with one only the
 * sentence before it is compared, and shows no values of the environment.
 */
export function comparableErrors(real: Value, own: Value): [Value, Value] {
  if (!Array.isArray(real) || !Array.isArray(own)) return [real, own];
  const hasOne = (i: number): boolean => {
    const error = real[i];
    return typeof error === 'string' && error.includes('Traceback (most recent call last)');
  };
  const comparable = (list: Value[]): Value[] =>
    list.map((item, i) => {
      if (typeof item !== 'string') return item;
      return (hasOne(i) ? (item.split(/\n|; line/)[0] ?? '') : item).replace(ENVIRONMENT, "'env': {...}");
    });
  return [comparable(real), comparable(own)];
}

/** Whether the real Salt ended with an exception, which no list of errors can be the same as. */
function isRaised(value: Value): boolean {
  return typeof value === 'string' && value !== 'pillar' && !value.startsWith('CommandExecutionError');
}

function short(value: Compilation['low'], length: number): string {
  return toJson(value, { indent: 1 }).slice(0, length);
}

function showDifference(at: StateCase, real: Compilation, own: Compilation, length: number): void {
  const way =
    WAYS.find((one) => {
      const [expected, actual] = comparableErrors(real[one], own[one]);
      return !valuesEqual(expected, actual);
    }) ?? 'low';
  say(`\n== ${at.sls} with ${at.pillar === null ? 'no pillar' : 'example pillar'} (${way})`);
  const [realValue, ownValue] = [real[way], own[way]];
  if (Array.isArray(realValue) && Array.isArray(ownValue) && realValue.length === ownValue.length) {
    const index = realValue.findIndex((item, i) => !valuesEqual(item, ownValue[i] ?? null));
    say(
      `item ${index}\nreal: ${short(realValue[index] ?? null, length)}\nours: ${short(ownValue[index] ?? null, length)}`,
    );
  } else say(`real: ${short(realValue, length)}\nours: ${short(ownValue, length)}`);
}

/** Prints what differs, and how many are the same. @returns the number of different cases */
export function report({ cases, real, own, again }: Compilations, { most, length }: ReportOptions): number {
  const different = cases.flatMap((at, i) => {
    const [a, b, c] = [real[i], own[i], again[i]];
    return a === undefined || b === undefined || c === undefined || isSame(a, b, c) ? [] : [{ at, a, b }];
  });
  for (const { at, a, b } of different.slice(0, most)) showDifference(at, a, b, length);
  const compiles = real.filter(({ low }) => Array.isArray(low) && typeof low[0] !== 'string').length;
  const percent = ((1 - different.length / Math.max(1, cases.length)) * 100).toFixed(2);
  const mean = (all: readonly Compilation[]): string =>
    (all.reduce((sum, one) => sum + one.ms, 0) / Math.max(1, all.length)).toFixed(1);
  say(`\ndifferent: ${different.map(({ at }) => `${at.sls}${at.pillar === null ? '' : '+'}`).join(' ')}`);
  const raised = different.filter(({ a }) => WAYS.some((way) => isRaised(a[way]))).length;
  say(`of these ${raised} end with an exception of Salt's`);
  say(`${cases.length} cases, of which ${compiles} compile; ${percent} % are the same`);
  say(`mean processor time: real ${mean(real)} ms, ours ${mean(own)} ms`);
  return different.length;
}
