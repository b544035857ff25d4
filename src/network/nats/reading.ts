/** Reading one stream of JetStream in order and without a gap, whatever becomes of the servers meanwhile. */
import type { ConsumerMessages, DeliverPolicy, JetStreamClient } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../host/clock.ts';

/** A reader that the servers have lost, as they do when one of them ends, is made again when two of these have not come. */
const HEARTBEAT_MS = 750;
const EXPIRES_MS = 5_000;
/** Messages that the server sends ahead. */
const AHEAD_MAX = 500;
const PAUSE_MS = 250;

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
  /** Done with one message before it is given the next. */
  readonly take: (message: StreamMessage) => void | Promise<void>;
}

/**
 * A stream that is being read.
 *
 * The servers keep the reader on one of them only, and the library asks for ever after a reader whose server is dead. So a reader that
 * falls silent, or whose connection was made anew, is given up, and another one goes on behind the last message.
 */
export class StreamReading {
  /** Settles when it is stopped, or with the error of `take`. */
  readonly ended: Promise<void>;
  readonly #deps: ReadingDeps;
  readonly #stopping = new AbortController();
  #next: number;
  #messages: ConsumerMessages | undefined;

  private constructor(deps: ReadingDeps, from: number, first: ConsumerMessages) {
    this.#deps = deps;
    this.#next = from;
    this.#messages = first;
    this.#giveUpOnReconnect();
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
    for (let messages: ConsumerMessages | undefined = first; !this.#stopping.signal.aborted;) {
      if (messages !== undefined) await this.#read(messages);
      if (this.#stopping.signal.aborted) return;
      await clock.sleep(PAUSE_MS, this.#stopping.signal);
      if (this.#deps.nats.isClosed())
        throw new Error(`The stream ${stream} is no longer read: NATS is closed`);
      messages = await openReader(this.#deps, this.#next).catch(() => undefined);
      this.#messages = messages;
    }
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
      await this.#deps.take({
        sequence: message.seq,
        subject: message.subject,
        data: message.data,
      });
      this.#next = message.seq + 1;
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
