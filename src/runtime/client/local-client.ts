/**
 * Publishing jobs from a local program: the request to the master, and the event bus that was listened to before the
 * request was sent (salt/client/__init__.py `LocalClient`, 3006.16;
 * docs/internals/wire-protocol.md#commands-in-the-clear).
 */
import { existsSync } from 'node:fs';
import { masterSockets } from '../../config/master-sockets.ts';
import type { EventBusReader } from '../../network/events/bus-client.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import { readSyndicReport } from '../../network/events/tags.ts';
import { TRACE_FIELD } from '../tracing/context.ts';
import type { Span } from '../tracing/tracer.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { CLIENT_TEXTS, ClosedToUserError, MasterDownError } from './errors.ts';
import type { Login } from './login.ts';
import { closedFolder, OwnEvents } from './own-events.ts';
import {
  JobPublisher,
  type LocalClientDeps,
  type PublishedJob,
  type PublishOptions,
} from './job-publisher.ts';

export type { LocalClientDeps, PublishedJob, PublishOptions, SyndicsOfJob } from './job-publisher.ts';

/** Events kept between the request and its reply, when the jid is not known yet. */
const EARLY_EVENTS_MAX = 100_000;
const RECONNECT_MS = 50;
const RECONNECT_TRIES = 100;
/** Of a program that stays, once a command would have given up. */
const LATE_RECONNECT_MS = 1000;

/** Listens to one job's events. */
export type JobListener = (event: BusEvent) => void;

/** Told that a minion's connection was lost, or that it is back; `at` is UTC. */
export type LinkListener = (id: string, isConnected: boolean, at: string) => void;

/** Publishes jobs and follows their events on the bus. */
export class LocalClient {
  readonly #deps: LocalClientDeps;
  readonly #requests: JobPublisher;
  readonly #events: OwnEvents;
  readonly #listeners = new Map<string, JobListener>();
  readonly #gapListeners = new Set<() => void>();
  readonly #linkListeners = new Set<LinkListener>();
  /** Of the jobs that have a listener. */
  readonly #spans = new Map<string, Span>();
  #reader: EventBusReader | undefined;
  /** Events of jobs that nobody listens to yet, while publish requests are under way. */
  #early: BusEvent[] = [];
  #publishing = 0;
  #closed = false;

  private constructor(deps: LocalClientDeps) {
    this.#deps = deps;
    this.#requests = new JobPublisher(deps);
    this.#events = new OwnEvents(deps.opts, deps.random);
  }

  /** Connects to the event bus. @throws MasterDownError; ClosedToUserError when this user may not */
  static async connect(deps: LocalClientDeps): Promise<LocalClient> {
    const client = new LocalClient(deps);
    const { publishPull } = masterSockets(deps.opts);
    if (!existsSync(publishPull)) {
      const closed = closedFolder(publishPull);
      if (closed !== undefined) throw new ClosedToUserError(closed);
      throw new MasterDownError(CLIENT_TEXTS.masterDown);
    }
    client.#requests.open();
    try {
      await client.#listen();
    } catch (cause) {
      client.close();
      if (cause instanceof ClosedToUserError) throw cause;
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
    const span = this.#begin(options);
    try {
      const job = await this.#requests.publish(
        span === undefined ? options : { ...options, kwargs: withTrace(options.kwargs, span) },
      );
      if (span !== undefined) this.#spans.set(job.jid, span);
      this.#listeners.set(job.jid, listener);
      for (const event of this.#early) if (jidOf(event.tag) === job.jid) listener(event);
      return job;
    } catch (error) {
      span?.end({ isError: true });
      throw error;
    } finally {
      if (--this.#publishing === 0) this.#early = [];
    }
  }

  /** Shows this from now on instead of the user's key. */
  logInWith(login: Login): void {
    this.#requests.logInWith(login);
  }

  /** Sends a command in the clear. @returns the reply. @throws MasterDownError without an answer */
  command(load: Dict): Promise<Value> {
    return this.#requests.command(load);
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

  /** Calls `listener` when the bus tells that a minion's connection was lost, or is back. @returns ends that */
  onLink(listener: LinkListener): () => void {
    this.#linkListeners.add(listener);
    return () => this.#linkListeners.delete(listener);
  }

  /** Stops giving a job's events to its listener. */
  forget(jid: string): void {
    this.#listeners.delete(jid);
    this.#spans.get(jid)?.end({ facts: { 'salt.jid': jid } });
    this.#spans.delete(jid);
  }

  close(): void {
    this.#closed = true;
    for (const jid of [...this.#spans.keys()]) this.forget(jid);
    this.#reader?.close();
    this.#requests.close();
  }

  #begin({ fun, kwargs, tgtType }: PublishOptions): Span | undefined {
    const name = typeof fun === 'string' ? fun : fun.join(',');
    return this.#deps.tracer?.start(`job ${name}`, {
      kind: 'client',
      parent: kwargs?.get(TRACE_FIELD),
      facts: { 'salt.fun': name, 'salt.tgt_type': tgtType },
    });
  }

  async #listen(): Promise<void> {
    this.#reader = await this.#events.connect(
      (tag) => this.#wants(tag),
      (event) => this.#event(event),
      () => void this.#reconnect(),
    );
    this.#requests.listener = this.#events.listener;
  }

  /** The bus restarts within a second; events of that time are looked up in the job cache by whoever waits. */
  async #reconnect(): Promise<void> {
    const { stays = false, clock } = this.#deps;
    for (let tries = 0; (stays || tries < RECONNECT_TRIES) && !this.#closed; tries++) {
      try {
        await this.#listen();
        for (const listener of this.#gapListeners) listener();
        return;
      } catch {
        await clock.sleep(tries < RECONNECT_TRIES ? RECONNECT_MS : LATE_RECONNECT_MS);
      }
    }
  }

  #wants(tag: string): boolean {
    if (isOfConnection(tag)) return tag.endsWith('connected');
    const jid = jidOf(tag);
    return jid !== undefined && (this.#publishing > 0 || this.#listeners.has(jid));
  }

  #event(event: BusEvent): void {
    if (isOfConnection(event.tag)) return this.#tellLink(event);
    const listener = this.#listeners.get(jidOf(event.tag) as string);
    if (listener !== undefined) listener(event);
    else if (this.#publishing > 0 && this.#early.length < EARLY_EVENTS_MAX) this.#early.push(event);
  }

  #tellLink({ tag, data }: BusEvent): void {
    const isConnected = tag.endsWith('/connected');
    for (const listener of this.#linkListeners)
      listener(String(data.get('id')), isConnected, String(data.get('at')));
  }
}

function withTrace(kwargs: Dict | undefined, { traceparent }: Span): Dict {
  return new Map([...(kwargs ?? []), [TRACE_FIELD, traceparent]]);
}

/** Tags about minions' connections, here or below a syndic. */
function isOfConnection(tag: string): boolean {
  return tag.startsWith('brine/minion/') || (tag.startsWith('syndic/') && tag.includes('/brine/minion/'));
}

/** The jid in a tag `salt/job/<jid>/…`, or at the end of one of a syndic that names its minions. */
function jidOf(tag: string): string | undefined {
  if (tag.startsWith('syndic/')) return readSyndicReport(tag)?.jid;
  if (!tag.startsWith('salt/job/')) return undefined;
  const end = tag.indexOf('/', 9);
  return end < 0 ? undefined : tag.slice(9, end);
}
