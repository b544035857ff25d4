/** The benchmark: `npm run bench -- --help` (docs/guides/benchmark.md). */
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../src/errors/errors.ts';
import { rowKey } from './figure.ts';
import { findKind, type Kind } from './kind.ts';
import { LOAD_ROLE } from './load/client.ts';
import { runLoadProcess } from './load/process.ts';
import { HELP, readBenchOptions, type BenchOptions } from './options.ts';
import { ProcessGroups } from './processes.ts';
import { Progress } from './progress.ts';
import { renderReport } from './report.ts';
import { BenchRun, SCENARIOS, type KindResult } from './run.ts';

/**
 * The whole run ends within five minutes: of the first limit every kind has its share, and begins no scenario after that;
 * all is ended at the second, which leaves time to end every process on a busy machine.
 */
const BEGIN_UNTIL_MS = 250_000;
const END_AT_MS = 270_000;

async function main(argv: readonly string[]): Promise<number> {
  const names = [...new Set(SCENARIOS.map(({ name }) => name))];
  const options = readBenchOptions(argv, process.env, names);
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const groups = new ProcessGroups();
  const progress = new Progress();
  const run = new BenchRun(groups, progress, {
    only: options.only,
    rounds: options.rounds,
    program: process.argv[1] as string,
  });
  const { results } = run;
  const interrupted = endEarly();
  try {
    const measured = measureAll(options, groups, run);
    const reason = await Promise.race([measured, interrupted]);
    progress.step('ends');
    await run.close();
    progress.end();
    print(options, results);
    for (const fault of results.flatMap((result) => result.faults)) process.stderr.write(`${fault}\n`);
    if (typeof reason === 'string') process.stderr.write(`${reason}\n`);
    return typeof reason === 'string' || results.some(isBad) ? 1 : 0;
  } finally {
    await run.close();
  }
}

async function measureAll(options: BenchOptions, groups: ProcessGroups, run: BenchRun): Promise<void> {
  const startedMs = performance.now();
  const kinds = await kindsOf(options, groups);
  for (const [index, kind] of kinds.entries())
    await run.measure(kind, startedMs + (BEGIN_UNTIL_MS * (index + 1)) / kinds.length);
}

async function kindsOf(options: BenchOptions, groups: ProcessGroups): Promise<Kind[]> {
  const own = options.brine ?? join(process.env.BRINE_ROOT ?? process.cwd(), 'bin');
  const kinds = options.skipBrine ? [] : [await findKind('brine', own, groups)];
  if (options.real !== undefined) kinds.push(await findKind('salt', options.real, groups));
  return kinds;
}

/** Resolves with the reason when the run must end before it is done. */
function endEarly(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve(`The benchmark was interrupted (${signal}).`));
    setTimeout(() => resolve('The benchmark was ended, because its time is up.'), END_AT_MS).unref();
  });
}

function isBad({ figures, faults }: KindResult): boolean {
  const isLoss = (key: string): boolean => key === 'return-storm lost' || key === 'return-storm duplicates';
  return faults.length > 0 || figures.some((figure) => isLoss(rowKey(figure)) && figure.median > 0);
}

function print({ json }: BenchOptions, results: readonly KindResult[]): void {
  const machine = `${cpus().length} CPUs (${cpus()[0]?.model.trim() ?? '?'}), ${Math.round(totalmem() / 1e9)} GB, Node ${process.version}`;
  const columns = results.map(({ kind, figures }) => ({ label: kind.label, figures }));
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ at: new Date().toISOString(), machine, kinds: columns }, null, 2)}\n`,
    );
    return;
  }
  if (columns.length > 0) process.stdout.write(`${machine}\n\n${renderReport(columns)}`);
}

if (process.argv[2] === LOAD_ROLE) runLoadProcess();
else {
  main(process.argv.slice(2)).then(
    (code) => process.exit(code),
    (error: unknown) => {
      process.stderr.write(`${messageOf(error)}\n`);
      process.exit(1);
    },
  );
}
