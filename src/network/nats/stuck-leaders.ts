/**
 * Leaders of streams that answer and do not write, or do neither. A NATS server whose disk is full may go on leading,
 * and whoever writes waits in vain for ever. Asked to, it lets another server lead; one that has locked itself up
 * (2.9.10 does where a message finds no room, and goes on saying that it leads) can only be stopped, so it is named.
 */
import type { JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../host/clock.ts';

/** Writes that time out, one after the other, before a leader is asked. One alone may be a busy machine. */
const FAILURES = 2;
const SILENCES = 2;
/** Choosing a leader takes its time, too. */
const ASK_AGAIN_MS = 5_000;
/** Streams that are looked after. */
const STREAMS_MAX = 64;

/** What this is made of. */
export interface StuckLeadersDeps {
  readonly nats: Pick<NatsConnection, 'request' | 'rtt'>;
  readonly manager: Pick<JetStreamManager, 'streams'>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Told what was done, in one sentence. */
  readonly report: (sentence: string) => void;
}

/** What is known of one stream. */
interface Led {
  /** The server that led it when one answered last. */
  leader?: string;
  /** Questions and writes that have timed out since one was answered. */
  failures: number;
  /**
   * Times that it did not answer whether it gives way, either. It is named at the second: until then another one may be
   * chosen.
   */
  silences: number;
}

/** Counts what is written and what is not, and asks leaders to give way. */
export class StuckLeaders {
  readonly #deps: StuckLeadersDeps;
  readonly #streams = new Map<string, Led>();
  #askedAtMs = -Infinity;
  /** How often a leader gave way. */
  gaveWay = 0;

  constructor(deps: StuckLeadersDeps) {
    this.#deps = deps;
  }

  /** A message was written. */
  written(stream: string): void {
    const led = this.#streams.get(stream);
    if (led !== undefined) Object.assign(led, { failures: 0, silences: 0 });
  }

  /** Who leads a stream was said. */
  heard(stream: string, leader: string | undefined): void {
    const led = this.#of(stream);
    if (led !== undefined && leader !== undefined) led.leader = leader;
  }

  /**
   * Nobody has confirmed a message in time.
   * @returns when everything that can be done about it was done; never an error
   */
  async timedOut(subject: string): Promise<void> {
    try {
      await this.unanswered(await this.#deps.manager.streams.find(subject));
    } catch {
      // no server answers at all: then there is no leader that could be asked
    }
  }

  /** A question about a stream was not answered in time. @returns as {@link timedOut} */
  async unanswered(stream: string): Promise<void> {
    const led = this.#of(stream);
    if (led === undefined || ++led.failures < FAILURES) return;
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#askedAtMs < ASK_AGAIN_MS) return;
    this.#askedAtMs = nowMs;
    const who = led.leader === undefined ? 'A NATS server' : `The NATS server ${led.leader}`;
    const answer = await this.#stepsDown(stream);
    if (answer === 'not there') return;
    if (answer === 'silent') {
      if (++led.silences === SILENCES) this.#name(who, stream);
      return;
    }
    this.gaveWay++;
    led.failures = 0;
    this.#deps.report(
      `${who} leads the stream ${stream} and writes nothing, so another one leads now. Look at its disk and its log.`,
    );
  }

  #name(who: string, stream: string): void {
    this.#deps.report(
      `${who} led the stream ${stream} when it was heard last, and answers nothing now. If it still runs, its disk may be full: stop it ` +
        '(kill -9 where it does not end), so that another one leads, and start it when it has room.',
    );
  }

  #of(stream: string): Led | undefined {
    const known = this.#streams.get(stream);
    if (known !== undefined || this.#streams.size >= STREAMS_MAX) return known;
    const led = { failures: 0, silences: 0 };
    this.#streams.set(stream, led);
    return led;
  }

  async #stepsDown(stream: string): Promise<'gave way' | 'not there' | 'silent'> {
    const { nats, timeoutMs } = this.#deps;
    try {
      const reply = await nats.request(`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`, '', {
        timeout: timeoutMs,
      });
      // a server without others refuses it, and one of them that has no leader now
      return reply.json<{ success?: boolean }>().success === true ? 'gave way' : 'not there';
    } catch {
      return (await this.#isConnected()) ? 'silent' : 'not there';
    }
  }

  /** Whether any server answers this master at all. */
  async #isConnected(): Promise<boolean> {
    try {
      await this.#deps.nats.rtt();
      return true;
    } catch {
      return false;
    }
  }
}
