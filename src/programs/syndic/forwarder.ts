/**
 * Returns and events on their way to the masters above (salt/minion.py `SyndicManager._process_event`,
 * `_forward_events`, 3006.16). Each goes at once, or with the next batch; it is on disk before it is sent and leaves
 * the disk when the master above has it.
 */
import { join } from 'node:path';
import { syndicFolder } from '../../config/syndic-options.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import type { MinionOptions } from '../../config/minion-options.ts';
import { syndicName } from '../../network/events/tags.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { MasterConnection } from '../minion/master-connection.ts';
import { ReturnSender } from '../minion/return-sender.ts';
import { ReturnSpool } from '../minion/return-spool.ts';
import { dict, type Dict, type Value } from '../../python/values/value.ts';
import { Batcher, type Sized } from './batcher.ts';
import type { JobsBelow } from './jobs-below.ts';
import { sample, samplesOf, type Sample } from '../../runtime/metrics/sample.ts';
import { TRACE_FIELD } from '../../runtime/tracing/context.ts';
import type { Span } from '../../runtime/tracing/tracer.ts';
import type { SyndicTraces } from './syndic-traces.ts';
import type { UpperMasters } from './uppers.ts';

/** One minion's return. */
export interface ReturnBelow extends Sized {
  readonly jid: string;
  readonly id: string;
  readonly fun: Value;
  /** What the master above gets of it. */
  readonly fields: Dict;
  readonly masterId: string | undefined;
}

/** One event. */
export interface EventBelow extends Sized {
  readonly tag: string;
  readonly data: Dict;
}

/** What forwarding needs. */
export interface ForwarderDeps {
  readonly opts: MinionOptions;
  readonly lower: MasterOptions;
  readonly uppers: UpperMasters;
  readonly jobs: JobsBelow;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Told that these returns are kept here until a master above has them. */
  readonly secured: (returns: readonly ReturnBelow[]) => void;
  /** Undefined when nobody wants to know. */
  readonly traces: SyndicTraces | undefined;
}

const RETURNS_MAX = 500;
const EVENTS_MAX = 1_000;
/** A request is never much larger than this, but for one return that is. */
const REQUEST_BYTES_MAX = 4 * 1024 * 1024;
const FILES_MAX = 1_000_000;

/** A kind of thing, on disk and on its way. */
interface Way {
  readonly spool: ReturnSpool;
  readonly sender: ReturnSender;
}

/** Brings returns and events up, in batches that are on disk until a master above has them. */
export class Forwarder {
  readonly counters = { returns: 0, events: 0 };
  readonly #deps: ForwarderDeps;
  readonly #returns: Way;
  readonly #events: Way;
  readonly #returnBatches = new Map<string, Batcher<ReturnBelow>>();
  readonly #eventBatches = new Map<string, Batcher<EventBelow>>();
  /** Jobs whose load has been sent, by master above. */
  readonly #loadsSent: BoundedMap<string, true>;

  /** @throws the system's error when the folders cannot be used */
  constructor(deps: ForwarderDeps) {
    this.#deps = deps;
    const bytes = deps.lower.get('syndic_spool_size');
    this.#returns = this.#way('returns', bytes);
    this.#events = this.#way('events', bytes / 4);
    this.#loadsSent = new BoundedMap(Math.max(1, deps.lower.get('syndic_jid_forward_cache_hwm')));
  }

  /**
   * Forwards a return to the master above that gets it.
   * @param asker its name, when that is known otherwise
   * @returns false when not even an address above is known yet: it is found in the job cache later
   */
  returned(ret: ReturnBelow, asker?: string): boolean {
    const upper = this.#deps.uppers.ownerOf(ret.jid, ret.masterId, asker);
    if (upper === undefined) return false;
    this.#batcher(this.#returnBatches, this.#returns, upper, RETURNS_MAX, (items, isBusy) =>
      this.#sendReturns(upper, items, isBusy),
    ).add(ret);
    return true;
  }

  /** Forwards an event to every master above. */
  event(event: EventBelow): void {
    for (const upper of this.#deps.uppers.all)
      this.#batcher(this.#eventBatches, this.#events, upper, EVENTS_MAX, (items, isBusy) =>
        this.#sendEvents(upper, items, isBusy),
      ).add(event);
  }

  /** Sends a report on a job, which never waits for a batch. */
  report(upperName: string, jid: string, data: Dict): void {
    const upper = this.#deps.uppers.all.find(({ name }) => name === upperName);
    if (upper !== undefined) void this.#sendListed(upper, [{ tag: jid, data, sizeBytes: 0 }], false);
  }

  /** A master above is back. */
  wake(): void {
    this.#returns.sender.wake();
    this.#events.sender.wake();
  }

  describe(): string[] {
    const line = (what: string, { spool, sender }: Way, waiting: number): string =>
      `${what}: batches sent ${sender.counters.sent}, waiting on disk ${spool.size} (${spool.sizeBytes} bytes), ` +
      `given up ${spool.counters.givenUp}, gathered ${waiting}`;
    return [
      `forwarded: returns ${this.counters.returns}, events ${this.counters.events}`,
      line('returns', this.#returns, sum(this.#returnBatches)),
      line('events', this.#events, sum(this.#eventBatches)),
    ];
  }

  /** Figures for Prometheus. */
  samples(): Sample[] {
    const bytes = this.#deps.lower.get('syndic_spool_size');
    const way = (what: string, { spool, sender }: Way, gathered: number, bytesMax: number): Sample[] => [
      sample('brine_syndic_gathered', gathered, what),
      sample('brine_syndic_batches_sent_total', sender.counters.sent, what),
      sample('brine_syndic_batches_waiting', spool.size, what),
      sample('brine_syndic_batches_waiting_bytes', spool.sizeBytes, what),
      sample('brine_syndic_batches_waiting_bytes_limit', bytesMax, what),
      sample('brine_syndic_batches_given_up_total', spool.counters.givenUp, what),
    ];
    return [
      ...samplesOf('brine_syndic_forwarded_total', Object.entries(this.counters)),
      ...way('returns', this.#returns, sum(this.#returnBatches), bytes),
      ...way('events', this.#events, sum(this.#eventBatches), bytes / 4),
    ];
  }

  /** What is gathered goes to the disk. */
  close(): void {
    for (const batcher of [...this.#returnBatches.values(), ...this.#eventBatches.values()]) batcher.flush();
    this.#returns.sender.close();
    this.#events.sender.close();
  }

  #way(name: string, sizeBytes: number): Way {
    const { lower, clock, log, uppers } = this.#deps;
    const spool = new ReturnSpool({
      directory: join(syndicFolder(lower.get('cachedir')), name),
      limits: { count: FILES_MAX, sizeBytes, days: lower.get('syndic_spool_days') },
      what: () => `a batch of ${name} for the master above`,
      clock,
      log,
    });
    return { spool, sender: new ReturnSender({ ...this.#deps, spool, masters: () => uppers.targets }) };
  }

  #batcher<T extends Sized>(
    batchers: Map<string, Batcher<T>>,
    { sender }: Way,
    upper: MasterConnection,
    itemsMax: number,
    send: (items: readonly T[], isBusy: boolean) => Promise<void>,
  ): Batcher<T> {
    const { name } = upper;
    const known = batchers.get(name);
    if (known !== undefined) return known;
    const { lower, clock } = this.#deps;
    const seconds = Math.min(
      lower.get('syndic_event_forward_timeout'),
      lower.get('syndic_max_event_process_time'),
    );
    const longestMs = Math.max(0, seconds) * 1000;
    const isHeld = (): boolean => !upper.isUp || sender.isBehind(name);
    const bytesMax = REQUEST_BYTES_MAX;
    const batcher = new Batcher<T>({ send, isHeld, itemsMax, bytesMax, longestMs, clock });
    batchers.set(name, batcher);
    return batcher;
  }

  async #sendReturns(upper: MasterConnection, items: readonly ReturnBelow[], isBusy: boolean): Promise<void> {
    const { opts, secured } = this.#deps;
    const byJob = new Map<string, Dict>();
    const spans: Span[] = [];
    for (const item of items) {
      const { jid, id, fun, fields, masterId } = item;
      const span = this.#deps.traces?.bringUp(item);
      if (span !== undefined) {
        spans.push(span);
        fields.set(TRACE_FIELD, span.traceparent);
      }
      let entry = byJob.get(jid);
      if (entry === undefined) {
        const load = await this.#loadFor(upper, jid);
        entry = dict({ id: opts.get('id'), jid, fun, arg: null, tgt: null, tgt_type: null, load });
        entry.set('return', new Map());
        if (masterId !== undefined) entry.set('master_id', masterId);
        byJob.set(jid, entry);
      }
      (entry.get('return') as Dict).set(id, fields);
    }
    const load = dict({ cmd: '_syndic_return', load: [...byJob.values()] });
    this.counters.returns += items.length;
    const sent = this.#returns.sender.send(load, upper, { hold: isBusy || !upper.isUp });
    secured(items);
    await sent;
    for (const span of spans) span.end();
  }

  /** The job, the first time one of its returns goes to a master above that has not published it itself. */
  async #loadFor(upper: MasterConnection, jid: string): Promise<Dict> {
    const { uppers, jobs, log } = this.#deps;
    const key = `${upper.name} ${jid}`;
    if (uppers.askerOf(jid) === upper.name || this.#loadsSent.get(key) === true) return new Map();
    try {
      const load = await jobs.load(jid);
      if (load === undefined) return new Map();
      this.#loadsSent.set(key, true);
      return load;
    } catch (error) {
      log.debug(`The load of job ${jid} cannot be read from the job cache.`, error);
      return new Map();
    }
  }

  async #sendEvents(upper: MasterConnection, items: readonly EventBelow[], isBusy: boolean): Promise<void> {
    this.counters.events += items.length;
    // what a syndic below has named is told under that name and ours, and not once more
    const named = items.filter(({ tag }) => tag.startsWith('syndic/'));
    const plain = named.length === 0 ? items : items.filter(({ tag }) => !tag.startsWith('syndic/'));
    await Promise.all([
      this.#sendListed(upper, plain, isBusy),
      this.#sendListed(
        upper,
        named.map((event) => ({ ...event, tag: `${this.#name}/${event.tag}` })),
        isBusy,
        false,
      ),
    ]);
  }

  async #sendListed(
    upper: MasterConnection,
    items: readonly EventBelow[],
    isBusy: boolean,
    isUnderName = true,
  ): Promise<void> {
    if (items.length === 0) return;
    const events = items.map(({ tag, data }) => dict({ tag, data }));
    const pretag = isUnderName ? this.#name : null;
    const load = dict({ cmd: '_minion_event', pretag, events });
    await this.#events.sender.send(load, upper, { hold: isBusy || !upper.isUp });
  }

  get #name(): string {
    return syndicName(this.#deps.opts.get('id'));
  }
}

function sum(batchers: ReadonlyMap<string, { readonly waiting: number }>): number {
  return [...batchers.values()].reduce((total, { waiting }) => total + waiting, 0);
}
