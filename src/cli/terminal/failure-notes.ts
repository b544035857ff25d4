/** The failures that a command tells of, kept for the document that `--out=json` promises where no other comes. */
import type { ErrorCode } from '../../errors/codes.ts';
import { withoutCredentials } from '../../python/values/masked.ts';

/** A failure as programs see it. */
export interface ToldFailure {
  readonly code: ErrorCode;
  readonly message: string;
  /** Whose it is. */
  readonly minion?: string;
}

/** The failures of a command, for a document in place of the one that did not come. */
export class FailureNotes {
  readonly #isWanted: boolean;
  #last: ToldFailure | undefined;
  #hasOutput = false;

  /** @param isWanted JSON was chosen on the command line */
  constructor(isWanted: boolean) {
    this.#isWanted = isWanted;
  }

  /** Keeps a failure: the last one, and one of the whole command rather than that of a minion. */
  note(failure: ToldFailure): void {
    if (failure.minion === undefined || this.#last?.minion !== undefined || this.#last === undefined)
      this.#last = failure;
  }

  /** Something stands on standard output. */
  sawOutput(): void {
    this.#hasOutput = true;
  }

  /** The document; undefined where there is another. */
  document(): string | undefined {
    if (!this.#isWanted || this.#hasOutput || this.#last === undefined) return undefined;
    return `${JSON.stringify({ error: shownFailure(this.#last) }, null, 4)}\n`;
  }
}

/** A failure without secrets, its fields in their order. */
export function shownFailure({ code, message, minion }: ToldFailure): ToldFailure {
  return { code, message: withoutCredentials(message), ...(minion === undefined ? {} : { minion }) };
}
