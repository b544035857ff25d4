/** Reading one stream of JetStream in order and without a gap, whatever becomes of the servers meanwhile. */
import type { ConsumerMessages, DeliverPolicy, JetStreamClient } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../host/clock.ts';
import { LagWatch } from './lag.ts';

/**
 * A reader that the servers have lost, as they do when one of them ends, is made again when two of these have not come.
 */
const HEARTBEAT_MS = 750;
const EXPIRES_MS = 5_000;
/** Messages that the server sends ahead. */
const AHEAD_MAX = 500;
const PAUSE_MS = 250;
/**
 * How long a reader may take to be made. The servers may have chosen an ill one to keep it, and another try chooses
 * anew.
 */
const OPEN_MS = 750;
/** The same after further tries: a busy machine is not ill. */
const OPEN_MS_MAX = 3_000;
/** Between two looks at whether the reader still brings what there is; sooner when something waits. */
const LOOK_MS = 1_000;
const LOOK_AGAIN_MS = 500;
/** After a reader that brought nothing the next one may do the same, so it is looked after closely. */
const WARY_MS = 30_000;
const LOOK_WARILY_MS = 250;
/** Messages that are asked for one by one before a reader is made again. */
const SINGLE_MAX = 1_000;

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
  /** Asks the leader of the stream for the first message from a place on. */
  readonly nextMessage: (from: number) => Promise<StreamMessage | undefined>;
  /** Told that a reader was given up because it brought nothing, in one sentence. */
  readonly report: (sentence: string) => void;
  /** Done with one message before it is given the next. */
  readonly take: (message: StreamMessage) => void | Promise<void>;
}

/**
 * A stream that is being read.
 *
 * The servers keep the reader on one of them only, and the library asks for ever after a reader whose server is dead.
 * So a reader that falls silent, whose connection was made anew, or that does not bring what there is, is given up, and
 * another one goes on behind the last message. It may be kept where the last one was: so what a reader did not bring is
 * asked of the stream's leader first.
 */
export class StreamReading {
  /** Settles when it is stopped, or with the error of `take`. */
  readonly ended: Promise<void>;
  readonly #deps: ReadingDeps;
  readonly #stopping = new AbortController();
  #next: number;
  #messages: ConsumerMessages | undefined;
  #isTaking = false;
  #isStuck = false;

  private constructor(deps: ReadingDeps, from: number, first: ConsumerMessages) {
    this.#deps = deps;
    this.#next = from;
    this.#messages = first;
    this.#giveUpOnReconnect();
    void this.#giveUpWhenStuck();
    this.ended = this.#run(first);
  }

  /** Starts to read at a place. @throws an error of NATS, a `TimeoutError` when it does not answer now */
  static async start(deps: ReadingDeps, from: number): Promise<StreamReading> {
    const next = Math.max(1, from);
    for (let atMostMs = OPEN_MS; atMostMs <= OPEN_MS_MAX; atMostMs *= 2) {
      const first = await openWithin(openReader(deps, next), atMostMs, deps.clock);
      if (first !== undefined) return new StreamReading(deps, next, first);
    }
    const late = new Error(`NATS makes no reader of the stream ${deps.stream} in time`);
    late.name = 'TimeoutError'; // what may be asked again (patiently.ts)
    throw late;
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
      if (this.#isStuck) await this.#takeSingly();
      await clock.sleep(PAUSE_MS, this.#stopping.signal);
      if (this.#deps.nats.isClosed())
        throw new Error(`The stream ${stream} is no longer read: NATS is closed`);
      const opening = openReader(this.#deps, this.#next).catch(() => undefined);
      messages = await openWithin(opening, atMostMs, clock, this.#stopping.signal);
      atMostMs = Math.min(2 * atMostMs, OPEN_MS_MAX);
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
      await this.#take({ sequence: message.seq, subject: message.subject, data: message.data });
    }
  }

  async #take(message: StreamMessage): Promise<void> {
    this.#isTaking = true;
    await this.#deps.take(message);
    this.#next = message.sequence + 1;
    this.#isTaking = false;
  }

  /** What the reader that is given up did not bring. */
  async #takeSingly(): Promise<void> {
    this.#isStuck = false;
    for (let count = 0; count < SINGLE_MAX && !this.#stopping.signal.aborted; count++) {
      const message = await this.#deps.nextMessage(this.#next).catch(() => undefined);
      if (message === undefined) return;
      await this.#take(message);
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
    let waryUntilMs = -Infinity;
    for (let pauseMs = LOOK_MS; ;) {
      await clock.sleep(pauseMs, this.#stopping.signal);
      if (this.#stopping.signal.aborted || nats.isClosed()) return;
      const found = await watch.look();
      if (found === 'stuck') waryUntilMs = clock.monotonicMs() + WARY_MS;
      const isWary = clock.monotonicMs() < waryUntilMs;
      pauseMs = isWary ? LOOK_WARILY_MS : found === 'behind' ? LOOK_AGAIN_MS : LOOK_MS;
      if (found !== 'stuck') continue;
      this.#isStuck = true;
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

/**
 * @param enough ends the waiting sooner
 * @returns a reader, or undefined where there is none in this time; one that comes later is given up
 */
async function openWithin(
  opening: Promise<ConsumerMessages | undefined>,
  atMostMs: number,
  clock: Clock,
  enough?: AbortSignal,
): Promise<ConsumerMessages | undefined> {
  const waiting = new AbortController();
  const until = enough === undefined ? waiting.signal : AbortSignal.any([waiting.signal, enough]);
  const isLate = clock.sleep(atMostMs, until).then(() => undefined);
  try {
    const messages = await Promise.race([opening, isLate]);
    if (messages === undefined) void opening.then((late) => late?.stop()).catch(() => undefined);
    return messages;
  } finally {
    waiting.abort();
  }
}

async function giveUpWhenSilent(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (type === 'heartbeats_missed') messages.stop();
}
