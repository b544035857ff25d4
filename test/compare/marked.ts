/**
 * Prints which functions that are to answer as Salt's do are there, and which of them are compared with Salt's: `node
 * scripts/run-ts.mjs test/compare/marked.ts [--write]`. `--write` writes `docs/reference/compared.md`, which says for
 * every function of ours whether Salt's answers are recorded, asked for live, or neither. Ends with 1 when one is
 * missing or not compared without a reason.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparisons, comparisonsPage } from '../support/comparisons.ts';
import { markedFunctions, type MarkedFunction } from '../support/marked-functions.ts';

async function main(): Promise<number> {
  if (process.argv.includes('--write')) {
    const page = join(process.env['BRINE_ROOT'] ?? process.cwd(), 'docs/reference/compared.md');
    writeFileSync(page, comparisonsPage(await comparisons()));
  }
  const { functions, idle } = await markedFunctions();
  const say = (text: string): boolean => process.stdout.write(`${text}\n`);
  const list = (title: string, rows: readonly MarkedFunction[]): void => {
    if (rows.length === 0) return;
    say(`\n${title}:`);
    for (const { name, reason } of rows) say(`  ${name.padEnd(34)} ${reason ?? '!! no reason is given'}`);
  };
  const missing = functions.filter(({ exists }) => !exists);
  const silent = functions.filter(({ exists, compared }) => exists && compared.length === 0);
  const modules = new Set(functions.map(({ name }) => name.split('.')[0] ?? ''));
  for (const module of modules) {
    const rows = functions.filter(({ name }) => name.startsWith(`${module}.`));
    const there = rows.filter(({ exists }) => exists).length;
    const held = rows.filter(({ exists, compared }) => exists && compared.length > 0).length;
    say(`${module.padEnd(12)} ${there} of ${rows.length} there, ${held} compared with Salt`);
  }
  list('missing', missing);
  list('there, and not compared', silent);
  if (idle.length > 0) say(`\nreasons that stand for nothing: ${idle.join(', ')}`);
  const bad = functions.filter(
    ({ exists, compared, reason }) => (!exists || compared.length === 0) && reason === undefined,
  );
  say(
    `\n${functions.length} marked, ${missing.length} missing, ${silent.length} not compared, ${bad.length} without a reason`,
  );
  return bad.length + idle.length === 0 ? 0 : 1;
}

process.exitCode = await main();
