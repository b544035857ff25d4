/** Returns of state runs: what each state of one minion has come to. */
import { isMapping } from './json.ts';

/** What one state has come to. */
export type RowResult = 'ok' | 'changed' | 'failed' | 'would change';

/** The result of one state on one minion. */
export interface StateRow {
  /** `pkg.installed` */
  readonly fun: string;
  readonly id: string;
  readonly name: string;
  readonly sls: string;
  readonly result: RowResult;
  readonly comment: string;
  readonly changes: unknown;
  readonly seconds: number | undefined;
  readonly order: number;
}

/** Results in the order in which an operator wants to see them. */
export const RESULT_ORDER: readonly RowResult[] = ['failed', 'would change', 'changed', 'ok'];

/**
 * Reads the return of `state.apply` and its kind.
 * @returns undefined when it is something else; texts of errors of compilation are in `errors`
 */
export function readStateReturn(value: unknown): { rows: StateRow[]; errors: string[] } | undefined {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string') && value.length > 0)
    return { rows: [], errors: value };
  if (!isMapping(value)) return undefined;
  const rows: StateRow[] = [];
  for (const [key, entry] of Object.entries(value)) {
    const row = rowOf(key, entry);
    if (row === undefined) return undefined;
    rows.push(row);
  }
  return rows.length === 0 ? undefined : { rows: rows.sort((a, b) => a.order - b.order), errors: [] };
}

/** `pkg_|-nginx_|-nginx_|-installed` and what came of it. */
function rowOf(key: string, entry: unknown): StateRow | undefined {
  const parts = key.split('_|-');
  if (parts.length !== 4 || typeof entry !== 'object' || entry === null) return undefined;
  const field = (name: string): unknown =>
    Object.hasOwn(entry, name) ? (entry as Record<string, unknown>)[name] : undefined;
  if (field('result') === undefined) return undefined;
  const changes = field('changes') ?? {};
  return {
    fun: `${parts[0]}.${parts[3]}`,
    id: textIn(field('__id__')) || (parts[1] as string),
    name: textIn(field('name')) || (parts[2] as string),
    sls: textIn(field('__sls__')),
    result: resultOf(field('result'), changes),
    comment: commentOf(field('comment')),
    changes,
    seconds: secondsOf(field('duration')),
    order: typeof field('__run_num__') === 'number' ? (field('__run_num__') as number) : 0,
  };
}

function resultOf(result: unknown, changes: unknown): RowResult {
  if (result === false) return 'failed';
  if (result === null) return 'would change';
  return typeof changes === 'object' && changes !== null && Object.keys(changes).length > 0
    ? 'changed'
    : 'ok';
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function commentOf(value: unknown): string {
  return Array.isArray(value) ? value.map(textIn).join('\n') : textIn(value);
}

/** Salt gives milliseconds, as a number or as `12.3 ms`. */
function secondsOf(value: unknown): number | undefined {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? parseFloat(value) : NaN;
  return Number.isFinite(ms) ? ms / 1000 : undefined;
}

/** The differences of files among the changes of a state; `rest` is what else has changed. */
export function splitChanges(changes: unknown): { diffs: { name: string; text: string }[]; rest: unknown } {
  const diffs: { name: string; text: string }[] = [];
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes))
    return { diffs, rest: changes };
  const rest: [string, unknown][] = [];
  for (const [key, value] of Object.entries(changes)) {
    if (typeof value === 'string' && isDiff(value)) diffs.push({ name: key, text: value });
    else if (
      typeof value === 'object' &&
      value !== null &&
      Object.hasOwn(value, 'diff') &&
      isDiff((value as { diff: unknown }).diff)
    )
      diffs.push({ name: key, text: (value as { diff: string }).diff });
    else rest.push([key, value]);
  }
  return { diffs, rest: Object.fromEntries(rest) };
}

function isDiff(value: unknown): boolean {
  return typeof value === 'string' && /^(--- |\+\+\+ |@@ )/m.test(value);
}

/** Kinds of lines of a difference. */
export type DiffKind = 'file' | 'place' | 'added' | 'removed' | 'same';

/** Lines of a unified difference; at most so many. */
export function diffLines(
  text: string,
  most: number,
): { lines: { kind: DiffKind; text: string }[]; isCut: boolean } {
  const all = text.split('\n', most + 1);
  const lines = all.slice(0, most).map((line) => ({ kind: diffKind(line), text: line }));
  if (lines.at(-1)?.text === '') lines.pop();
  return { lines, isCut: all.length > most };
}

function diffKind(line: string): DiffKind {
  if (line.startsWith('+++') || line.startsWith('---')) return 'file';
  if (line.startsWith('@@')) return 'place';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
}
