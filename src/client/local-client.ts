/**
 * Publishing jobs from a local program: the request to the master, and the event bus that was listened to before the request
 * was sent (salt/client/__init__.py `LocalClient`, 3006.16; wire-protocol.md, 4.7 and 6.3).
 */
import { existsSync } from 'node:fs';
import type { MasterOptions } from '../config/master-options.ts';
import { EventBusReader } from '../events/bus-client.ts';
import type { BusEvent } from '../events/framing.ts';
import type { Clock } from '../host/clock.ts';
import type { Random } from '../host/random.ts';
import { masterSockets } from '../config/master-sockets.ts';
import { readSsl } from '../config/ssl.ts';
import { masterTransports } from '../config/transports.ts';
import type { RequestClient } from '../transport/transport.ts';
import { requestClient } from '../transport/transports.ts';
import { isDict, type Dict, type Value } from '../values/value.ts';
import { PROTOCOL_VERSION } from '../wire/envelope.ts';
import { decode, encode, type Encodable } from '../wire/msgpack.ts';
import { CLIENT_TEXTS, ClientError, MasterDownError, NoMinionsError, NotAuthorisedError } from './errors.ts';
import { userCredentials, type UserCredentials } from './user-key.ts';

const REPLY_BYTES_MAX = 256 * 1024 * 1024;
/** Time for the master to answer a publish request. */
const PUBLISH_TIMEOUT_MS = 15_000;
/** Events kept between the request and its reply, when the jid is not known yet. */
const EARLY_EVENTS_MAX = 100_000;
/** A master that is silently gone is noticed within twice this. */
const HEARTBEAT_MS = 10_000;
const RECONNECT_MS = 50;
const RECONNECT_TRIES = 100;

/** A job to publish. */
export interface PublishOptions {
  readonly tgt: Value;
  readonly tgtType: string;
  readonly fun: string | readonly string[];
  readonly arg: readonly Value[];
  /** Returners for the minions, comma-separated. */
  readonly ret?: string;
  readonly jid?: string;
  readonly timeoutMs: number;
  readonly kwargs?: Dict;
}

/** A published job. */
export interface PublishedJob {
  readonly jid: string;
  readonly minions: readonly string[];
  /** Names of a list target that have no accepted key. */
  readonly missing: readonly string[];
  /** Expected minions that are known to be away, and since when (UTC). Only a Brine master knows. */
  readonly lost: ReadonlyMap<string, string>;
  /** Expected minions that have never identified themselves: real Salt minions, or ones that were never here. Only a Brine master knows. */
  readonly strange?: readonly string[];
}

/** What the client is made of. */
export interface LocalClientParts {
  readonly opts: MasterOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly random: Random;
}

/** Listens to one job's events. */
export type JobListener = (event: BusEvent) => void;

/** Told that a minion's connection was lost; `at` is UTC. */
export type LostListener = (id: string, at: string) => void;

/** See the file's comment. */
export class LocalClient {
  readonly #parts: LocalClientParts;
  readonly #requester: RequestClient;
  readonly #listeners = new Map<string, JobListener>();
  readonly #gapListeners = new Set<() => void>();
  readonly #lostListeners = new Set<LostListener>();
  #reader: EventBusReader | undefined;
  /** Events of jobs that nobody listens to yet, while publish requests are under way. */
  #early: BusEvent[] = [];
  #publishing = 0;
  #closed = false;

  private constructor(parts: LocalClientParts) {
    this.#parts = parts;
    const { clock, random } = parts;
    const [{ name, opts }] = masterTransports(parts.opts);
    const ssl = name === 'zeromq' ? undefined : readSsl(opts.raw('ssl'));
    this.#requester = requestClient(name, {
      address: () => ({ host: localAddress(opts.get('interface')), port: opts.get('ret_port') }),
      messageBytesMax: REPLY_BYTES_MAX,
      pendingMax: 1000,
      heartbeatMs: HEARTBEAT_MS,
      reconnectMs: { min: 20, max: 500 },
      ...(ssl === undefined ? {} : { ssl }),
      clock,
      random,
    });
  }

  /** Connects to the event bus. @throws MasterDownError */
  static async connect(parts: LocalClientParts): Promise<LocalClient> {
    const client = new LocalClient(parts);
    if (!existsSync(masterSockets(parts.opts).publishPull))
      throw new MasterDownError(CLIENT_TEXTS.masterDown);
    client.#requester.open();
    try {
      await client.#listen();
    } catch (cause) {
      client.close();
      throw new MasterDownError(CLIENT_TEXTS.masterDown, { cause });
    }
    return client;
  }

  /**
   * Publishes a job and gives its events to `listener`, from the first one on.
   * @throws ClientError with Salt's text, NoMinionsError when nobody matches
   */
  async publish(options: PublishOptions, listener: JobListener): Promise<PublishedJob> {
    this.#publishing++;
    try {
      const job = readReply(await this.#requestTwice(options));
      this.#listeners.set(job.jid, listener);
      for (const event of this.#early) if (jidOf(event.tag) === job.jid) listener(event);
      return job;
    } finally {
      if (--this.#publishing === 0) this.#early = [];
    }
  }

  /** Gives the events of a job that somebody else has published to `listener`. */
  follow(jid: string, listener: JobListener): void {
    this.#listeners.set(jid, listener);
  }

  /** Calls `listener` when events may have been missed because the bus was away. @returns ends that */
  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => this.#gapListeners.delete(listener);
  }

  /** Calls `listener` when the bus tells that a minion's connection was lost. @returns ends that */
  onLost(listener: LostListener): () => void {
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  /** Stops giving a job's events to its listener. */
  forget(jid: string): void {
    this.#listeners.delete(jid);
  }

  close(): void {
    this.#closed = true;
    this.#reader?.close();
    this.#requester.close();
  }

  /** Asks again after a refusal: the master may have written new keys since we read ours. */
  async #requestTwice(options: PublishOptions): Promise<Value> {
    const { opts, env } = this.#parts;
    const credentials = userCredentials(opts, env);
    const reply = await this.#request(options, credentials);
    if (!isAuthenticationFailure(reply)) return reply;
    const newer = userCredentials(opts, env);
    return newer.key.reveal() === credentials.key.reveal() ? reply : this.#request(options, newer);
  }

  async #request(options: PublishOptions, { user, key }: UserCredentials): Promise<Value> {
    const { tgt, tgtType, fun, arg, ret = '', jid = '', timeoutMs, kwargs = new Map() } = options;
    const load: Encodable = {
      cmd: 'publish',
      tgt,
      fun: fun as Encodable,
      arg: arg as Encodable,
      key: key.reveal(),
      tgt_type: tgtType,
      ret,
      jid,
      kwargs,
      user,
      to: this.#parts.opts.get('order_masters') ? Math.ceil(timeoutMs / 1000) : undefined,
    };
    const body = encode({ enc: 'clear', load, version: PROTOCOL_VERSION }, 'network');
    try {
      return decode(await this.#requester.request(body, PUBLISH_TIMEOUT_MS), 'network');
    } catch (cause) {
      throw new MasterDownError(CLIENT_TEXTS.noAnswer, { cause });
    }
  }

  async #listen(): Promise<void> {
    this.#reader = await EventBusReader.connect(
      masterSockets(this.#parts.opts).eventPub,
      (tag) => this.#wants(tag),
      (event) => this.#event(event),
      () => void this.#reconnect(),
    );
  }

  /** The bus restarts within a second; events of that time are looked up in the job cache by whoever waits. */
  async #reconnect(): Promise<void> {
    for (let tries = 0; tries < RECONNECT_TRIES && !this.#closed; tries++) {
      try {
        await this.#listen();
        for (const listener of this.#gapListeners) listener();
        return;
      } catch {
        await this.#parts.clock.sleep(RECONNECT_MS);
      }
    }
  }

  #wants(tag: string): boolean {
    if (tag.startsWith('brine/minion/')) return tag.endsWith('/disconnected');
    const jid = jidOf(tag);
    return jid !== undefined && (this.#publishing > 0 || this.#listeners.has(jid));
  }

  #event(event: BusEvent): void {
    if (event.tag.startsWith('brine/')) return this.#tellLost(event.data);
    const listener = this.#listeners.get(jidOf(event.tag) as string);
    if (listener !== undefined) listener(event);
    else if (this.#publishing > 0 && this.#early.length < EARLY_EVENTS_MAX) this.#early.push(event);
  }

  #tellLost(data: Dict): void {
    for (const listener of this.#lostListeners) listener(String(data.get('id')), String(data.get('at')));
  }
}

/** The jid in a tag `salt/job/<jid>/…`. */
function jidOf(tag: string): string | undefined {
  if (!tag.startsWith('salt/job/')) return undefined;
  const end = tag.indexOf('/', 9);
  return end < 0 ? undefined : tag.slice(9, end);
}

/** Programs on the master's host reach it at the loopback address when it listens everywhere. */
function localAddress(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}

function isAuthenticationFailure(reply: Value): boolean {
  const error = isDict(reply) ? reply.get('error') : undefined;
  return error !== undefined && isDict(error) && error.get('name') === 'AuthenticationError';
}

function readReply(reply: Value): PublishedJob {
  if (reply === '') throw new NotAuthorisedError(CLIENT_TEXTS.authentication);
  if (!isDict(reply)) throw new ClientError(refusalText(reply));
  const error = reply.get('error');
  if (error !== undefined && isDict(error)) {
    const name = error.get('name');
    throw new NotAuthorisedError(String(error.get('message') ?? name));
  }
  const load = reply.get('load');
  if (load === undefined || !isDict(load)) throw new ClientError(refusalText(reply));
  const { jid, minions, missing } = {
    jid: load.get('jid'),
    minions: texts(load.get('minions')),
    missing: texts(load.get('missing')),
  };
  if (typeof jid !== 'string') throw noJob(load);
  const lost = load.get('lost');
  const since = isDict(lost) ? [...lost].map(([id, at]): [string, string] => [String(id), String(at)]) : [];
  const strange = load.get('strange');
  const more = Array.isArray(strange) ? { strange: texts(strange) } : {};
  return { jid, minions, missing, lost: new Map(since), ...more };
}

function noJob(load: Dict): ClientError {
  const error = String(load.get('error') ?? '');
  // the master says why a target cannot be understood behind a colon; that says more than "no minions"
  const fault = /^Master could not resolve minions for target .*?: (.+)$/s.exec(error)?.[1];
  if (load.get('minions') !== undefined) return new NoMinionsError(CLIENT_TEXTS.noMinions, fault);
  return new ClientError(error || 'The master assigned no job id.');
}

function refusalText(reply: Value): string {
  return `The master did not understand the request: ${typeof reply === 'string' ? reply : 'an unexpected reply'}.`;
}

function texts(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
