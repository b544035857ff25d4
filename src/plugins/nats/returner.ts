/**
 * `nats`: returns, jobs and events as messages (`returner/subjects.ts`), for whoever subscribes; with JetStream they
 * are kept, too, and can be looked up. Salt has no such returner.
 */
import type { NatsConnection } from '@nats-io/transport-node';
import { BrineError, ConfigError, messageOf } from '../../errors/errors.ts';
import { jidTimeMs } from '../../storage/jobs/jid.ts';
import { parseJson } from '../../formats/json/text.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { digestOf } from '../shared/returner/content-digest.ts';
import { storeError, StoreUnavailableError } from '../../network/databases/errors.ts';
import { JetStream, JetStreamError, type KeptMessage } from './returner/jetstream.ts';
import { connectNats, natsServers } from './returner/connection.ts';
import { Subjects } from './returner/subjects.ts';
import { OneConnection } from '../shared/returner/one-connection.ts';
import {
  KEEP_JOBS_SECONDS,
  type JidReturns,
  type ReturnStore,
  type SavedEvent,
  type SavedLoad,
  type StoreKind,
  type StoreSettings,
} from '../shared/returner/return-store.ts';
import { storeJson } from '../shared/returner/store-json.ts';
import { flagOption, intOption, textOption } from '../shared/returner/store-options.ts';
import { within } from '../shared/returner/time-limit.ts';
import { systemClock } from '../../host/clock.ts';

const NS_PER_SECOND = 1e9;
/** Requests under way at once. */
const IN_FLIGHT_MAX = 256;
/** What a message's subject and headers may take of the server's `max_payload`. */
const ENVELOPE_BYTES = 8192;
/** Keeps the message that is under a subject already. */
const ONLY_FIRST: ReadonlyMap<string, string> = new Map([['Nats-Expected-Last-Subject-Sequence', '0']]);
const PARTS = 'Salt-Parts';

/** NATS, with JetStream or without. */
export const natsKind: StoreKind = {
  name: 'nats',
  file: 'nats_return',
  optionPrefix: 'nats',
  defaults: new Map<string, Value | undefined>([
    ['servers', '127.0.0.1:4222'],
    ...['user', 'password', 'token', 'creds', 'tls', 'tls_ca', 'tls_cert', 'tls_key'].map(
      (name) => [name, undefined] as const,
    ),
    ['subject_prefix', 'salt'],
    ['stream_prefix', 'SALT'],
    ['replicas', 1],
    ['core_only', undefined],
  ]),
  open: (settings) => new NatsStore(settings),
};

/** What one connection has. */
interface Connected {
  readonly nats: NatsConnection;
  /** Undefined where the server keeps nothing. */
  readonly jetStream: JetStream | undefined;
}

interface Outgoing {
  readonly subject: string;
  readonly json: string;
  /** The job it belongs to, which may be cut into pieces; undefined for what must fit. */
  readonly jid?: string;
  readonly headers?: ReadonlyMap<string, string>;
  /** What is sent when the message is too large and nothing can put pieces together again. */
  readonly instead: (bytes: number, max: number) => string;
}

class NatsStore implements ReturnStore {
  readonly #settings: StoreSettings;
  readonly #subjects: Subjects;
  readonly #connection: OneConnection<Connected>;
  readonly #jobs: string;
  readonly #events: string;

  constructor(settings: StoreSettings) {
    this.#settings = settings;
    const { options } = settings;
    this.#subjects = new Subjects(
      name(options.get('subject_prefix') ?? 'salt', 'nats.subject_prefix', /^[\w-]+(\.[\w-]+)*$/),
    );
    const streams = name(options.get('stream_prefix') ?? 'SALT', 'nats.stream_prefix', /^[\w-]+$/);
    [this.#jobs, this.#events] = [`${streams}_JOBS`, `${streams}_EVENTS`];
    this.#connection = new OneConnection({
      open: () => this.#connect(),
      close: ({ nats }) => within(this.#clock, 1000, 'It', nats.close()),
      isOpen: ({ nats }) => !nats.isClosed(),
      isAnswer: (error) => error instanceof JetStreamError || error instanceof ConfigError,
    });
  }

  createSchema(): Promise<string[]> {
    return this.#use(async ({ jetStream }) =>
      jetStream === undefined ? [] : await this.#createStreams(jetStream),
    );
  }

  saveReturns(rets: readonly Dict[]): Promise<void> {
    const out: Outgoing[] = [];
    const last = new Map<string, Outgoing>();
    for (const ret of rets) {
      const [jid, id, fun] = [String(ret.get('jid')), String(ret.get('id')), pyStr(ret.get('fun') ?? null)];
      const instead = (bytes: number, max: number): string =>
        storeJson(new Map([...ret, ['return', tooLarge(bytes, max)]]));
      out.push({
        subject: this.#subjects.ret(jid, id),
        json: storeJson(ret),
        jid,
        headers: ONLY_FIRST,
        instead,
      });
      const json = storeJson(dict({ id, jid }));
      const subject = this.#subjects.minion(id, fun);
      last.set(subject, { subject, json, instead: () => json });
    }
    return this.#send(out, [...last.values()]);
  }

  saveLoads(loads: readonly SavedLoad[]): Promise<void> {
    return this.#send(
      loads.map(({ jid, load }) => ({
        subject: this.#subjects.job(jid, 'load'),
        json: storeJson(load),
        jid,
        headers: ONLY_FIRST,
        instead: (bytes, max) => storeJson(new Map([...load, ['arg', [tooLarge(bytes, max)]]])),
      })),
    );
  }

  saveEvents(events: readonly SavedEvent[], masterId: string): Promise<void> {
    return this.#send(
      events.map(({ tag, data }) => {
        const json = storeJson(dict({ tag, data, master_id: masterId }));
        const stamp = data.get('_stamp') ?? null;
        return {
          subject: this.#subjects.event(tag),
          json,
          // within its window the server drops the second of two with the same id
          headers: new Map([['Nats-Msg-Id', digestOf(json)]]),
          instead: (bytes, max) =>
            storeJson(
              dict({ tag, data: { _stamp: stamp, too_large: tooLarge(bytes, max) }, master_id: masterId }),
            ),
        };
      }),
    );
  }

  load(jid: string): Promise<Dict | undefined> {
    return this.#read(async (jetStream) => {
      const message = await jetStream.last(this.#jobs, this.#subjects.job(jid, 'load'));
      return message && (await this.#content(jetStream, message));
    });
  }

  returns(jid: string): Promise<JidReturns> {
    return this.#read(async (jetStream) => {
      const out = new Map<string, Dict>();
      for await (const messages of jetStream.all(this.#jobs, this.#subjects.ret(jid)))
        for (const message of messages) {
          const ret = await this.#content(jetStream, message);
          if (ret !== undefined) out.set(String(ret.get('id')), ret);
        }
      return out;
    });
  }

  lastReturns(fun: string): Promise<ReadonlyMap<string, Value>> {
    return this.#read(async (jetStream) => {
      const out = new Map<string, Value>();
      for await (const messages of jetStream.all(this.#jobs, this.#subjects.minion(undefined, fun)))
        await Promise.all(
          messages.map(async (message) => {
            const known = parseDict(message.data);
            const [id, jid] = [String(known?.get('id')), String(known?.get('jid'))];
            const found = await jetStream.last(this.#jobs, this.#subjects.ret(jid, id));
            const ret = found && (await this.#content(jetStream, found));
            if (ret) out.set(id, ret.get('return') ?? null);
          }),
        );
      return out;
    });
  }

  loads(): Promise<ReadonlyMap<string, Dict>> {
    return this.#read(async (jetStream) => {
      const out = new Map<string, Dict>();
      for await (const messages of jetStream.all(this.#jobs, this.#subjects.allLoads))
        for (const message of messages) {
          const load = await this.#content(jetStream, message);
          if (load !== undefined) out.set(this.#subjects.jidOf(message.subject), load);
        }
      return out;
    });
  }

  minions(): Promise<string[]> {
    return this.#read(async (jetStream) => {
      const out = new Set<string>();
      for await (const messages of jetStream.all(this.#jobs, this.#subjects.allMinions))
        for (const { data } of messages) out.add(String(parseDict(data)?.get('id')));
      return [...out];
    });
  }

  /**
   * The streams forget by themselves, by when a message came; this goes by the time in the jid, for the jobs whose
   * loads are here: to look at all returns would be too much.
   */
  removeOlderThan(atMs: number): Promise<void> {
    return this.#use(async ({ jetStream }) => {
      if (jetStream === undefined) return;
      const old = new Set<string>();
      for await (const subjects of jetStream.subjects(this.#jobs, this.#subjects.allLoads))
        for (const subject of subjects) {
          const jid = this.#subjects.jidOf(subject);
          if ((jidTimeMs(jid) ?? atMs) < atMs) old.add(jid);
        }
      await inParallel([...old], (jid) => jetStream.purge(this.#jobs, this.#subjects.job(jid, '>')));
      await jetStream.purgeBefore(this.#events, atMs);
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  get #clock(): typeof systemClock {
    return this.#settings.clock ?? systemClock;
  }

  async #connect(): Promise<Connected> {
    const driver = await import('@nats-io/transport-node');
    const { options, timeoutMs } = this.#settings;
    const nats = await connectNats(this.#settings);
    const isKept = nats.info?.jetstream === true && !flagOption(options, 'core_only');
    return { nats, jetStream: isKept ? new JetStream(nats, timeoutMs, driver) : undefined };
  }

  /** Makes the streams that are missing. */
  async #createStreams(jetStream: JetStream): Promise<string[]> {
    const { options, keepJobsSeconds = KEEP_JOBS_SECONDS } = this.#settings;
    const subjects = this.#subjects;
    const replicas = intOption(options, 'replicas', 'nats.replicas') ?? 1;
    const shape = { storage: 'file', num_replicas: replicas, max_age: keepJobsSeconds * NS_PER_SECOND };
    const wanted = [
      // a return, and a load, is the only message under its subject
      dict({
        name: this.#jobs,
        subjects: [subjects.allJobs, subjects.allMinions],
        max_msgs_per_subject: 1,
        ...shape,
      }),
      dict({ name: this.#events, subjects: [subjects.allEvents], ...shape }),
    ];
    const made: string[] = [];
    for (const config of wanted)
      if (await jetStream.createStream(config)) made.push(`stream ${String(config.get('name'))}`);
    return made;
  }

  /** Sends messages, `then` after all of the first. Streams that are missing are made on the way. */
  #send(messages: readonly Outgoing[], then: readonly Outgoing[] = []): Promise<void> {
    if (messages.length === 0) return Promise.resolve();
    return this.#use(async ({ nats, jetStream }) => {
      if (jetStream === undefined) return this.#publish(nats, [...messages, ...then]);
      const keep = async (): Promise<void> => {
        await inParallel(messages, (message) => this.#keep(nats, jetStream, message));
        await inParallel(then, (message) => this.#keep(nats, jetStream, message));
      };
      try {
        await keep();
      } catch (error) {
        if (!isUnheard(error) || (await this.#createStreams(jetStream)).length === 0) throw error;
        await keep();
      }
    });
  }

  /** Without JetStream: to whoever listens now. That the server has it is all that can be known. */
  async #publish(nats: NatsConnection, messages: readonly Outgoing[]): Promise<void> {
    const max = maxBytes(nats);
    for (const { subject, json, instead } of messages) {
      const bytes = Buffer.byteLength(json);
      nats.publish(subject, bytes > max ? instead(bytes, max) : json);
    }
    await within(this.#clock, this.#settings.timeoutMs, 'It', nats.flush());
  }

  async #keep(nats: NatsConnection, jetStream: JetStream, message: Outgoing): Promise<void> {
    const { subject, json, jid, headers = new Map<string, string>(), instead } = message;
    const data = Buffer.from(json);
    const max = maxBytes(nats);
    if (data.length <= max) return void (await jetStream.publish(subject, data, headers));
    if (jid === undefined)
      return void (await jetStream.publish(subject, Buffer.from(instead(data.length, max)), headers));
    const digest = digestOf(data);
    const count = Math.ceil(data.length / max);
    for (let number = 0; number < count; number++)
      await jetStream.publish(
        this.#subjects.part(jid, digest, number),
        data.subarray(number * max, (number + 1) * max),
        ONLY_FIRST,
      );
    const parts = new Map([...headers, [PARTS, `${count} ${digest}`]]);
    await jetStream.publish(subject, new Uint8Array(), parts);
  }

  /** What a message says, put together from its pieces where it has any. */
  async #content(jetStream: JetStream, message: KeptMessage): Promise<Dict | undefined> {
    const parts = message.header(PARTS);
    if (parts === '') return parseDict(message.data);
    const [count, digest = ''] = parts.split(' ');
    const jid = this.#subjects.jidOf(message.subject);
    const pieces: Uint8Array[] = [];
    for (let number = 0; number < Number(count); number++) {
      const piece = await jetStream.last(this.#jobs, this.#subjects.part(jid, digest, number));
      if (piece === undefined) return undefined; // it is just being removed
      pieces.push(piece.data);
    }
    return parseDict(Buffer.concat(pieces));
  }

  /** Reads; streams that nobody has made yet are empty. */
  #read<T>(run: (jetStream: JetStream) => Promise<T>): Promise<T> {
    return this.#use(async ({ jetStream }) => {
      if (jetStream === undefined)
        throw new ConfigError(
          `The NATS server at ${natsServers(this.#settings.options).join(', ')} keeps no messages, so nothing can be ` +
            'looked up: start it with JetStream (nats-server -js).',
        );
      try {
        return await run(jetStream);
      } catch (error) {
        const made = error instanceof JetStreamError ? await this.#createStreams(jetStream) : [];
        if (made.length === 0) throw error;
        return run(jetStream);
      }
    });
  }

  async #use<T>(run: (connected: Connected) => Promise<T>): Promise<T> {
    try {
      return await this.#connection.use(run);
    } catch (error) {
      const where = natsServers(this.#settings.options).join(', ');
      if (error instanceof JetStreamError) {
        // 400 is about the message; the others are no room, no stream, no majority
        throw storeError(`NATS at ${where}: ${error.message}`, error.code === 400, error);
      }
      if (error instanceof BrineError && error.message.includes(where)) throw error;
      if (error instanceof ConfigError) throw error;
      throw new StoreUnavailableError(`NATS at ${where} did not do it: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

/** A name that becomes part of subjects. @throws ConfigError */
function name(value: Value, option: string, allowed: RegExp): string {
  const text = textOption(new Map([['name', value]]), 'name') ?? '';
  if (!allowed.test(text))
    throw new ConfigError(`${option} may have letters, digits, - and _ only, not ${JSON.stringify(text)}.`);
  return text;
}

function maxBytes(nats: NatsConnection): number {
  return Math.max(1024, (nats.info?.max_payload ?? 2 ** 20) - ENVELOPE_BYTES);
}

function tooLarge(bytes: number, max: number): string {
  return `Too large for this NATS server: ${bytes} bytes of at most ${max}.`;
}

/** Whether nobody took a message: its stream is missing. */
function isUnheard(error: unknown): boolean {
  const { cause } = error as Error;
  return [error, cause].some((each) => each instanceof Error && each.name.startsWith('NoResponders'));
}

function parseDict(data: Uint8Array): Dict | undefined {
  if (data.length === 0) return undefined;
  const value = parseJson(Buffer.from(data).toString('utf8'));
  return isDict(value) ? value : undefined;
}

/** Runs something for each item, some at a time; ends when all have ended. @throws the first error */
async function inParallel<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT_MAX, items.length) }, worker));
}
