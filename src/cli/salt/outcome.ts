/** How a command ended, as one exit code: Salt's own codes, or with `--exit-codes=strict` one code for each reason. */
import { MasterDownError, NoMinionsError, NotAuthorisedError } from '../../runtime/client/errors.ts';
import { BrineError } from '../../errors/errors.ts';

/** The codes of `--exit-codes=strict` (docs/reference/commands.md). */
export const STRICT_CODES = {
  ok: 0,
  someFailed: 1,
  noneMatched: 2,
  someSilent: 3,
  notAuthorised: 4,
  masterDown: 5,
} as const;

/** What the minions of a job did, counted. */
export interface MinionCounts {
  readonly returned: number;
  readonly failed: number;
  readonly silent: number;
}

/** The strict code of a job. A failure is certain and so wins over silence. */
export function strictCode({ returned, failed, silent }: MinionCounts): number {
  if (failed > 0) return STRICT_CODES.someFailed;
  if (silent > 0) return STRICT_CODES.someSilent;
  return returned === 0 ? STRICT_CODES.noneMatched : STRICT_CODES.ok;
}

/** The strict code of a job that could not be published or followed. */
export function strictErrorCode(error: unknown): number {
  if (error instanceof NoMinionsError) return STRICT_CODES.noneMatched;
  if (error instanceof NotAuthorisedError) return STRICT_CODES.notAuthorised;
  if (error instanceof MasterDownError) return STRICT_CODES.masterDown;
  return error instanceof BrineError && error.exitCode !== 0 ? error.exitCode : STRICT_CODES.someFailed;
}
