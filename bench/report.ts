/** Figures of one or two kinds, side by side. */
import { rowKey, TARGETS, type Figure, type Unit } from './figure.ts';

/** What one kind gave. */
export interface Column {
  readonly label: string;
  readonly figures: readonly Figure[];
}

/** The table, ready to print. @param columns ours first */
export function renderReport(columns: readonly Column[]): string {
  const header = ['scenario', 'figure', ...columns.flatMap(({ label }) => [label, 'p99'])];
  if (columns.length > 1) header.push('better by');
  header.push('target');
  return renderTable([header, ...rowsOf(columns)]);
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

function rowsOf(columns: readonly Column[]): string[][] {
  const keys = new Set(columns.flatMap(({ figures }) => figures.map(rowKey)));
  return [...keys].map((key) => {
    const cells = columns.map(({ figures }) => figures.find((figure) => rowKey(figure) === key));
    const some = cells.find((figure) => figure !== undefined) as Figure;
    const row = [some.scenario, some.name, ...cells.flatMap(figureCells)];
    if (columns.length > 1) row.push(ratioText(cells[0], cells[1]));
    row.push(targetText(key, cells[0]));
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
  if (ours === undefined || theirs === undefined || ours.better === 'none') return '';
  const ratio = ours.better === 'lower' ? theirs.median / ours.median : ours.median / theirs.median;
  return Number.isFinite(ratio) ? `${ratio.toFixed(ratio < 10 ? 1 : 0)} x` : '';
}

function targetText(key: string, ours: Figure | undefined): string {
  const target = TARGETS.get(key);
  if (target === undefined || ours === undefined) return '';
  const met = ours.better === 'higher' ? ours.median >= target : ours.median <= target;
  const sign = ours.better === 'higher' ? '>=' : '<=';
  return `${sign} ${amount(target, ours.unit)} ${met ? 'met' : 'MISSED'}`;
}

function withUnit(value: number, unit: Unit): string {
  const text = amount(value, unit);
  return unit === 'count' || unit === '/s' ? `${text}${unit === '/s' ? '/s' : ''}` : `${text} ${unit}`;
}

/** A figure without its unit, as precise as it is read. */
export function amount(value: number, unit: Unit): string {
  if (Number.isNaN(value)) return '?';
  if (unit === 's' || unit === 'CPU s') return value.toFixed(3);
  if (unit === 'ms') return value.toFixed(1);
  return String(Math.round(value));
}
