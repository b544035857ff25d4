/** One stream of JetStream: appending to it, reading it in order, and finding what was said last of a subject. */
import type {
  DeliverPolicy,
  JetStreamClient,
  JetStreamManager,
  MsgRequest,
  StreamConfig,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { UnreachableError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import { patiently } from './patiently.ts';
import { StreamReading, type StreamMessage } from './reading.ts';
import { StuckLeaders } from './stuck-leaders.ts';

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

/** How a stream is kept. */
export interface StreamState {
  /** How many servers are to keep it. */
  readonly replicas: number;
  /** Those beside the leader. */
  readonly others: readonly {
    readonly server: string;
    readonly isCurrent: boolean;
    readonly isOffline: boolean;
    /** Messages that it does not have yet. */
    readonly behind: number;
  }[];
}

/** Something else stands under the subject already. */
export class SubjectTakenError extends Error {
  override readonly name = 'SubjectTakenError';
}

const NS_PER_MS = 1_000_000;
const WRONG_LAST_SEQUENCE = 10_071;
const NO_MESSAGE = 10_037;
const NO_STREAM = 10_059;
const TEMPORARILY_UNAVAILABLE = 10_008;
/** What deleting a message is answered with that is not there. */
const NO_SUCH_PLACE = 10_043;
/** What streams are reached through. */
interface StreamDeps {
  readonly nats: NatsConnection;
  readonly manager: JetStreamManager;
  readonly client: JetStreamClient;
  readonly timeoutMs: number;
  readonly startAt: typeof DeliverPolicy.StartSequence;
  readonly clock: Clock;
  readonly leaders: StuckLeaders;
  readonly report: (sentence: string) => void;
}

const TOO_FEW =
  'Give cluster: nats the servers of one NATS cluster, as many as that and all of them running, or set replicas: 1 in the option ' +
  'cluster, with which one server is enough and nothing is left when it is lost.';
/** What to do when too few servers of JetStream are there. */
export const LEADERLESS =
  'It needs more than half of its servers: start those that are away, or see why they do not reach each other.';
const NO_ROOM =
  'Make room in the store_dir of the NATS servers, or raise their limits of JetStream (max_file_store).';

/** JetStream's codes for a stream that cannot be made, and what to do. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [10_074, TOO_FEW],
  [10_005, TOO_FEW],
  [10_023, NO_ROOM],
  [10_028, NO_ROOM],
  [10_047, NO_ROOM],
]);

/** What is read of a stream. */
export interface StreamSource {
  readonly stream: string;
  /** Of all its messages, with wildcards. */
  readonly subject: string;
}

/** How streams are opened. */
export interface OpenStreams {
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Told what was done about a server that does not write, in one sentence. */
  readonly report: (sentence: string) => void;
}

/** Streams of one connection. */
export class NatsStreams {
  readonly #deps: StreamDeps;

  private constructor(deps: StreamDeps) {
    this.#deps = deps;
  }

  /** @throws UnreachableError when the servers have no JetStream, or too few of them are there */
  static async open(nats: NatsConnection, { timeoutMs, clock, report }: OpenStreams): Promise<NatsStreams> {
    const { jetstream, jetstreamManager, DeliverPolicy: policies } = await import('@nats-io/jetstream');
    try {
      const manager = await jetstreamManager(nats, { timeout: timeoutMs });
      const client = jetstream(nats, { timeout: timeoutMs });
      const leaders = new StuckLeaders({ nats, manager, clock, timeoutMs, report });
      const startAt = policies.StartSequence;
      return new NatsStreams({ nats, manager, client, timeoutMs, startAt, clock, leaders, report });
    } catch (cause) {
      const isAway = isLeaderless(cause) || isTimeout(cause);
      const advice = isAway ? LEADERLESS : 'Start them with JetStream (nats-server -js).';
      throw new UnreachableError(
        `The NATS servers ${isAway ? 'take no messages now' : 'keep no streams'}: ${messageOf(cause)}. ${advice}`,
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
    try {
      await this.#deps.manager.streams.add(config);
    } catch (error) {
      throw refusedStream(error, settings);
    }
    return true;
  }

  /** Makes a stream; one that is there is made to keep messages for at least as long. */
  async ensure(settings: StreamSettings): Promise<void> {
    if (await patiently(() => this.create(settings))) return;
    const { streams } = this.#deps.manager;
    const { config } = await patiently(() => streams.info(settings.name));
    const maxAge = settings.maxAgeMs * NS_PER_MS;
    if (config.max_age > 0 && config.max_age < maxAge)
      await patiently(() => streams.update(settings.name, { max_age: maxAge }));
  }

  async exists(name: string): Promise<boolean> {
    try {
      await this.#deps.manager.streams.info(name);
      return true;
    } catch (error) {
      if (apiCode(error) === NO_STREAM) return false;
      throw error;
    }
  }

  /** Removes a stream with all that is in it. */
  async remove(name: string): Promise<void> {
    await this.#deps.manager.streams.delete(name);
  }

  /** How often a server that did not write let another one lead. */
  get leadersGaveWay(): number {
    return this.#deps.leaders.gaveWay;
  }

  /** The subjects that match and have a message. */
  async subjects(name: string, filter: string): Promise<string[]> {
    const { state } = await this.#deps.manager.streams.info(name, { subjects_filter: filter });
    return Object.keys(state.subjects ?? {});
  }

  /** After a stream did not answer in time: has another server lead it, when that goes on. */
  async unanswered(name: string): Promise<void> {
    await this.#deps.leaders.unanswered(name);
  }

  /** Which servers keep a stream, and how far each is. */
  async state(name: string): Promise<StreamState> {
    const { config, cluster } = await this.#deps.manager.streams.info(name);
    const others = (cluster?.replicas ?? []).map((replica) => ({
      server: replica.name,
      isCurrent: replica.current,
      isOffline: replica.offline === true,
      behind: replica.lag ?? 0,
    }));
    return { replicas: config.num_replicas, others };
  }

  /** The place of a stream's last message, and of the first that is still there. */
  async range(name: string): Promise<{ first: number; last: number }> {
    const { state, cluster } = await this.#deps.manager.streams.info(name);
    this.#deps.leaders.heard(name, cluster?.leader);
    return { first: state.first_seq, last: state.last_seq };
  }

  /**
   * Appends a message.
   * @param options `id`: a message that is sent twice under one id within two minutes is kept once; `after`: the place
   *   of the subject's last message as the sender knows it, 0 for none
   * @returns its place, when the stream has it
   * @throws SubjectTakenError when `after` is no longer right
   */
  async append(
    subject: string,
    data: Uint8Array,
    { id, after }: { readonly id?: string; readonly after?: number } = {},
  ): Promise<number> {
    try {
      const ack = await this.#deps.client.publish(subject, data, {
        timeout: this.#deps.timeoutMs,
        ...(id === undefined ? {} : { msgID: id }),
        ...(after === undefined ? {} : { expect: { lastSubjectSequence: after } }),
      });
      this.#deps.leaders.written(ack.stream);
      return ack.seq;
    } catch (error) {
      if (isTimeout(error)) void this.#deps.leaders.timedOut(subject);
      if (apiCode(error) === WRONG_LAST_SEQUENCE) throw new SubjectTakenError(messageOf(error));
      throw error;
    }
  }

  /** The last message of a subject. */
  last(stream: string, subject: string): Promise<StreamMessage | undefined> {
    return this.#message(stream, { last_by_subj: subject });
  }

  /** The first message of a subject, which may have wildcards, from a place on. */
  next(stream: string, subject: string, from: number): Promise<StreamMessage | undefined> {
    // the library's type leaves it out; all servers since 2.9 know it
    const query: MsgRequest & { readonly next_by_subj: string } = { seq: from, next_by_subj: subject };
    return this.#message(stream, query);
  }

  /** Removes one message. @returns false when it was not there any more */
  async erase(stream: string, sequence: number): Promise<boolean> {
    try {
      return await this.#deps.manager.streams.deleteMessage(stream, sequence, false);
    } catch (error) {
      if (apiCode(error) === NO_MESSAGE || apiCode(error) === NO_SUCH_PLACE) return false;
      throw error;
    }
  }

  async #message(stream: string, query: MsgRequest): Promise<StreamMessage | undefined> {
    try {
      const message = await this.#deps.manager.streams.getMessage(stream, query);
      return message === null
        ? undefined
        : { sequence: message.seq, subject: message.subject, data: message.data };
    } catch (error) {
      if (apiCode(error) === NO_MESSAGE) return undefined;
      throw error;
    }
  }

  /**
   * Reads a stream from a place on, in order and without a gap, over every break of the connection and every death of a
   * server.
   * @param take done with one message before it is given the next
   */
  follow(
    { stream, subject }: StreamSource,
    from: number,
    take: (message: StreamMessage) => void | Promise<void>,
  ): Promise<StreamReading> {
    const { nats, client, startAt, clock, report } = this.#deps;
    const lastPlace = async (): Promise<number> => (await this.range(stream)).last;
    const lastMessage = async (): Promise<number> => (await this.last(stream, subject))?.sequence ?? 0;
    const nextMessage = (place: number): Promise<StreamMessage | undefined> =>
      this.next(stream, subject, place);
    const deps = { nats, client, startAt, clock, report, stream, take, lastPlace, lastMessage, nextMessage };
    return patiently(() => StreamReading.start(deps, from));
  }

  /**
   * Reads a stream from behind a place on, like {@link follow}. What is there now ends with the last message and not
   * with the last place: servers of a cluster count the places of messages that they have refused, too.
   * @param after the last place that was taken, 0 for none
   * @returns when what the stream has now was taken @throws what `take` throws until then
   */
  async catchUp(
    source: StreamSource,
    after: number,
    take: (message: StreamMessage) => void | Promise<void>,
  ): Promise<StreamReading> {
    const last = (await patiently(() => this.last(source.stream, source.subject)))?.sequence ?? 0;
    let caughtUp = (): void => undefined;
    const whenThere =
      after >= last ? Promise.resolve() : new Promise<void>((resolve) => (caughtUp = resolve));
    const reading = await this.follow(source, after + 1, async (message) => {
      await take(message);
      if (message.sequence >= last) caughtUp();
    });
    await Promise.race([whenThere, reading.ended]);
    // from now on an error is nobody's: it ends the process
    void reading.ended.then();
    return reading;
  }
}

/** True when the servers of JetStream have not found each other, or too few of them run. */
export function isLeaderless(error: unknown): boolean {
  return apiCode(error) === TEMPORARILY_UNAVAILABLE;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/**
 * What NATS says of a stream that it does not make, with what to do; anything else stays as it is, a time that ran out
 * among them.
 */
function refusedStream(error: unknown, { name, replicas }: StreamSettings): unknown {
  const advice = ADVICE.get(apiCode(error) ?? 0);
  if (advice === undefined) return error;
  return new UnreachableError(
    `NATS does not make the stream ${name}, of which ${replicas} ${replicas === 1 ? 'server keeps' : 'servers keep'} each message: ` +
      `${messageOf(error)}. ${advice}`,
    { cause: error },
  );
}

function apiCode(error: unknown): number | undefined {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}
