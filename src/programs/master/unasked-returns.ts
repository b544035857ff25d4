/**
 * How much one minion may leave in the job cache that nobody here asked it for: returns of jobs that are not known
 * (forgotten meanwhile, of another master, or made up), and jobs that it has begun itself (`salt-call`, its schedule).
 * A minion that was taken over sends as many as it likes, each with a job id of its own.
 */
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { countedLines } from './counted-log.ts';

const DAY_MS = 86_400_000;
const MEGABYTE = 1024 * 1024;
/** Minions that are counted; one more takes the place of whoever has been silent longest. */
const MINIONS_MAX = 100_000;

/** `unknown` are returns of jobs that the job cache does not know, `own` jobs that a minion has begun itself. */
export type UnaskedKind = 'unknown' | 'own';

/** What counting needs. */
export interface UnaskedReturnsDeps {
  readonly opts: Pick<MasterOptions, 'get'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}

/** What a minion has left within a day. */
interface Left {
  readonly sinceMs: number;
  readonly counts: Record<UnaskedKind, number>;
  bytes: number;
}

/** Counts what minions leave that nobody asked for, each by itself, and says what is beyond the limits. */
export class UnaskedReturns {
  readonly #deps: UnaskedReturnsDeps;
  readonly #left = new BoundedMap<string, Left>(MINIONS_MAX);
  readonly #beyond: (name: string, text: string) => void;

  constructor(deps: UnaskedReturnsDeps) {
    this.#deps = deps;
    this.#beyond = countedLines(deps.log, 'warning');
  }

  /**
   * Counts a return. The first ones of a day are kept; what comes when they are at a limit is written to the log.
   * @param sizeBytes of what it returned
   * @returns whether it may be kept
   */
  mayKeep(id: string, kind: UnaskedKind, jid: string, sizeBytes: number): boolean {
    const left = this.#of(id);
    const limit = this.#limitReached(left, kind, sizeBytes);
    if (limit === undefined) {
      left.counts[kind]++;
      left.bytes += sizeBytes;
      return true;
    }
    const what =
      kind === 'own'
        ? 'a job that it has begun itself'
        : 'a job that the job cache does not know (it was forgotten, is of another master, or was made up)';
    this.#beyond(
      id,
      `${id} has returned for job ${jid}, ${what}, and has left as many of those within a day as ${limit} allows: ` +
        'it is an event and is not kept. Look at what that minion does, or raise the option',
    );
    return false;
  }

  #of(id: string): Left {
    const nowMs = this.#deps.clock.monotonicMs();
    const known = this.#left.get(id);
    if (known !== undefined && nowMs - known.sinceMs < DAY_MS) return known;
    const left: Left = { sinceMs: nowMs, counts: { unknown: 0, own: 0 }, bytes: 0 };
    this.#left.set(id, left);
    return left;
  }

  /** @returns the option that allows no more, with its value */
  #limitReached({ counts, bytes }: Left, kind: UnaskedKind, sizeBytes: number): string | undefined {
    const { opts } = this.#deps;
    const option = kind === 'own' ? 'own_jobs_max' : 'unknown_returns_max';
    const most = opts.get(option);
    if (most > 0 && counts[kind] >= most) return `${option} (${most})`;
    const megabytes = opts.get('unasked_returns_max_size');
    if (megabytes > 0 && bytes + sizeBytes > megabytes * MEGABYTE)
      return `unasked_returns_max_size (${megabytes} MB)`;
    return undefined;
  }
}
