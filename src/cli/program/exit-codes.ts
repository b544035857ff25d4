/**
 * What became of a command, as one exit code. This table is the one place for it: every program and every way of
 * running asks it, so that the same outcome ends with the same code whatever path it took
 * (docs/reference/exit-codes.md).
 */
import { NotPermittedError, UnreachableError, UsageError, type BrineError } from '../../errors/errors.ts';
import { MasterDownError, NoMinionsError, NotAuthorisedError } from '../../runtime/client/errors.ts';
import { UnusableGroupError } from '../../runtime/targeting/nodegroups.ts';
import { textRepr } from '../../python/values/repr.ts';
import type { Dict } from '../../python/values/value.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';

/** `strict`: what was asked and not done is not 0. `salt`: the codes of Salt 3006.16. */
export type ExitCodeMode = 'strict' | 'salt';

/** The ways of running for which Salt has codes of their own. */
export type Way = 'plain' | 'batch' | 'static' | 'async' | 'docs' | 'run' | 'call' | 'key' | 'cp';

interface OutcomeCodes {
  /** The code, whatever the way. */
  readonly strict: number;
  /** Salt's code. */
  readonly salt: number;
  /** Salt's code where a way has one of its own. */
  readonly ways?: Readonly<Partial<Record<Way, number>>>;
}

/** Every outcome that a command can have, and its codes. */
export const OUTCOMES = {
  done: { strict: 0, salt: 0 },
  /** A function failed on a minion or here, a file did not arrive, a key could not be changed. */
  'some failed': { strict: 1, salt: 1, ways: { static: 0, cp: 0, key: 0 } },
  /** The target matches nobody, or no key matches. */
  'none matched': { strict: 2, salt: 2, ways: { batch: 0, async: 0, cp: 0, key: 0 } },
  /** The target cannot be had at all: a node group that is not configured. */
  'target unusable': { strict: 2, salt: 0, ways: { batch: 1, static: 1, async: 1, docs: 2, cp: 1 } },
  /** Somebody did not return, and nobody failed. */
  'some silent': { strict: 3, salt: 1, ways: { batch: 0, static: 0, docs: 0, cp: 0 } },
  'not authorised': { strict: 4, salt: 0, ways: { batch: 1, static: 1, async: 1, docs: 2, run: 1, cp: 1 } },
  'master down': { strict: 5, salt: 0, ways: { batch: 1, static: 1, async: 1, docs: 2, run: 1, cp: 1 } },
  /** The master took the request and did not do it. */
  refused: { strict: 1, salt: 0, ways: { batch: 1, static: 1, async: 1, docs: 2, run: 1, cp: 1 } },
  /** A returner that was asked for did not take the return. */
  'not stored': { strict: 1, salt: 0 },
  /** There is no documentation of what was asked for. */
  'nothing documented': { strict: 1, salt: 0 },
  /** A question was answered with no, or not at all where that counts as no. */
  declined: { strict: 1, salt: 0 },
  /** A value that an option cannot have, found out late. */
  'value invalid': { strict: 64, salt: 1 },
  /** The configured account cannot be switched to. */
  'user not switchable': { strict: 77, salt: 0 },
  /** A file or folder is closed to the user who runs the program. */
  'not permitted': { strict: 77, salt: 1 },
  /** Ctrl-C. */
  interrupted: { strict: 130, salt: 0, ways: { run: 1, call: 1 } },
  /** SIGTERM. */
  terminated: { strict: 143, salt: 0, ways: { run: 1, call: 1 } },
} as const satisfies Readonly<Record<string, OutcomeCodes>>;

/** An outcome of the table. */
export type CommandOutcome = keyof typeof OUTCOMES;

/** What the minions of a job did, counted. */
export interface MinionCounts {
  readonly returned: number;
  readonly failed: number;
  readonly silent: number;
}

/** What a job came to. A failure is certain and so wins over silence. */
export function jobOutcome({ returned, failed, silent }: MinionCounts): CommandOutcome {
  if (failed > 0) return 'some failed';
  if (silent > 0) return 'some silent';
  return returned === 0 ? 'none matched' : 'done';
}

/** What an error means for the whole command. */
export function errorOutcome(error: BrineError): CommandOutcome {
  if (error instanceof NoMinionsError || error instanceof UnusableGroupError) return 'none matched';
  if (error instanceof NotAuthorisedError) return 'not authorised';
  if (error instanceof NotPermittedError) return 'not permitted';
  if (error instanceof MasterDownError || error instanceof UnreachableError) return 'master down';
  return error.errorCode === 'target-invalid' ? 'target unusable' : 'refused';
}

/** The codes of one command. */
export class ExitCodes {
  readonly mode: ExitCodeMode;
  readonly #way: Way;

  constructor(mode: ExitCodeMode, way: Way) {
    this.mode = mode;
    this.#way = way;
  }

  get isStrict(): boolean {
    return this.mode === 'strict';
  }

  /** The code of an outcome. */
  of(outcome: CommandOutcome): number {
    const row: OutcomeCodes = OUTCOMES[outcome];
    return this.isStrict ? row.strict : (row.ways?.[this.#way] ?? row.salt);
  }

  /** The code of an error that ended the command before there was anything to count. */
  ofError(error: BrineError): number {
    return this.of(errorOutcome(error));
  }
}

/** A return code as an exit code of a program: 256 is not 0 for it, and neither is -1. */
export function exitStatus(retcode: number): number {
  const status = retcode & 0xff;
  return status === 0 && retcode !== 0 ? 1 : status;
}

/** The variable that says which codes are wanted. */
const VARIABLE = 'BRINE_EXIT_CODES';

/**
 * Which codes are wanted: what the command line says, else the variable `BRINE_EXIT_CODES`, else a Saltfile, else the
 * option `exit_codes`.
 * @param merged the configuration with the command line laid over it
 * @throws UsageError for a word that is neither
 */
export function exitCodeMode(parsed: ParsedOptions, merged: Dict, env: NodeJS.ProcessEnv): ExitCodeMode {
  const variable = env[VARIABLE];
  if (!parsed.isTyped('exit_codes') && variable) return checked(variable, VARIABLE);
  return checked(String(merged.get('exit_codes') ?? 'strict'), 'exit_codes');
}

function checked(word: string, where: string): ExitCodeMode {
  if (word === 'strict' || word === 'salt') return word;
  throw new UsageError(`${where}: ${textRepr(word)} is neither 'strict' nor 'salt'`);
}
