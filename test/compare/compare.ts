/**
 * Runs a table of command lines of `salt` and its sisters on a real Salt and on ours, and prints what differs:
 * `npm run compare:commands -- [--only REGEX] [--group REGEX] [--recorded] [--once]
 * [--quiet]`.
 *
 * With `--member` a member of a cluster is compared with a master of ours that stands alone, and no real Salt is asked:
 * `BRINE_CLUSTER_NATS=HOST:PORT node scripts/run-ts.mjs test/compare/compare.ts --member --once`.
 *
 * `--recorded` takes the real Salt's answers from the last run (kept in `build/`) where it has them. `BRINE_PROGRAMS`
 * names another folder of our programs. `<DIR>` in a line stands for the fleet's folder; `BRINE_COMPARE_TABLE` names
 * another table.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { splitWords } from '../../src/python/shell-words.ts';
import { realSalt, type Finished } from '../support/fleet.ts';
import { ComparedFleet, ownPrograms } from './fleets.ts';
import { normalise, type Comparable } from './normalise.ts';

/** A line of the table. */
interface Entry {
  /** The words behind the program, quoted as for a shell. */
  readonly line: string;
  /** The program, where it is not `salt`. */
  readonly program?: string;
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
const TABLE = process.env['BRINE_COMPARE_TABLE'] ?? join(ROOT, 'test/compare/commands.json');
const PARALLEL = 2;
/** Keeps a master out of the cluster that every master of ours is in (test/support/fleet.ts). */
const ALONE = 'cluster: {}';
/** Ports of the two fleets. */
const REAL_PORT = 22_100;
const OUR_PORT = 22_200;

// the codes of Salt are compared, and not those that a build server wants
process.env['BRINE_EXIT_CODES'] = 'salt';

const words = process.argv.slice(2);
const only = words.includes('--only') ? new RegExp(words[words.indexOf('--only') + 1] ?? '') : undefined;
const onlyGroup = words.includes('--group')
  ? new RegExp(words[words.indexOf('--group') + 1] ?? '')
  : undefined;
const useRecording = words.includes('--recorded');
const isOfMember = words.includes('--member');
const isQuiet = words.includes('--quiet');
const cleanUps: (() => unknown)[] = [];
const context = { after: (run: unknown) => void cleanUps.push(run as () => unknown) };

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function readTable(): Entry[] {
  const groups = JSON.parse(readFileSync(TABLE, 'utf8')) as {
    readonly group: string;
    readonly commands: readonly (string | Entry)[];
  }[];
  return groups
    .filter(({ group }) => onlyGroup?.test(group) ?? true)
    .flatMap(({ commands }) => commands)
    .map((command) => (typeof command === 'string' ? { line: command } : command))
    .filter(({ line }) => only?.test(line) ?? true);
}

/** What a line is recorded under; `salt` itself is not named. */
const keyOf = ({ program = 'salt', line, stdin = '' }: Entry): string =>
  `${program === 'salt' ? '' : `${program}: `}${line}${stdin === '' ? '' : ` <<< ${stdin}`}`;

const shown = (entry: Entry): string => `${entry.program ?? 'salt'} ${keyOf({ ...entry, program: 'salt' })}`;

/** Answers of one fleet, several commands at a time. */
async function answers(fleet: ComparedFleet, entries: readonly Entry[]): Promise<Map<string, Finished>> {
  const out = new Map<string, Finished>();
  const left = [...entries];
  const work = async (): Promise<void> => {
    for (let entry = left.shift(); entry !== undefined; entry = left.shift()) {
      const finished = await fleet.run(
        entry.program ?? 'salt',
        splitWords(entry.line.replaceAll('<DIR>', fleet.folder)),
        entry.stdin ?? '',
      );
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

/** The real Salt's answers: recorded ones where wanted, and a fleet for the others. */
class RealAnswers {
  #fleet: ComparedFleet | undefined;
  readonly #recorded = new Map<string, Finished>(
    existsSync(RECORDING) && !isOfMember
      ? Object.entries(JSON.parse(readFileSync(RECORDING, 'utf8')) as Record<string, Finished>)
      : [],
  );

  /** True when commands can be run once more. */
  get isLive(): boolean {
    return this.#fleet !== undefined;
  }

  async of(entries: readonly Entry[], again = false): Promise<ReadonlyMap<string, Finished>> {
    const missing =
      useRecording && !again ? entries.filter((entry) => !this.#recorded.has(keyOf(entry))) : entries;
    if (missing.length > 0) {
      this.#fleet ??= await startReal();
      for (const [key, finished] of await answers(this.#fleet, missing)) this.#recorded.set(key, finished);
      if (isOfMember) return this.#recorded;
      mkdirSync(dirname(RECORDING), { recursive: true });
      writeFileSync(RECORDING, JSON.stringify(Object.fromEntries(this.#recorded), null, 1));
    }
    return this.#recorded;
  }
}

function startReal(): Promise<ComparedFleet> {
  if (isOfMember) return ComparedFleet.start(context, { ...ownPrograms, name: 'alone' }, REAL_PORT, [ALONE]);
  const salt = realSalt('3006');
  if (salt === undefined) throw new Error('No real Salt 3006 is found; BRINE_REAL_SALT names its folder.');
  return ComparedFleet.start(context, salt, REAL_PORT);
}

function printDifference(entry: Entry, { ours: own, real }: Answer): void {
  say(`\n=== ${shown(entry)}`);
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

/** Compares one line. */
function compareOne(entry: Entry, own: Finished, real: Finished): Answer & { readonly isSame: boolean } {
  const options = { folder: '<DIR>', ...entry };
  const answer = { ours: normalise(own, options), real: normalise(real, options) };
  return { ...answer, isSame: JSON.stringify(answer.ours) === JSON.stringify(answer.real) };
}

async function main(): Promise<number> {
  const entries = readTable();
  const realAnswers = new RealAnswers();
  let real = await realAnswers.of(entries);
  const fleet = await ComparedFleet.start(context, ownPrograms, OUR_PORT);
  const own = await answers(fleet, entries);
  const compared = (entry: Entry): ReturnType<typeof compareOne> =>
    compareOne(entry, own.get(keyOf(entry)) as Finished, real.get(keyOf(entry)) as Finished);
  const doubtful = entries.filter((entry) => entry.differs === undefined && !compared(entry).isSame);
  if (!words.includes('--once') && realAnswers.isLive && doubtful.length > 0) {
    // a busy machine makes minions silent now and then: what differs is run once more
    real = await realAnswers.of(doubtful, true);
    for (const [key, finished] of await answers(fleet, doubtful)) own.set(key, finished);
  }
  return report(entries.map((entry) => ({ entry, ...compared(entry) })));
}

function report(compared: readonly (Answer & { entry: Entry; isSame: boolean })[]): number {
  const same = compared.filter(({ isSame }) => isSame);
  const others = compared.filter(({ isSame }) => !isSame);
  const different = others.filter(({ entry }) => entry.differs === undefined);
  const meant = others.filter(({ entry }) => entry.differs !== undefined);
  for (const { entry } of same)
    if (entry.differs !== undefined) say(`no difference any more: ${shown(entry)}`);
  for (const { entry, ...answer } of different) printDifference(entry, answer);
  if (meant.length > 0) say('\nDifferent on purpose:');
  for (const { entry } of meant) say(`  ${shown(entry)}\n      ${entry.differs}`);
  say(`\n${same.length} same, ${meant.length} different on purpose, ${different.length} different`);
  for (const { entry } of different) say(`  ${shown(entry)}`);
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
