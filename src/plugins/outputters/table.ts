/** `table`: lists of rows as ruled tables (3006.16 salt/output/table_out.py). */
import { compareText, lessThan, sortedBy, sortedEntries } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import { center, padLeft, padRight, textLength } from '../../python/values/text.ts';
import { pyTypeName, truthy, type Value } from '../../python/values/value.ts';
import { getColors, type Colors } from './colors.ts';
import { iterate, unsuited, type Outputter, type OutputOptions, type TableOptions } from './outputter.ts';
import { readable } from './readable.ts';

/** The `table` outputter. */
export const outputter: Outputter = { name: 'table', render: renderTable };

const JUSTIFY: ReadonlyMap<string, (text: string, width: number) => string> = new Map([
  ['center', center],
  ['right', padLeft],
  ['left', padRight],
]);

/** Renders every list in the data as a table, below the keys that lead to it. `options.table` sets the layout. */
export function renderTable(data: Value, options: OutputOptions): string {
  const layout = options.table ?? {};
  const display = new TableDisplay(getColors(options.color, options.colorTheme), layout);
  const indent = options.nestedIndent || layout.nestedIndent || 0;
  if (layout.title && layout.rowsKey) display.title(layout.title, indent);
  display.show(readable(data), indent);
  return display.lines.join('\n');
}

class TableDisplay {
  readonly lines: string[] = [];
  readonly #colors: Colors;
  readonly #layout: TableOptions;
  readonly #prefix: string;
  readonly #suffix: string;
  readonly #delim: string;

  constructor(colors: Colors, layout: TableOptions) {
    this.#colors = colors;
    this.#layout = layout;
    this.#prefix = layout.prefix ?? '| ';
    this.#suffix = layout.suffix ?? ' |';
    this.#delim = layout.delim ?? ' | ';
  }

  #line(indent: number, color: string, text: string, suffix = ''): void {
    this.lines.push(' '.repeat(indent) + color + text + this.#colors.ENDC + suffix);
  }

  /** Salt's colour comes after the title, where it colours nothing. */
  title(text: string, indent: number): void {
    this.#line(indent, text, this.#colors.WHITE, '\n');
  }

  show(value: Value, indent: number): void {
    const { rowsKey, labelsKey } = this.#layout;
    if (Array.isArray(value)) {
      if (!rowsKey) this.#rows(value, undefined, indent);
      return;
    }
    if (!(value instanceof Map)) return;
    const found = rowsKey ? value.has(rowsKey) : false;
    for (const [key, item] of sortedEntries(value)) {
      if (rowsKey && !found) {
        this.show(item, indent);
        continue;
      }
      if (found && key !== rowsKey) continue;
      if (!rowsKey) {
        this.#line(indent, this.#colors.DARK_GRAY, pyStr(key), ':');
        this.#line(indent, this.#colors.DARK_GRAY, '----------');
      }
      if (Array.isArray(item)) this.#rows(item, labelsKey ? value.get(labelsKey) : undefined, indent);
      else this.show(item, indent + 4);
    }
  }

  #rows(rows: readonly Value[], givenLabels: Value | undefined, indent: number): void {
    const [first] = rows;
    if (first === undefined || !rows.every((row) => pyTypeName(row) === pyTypeName(first))) return;
    const labels = this.#labels(givenLabels, first);
    const cells = rows.map((row) => (typeof row === 'string' ? [row] : cellsOf(row)));
    const hasHeader = (this.#layout.hasHeader ?? true) && labels !== undefined;
    this.#grid(labels === undefined ? cells : [labels, ...cells], indent + 4, hasHeader);
  }

  /** The headings: those given, else the keys of rows that are mappings. */
  #labels(given: Value | undefined, firstRow: Value): Value[] | undefined {
    const labels = given instanceof Map ? sortedEntries(given).map(([, label]) => label) : given;
    if (labels !== undefined && truthy(labels)) return iterate(labels);
    if (!(firstRow instanceof Map) || firstRow.size === 0) return undefined;
    return sortedBy(firstRow.keys(), lessThan).map((key) => titleCase(pyStr(key).replaceAll('_', ' ')));
  }

  #grid(rows: readonly (readonly Value[])[], indent: number, hasHeader: boolean): void {
    const logicalRows = rows.map((row) => this.#physicalRows(row));
    const flat = logicalRows.flat();
    const columns = Math.min(...flat.map((row) => row.length));
    const widths = Array.from({ length: columns }, (_, i) =>
      Math.max(...flat.map((row) => textLength(row[i] as string))),
    );
    const rule = this.#rule(widths);
    const justify =
      JUSTIFY.get((this.#layout.justify ?? 'center').toLowerCase()) ?? unsuited('unknown justify');
    const separate = this.#layout.separateRows ?? true;
    const { LIGHT_GRAY, WHITE } = this.#colors;
    let headerRule = hasHeader;
    if (separate) this.#line(indent, LIGHT_GRAY, rule);
    for (const physicalRows of logicalRows) {
      for (const row of physicalRows) {
        const cells = widths.map((width, i) => justify(row[i] as string, width));
        this.#line(indent, WHITE, this.#prefix + cells.join(this.#delim) + this.#suffix);
      }
      if (separate || headerRule) this.#line(indent, LIGHT_GRAY, rule);
      headerRule = false;
    }
  }

  #rule(widths: readonly number[]): string {
    const cells = widths.reduce((sum, width) => sum + width, 0);
    const edges = textLength(this.#prefix) + textLength(this.#suffix);
    const between = textLength(this.#delim) * (widths.length - 1);
    return (this.#layout.rowDelimiter ?? '-').repeat(Math.max(0, edges + cells + between));
  }

  /** A row's lines on the screen: as many as its shortest cell has, as in Salt. */
  #physicalRows(row: readonly Value[]): string[][] {
    if (row.length === 0) return unsuited('a row without cells');
    const cells = row.map((cell) => this.#wrap(cell).split('\n'));
    const height = Math.min(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, i) => cells.map((lines) => lines[i] as string));
  }

  #wrap(cell: Value): string {
    if (typeof cell !== 'string') return unsuited('a cell that is not text');
    const width = this.#layout.width ?? 50;
    return cell.split(' ').reduce((line, word) => {
      const used = textLength(line.slice(line.lastIndexOf('\n') + 1));
      const full = used + textLength(word.split('\n', 1)[0] as string) >= width;
      return `${line}${full ? '\n' : ' '}${word}`;
    });
  }
}

function cellsOf(row: Value): Value[] {
  if (!(row instanceof Map)) return iterate(row);
  return sortedEntries(row).map(([, value]) => pyStr(value));
}

/** Python's `str.title()`. */
function titleCase(text: string): string {
  let afterLetter = false;
  let out = '';
  for (const char of text) {
    const cased = compareText(char.toLowerCase(), char.toUpperCase()) !== 0;
    out += cased ? (afterLetter ? char.toLowerCase() : char.toUpperCase()) : char;
    afterLetter = cased;
  }
  return out;
}
