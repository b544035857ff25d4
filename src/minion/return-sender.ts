/**
 * Brings returns to the master: each attempt has a random patience, a lost connection is waited out, and what cannot be
 * delivered stays in a bounded queue (wire-protocol.md, 9.2).
 */
import type { MinionOptions } from '../config/minion-options.ts';
import { UnreachableError } from '../errors/errors.ts';
import type { Clock } from '../host/clock.ts';
import type { Logger } from '../host/log.ts';
import type { Random } from '../host/random.ts';
import type { Dict } from '../values/value.ts';
import type { MasterConnection } from './master-connection.ts';

/** Returns waiting for a master; at more the oldest is given up, with a line in the log. */
const WAITING_MAX = 1000;
/** Between two rounds for a return whose attempts are used up. */
const ROUND_MS = 10_000;

/** What sending needs. */
export interface SenderParts {
  readonly opts: MinionOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** See the file's comment. */
export class ReturnSender {
  readonly counters = { sent: 0, givenUp: 0 };
  readonly #parts: SenderParts;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<{ abandon: () => void; jid: string }>();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Number of returns that no master has yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Sends one return; resolves when the master has it, or when it had to be given up. */
  async send(load: Dict, connection: MasterConnection): Promise<void> {
    const { log, clock, random } = this.#parts;
    const abandoned = new AbortController();
    const entry = { abandon: () => abandoned.abort(), jid: String(load.get('jid')) };
    this.#waiting.add(entry);
    this.#makeRoom();
    try {
      for (let round = 0; !this.#stop.signal.aborted && !abandoned.signal.aborted; round++) {
        try {
          const reply = await connection.requests.send(load, this.#patience());
          // Salt compat: a master that fails while it stores a return answers with an empty text
          if (reply === '') throw new UnreachableError('the master could not store it');
          this.counters.sent++;
          return;
        } catch (error) {
          const message = (error as Error).message;
          log.warning(`The master failed to take the return of job ${entry.jid}: ${message}`);
          if (!(error instanceof UnreachableError) && round > 2) break;
          await clock.sleep(random.fraction() * ROUND_MS, this.#stop.signal);
        }
      }
      this.counters.givenUp++;
      log.error(`The return of job ${entry.jid} was given up.`);
    } finally {
      this.#waiting.delete(entry);
    }
  }

  close(): void {
    this.#stop.abort();
  }

  #makeRoom(): void {
    if (this.#waiting.size <= WAITING_MAX) return;
    const [oldest] = this.#waiting;
    oldest?.abandon();
    if (oldest !== undefined) this.#waiting.delete(oldest);
  }

  /** Salt compat: a random time between the two timers, the same for all attempts of one return. */
  #patience(): { timeoutMs: number; tries: number } {
    const { opts, random } = this.#parts;
    const min = opts.get('return_retry_timer');
    const max = Math.max(min, opts.get('return_retry_timer_max'));
    return {
      timeoutMs: (min + random.fraction() * (max - min)) * 1000,
      tries: Math.max(1, opts.get('return_retry_tries')),
    };
  }
}
