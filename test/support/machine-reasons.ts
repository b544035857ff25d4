/**
 * Why ours differs from what was recorded of a real Salt: the reasons of each subject, those of several in
 * `test/fixtures/machine/reasons.json`, and which reason a row has.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pyStr } from '../../src/python/values/repr.ts';
import type { Dict } from '../../src/python/values/value.ts';
import { RECORDS, recordedScenes, recordedTables, type RecordedCall } from './machine-records.ts';
import { valuesOf } from './machine-subjects.ts';

/** A reason for all rows that meet every condition it has; the first that fits a row is the row's. */
export interface Reason {
  /**
   * `meant`: it stays so. `machine`: it comes from how the two see the machine. `open`: ours is still to follow Salt.
   */
  readonly kind: 'meant' | 'machine' | 'open';
  readonly reason: string;
  /** A pattern of the table's name. */
  readonly tables?: string;
  /** A pattern of the call, as compact JSON. */
  readonly call?: string;
  /** A pattern of what Salt did. */
  readonly salt?: string;
  /** A pattern of what ours does. */
  readonly ours?: string;
  /** Salt's answer is an error, or a state's result. */
  readonly failed?: boolean;
  /** The functions, states' too, that are called. */
  readonly functions?: readonly string[];
}

/** All rows that differ, with their reasons. */
export interface JudgedRows {
  readonly reasons: ReadonlyMap<Reason, number>;
  /** Rows without a reason, as table and call. */
  readonly unjudged: readonly string[];
}

/** A reason as a subject's file has it. */
function reasonOf(given: Dict): Reason {
  return Object.fromEntries([...given].map(([key, value]) => [pyStr(key), value])) as unknown as Reason;
}

/** Judges every row that differs. */
export function judgeRows(): JudgedRows {
  const shared = JSON.parse(readFileSync(join(RECORDS, 'reasons.json'), 'utf8')) as Reason[];
  const reasons = [...valuesOf('reasons').flatMap(({ value }) => (value as Dict[]).map(reasonOf)), ...shared];
  const counts = new Map(reasons.map((reason) => [reason, 0]));
  const unjudged: string[] = [];
  for (const table of recordedTables())
    for (const row of recordedScenes(table).flatMap(({ calls }) => calls)) {
      if (row[2] === undefined) continue;
      const found = reasons.find((reason) => isFor(reason, table, row));
      if (found === undefined) unjudged.push(`${table}: ${JSON.stringify(row[0])}`);
      else counts.set(found, (counts.get(found) ?? 0) + 1);
    }
  return { reasons: counts, unjudged };
}

function isFor(reason: Reason, table: string, [call, salt, ours = '']: RecordedCall): boolean {
  const meets = (pattern: string | undefined, text: string): boolean =>
    pattern === undefined || new RegExp(pattern).test(text);
  const hasFailed = salt.startsWith('error') || table.startsWith('states-');
  return (
    meets(reason.tables, table) &&
    meets(reason.call, JSON.stringify(call)) &&
    meets(reason.salt, salt) &&
    meets(reason.ours, ours) &&
    (reason.failed !== true || hasFailed) &&
    (reason.functions === undefined || reason.functions.includes(functionOf(call)))
  );
}

/** The function that a call is of; of a state's chunk the state. */
function functionOf(call: RecordedCall[0]): string {
  if (typeof call === 'string') return call.split(' ')[0] ?? '';
  if (call.fun !== 'state.low') return call.fun;
  const { dict = [] } = (call.args?.[0] ?? {}) as { dict?: [string, unknown][] };
  const field = (name: string): string => String(dict.find(([key]) => key === name)?.[1] ?? '');
  return `${field('state')}.${field('fun')}`;
}
