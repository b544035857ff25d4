/**
 * Returners: writes jobs, returns and events to the databases that `master_job_cache`, `ext_job_cache` and
 * `event_return` name. It runs only where one is named. What it writes waits on the disk: jobs and returns in the
 * embedded job cache, events in a spool.
 */
import { join } from 'node:path';
import {
  eventReturners,
  externalJobCaches,
  jobCacheDirectory,
  keepJobsSeconds,
  masterJobCaches,
} from '../../../config/job-caches.ts';
import { masterSockets } from '../../../config/master-sockets.ts';
import { didYouMean } from '../../../errors/did-you-mean.ts';
import { DiskRefusesError, messageOf } from '../../../errors/errors.ts';
import { EventBusReader } from '../../../network/events/bus-client.ts';
import { makeDirectory } from '../../../host/files.ts';
import { rareLines, type RareLines } from '../../../host/rare-lines.ts';
import { OutboxReader, type OutboxEntry } from '../../../storage/jobs/outbox.ts';
import { DatabaseHealth, Delivery } from '../../../plugins/shared/returner/delivery.ts';
import { encode } from '../../../formats/wire/msgpack.ts';
import { EventSource, EventSpool } from '../../../plugins/shared/returner/event-spool.ts';
import { OutboxSource } from '../../../plugins/shared/returner/outbox-source.ts';
import { PositionFile } from '../../../plugins/shared/returner/position-file.ts';
import type { SavedEvent } from '../../../plugins/shared/returner/return-store.ts';
import { openSink, sinkNames, type Sink, type SinkDeps } from '../../../plugins/registry/returner/sink.ts';
import { positionPath, spoolPath } from '../../../plugins/shared/returner/spool-paths.ts';
import { compileGlob } from '../../../python/text/fnmatch.ts';
import { sample, type Sample } from '../../../runtime/metrics/sample.ts';
import type { RoleContext, StartRole } from './role.ts';

const JOB_POLL_MS = 200;
const EVENT_POLL_MS = 1000;
/** Events go to the disk together, after so long at most. */
const SPOOL_DELAY_MS = 20;
const SPOOL_BATCH_MAX = 500;
const RECONNECT_MS = 200;
/**
 * While the disk has no room, as many events wait in memory, of so many bytes, the newest of them, and are tried again
 * after a time.
 */
const HELD_MAX = 10_000;
const HELD_BYTES_MAX = 64 * 1024 * 1024;
const HELD_MS = 1_000;
const CLEAN_MIN_MS = 60_000;

/** A part of this process that can be ended. */
interface Part {
  readonly deliveries: readonly Pick<Delivery<unknown>, 'state'>[];
  stop(): Promise<void>;
}

type HealthOf = (name: string) => DatabaseHealth;

export const startReturners: StartRole = async (context) => {
  const { opts, log, clock } = context;
  makeDirectory(join(opts.get('cachedir'), 'returners'), 0o700);
  const deps: SinkDeps = {
    id: String(opts.raw('id')),
    opts: opts.toDict(),
    keepJobsSeconds: keepJobsSeconds(opts),
    clock,
    random: context.random,
    log,
  };
  const healths = new Map<string, DatabaseHealth>();
  const healthOf = (name: string): DatabaseHealth => {
    const known = healths.get(name) ?? new DatabaseHealth(name, log);
    healths.set(name, known);
    return known;
  };
  const jobs = await startJobs(context, deps, healthOf);
  const events = await startEvents(context, deps, healthOf);
  log.info('Returners are ready');
  return {
    figures: () => [...jobs.deliveries, ...events.deliveries].flatMap(({ state }) => deliveryFigures(state)),
    stop: async () => {
      await Promise.all([jobs.stop(), events.stop()]);
    },
  };
};

function deliveryFigures({ name, what, waiting, isDown }: Delivery<unknown>['state']): Sample[] {
  return [
    sample('brine_returner_down', isDown ? 1 : 0, name, what),
    sample('brine_returner_waiting', waiting, name, what),
  ];
}

/** Jobs and returns, out of the embedded job cache. */
async function startJobs(context: RoleContext, deps: SinkDeps, healthOf: HealthOf): Promise<Part> {
  const { opts, log, clock, random } = context;
  const reader = new OutboxReader(jobCacheDirectory(opts.get('cachedir')));
  const own = masterJobCaches(opts);
  const external = externalJobCaches(opts);
  const sinks: Sink[] = [];
  const deliveries: Delivery<OutboxEntry>[] = [];
  for (const name of new Set([...own, ...external])) {
    const jobsOnly = !own.includes(name);
    const option = jobsOnly ? 'ext_job_cache' : 'master_job_cache';
    const sink = await openNamed(option, name, 'returner', deps);
    if (sink === undefined) continue;
    const positions = new PositionFile(positionPath(opts.get('cachedir'), name, 'jobs'), log);
    sinks.push(sink);
    deliveries.push(
      new Delivery({
        name,
        what: 'jobs and returns',
        health: healthOf(name),
        source: new OutboxSource({
          name,
          reader,
          positions,
          only: jobsOnly ? 'jobs' : sink.keepsJobs ? undefined : 'returns',
          beginsAtEnd: sink.returnsAtOnceMax !== undefined,
          log,
        }),
        batchMax: sink.returnsAtOnceMax,
        write: (entries) => writeEntries(sink, entries),
        probe: sink.probe,
        describe: (entry) =>
          'ret' in entry
            ? `the return of ${String(entry.ret.get('id'))} for job ${entry.jid}`
            : `the job ${entry.jid}`,
        pollMs: JOB_POLL_MS,
        clock,
        random,
        log,
      }),
    );
  }
  const cleaner = clock.every(Math.max(CLEAN_MIN_MS, opts.get('loop_interval') * 1000), () => {
    for (const [index, sink] of sinks.entries())
      if (own.includes(sink.name) && deliveries[index]?.isDown === false) void clean(sink, deps);
  });
  return {
    deliveries,
    stop: async () => {
      cleaner.cancel();
      await Promise.all(deliveries.map((delivery) => delivery.stop()));
      await Promise.allSettled(sinks.map((sink) => sink.close()));
      reader.close();
    },
  };
}

async function openNamed(
  option: string,
  name: string,
  fun: 'returner' | 'event_return',
  deps: SinkDeps,
): Promise<Sink | undefined> {
  const sink = await openSink(name, fun, deps);
  if (sink === undefined)
    deps.log.critical(
      `${option}: there is no returner ${name} with the function ${fun}; nothing is written there.` +
        `${didYouMean(name, sinkNames())} There are: ${sinkNames().join(', ')}. ` +
        'Correct the name, or bring the returner with salt-run saltutil.sync_returners and start anew.',
    );
  return sink;
}

async function writeEntries(sink: Sink, entries: readonly OutboxEntry[]): Promise<void> {
  const loads = entries.filter((entry) => 'load' in entry);
  const rets = entries.filter((entry) => 'ret' in entry).map(({ ret }) => ret);
  if (loads.length > 0) await sink.saveLoads(loads);
  if (rets.length > 0) await sink.saveReturns(rets);
}

/** Forgets what is too old (Salt's `clean_old_jobs`). */
async function clean(sink: Sink, { keepJobsSeconds: seconds, clock, log }: SinkDeps): Promise<void> {
  if (seconds <= 0) return;
  try {
    await sink.removeOlderThan(clock.nowMs() - seconds * 1000);
  } catch (error) {
    log.warning(
      `Old jobs could not be removed from ${sink.name}: ${messageOf(error)}. The next round tries again.`,
      error,
    );
  }
}

/** Events, from the bus into the spool and from there to the databases. */
async function startEvents(context: RoleContext, deps: SinkDeps, healthOf: HealthOf): Promise<Part> {
  const { opts } = context;
  const sinks: Sink[] = [];
  for (const name of eventReturners(opts)) {
    const sink = await openNamed('event_return', name, 'event_return', deps);
    if (sink !== undefined) sinks.push(sink);
  }
  const spool = sinks.length === 0 ? undefined : openSpool(context);
  if (spool === undefined) {
    await Promise.allSettled(sinks.map((sink) => sink.close()));
    return { deliveries: [], stop: async () => undefined };
  }
  const sources = eventSources(context, spool, sinks);
  const deliveries = sinks.map((sink, index) =>
    eventDelivery(context, deps.id, sink, sources[index] as EventSource, healthOf(sink.name)),
  );
  const inbox = new EventInbox(context, (events) => {
    // what every database has is forgotten before more comes
    const positions = sources.map(({ position }) => position);
    spool.removeUpTo(Math.min(...positions));
    spool.append(events, Math.max(...positions));
    for (const delivery of deliveries) delivery.wake();
  });
  await inbox.open();
  return {
    deliveries,
    stop: async () => {
      inbox.close();
      await Promise.all(deliveries.map((delivery) => delivery.stop()));
      await Promise.allSettled(sinks.map((sink) => sink.close()));
      spool.removeUpTo(Math.min(...sources.map(({ position }) => position)));
      spool.close();
    },
  };
}

/** @returns undefined when it cannot be opened: a master without its events in a database is better than none */
function openSpool({ opts, clock, log }: RoleContext): EventSpool | undefined {
  const path = spoolPath(opts.get('cachedir'));
  try {
    return new EventSpool({ path, bytesMax: opts.get('returner_spool_max_bytes'), clock, log });
  } catch (error) {
    log.critical(`event_return: ${path} cannot be opened: ${messageOf(error)}. No events are stored.`, error);
    return undefined;
  }
}

/** What each database is given, out of the one spool. */
function eventSources(
  { opts, clock, log }: RoleContext,
  spool: EventSpool,
  sinks: readonly Sink[],
): EventSource[] {
  const due = {
    countMin: opts.get('event_return_queue'),
    ageMaxMs: opts.get('event_return_queue_max_seconds') * 1000,
  };
  return sinks.map(({ name }) => {
    const positions = new PositionFile(positionPath(opts.get('cachedir'), name, 'events'), log);
    return new EventSource(spool, { name, positions, due, clock });
  });
}

function eventDelivery(
  { clock, random, log }: RoleContext,
  masterId: string,
  sink: Sink,
  source: EventSource,
  health: DatabaseHealth,
): Delivery<SavedEvent> {
  return new Delivery({
    name: sink.name,
    what: 'events',
    health,
    source,
    batchMax: sink.eventsAtOnceMax,
    write: async (events) => {
      await sink.saveEvents(events, masterId);
    },
    probe: sink.probe,
    describe: ({ tag }) => `the event ${tag}`,
    pollMs: EVENT_POLL_MS,
    clock,
    random,
    log,
  });
}

/** The events of the bus that pass the lists, a few at a time. */
class EventInbox {
  readonly #context: RoleContext;
  readonly #take: (events: readonly SavedEvent[]) => void;
  readonly #wanted: (tag: string) => boolean;
  #waiting: SavedEvent[] = [];
  #reader: EventBusReader | undefined;
  #isHeld = false;
  #closed = false;
  #dropped = 0;
  #heldBytes = 0;
  readonly #sizes = new WeakMap<SavedEvent, number>();
  readonly #tell: RareLines;

  constructor(context: RoleContext, take: (events: readonly SavedEvent[]) => void) {
    const { opts } = context;
    this.#context = context;
    this.#take = take;
    this.#tell = rareLines(context.clock, (text) => context.log.error(text));
    this.#wanted = tagFilter(opts.get('event_return_whitelist'), opts.get('event_return_blacklist'));
  }

  /** Connects, and again when the bus has gone away. */
  async open(): Promise<void> {
    const { clock, log, opts } = this.#context;
    while (!this.#closed) {
      try {
        this.#reader = await EventBusReader.connect(
          masterSockets(opts).eventPub,
          this.#wanted,
          // what was fired on another master of the cluster is kept by that one
          (event) => void (event.origin === undefined && this.#add(event)),
          () => void this.#again(),
        );
        return;
      } catch (error) {
        log.debug(`Waiting for the event bus: ${messageOf(error)}`);
        await clock.sleep(RECONNECT_MS);
      }
    }
  }

  close(): void {
    this.#closed = true;
    this.#reader?.close();
    this.#isHeld = false;
    this.#spool();
  }

  async #again(): Promise<void> {
    this.#context.log.info('The event bus has gone away; events between now and its return are not stored.');
    await this.open();
  }

  #add({ tag, data }: SavedEvent): void {
    const event = { tag, data };
    this.#waiting.push(event);
    if (this.#isHeld) {
      this.#heldBytes += this.#sizeOf(event);
      this.#boundHeld();
    } else if (this.#waiting.length >= SPOOL_BATCH_MAX) this.#spool();
    else if (this.#waiting.length === 1) this.#context.clock.after(SPOOL_DELAY_MS, () => this.#spool());
  }

  #spool(): void {
    if (this.#waiting.length === 0 || this.#isHeld) return;
    const events = this.#waiting;
    this.#waiting = [];
    try {
      this.#take(events);
      if (this.#tell.over('') > 0) this.#tellStored();
    } catch (error) {
      if (error instanceof DiskRefusesError && !this.#closed) this.#hold(events, error);
      else this.#context.log.error(`${events.length} events could not be kept: ${messageOf(error)}`, error);
    }
  }

  #tellStored(): void {
    const lost = this.#dropped === 0 ? '' : `; ${this.#dropped} were dropped meanwhile, the oldest first`;
    this.#dropped = 0;
    this.#context.log.warning(`The disk takes events again that are to be stored${lost}.`);
  }

  /** Keeps in memory what the disk has no room for. */
  #hold(events: readonly SavedEvent[], error: DiskRefusesError): void {
    this.#waiting = [...events, ...this.#waiting];
    this.#heldBytes = this.#waiting.reduce((sum, event) => sum + this.#sizeOf(event), 0);
    this.#boundHeld();
    const lost = this.#dropped === 0 ? '' : `, and ${this.#dropped} were dropped`;
    this.#tell('', `${this.#waiting.length} events wait in memory to be stored${lost}: ${error.message}`);
    this.#isHeld = true;
    this.#context.clock.after(HELD_MS, () => {
      this.#isHeld = false;
      this.#spool();
    });
  }

  #boundHeld(): void {
    let over = 0;
    while (this.#waiting.length - over > HELD_MAX || this.#heldBytes > HELD_BYTES_MAX) {
      const oldest = this.#waiting[over++];
      if (oldest === undefined) break;
      this.#heldBytes -= this.#sizeOf(oldest);
    }
    this.#waiting.splice(0, over);
    this.#dropped += over;
  }

  #sizeOf(event: SavedEvent): number {
    const size = this.#sizes.get(event) ?? event.tag.length + encode(event.data, 'local').length;
    this.#sizes.set(event, size);
    return size;
  }
}

/** With a white list only what it names; what the black list names never. */
function tagFilter(whitelist: readonly unknown[], blacklist: readonly unknown[]): (tag: string) => boolean {
  const [white, black] = [whitelist, blacklist].map((list) => list.map((glob) => compileGlob(String(glob))));
  return (tag) =>
    (white?.length === 0 || white?.some((glob) => glob.matches(tag)) === true) &&
    black?.some((glob) => glob.matches(tag)) !== true;
}
