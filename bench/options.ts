/** The benchmark's command line. */
import { parseArgs } from 'node:util';
import { BrineError } from '../src/errors/errors.ts';

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
  readonly skipBrine: boolean;
  readonly help: boolean;
}

export const HELP = `Usage: npm run bench -- [OPTION]...

Starts masters in temporary folders on loopback, measures them, and removes everything.

  --real PATH     folder with the launchers of a real Salt (salt-master, salt-minion, salt); also BRINE_REAL_SALT
  --brine PATH    folder with our launchers (default: bin/ of this checkout)
  --real-only     measure the real Salt alone
  --only NAMES    scenarios, separated by commas: memory, cli-round-trip, job-start, ping-all, auth, return-storm;
                  big-fleet (10,000 minions), databases (returns into each that is
                  installed), reactor, log-ins and python run only when they are named
  --rounds N      rounds of each scenario (default: as many as the scenario thinks right)
  --json          print JSON instead of a table
  -h, --help      print this
`;

/** Reads the command line. @throws BrineError saying what is wrong with it */
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
        'real-only': { type: 'boolean', default: false },
        only: { type: 'string' },
        rounds: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }));
  } catch (cause) {
    throw new BrineError(`${(cause as Error).message}\n\n${HELP}`, { cause });
  }
  const only = (values.only ?? '').split(',').filter((name) => name !== '');
  const unknown = only.find((name) => !scenarios.includes(name));
  if (unknown !== undefined)
    throw new BrineError(`There is no scenario ${unknown}; there are: ${scenarios.join(', ')}.`);
  const real = values.real ?? env.BRINE_REAL_SALT;
  if (values['real-only'] && !real) throw new BrineError('--real-only needs --real PATH or BRINE_REAL_SALT.');
  return {
    real: real === '' ? undefined : real,
    brine: values.brine,
    only,
    rounds: roundsOf(values.rounds),
    json: values.json,
    skipBrine: values['real-only'],
    help: values.help,
  };
}

function roundsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new BrineError(`--rounds takes a whole number from 1 on, not ${JSON.stringify(text)}.`);
  return rounds;
}
