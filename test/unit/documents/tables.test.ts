/**
 * Tables of the documents render: every row has as many cells as its head. Each difference from Salt has its reason.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const DIFFERENCES = 'docs/differences';

const documents = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

interface Row {
  readonly file: string;
  readonly line: number;
  readonly cells: readonly string[];
}

/** The tables of a document, without what stands in fences: consecutive lines that begin with a bar. */
function tablesOf(file: string): Row[][] {
  const tables: Row[][] = [];
  let open: Row[] | undefined;
  let isFenced = false;
  for (const [index, line] of readFileSync(join(ROOT, file), 'utf8').split('\n').entries()) {
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    if (isFenced || !line.startsWith('|')) {
      open = undefined;
      continue;
    }
    if (open === undefined) tables.push((open = []));
    open.push({ file, line: index + 1, cells: cellsOf(line) });
  }
  return tables;
}

/** A bar behind a backslash is text, also within code. */
function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

const at = ({ file, line }: Row): string => `${file}:${line}`;

test('tables - every row has as many cells as the head of its table', () => {
  const tables = documents.flatMap(tablesOf);
  assert.ok(tables.length > 50, `${tables.length} tables`);
  const faults = tables.flatMap((rows) => {
    const [head, rule] = rows as [Row, Row | undefined];
    if (rule === undefined || !rule.cells.every((cell) => /^:?-+:?$/.test(cell)))
      return [`${at(head)}: a table needs a line of dashes below its head`];
    return rows
      .filter(({ cells }) => cells.length !== head.cells.length)
      .map((row) => `${at(row)}: ${row.cells.length} cells below a head of ${head.cells.length}`);
  });
  assert.deepEqual(faults, []);
});

test('tables - every difference from Salt says what Salt does, what Brine does, and why', () => {
  const pages = documents.filter((file) => file.startsWith(`${DIFFERENCES}/`));
  const rows = pages.flatMap(tablesOf).flatMap(([head, , ...rest]) => {
    assert.deepEqual(head?.cells, ['what', 'Salt', 'Brine', 'why'], head && at(head));
    return rest;
  });
  assert.ok(rows.length > 300, `${rows.length} rows`);
  assert.deepEqual(rows.filter(({ cells }) => cells.includes('')).map(at), []);
});

test('tables - the page of differences names every page that there is', () => {
  const text = readFileSync(join(ROOT, 'docs/differences.md'), 'utf8');
  const linked = [...text.matchAll(/\]\(differences\/([\w-]+\.md)\)/g)].map(([, name]) => name);
  assert.deepEqual(linked.sort(), readdirSync(join(ROOT, DIFFERENCES)).sort());
});
