/**
 * JetStream, the part of NATS that keeps messages: its API is JSON in requests to subjects below `$JS.API` (nats.io,
 * ADR-1, ADR-15), so the connection is all that it needs.
 */
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import { CommandExecutionError } from '../../../errors/errors.ts';
import { toNumber, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { parseJson, toJson } from '../../../formats/json/text.ts';

const NOT_FOUND = 404;
const WRONG_LAST_SEQUENCE = 10_071;
const STREAM_NAME_IN_USE = 10_058;
/** Messages asked for at once. Each is at most as large as the server's `max_payload`. */
const PULL_COUNT = 100;
/** After how long without a question the server forgets a reader that has gone. */
const READER_NS = 60_000_000_000;
const NS_PER_MS = 1_000_000;

/** The API said no. */
export class JetStreamError extends CommandExecutionError {
  /** As in HTTP. */
  readonly code: number;
  readonly apiCode: number;

  constructor(what: string, error: Dict) {
    super(`JetStream refused ${what}: ${String(error.get('description') ?? 'no reason given')}`);
    this.code = toNumber(error.get('code')) ?? 0;
    this.apiCode = toNumber(error.get('err_code')) ?? 0;
  }
}

/** A message as it is kept. */
export interface KeptMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** The value of one of its headers; empty where it has none. */
  header(name: string): string;
}

/** Speaks with JetStream. */
export class JetStream {
  readonly #nats: NatsConnection;
  readonly #timeoutMs: number;
  readonly #newHeaders: () => MsgHdrs;
  readonly #newInbox: () => string;

  /** @param driver the module `@nats-io/transport-node`, which is imported only when it is needed */
  constructor(
    nats: NatsConnection,
    timeoutMs: number,
    driver: { headers(): MsgHdrs; createInbox(): string },
  ) {
    this.#nats = nats;
    this.#timeoutMs = timeoutMs;
    this.#newHeaders = () => driver.headers();
    this.#newInbox = () => driver.createInbox();
  }

  /** Asks the API. @throws JetStreamError @throws RequestError without JetStream */
  async ask(what: string, body: Dict = new Map()): Promise<Dict> {
    const text = body.size === 0 ? '' : toJson(body);
    const reply = await this.#nats.request(`$JS.API.${what}`, text, { timeout: this.#timeoutMs });
    return answerOf(what, reply);
  }

  /** Makes a stream. @returns false when there is one of this name already, whatever its settings */
  async createStream(config: Dict): Promise<boolean> {
    const name = String(config.get('name'));
    try {
      await this.ask(`STREAM.INFO.${name}`);
      return false;
    } catch (error) {
      if (!(error instanceof JetStreamError) || error.code !== NOT_FOUND) throw error;
    }
    try {
      await this.ask(`STREAM.CREATE.${name}`, config);
      return true;
    } catch (error) {
      // another was faster
      if (error instanceof JetStreamError && error.apiCode === STREAM_NAME_IN_USE) return false;
      throw error;
    }
  }

  /**
   * Publishes a message and waits until a stream has it.
   * @param headers `Nats-Expected-Last-Subject-Sequence: 0` keeps what is under the subject already
   * @returns false when there was one already
   */
  async publish(subject: string, data: Uint8Array, headers: ReadonlyMap<string, string>): Promise<boolean> {
    const sent = this.#newHeaders();
    for (const [name, value] of headers) sent.set(name, value);
    const reply = await this.#nats.request(subject, data, { timeout: this.#timeoutMs, headers: sent });
    try {
      return answerOf(`a message for ${subject}`, reply).get('duplicate') !== true;
    } catch (error) {
      if (error instanceof JetStreamError && error.apiCode === WRONG_LAST_SEQUENCE) return false;
      throw error;
    }
  }

  /** The last message of a subject. */
  async last(stream: string, subject: string): Promise<KeptMessage | undefined> {
    try {
      const reply = await this.ask(`STREAM.MSG.GET.${stream}`, new Map([['last_by_subj', subject]]));
      const message = reply.get('message');
      return isDict(message) ? keptMessage(message) : undefined;
    } catch (error) {
      if (error instanceof JetStreamError && error.code === NOT_FOUND) return undefined;
      throw error;
    }
  }

  /** The last message of every subject that matches, in portions that the server is asked for one by one. */
  async *all(stream: string, filter: string): AsyncGenerator<KeptMessage[]> {
    const reader = await this.#reader(stream, [
      ['filter_subject', filter],
      ['deliver_policy', 'last_per_subject'],
    ]);
    const name = String(reader.get('name'));
    try {
      let left = toNumber(reader.get('num_pending')) ?? 0;
      while (left > 0) {
        const messages = await this.#pull(stream, name, Math.min(left, PULL_COUNT));
        if (messages.length === 0) return; // what was left has been removed meanwhile
        left -= messages.length;
        yield messages.map((message) => ({
          subject: message.subject,
          data: message.data,
          header: (field) => message.headers?.get(field) ?? '',
        }));
      }
    } finally {
      await this.ask(`CONSUMER.DELETE.${stream}.${name}`).catch(() => undefined);
    }
  }

  /** The subjects that match and have a message, in portions. */
  async *subjects(stream: string, filter: string): AsyncGenerator<string[]> {
    for (let offset = 0, total = 1; offset < total;) {
      const body = new Map<Value, Value>([
        ['subjects_filter', filter],
        ['offset', offset],
      ]);
      const info = await this.ask(`STREAM.INFO.${stream}`, body);
      const state = info.get('state');
      const found = isDict(state) ? state.get('subjects') : undefined;
      if (!isDict(found) || found.size === 0) return;
      yield [...found.keys()].map(String);
      offset += found.size;
      total = toNumber(info.get('total')) ?? 0;
    }
  }

  /** Removes the messages of a subject. */
  async purge(stream: string, filter: string): Promise<void> {
    await this.ask(`STREAM.PURGE.${stream}`, new Map([['filter', filter]]));
  }

  /** Removes the messages that came before a time, milliseconds since 1970. */
  async purgeBefore(stream: string, atMs: number): Promise<void> {
    const reader = await this.#reader(stream, [
      ['deliver_policy', 'by_start_time'],
      ['opt_start_time', new Date(atMs).toISOString()],
    ]);
    await this.ask(`CONSUMER.DELETE.${stream}.${String(reader.get('name'))}`).catch(() => undefined);
    const delivered = reader.get('delivered');
    const before = isDict(delivered) ? toNumber(delivered.get('stream_seq')) : undefined;
    if (before !== undefined && before > 0)
      await this.ask(`STREAM.PURGE.${stream}`, new Map([['seq', before + 1]]));
  }

  /** A reader that the server forgets by itself. */
  #reader(stream: string, config: readonly [string, Value][]): Promise<Dict> {
    const all = new Map<Value, Value>([
      ...config,
      ['ack_policy', 'none'],
      ['mem_storage', true],
      ['num_replicas', 1],
      ['inactive_threshold', READER_NS],
    ]);
    return this.ask(
      `CONSUMER.CREATE.${stream}`,
      new Map<Value, Value>([
        ['stream_name', stream],
        ['config', all],
      ]),
    );
  }

  /** Asks for messages; they come under their own subjects to an inbox, a message with a status ends them early. */
  async #pull(stream: string, reader: string, count: number): Promise<Msg[]> {
    const inbox = this.#newInbox();
    const subscription = this.#nats.subscribe(inbox, { max: count, timeout: this.#timeoutMs });
    const body = new Map<Value, Value>([
      ['batch', count],
      ['expires', this.#timeoutMs * NS_PER_MS],
    ]);
    this.#nats.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${reader}`, toJson(body), { reply: inbox });
    const messages: Msg[] = [];
    for await (const message of subscription) {
      if (message.headers?.code) break;
      messages.push(message);
    }
    return messages;
  }
}

function answerOf(what: string, reply: Msg): Dict {
  const answer = parseJson(reply.string());
  if (!isDict(answer)) throw new CommandExecutionError(`JetStream answered ${what} with what is no mapping.`);
  const error = answer.get('error');
  if (isDict(error)) throw new JetStreamError(what, error);
  return answer;
}

/** A message out of the answer of `STREAM.MSG.GET`; its headers come as the text of the protocol. */
function keptMessage(message: Dict): KeptMessage {
  const bytes = (name: string): Buffer => Buffer.from(String(message.get(name) ?? ''), 'base64');
  const lines = bytes('hdrs').toString('utf8').split('\r\n');
  return {
    subject: String(message.get('subject')),
    data: bytes('data'),
    header: (name) =>
      lines
        .find((line) => line.startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim() ?? '',
  };
}
