/** One stream of JetStream: appending to it, reading it in order, and finding what was said last of a subject. */
import type { DeliverPolicy, JetStreamClient, JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { UnreachableError, messageOf } from '../../errors/errors.ts';

/** A message of a stream. */
export interface StreamMessage {
  /** Its place in the stream, from 1. */
  readonly sequence: number;
  readonly subject: string;
  readonly data: Uint8Array;
  /** How many are left behind it. */
  readonly pending: number;
}

/** What a stream is like. */
export interface StreamSettings {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly replicas: number;
  /** 0 keeps messages for ever. */
  readonly maxAgeMs: number;
  /** How many messages of one subject are kept; -1 for all. */
  readonly perSubject: number;
}

/** Something else stands under the subject already. */
export class SubjectTakenError extends Error {
  override readonly name = 'SubjectTakenError';
}

const NS_PER_MS = 1_000_000;
const WRONG_LAST_SEQUENCE = 10_071;
const NO_MESSAGE = 10_037;
const NO_STREAM = 10_059;
/** A reader that the servers have lost, as they do when they start anew, is made again when two of these have not come. */
const HEARTBEAT_MS = 750;
const EXPIRES_MS = 5_000;
/** Messages that the server sends ahead. */
const AHEAD_MAX = 500;

/** Streams of one connection. */
export class NatsStreams {
  readonly #manager: JetStreamManager;
  readonly #client: JetStreamClient;
  readonly #timeoutMs: number;
  readonly #startAt: typeof DeliverPolicy.StartSequence;

  private constructor(
    manager: JetStreamManager,
    client: JetStreamClient,
    startAt: typeof DeliverPolicy.StartSequence,
    timeoutMs: number,
  ) {
    this.#manager = manager;
    this.#client = client;
    this.#startAt = startAt;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws UnreachableError when the servers have no JetStream */
  static async open(nats: NatsConnection, timeoutMs: number): Promise<NatsStreams> {
    const { jetstream, jetstreamManager, DeliverPolicy: policies } = await import('@nats-io/jetstream');
    try {
      const manager = await jetstreamManager(nats, { timeout: timeoutMs });
      const client = jetstream(nats, { timeout: timeoutMs });
      return new NatsStreams(manager, client, policies.StartSequence, timeoutMs);
    } catch (cause) {
      throw new UnreachableError(
        `The NATS servers keep no streams: ${messageOf(cause)}. Start them with JetStream (nats-server -js).`,
        { cause },
      );
    }
  }

  /** Makes a stream. @returns false when there is one of this name already */
  async create(settings: StreamSettings): Promise<boolean> {
    if (await this.exists(settings.name)) return false;
    const config: Partial<StreamConfig> & { name: string } = {
      name: settings.name,
      subjects: [...settings.subjects],
      num_replicas: settings.replicas,
      max_age: settings.maxAgeMs * NS_PER_MS,
      max_msgs_per_subject: settings.perSubject,
    };
    await this.#manager.streams.add(config);
    return true;
  }

  async exists(name: string): Promise<boolean> {
    try {
      await this.#manager.streams.info(name);
      return true;
    } catch (error) {
      if (apiCode(error) === NO_STREAM) return false;
      throw error;
    }
  }

  /** Removes a stream with all that is in it. */
  async remove(name: string): Promise<void> {
    await this.#manager.streams.delete(name);
  }

  /** The subjects that match and have a message. */
  async subjects(name: string, filter: string): Promise<string[]> {
    const { state } = await this.#manager.streams.info(name, { subjects_filter: filter });
    return Object.keys(state.subjects ?? {});
  }

  /** The place of a stream's last message, and of the first that is still there. */
  async range(name: string): Promise<{ first: number; last: number }> {
    const { state } = await this.#manager.streams.info(name);
    return { first: state.first_seq, last: state.last_seq };
  }

  /**
   * Appends a message.
   * @param options `id`: a message that is sent twice under one id within two minutes is kept once; `after`: the place of the subject's
   *   last message as the sender knows it, 0 for none
   * @returns its place, when the stream has it
   * @throws SubjectTakenError when `after` is no longer right
   */
  async append(
    subject: string,
    data: Uint8Array,
    { id, after }: { readonly id?: string; readonly after?: number } = {},
  ): Promise<number> {
    try {
      const ack = await this.#client.publish(subject, data, {
        timeout: this.#timeoutMs,
        ...(id === undefined ? {} : { msgID: id }),
        ...(after === undefined ? {} : { expect: { lastSubjectSequence: after } }),
      });
      return ack.seq;
    } catch (error) {
      if (apiCode(error) === WRONG_LAST_SEQUENCE) throw new SubjectTakenError(messageOf(error));
      throw error;
    }
  }

  /** The last message of a subject. */
  async last(stream: string, subject: string): Promise<Omit<StreamMessage, 'pending'> | undefined> {
    try {
      const message = await this.#manager.streams.getMessage(stream, { last_by_subj: subject });
      return message === null
        ? undefined
        : { sequence: message.seq, subject: message.subject, data: message.data };
    } catch (error) {
      if (apiCode(error) === NO_MESSAGE) return undefined;
      throw error;
    }
  }

  /**
   * Reads a stream from a place on, in order and without a gap, over every break of the connection.
   * @param take done with one message before it is given the next
   * @returns what ends it
   */
  async follow(
    stream: string,
    from: number,
    take: (message: StreamMessage) => void | Promise<void>,
  ): Promise<{ stop(): Promise<void>; readonly ended: Promise<void> }> {
    const consumer = await this.#client.consumers.get(stream, {
      deliver_policy: this.#startAt,
      opt_start_seq: Math.max(1, from),
    });
    const messages = await consumer.consume({
      max_messages: AHEAD_MAX,
      expires: EXPIRES_MS,
      idle_heartbeat: HEARTBEAT_MS,
    });
    const ended = (async () => {
      for await (const message of messages)
        await take({
          sequence: message.seq,
          subject: message.subject,
          data: message.data,
          pending: message.info.pending,
        });
    })();
    return {
      ended,
      stop: async () => {
        await messages.close();
        await ended.catch(() => undefined);
      },
    };
  }
}

function apiCode(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}
