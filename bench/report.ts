/** Figures of our programs, of a real Salt's, and the limits of the machine, side by side. */
import { rowKey, type Figure, type Unit } from './figure.ts';
import { TARGETS, type Target } from './targets.ts';

/** What one kind gave. */
export interface Column {
  readonly label: string;
  readonly figures: readonly Figure[];
}

/**
 * The table, ready to print.
 * @param columns ours first
 * @param limits what the machine itself can do, where that is known
 */
export function renderReport(columns: readonly Column[], limits: readonly Figure[] = []): string {
  const header = ['scenario', 'figure', ...columns.flatMap(({ label }) => [label, 'p99'])];
  if (columns.length > 1) header.push('better by');
  if (limits.length > 0) header.push('limit');
  header.push('target');
  return renderTable([header, ...rowsOf(columns, limits)]);
}

/** Lines of cells below a header; the first two columns are texts, the others figures. */
export function renderTable(rows: readonly (readonly string[])[]): string {
  const [header = []] = rows;
  const widths = header.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [line(header), rule, ...rows.slice(1).map(line), ''].join('\n');
}

function rowsOf(columns: readonly Column[], limits: readonly Figure[]): string[][] {
  const keys = new Set(columns.flatMap(({ figures }) => figures.map(rowKey)));
  return [...keys].map((key) => {
    const cells = columns.map(({ figures }) => figures.find((figure) => rowKey(figure) === key));
    const some = cells.find((figure) => figure !== undefined) as Figure;
    const limit = limits.find((figure) => rowKey(figure) === key);
    const row = [some.scenario, some.name, ...cells.flatMap(figureCells)];
    if (columns.length > 1) row.push(ratioText(cells[0], cells[1]));
    if (limits.length > 0) row.push(limit === undefined ? '' : withUnit(limit.median, limit.unit));
    row.push(targetText(TARGETS.get(key), cells[0], cells[1], limit));
    return row;
  });
}

function figureCells(figure: Figure | undefined): string[] {
  if (figure === undefined) return ['-', ''];
  const p99 = figure.p99 === undefined ? '' : amount(figure.p99, figure.unit);
  return [withUnit(figure.median, figure.unit), p99];
}

/** How many times better the first is than the second. */
export function ratioText(ours: Figure | undefined, theirs: Figure | undefined): string {
  const ratio = ratioOf(ours, theirs);
  return Number.isFinite(ratio) ? `${ratio.toFixed(ratio < 10 ? 1 : 0)} x` : '';
}

function ratioOf(ours: Figure | undefined, theirs: Figure | undefined): number {
  if (ours === undefined || theirs === undefined || ours.better === 'none') return NaN;
  return ours.better === 'lower' ? theirs.median / ours.median : ours.median / theirs.median;
}

function targetText(
  target: Target | undefined,
  ours: Figure | undefined,
  theirs: Figure | undefined,
  limit: Figure | undefined,
): string {
  if (target === undefined || ours === undefined) return '';
  const { at, timesSalt, ofLimit } = target;
  const verdict = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');
  if (at !== undefined) {
    const isMet = ours.better === 'higher' ? ours.median >= at : ours.median <= at;
    return `${ours.better === 'higher' ? '>=' : '<='} ${amount(at, ours.unit)} ${verdict(isMet)}`;
  }
  if (timesSalt !== undefined) {
    const ratio = ratioOf(ours, theirs);
    return `>= ${timesSalt} x Salt ${Number.isNaN(ratio) ? '' : verdict(ratio >= timesSalt)}`.trimEnd();
  }
  const share = ofLimit ?? 1;
  const isMet = limit !== undefined && ours.median >= share * limit.median;
  return `>= ${share * 100} % of limit ${limit === undefined ? '' : verdict(isMet)}`.trimEnd();
}

function withUnit(value: number, unit: Unit): string {
  const text = amount(value, unit);
  if (unit === 'count' || unit === 'ratio') return text;
  return unit === '/s' ? `${text}/s` : `${text} ${unit}`;
}

/** A figure without its unit, as precise as it is read. */
export function amount(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return '?';
  if (unit === 's' || unit === 'CPU s') return value.toFixed(3);
  if (unit === 'ratio') return value.toFixed(2);
  if (unit === 'ms') return value.toFixed(1);
  return String(Math.round(value));
}
