/** Reading one stream of JetStream in order and without a gap, whatever becomes of the servers meanwhile. */
import type { ConsumerMessages, DeliverPolicy, JetStreamClient } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../host/clock.ts';
import { LagWatch } from './lag.ts';

/** A reader that the servers have lost, as they do when one of them ends, is made again when two of these have not come. */
const HEARTBEAT_MS = 750;
const EXPIRES_MS = 5_000;
/** Messages that the server sends ahead. */
const AHEAD_MAX = 500;
const PAUSE_MS = 250;
/** How long a reader may take to be made. The servers may have chosen an ill one to keep it, and another try chooses anew. */
const OPEN_MS = 750;
/** The same after further tries: a busy machine is not ill. */
const OPEN_MS_MAX = 3_000;
/** Between two looks at whether the reader still brings what there is; sooner when something waits. */
const LOOK_MS = 1_000;
const LOOK_AGAIN_MS = 500;

/** A message of a stream. */
export interface StreamMessage {
  /** Its place in the stream, from 1. */
  readonly sequence: number;
  readonly subject: string;
  readonly data: Uint8Array;
}

/** What a reading needs. */
export interface ReadingDeps {
  readonly nats: NatsConnection;
  readonly client: JetStreamClient;
  readonly startAt: typeof DeliverPolicy.StartSequence;
  readonly clock: Clock;
  readonly stream: string;
  /** The place of the last message and the last place of the stream, see {@link LagWatch}. */
  readonly lastMessage: () => Promise<number>;
  readonly lastPlace: () => Promise<number>;
  /** Told that a reader was given up because it brought nothing, in one sentence. */
  readonly report: (sentence: string) => void;
  /** Done with one message before it is given the next. */
  readonly take: (message: StreamMessage) => void | Promise<void>;
}

/**
 * A stream that is being read.
 *
 * The servers keep the reader on one of them only, and the library asks for ever after a reader whose server is dead. So a reader that
 * falls silent, whose connection was made anew, or that does not bring what there is, is given up, and another one goes on behind the
 * last message.
 */
export class StreamReading {
  /** Settles when it is stopped, or with the error of `take`. */
  readonly ended: Promise<void>;
  readonly #deps: ReadingDeps;
  readonly #stopping = new AbortController();
  #next: number;
  #messages: ConsumerMessages | undefined;
  #isTaking = false;

  private constructor(deps: ReadingDeps, from: number, first: ConsumerMessages) {
    this.#deps = deps;
    this.#next = from;
    this.#messages = first;
    this.#giveUpOnReconnect();
    void this.#giveUpWhenStuck();
    this.ended = this.#run(first);
  }

  /** Starts to read at a place. @throws an error of NATS when it does not answer now */
  static async start(deps: ReadingDeps, from: number): Promise<StreamReading> {
    const next = Math.max(1, from);
    return new StreamReading(deps, next, await openReader(deps, next));
  }

  /** Ends it; what is being taken is finished. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#messages?.close();
    await this.ended.catch(() => undefined);
  }

  async #run(first: ConsumerMessages): Promise<void> {
    const { stream, clock } = this.#deps;
    let atMostMs = OPEN_MS;
    for (let messages: ConsumerMessages | undefined = first; !this.#stopping.signal.aborted;) {
      if (messages !== undefined) {
        atMostMs = OPEN_MS;
        await this.#read(messages);
      }
      if (this.#stopping.signal.aborted) return;
      await clock.sleep(PAUSE_MS, this.#stopping.signal);
      if (this.#deps.nats.isClosed())
        throw new Error(`The stream ${stream} is no longer read: NATS is closed`);
      messages = await this.#openWithin(atMostMs);
      atMostMs = Math.min(2 * atMostMs, OPEN_MS_MAX);
      this.#messages = messages;
    }
  }

  /** @returns a reader, or undefined where there is none in this time; one that comes later is given up */
  async #openWithin(atMostMs: number): Promise<ConsumerMessages | undefined> {
    const opening = openReader(this.#deps, this.#next);
    const waiting = new AbortController();
    const given = opening.catch(() => undefined);
    const enough = AbortSignal.any([waiting.signal, this.#stopping.signal]);
    const isLate = this.#deps.clock.sleep(atMostMs, enough).then(() => undefined);
    const messages = await Promise.race([given, isLate]);
    waiting.abort();
    if (messages === undefined) void given.then((late) => late?.stop());
    return messages;
  }

  /** Takes the messages of one reader until it is given up. */
  async #read(messages: ConsumerMessages): Promise<void> {
    void giveUpWhenSilent(messages);
    const all = messages[Symbol.asyncIterator]();
    for (;;) {
      // an error of the reader ends the reader, an error of whoever takes ends the reading
      const { done, value: message } = await all.next().catch(() => ENDED);
      if (done === true || message === undefined) return;
      if (message.seq < this.#next) continue;
      this.#isTaking = true;
      await this.#deps.take({
        sequence: message.seq,
        subject: message.subject,
        data: message.data,
      });
      this.#next = message.seq + 1;
      this.#isTaking = false;
    }
  }

  async #giveUpWhenStuck(): Promise<void> {
    const { clock, nats, stream, lastMessage, lastPlace, report } = this.#deps;
    const watch = new LagWatch({
      next: () => this.#next,
      isTaking: () => this.#isTaking,
      lastPlace,
      lastMessage,
    });
    for (let pauseMs = LOOK_MS; ;) {
      await clock.sleep(pauseMs, this.#stopping.signal);
      if (this.#stopping.signal.aborted || nats.isClosed()) return;
      const found = await watch.look();
      pauseMs = found === 'behind' ? LOOK_AGAIN_MS : LOOK_MS;
      if (found !== 'stuck') continue;
      report(
        `A NATS server holds back messages of the stream ${stream}; they are read from another one. Look at its disk and its log.`,
      );
      this.#messages?.stop();
    }
  }

  #giveUpOnReconnect(): void {
    void (async () => {
      for await (const { type } of this.#deps.nats.status()) {
        if (this.#stopping.signal.aborted) return;
        if (type === 'reconnect') this.#messages?.stop();
      }
    })();
  }
}

const ENDED = { done: true, value: undefined } as const;

async function openReader({ client, stream, startAt }: ReadingDeps, from: number): Promise<ConsumerMessages> {
  const consumer = await client.consumers.get(stream, { deliver_policy: startAt, opt_start_seq: from });
  return consumer.consume({
    max_messages: AHEAD_MAX,
    expires: EXPIRES_MS,
    idle_heartbeat: HEARTBEAT_MS,
  });
}

async function giveUpWhenSilent(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (type === 'heartbeats_missed') messages.stop();
}
