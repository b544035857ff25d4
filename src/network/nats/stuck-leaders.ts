/**
 * Leaders of streams that answer and do not write. A NATS server whose disk is full goes on leading (seen with 2.9), and whoever writes waits in
 * vain for ever; asked to, it lets another server lead.
 */
import type { JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../host/clock.ts';

/** Writes that time out, one after the other, before a leader is asked. One alone may be a busy machine. */
const FAILURES = 2;
/** Choosing a leader takes its time, too. */
const ASK_AGAIN_MS = 5_000;
/** Streams that are looked after. */
const STREAMS_MAX = 64;

/** What this is made of. */
export interface StuckLeadersDeps {
  readonly nats: Pick<NatsConnection, 'request'>;
  readonly manager: Pick<JetStreamManager, 'streams'>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Told what was done, in one sentence. */
  readonly report: (sentence: string) => void;
}

/** Counts what is written and what is not, and asks leaders to give way. */
export class StuckLeaders {
  readonly #deps: StuckLeadersDeps;
  /** Writes that have timed out since one was made, by stream. */
  readonly #failures = new Map<string, number>();
  #askedAtMs = -Infinity;
  /** How often a leader gave way. */
  gaveWay = 0;

  constructor(deps: StuckLeadersDeps) {
    this.#deps = deps;
  }

  /** A message was written. */
  written(stream: string): void {
    if (this.#failures.size > 0) this.#failures.delete(stream);
  }

  /** Nobody has confirmed a message in time. @returns when everything that can be done about it was done; never an error */
  async timedOut(subject: string): Promise<void> {
    try {
      const stream = await this.#deps.manager.streams.find(subject);
      if (!this.#isTime(stream)) return;
      const { cluster } = await this.#deps.manager.streams.info(stream);
      if (cluster?.leader === undefined || (cluster.replicas ?? []).length === 0) return;
      await this.#giveWay(stream, `The NATS server ${cluster.leader}`);
    } catch {
      // no server answers at all: then there is no leader that could be asked
    }
  }

  /** A question about a stream was not answered in time. @returns as {@link timedOut} */
  async unanswered(stream: string): Promise<void> {
    if (this.#isTime(stream)) await this.#giveWay(stream, 'A NATS server');
  }

  /** Counts one more failure. @returns whether the leader is to be asked now */
  #isTime(stream: string): boolean {
    const failures = (this.#failures.get(stream) ?? 0) + 1;
    if (this.#failures.size < STREAMS_MAX || this.#failures.has(stream)) this.#failures.set(stream, failures);
    return failures >= FAILURES && this.#deps.clock.monotonicMs() - this.#askedAtMs >= ASK_AGAIN_MS;
  }

  async #giveWay(stream: string, who: string): Promise<void> {
    this.#askedAtMs = this.#deps.clock.monotonicMs();
    const asked = await Promise.all([
      this.#stepsDown(`STREAM.LEADER.STEPDOWN.${stream}`),
      // it may also be the one that gives streams their servers; where only a system account may ask, it stays so
      this.#stepsDown('META.LEADER.STEPDOWN'),
    ]);
    if (!asked.includes(true)) return;
    this.gaveWay++;
    this.#failures.delete(stream);
    this.#deps.report(
      `${who} leads the stream ${stream} and writes nothing, so another one leads now. Look at its disk and its log.`,
    );
  }

  async #stepsDown(question: string): Promise<boolean> {
    const { nats, timeoutMs } = this.#deps;
    try {
      const reply = await nats.request(`$JS.API.${question}`, '', { timeout: timeoutMs });
      return reply.json<{ success?: boolean }>().success === true;
    } catch {
      return false;
    }
  }
}
