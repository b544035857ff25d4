/** The JSON of a run, as `--json` prints it and `--compare` reads it. */
import { readFileSync } from 'node:fs';
import { BrineError, messageOf } from '../src/errors/errors.ts';
import type { Figure } from './figure.ts';
import type { Column } from './report.ts';

/** One run. */
export interface SavedRun {
  readonly at: string;
  readonly machine: string;
  /** Starts of a bare Node during the run, seconds: what the machine itself is compared by. */
  readonly bareStarts: readonly number[];
  readonly kinds: readonly Column[];
  /** What the machine itself could do. */
  readonly limits: readonly Figure[];
}

/** The text of a run. */
export function savedText(run: SavedRun): string {
  return `${JSON.stringify(run, null, 2)}\n`;
}

/** @throws BrineError when it cannot be read, or is no run that can be compared */
export function readSavedRun(path: string): SavedRun {
  try {
    return parseSavedRun(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new BrineError(
      `${path} is no saved run: ${messageOf(cause)}. Make one with: npm run bench --silent -- --json > FILE`,
      { cause },
    );
  }
}

function parseSavedRun(value: unknown): SavedRun {
  const run = record(value, 'the file');
  return {
    at: text(run.at, 'at'),
    machine: text(run.machine, 'machine'),
    bareStarts: numbers(run.bareStarts, 'bareStarts'),
    kinds: list(run.kinds, 'kinds').map((entry) => {
      const kind = record(entry, 'kinds');
      return { label: text(kind.label, 'label'), figures: list(kind.figures, 'figures').map(parseFigure) };
    }),
    limits: list(run.limits, 'limits').map(parseFigure),
  };
}

function parseFigure(value: unknown): Figure {
  const { scenario, name, unit, better, median, p99, samples, values } = record(value, 'figures');
  if (better !== 'lower' && better !== 'higher' && better !== 'none')
    throw new Error('"better" is not known');
  return {
    scenario: text(scenario, 'scenario'),
    name: text(name, 'name'),
    unit: text(unit, 'unit') as Figure['unit'],
    better,
    median: typeof median === 'number' ? median : NaN,
    ...(typeof p99 === 'number' ? { p99 } : {}),
    samples: typeof samples === 'number' ? samples : 0,
    values: numbers(values, 'values'),
  };
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error(`"${what}" is no mapping`);
  return value as Record<string, unknown>;
}

function list(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`"${what}" is no list`);
  return value;
}

/** JSON writes what is not a number as null. */
function numbers(value: unknown, what: string): number[] {
  return list(value, what).map((entry) => (typeof entry === 'number' ? entry : NaN));
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Error(`"${what}" is no text`);
  return value;
}
