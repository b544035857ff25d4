/**
 * Runs a table of `salt` command lines on a real Salt and on ours, and prints what differs:
 * `node scripts/run-ts.mjs test/compare/compare.ts [--only REGEX] [--recorded] [--quiet]`.
 *
 * `--recorded` takes the real Salt's answers from the last run (kept in `build/`) where it has them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { splitWords } from '../../src/host/shell-words.ts';
import { realSalt, type Finished } from '../support/fleet.ts';
import { ComparedFleet, ownPrograms } from './fleets.ts';
import { normalise, type Comparable } from './normalise.ts';

/** A line of the table. */
interface Entry {
  /** The words behind `salt`, quoted as for a shell. */
  readonly line: string;
  readonly stdin?: string;
  /** Why the two are meant to differ. */
  readonly differs?: string;
  /** Compare only lines that match. */
  readonly only?: string;
  /** Compare lines whatever their order. */
  readonly sortLines?: boolean;
}

interface Answer {
  readonly ours: Comparable;
  readonly real: Comparable;
}

const ROOT = process.env['BRINE_ROOT'] ?? process.cwd();
const RECORDING = join(ROOT, 'build', 'compare-recording.json');
const PARALLEL = 2;
/** Ports of the two fleets. */
const REAL_PORT = 22_100;
const OUR_PORT = 22_200;

const words = process.argv.slice(2);
const only = words.includes('--only') ? new RegExp(words[words.indexOf('--only') + 1] ?? '') : undefined;
const useRecording = words.includes('--recorded');
const isQuiet = words.includes('--quiet');
const cleanUps: (() => unknown)[] = [];

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function readTable(): Entry[] {
  const groups = JSON.parse(readFileSync(join(ROOT, 'test/compare/commands.json'), 'utf8')) as {
    readonly group: string;
    readonly commands: readonly (string | Entry)[];
  }[];
  return groups
    .flatMap(({ commands }) => commands)
    .map((command) => (typeof command === 'string' ? { line: command } : command))
    .filter(({ line }) => only?.test(line) ?? true);
}

const keyOf = ({ line, stdin = '' }: Entry): string => (stdin === '' ? line : `${line} <<< ${stdin}`);

/** Answers of one fleet, several commands at a time. */
async function answers(fleet: ComparedFleet, entries: readonly Entry[]): Promise<Map<string, Finished>> {
  const out = new Map<string, Finished>();
  const left = [...entries];
  const work = async (): Promise<void> => {
    for (let entry = left.shift(); entry !== undefined; entry = left.shift()) {
      const finished = await fleet.run(splitWords(entry.line), entry.stdin ?? '');
      const strip = (text: string): string => text.replaceAll(fleet.folder, '<DIR>');
      out.set(keyOf(entry), {
        code: finished.code,
        stdout: strip(finished.stdout),
        stderr: strip(finished.stderr),
      });
      if (!isQuiet) process.stderr.write(`\r${fleet.programs.name}: ${out.size}/${entries.length} `);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  if (!isQuiet) process.stderr.write('\n');
  return out;
}

async function realAnswers(entries: readonly Entry[]): Promise<Map<string, Finished>> {
  const recorded = existsSync(RECORDING)
    ? new Map(Object.entries(JSON.parse(readFileSync(RECORDING, 'utf8')) as Record<string, Finished>))
    : new Map<string, Finished>();
  const missing = useRecording ? entries.filter((entry) => !recorded.has(keyOf(entry))) : entries;
  if (missing.length > 0) {
    const salt = realSalt('3006');
    if (salt === undefined) throw new Error('No real Salt 3006 is found; BRINE_REAL_SALT names its folder.');
    const fleet = await ComparedFleet.start(
      { after: (run) => void cleanUps.push(run as () => unknown) },
      salt,
      REAL_PORT,
    );
    for (const [key, finished] of await answers(fleet, missing)) recorded.set(key, finished);
    mkdirSync(dirname(RECORDING), { recursive: true });
    writeFileSync(RECORDING, JSON.stringify(Object.fromEntries(recorded), null, 1));
  }
  return recorded;
}

function printDifference(entry: Entry, { ours: own, real }: Answer): void {
  say(`\n=== salt ${keyOf(entry)}`);
  if (own.code !== real.code) say(`exit code: Salt ${real.code}, ours ${own.code}`);
  for (const stream of ['stdout', 'stderr'] as const) {
    if (own[stream] === real[stream]) continue;
    say(`--- ${stream} of Salt\n${clip(real[stream])}\n--- ${stream} of ours\n${clip(own[stream])}`);
  }
}

function clip(text: string): string {
  const lines = text.split('\n');
  return lines.length <= 40 ? text : [...lines.slice(0, 40), `… ${lines.length - 40} more lines`].join('\n');
}

async function main(): Promise<number> {
  const entries = readTable();
  const real = await realAnswers(entries);
  const fleet = await ComparedFleet.start(
    { after: (run) => void cleanUps.push(run as () => unknown) },
    ownPrograms,
    OUR_PORT,
  );
  const own = await answers(fleet, entries);
  let same = 0;
  const meant: Entry[] = [];
  const different: Entry[] = [];
  for (const entry of entries) {
    const options = { folder: '<DIR>', ...entry };
    const answer: Answer = {
      ours: normalise(own.get(keyOf(entry)) as Finished, options),
      real: normalise(real.get(keyOf(entry)) as Finished, options),
    };
    const isSame = JSON.stringify(answer.ours) === JSON.stringify(answer.real);
    if (isSame) same++;
    if (isSame && entry.differs !== undefined) say(`\nno difference any more: salt ${entry.line}`);
    if (isSame) continue;
    (entry.differs === undefined ? different : meant).push(entry);
    if (entry.differs === undefined) printDifference(entry, answer);
  }
  if (meant.length > 0) say('\nDifferent on purpose:');
  for (const entry of meant) say(`  salt ${entry.line}\n      ${entry.differs}`);
  say(`\n${same} same, ${meant.length} different on purpose, ${different.length} different`);
  for (const entry of different) say(`  salt ${keyOf(entry)}`);
  return different.length === 0 ? 0 : 1;
}

async function cleanUp(): Promise<void> {
  await Promise.all(cleanUps.map((run) => run()));
}

main().then(
  async (code) => {
    await cleanUp();
    process.exit(code);
  },
  async (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    await cleanUp();
    process.exit(2);
  },
);
