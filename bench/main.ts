/** The benchmark: `npm run bench -- --help` (docs/guides/benchmark.md). */
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { messageOf, UsageError } from '../src/errors/errors.ts';
import { bareStarts } from './bare-start.ts';
import { compareFigures, compareRuns, compareTurns, driftBetween, type Change } from './comparison.ts';
import { renderComparison } from './compare-report.ts';
import { mergeTurns, rowKey, type Figure } from './figure.ts';
import { findKind, type Kind } from './kind.ts';
import { LOAD_ROLE } from './load/client.ts';
import { runLoadProcess } from './load/process.ts';
import { HELP, isFolder, readBenchOptions, type BenchOptions } from './options.ts';
import { ProcessGroups } from './processes.ts';
import { Progress } from './progress.ts';
import { renderReport, type Column } from './report.ts';
import { BenchRun, SCENARIOS, type KindResult } from './run.ts';
import { readSavedRun, savedText, type SavedRun } from './saved-run.ts';

/**
 * No scenario begins in the last 50 seconds, and in the last 30 everything is ended, which takes time on a busy
 * machine.
 */
const NO_BEGIN_MS = 50_000;
const ENDING_MS = 30_000;

async function main(argv: readonly string[]): Promise<number> {
  const names = [...new Set(SCENARIOS.map(({ name }) => name))];
  const options = readBenchOptions(argv, process.env, names);
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const saved = isSaved(options.compare) ? readSavedRun(options.compare) : undefined;
  const groups = new ProcessGroups();
  const progress = new Progress();
  const run = new BenchRun(groups, progress, {
    only: options.only,
    rounds: options.rounds,
    program: process.argv[1] as string,
  });
  const { results } = run;
  const interrupted = endEarly(options);
  try {
    const starts = await bareStarts(groups);
    const measured = measureAll(options, groups, run);
    const reason = await Promise.race([measured, interrupted]);
    const limits = typeof reason === 'string' ? [] : reason;
    starts.push(...(await bareStarts(groups)));
    progress.step('ends');
    await run.close();
    progress.end();
    const changes = print(options, columnsOf(results), starts, limits, saved);
    for (const fault of results.flatMap((result) => result.faults)) process.stderr.write(`${fault}\n`);
    if (typeof reason === 'string') process.stderr.write(`${reason}\n`);
    const isWorse = changes.some(({ verdict }) => verdict === 'worse');
    return typeof reason === 'string' || results.some(isBad) || isWorse ? 1 : 0;
  } finally {
    await run.close();
  }
}

function isSaved(path: string | undefined): path is string {
  return path !== undefined && !isFolder(path);
}

/** Every second turn in the other order, so that neither kind always has the machine first. */
async function measureAll(options: BenchOptions, groups: ProcessGroups, run: BenchRun): Promise<Figure[]> {
  const startedMs = performance.now();
  const kinds = await kindsOf(options, groups);
  const order = Array.from({ length: options.turns }, (_, turn) =>
    turn % 2 ? kinds.toReversed() : kinds,
  ).flat();
  const beginMs = options.minutes * 60_000 - NO_BEGIN_MS;
  for (const [index, kind] of order.entries())
    await run.measure(kind, startedMs + (beginMs * (index + 1)) / order.length);
  return options.limits ? run.limits() : [];
}

async function kindsOf(
  { brine, compare, real, skipBrine }: BenchOptions,
  groups: ProcessGroups,
): Promise<Kind[]> {
  const own = brine ?? join(process.env.BRINE_ROOT ?? process.cwd(), 'bin');
  const kinds: Kind[] = [];
  if (compare !== undefined && isFolder(compare))
    kinds.push({ ...(await findKind('brine', compare, groups)), label: 'before' });
  const label = compare === undefined ? 'Brine' : 'now';
  if (!skipBrine) kinds.push({ ...(await findKind('brine', own, groups)), label });
  if (real !== undefined) kinds.push(await findKind('salt', real, groups));
  return kinds;
}

/** Resolves with the reason when the run must end before it is done. */
function endEarly({ minutes }: BenchOptions): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve(`The benchmark was interrupted (${signal}).`));
    const atMs = minutes * 60_000 - ENDING_MS;
    setTimeout(() => resolve('The benchmark was ended, because its time is up.'), atMs).unref();
  });
}

function isBad({ figures, faults }: KindResult): boolean {
  const isLoss = (key: string): boolean => key === 'return-storm lost' || key === 'return-storm duplicates';
  return faults.length > 0 || figures.some((figure) => isLoss(rowKey(figure)) && figure.median > 0);
}

/** A column for each kind, of all its turns. */
function columnsOf(results: readonly KindResult[]): Column[] {
  const kinds = [...new Set(results.map(({ kind }) => kind))];
  return kinds.map((kind) => {
    const turns = results.filter((result) => result.kind === kind).map(({ figures }) => figures);
    return { label: kind.label, figures: mergeTurns(turns) };
  });
}

/** @returns what a comparison found; nothing without one */
function print(
  { json, compare, turns }: BenchOptions,
  columns: readonly Column[],
  starts: readonly number[],
  limits: readonly Figure[],
  saved: SavedRun | undefined,
): Change[] {
  const machine = `${cpus().length} CPUs (${cpus()[0]?.model.trim() ?? '?'}), ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}`;
  if (json)
    process.stdout.write(
      savedText({ at: new Date().toISOString(), machine, bareStarts: starts, kinds: columns, limits }),
    );
  const [first, second] = columns;
  if (first === undefined) return [];
  if (compare === undefined) {
    if (!json) process.stdout.write(`${machine}\n\n${renderReport(columns, limits)}`);
    return [];
  }
  const [before, now] = saved === undefined ? [first, second ?? first] : [saved.kinds[0] ?? first, first];
  const drift = saved === undefined ? 0 : driftBetween(saved.bareStarts, starts);
  const changes = compareFigures(before.figures, now.figures, (row, earlier, later) =>
    saved === undefined ? compareTurns(row, earlier, later) : compareRuns(row, earlier, later, drift),
  );
  const explanation =
    saved === undefined
      ? `${turns} turns; noise: 99 % interval of what pairs differ by.`
      : `Saved ${saved.at} (${saved.machine}); noise: 99 % interval of both runs' samples, and ${(Math.expm1(drift) * 100).toFixed(1)} % by which bare starts of Node differ, between the two and within each.`;
  if (!json)
    process.stdout.write(
      `${machine}\n${explanation}\n\n${renderComparison([saved === undefined ? 'before' : 'saved', 'now'], changes)}`,
    );
  return changes;
}

if (process.argv[2] === LOAD_ROLE) runLoadProcess();
else {
  main(process.argv.slice(2)).then(
    (code) => process.exit(code),
    (error: unknown) => {
      process.stderr.write(`${messageOf(error)}\n`);
      process.exit(error instanceof UsageError ? error.exitCode : 1);
    },
  );
}
