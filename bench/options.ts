/** The benchmark's command line. */
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError } from '../src/errors/errors.ts';

/** Turns of a comparison in which both builds are measured. */
const TURNS = 5;
const MINUTES = 5;
const TABLE_MINUTES = 45;

/** What the project has set out to reach: the scenarios that `--table` runs. */
export const TABLE: readonly string[] = [
  ...['memory', 'cli-round-trip', 'call-local', 'chained', 'highstate', 'file-managed', 'pillar', 'ping-all'],
  ...['auth', 'return-storm', 'big-returns', 'events', 'file-server', 'restart', 'big-fleet'],
];

/** What the user asks for. */
export interface BenchOptions {
  /** Folder of real Salt's launchers; undefined measures ours alone. */
  readonly real: string | undefined;
  /** Folder of our launchers. */
  readonly brine: string | undefined;
  /** Names of scenarios; empty is all. */
  readonly only: readonly string[];
  readonly rounds: number | undefined;
  readonly json: boolean;
  /** A saved run, or a folder of launchers, to compare with. */
  readonly compare: string | undefined;
  /** How often everything is measured, one kind after the other each time. */
  readonly turns: number;
  /** After so long the run ends, whatever is left. */
  readonly minutes: number;
  readonly skipBrine: boolean;
  /** Measure what the machine itself can do, too. */
  readonly limits: boolean;
  readonly help: boolean;
}

export const HELP = `Usage: npm run bench -- [OPTION]...

Starts masters in temporary folders on loopback, measures them, and removes everything.

  --real PATH     folder with the launchers of a real Salt (salt-master, salt-minion, salt); also BRINE_REAL_SALT
  --brine PATH    folder with our launchers (default: bin/ of this checkout)
  --real-only     measure the real Salt alone
  --only NAMES    scenarios, separated by commas: memory, cli-round-trip, call-local, job-start, chained, highstate,
                  file-managed, pillar, ping-all, auth, return-storm; only when they are named: big-returns, events,
                  file-server, restart and big-fleet (10,000 minions), databases (returns into each that is
                  installed), cluster (with a NATS server), reactor, log-ins, python and api
  --table         the scenarios of what the project has set out to reach, with limits (takes half an hour)
  --limits        measure what the machine itself can do, too
  --rounds N      rounds of each scenario (default: as many as the scenario thinks right)
  --turns N       measure everything N times, with a new master each time (default: 1; with --compare DIR 5)
  --compare PATH  say what has changed, and end with 1 when a figure got worse by more than the noise. PATH is what
                  --json printed earlier, or bin/ of another checkout, which is then measured in turns with --brine
  --minutes N     end after so long (default: 5, and 5 more for each further turn)
  --json          print JSON instead of a table
  -h, --help      print this
`;

/** Reads the command line. @throws UsageError saying what is wrong with it */
export function readBenchOptions(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  scenarios: readonly string[],
): BenchOptions {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...argv],
      options: {
        real: { type: 'string' },
        brine: { type: 'string' },
        table: { type: 'boolean', default: false },
        limits: { type: 'boolean', default: false },
        'real-only': { type: 'boolean', default: false },
        only: { type: 'string' },
        rounds: { type: 'string' },
        turns: { type: 'string' },
        compare: { type: 'string' },
        minutes: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }));
  } catch (cause) {
    throw new UsageError(`${(cause as Error).message}\n\n${HELP}`, { cause });
  }
  const named = (values.only ?? '').split(',').filter((name) => name !== '');
  const only = values.table ? [...TABLE, ...named] : named;
  const unknown = only.find((name) => !scenarios.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`There is no scenario ${unknown}; there are: ${scenarios.join(', ')}.`);
  const real = values.real ?? env.BRINE_REAL_SALT;
  if (values['real-only'] && !real) throw new UsageError('--real-only needs --real PATH or BRINE_REAL_SALT.');
  const { compare } = values;
  const isInTurns = compare !== undefined && isFolder(compare);
  const turns = wholeNumber('--turns', values.turns) ?? (isInTurns ? TURNS : 1);
  return {
    // what two builds of ours are compared by, a real Salt has nothing to say to
    real: real === '' || compare !== undefined ? undefined : real,
    brine: values.brine,
    only,
    rounds: wholeNumber('--rounds', values.rounds),
    turns,
    compare,
    minutes:
      wholeNumber('--minutes', values.minutes) ??
      (values.table ? TABLE_MINUTES : MINUTES) * turns * (isInTurns ? 2 : 1),
    limits: values.table || values.limits,
    json: values.json,
    skipBrine: values['real-only'],
    help: values.help,
  };
}

/** Whether a path is a folder: of launchers then. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new UsageError(`${name} takes a whole number from 1 on, not ${JSON.stringify(text)}.`);
  return number;
}
