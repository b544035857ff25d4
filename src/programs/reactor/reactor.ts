/**
 * The reactor: reads the bus, takes on the events that a rule is for, and runs what their files ask for, in the order
 * of the events (salt/utils/reactor.py, 3006.16).
 *
 * An event is in the journal, on the disk, before it is confirmed to the hub, and each reaction has its job id there
 * before it is run. So whoever kills this process makes it late, and nothing else.
 */
import { DiskRefusesError, messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { RareLog } from '../../host/rare-lines.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import { KeptFeedReader, type NumberedEvent } from '../../network/events/kept-feed-reader.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict } from '../../python/values/value.ts';
import type { JidSource } from '../../storage/jobs/jid.ts';
import { CallPool } from './call-pool.ts';
import { CHAIN_MAX, type Chains } from './chains.ts';
import type { Journal, JournalEntry, Plan, StepState } from './journal.ts';
import { isManaging, type ReactorManager } from './manage.ts';
import { readReaction, type FindFunction, type Reaction } from './reaction.ts';
import type { ReactionMap } from './reaction-map.ts';
import type { ReactionRenderer, SeenEvent } from './render-reactions.ts';
import { stepFromDict, stepToDict, type Step } from './step.ts';

/** Who the functions of the master are run for; events of this user are no cause for reactions. */
export const REACTOR_USER = 'Reactor';
/** Events that may wait; those that come when so many do are left out. */
const WAITING_MAX = 100_000;
const RECONNECT_MS = 100;
/** How long events are left to the hub, which keeps them, while the journal has no room for them. */
const NO_ROOM_MS = 1_000;
/** Jobs that are on their way to the publisher at a time, and such that wait. */
const PUBLISHING_MAX = 128;
/** Writes to the journal that may wait for their commit. */
const BACKLOG_MAX = 256;

/** Runs what is asked for. Each resolves when it is done or has failed, and reports its failures itself. */
export interface ReactionRunner {
  /** @param isAgain the reactor was restarted: it may have been run already, and must not be run twice */
  run(step: Step, event: SeenEvent, isAgain: boolean): Promise<void>;
}

/** What the reactor is made of. */
export interface ReactorDeps {
  readonly feedPath: string;
  readonly journal: Journal;
  readonly map: ReactionMap;
  readonly manager: ReactorManager;
  readonly renderer: ReactionRenderer;
  readonly find: FindFunction;
  readonly runner: ReactionRunner;
  readonly jids: JidSource;
  /** Calls at a time, and calls that may wait. */
  readonly pool: CallPool;
  readonly chains: Chains;
  /** Told at each attempt that the journal has no room. */
  readonly refused: (error: DiskRefusesError) => void;
  readonly clock: Clock;
  readonly log: RareLog;
}

interface Waiting {
  readonly entry: JournalEntry;
  readonly isAgain: boolean;
}

/** Reads the bus and reacts. */
export class Reactor {
  readonly counters = { taken: 0, reactions: 0, failed: 0, leftOut: 0, chainsEnded: 0 };
  readonly #deps: ReactorDeps;
  readonly #jobs = new CallPool(PUBLISHING_MAX, PUBLISHING_MAX);
  /** Resolves when the last job has begun to be published. */
  #begun: Promise<void> = Promise.resolve();
  /** Resolves when all that was taken is confirmed to the hub. */
  #confirmed: Promise<void> = Promise.resolve();
  #waiting: Waiting[] = [];
  #unfinished = 0;
  #wake: (() => void) | undefined;
  #reader: KeptFeedReader | undefined;
  #stream = '';
  #skipUntil = 0;
  /** The last event by which the reactor itself was managed: it may come again. */
  #managedUpTo = 0;
  #hasNoRoom = false;
  #isFull = false;
  #stopped = false;
  #loop: Promise<void> | undefined;

  constructor(deps: ReactorDeps) {
    this.#deps = deps;
  }

  /** Events that wait for their turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Takes up what a reactor before this one left, and begins to read. */
  async start(): Promise<void> {
    const left = this.#deps.journal.unfinished();
    if (left.length > 0)
      this.#deps.log.info(`The reactor goes on with ${left.length} events it had taken on.`);
    for (const entry of left) this.#enqueue({ entry, isAgain: true });
    await this.#connect();
    this.#loop = this.#work();
  }

  /** Ends after the event that is under way, or when the disk takes nothing more; what waits lies in the journal. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#reader?.close();
    this.#wake?.();
    await Promise.race([this.#rest(), this.#deps.journal.abandon()]);
    this.#deps.journal.close();
  }

  async #rest(): Promise<void> {
    await this.#loop;
    await Promise.all([this.#jobs.rest(), this.#deps.pool.rest()]);
  }

  async #connect(): Promise<void> {
    const { feedPath, map, clock } = this.#deps;
    while (!this.#stopped) {
      try {
        if (this.#hasNoRoom) await clock.sleep(NO_ROOM_MS);
        this.#hasNoRoom = false;
        const reader = await KeptFeedReader.connect(feedPath, {
          wants: (tag) => isManaging(tag) || map.wants(tag),
          begins: (stream) => this.#begins(stream),
          events: (wanted, last) => this.#take(wanted, last),
          closed: () => {
            this.#reader = undefined;
            void this.#connect();
          },
        });
        this.#reader = reader;
        if (!this.#hasNoRoom) return;
        reader.close();
      } catch {
        await clock.sleep(RECONNECT_MS);
      }
    }
  }

  #begins(stream: string): void {
    const place = this.#deps.journal.place();
    if (stream !== this.#stream) this.#managedUpTo = 0;
    this.#stream = stream;
    this.#skipUntil = place?.stream === stream ? place.last : 0;
  }

  #take(wanted: readonly NumberedEvent[], last: number): void {
    if (this.#hasNoRoom) return;
    const { manager } = this.#deps;
    const taken: SeenEvent[] = [];
    for (const { number, event } of wanted) {
      if (number <= this.#skipUntil) continue;
      const { tag } = event;
      const data = this.#dataOf(event);
      if (data === undefined || data.get('user') === REACTOR_USER) continue;
      if (isManaging(tag)) {
        if (number > this.#managedUpTo) manager.handle({ tag, data });
        this.#managedUpTo = Math.max(this.#managedUpTo, number);
      } else if (manager.isLeader && this.#hasRoom(taken.length)) taken.push({ tag, data });
    }
    const entries = taken.length > 0 ? this.#keep(taken, last) : [];
    if (entries === undefined) return;
    for (const entry of entries) {
      this.counters.taken++;
      this.#enqueue({ entry, isAgain: false });
    }
    const kept = entries.length > 0 ? this.#deps.journal.secured() : undefined;
    const reader = this.#reader;
    // a confirmation is for all events up to that one, so it waits for those before it
    this.#confirmed = this.#confirmed.then(() => kept).then(() => reader?.confirm(last));
  }

  /** @returns undefined when the journal has no room: the hub then gives these events and all after them once more */
  #keep(taken: readonly SeenEvent[], last: number): JournalEntry[] | undefined {
    try {
      return this.#deps.journal.take(taken, { stream: this.#stream, last });
    } catch (error) {
      if (!(error instanceof DiskRefusesError)) throw error;
      this.#deps.refused(error);
      this.#hasNoRoom = true;
      const reader = this.#reader;
      this.#reader = undefined;
      // without a reader it is being connected to, which sees that there is no room
      if (reader === undefined) return undefined;
      reader.close();
      void this.#connect();
      return undefined;
    }
  }

  /** The data of an event; undefined for what is malformed, into which no file could look. */
  #dataOf(event: BusEvent): Dict | undefined {
    try {
      return event.data;
    } catch (error) {
      this.#deps.log
        .about(event.tag)
        .error(
          `The data of an event ${event.tag} cannot be read, and nothing reacts to it: ${messageOf(error)}`,
        );
      return undefined;
    }
  }

  #hasRoom(more: number): boolean {
    if (this.#unfinished + more < WAITING_MAX) {
      this.#isFull = false;
      return true;
    }
    this.counters.leftOut++;
    if (!this.#isFull)
      this.#deps.log.error(
        `The reactor has ${WAITING_MAX} events to react to and takes on no more until there is room: what comes meanwhile is left out. ` +
          'Match fewer tags, or raise reactor_worker_threads.',
      );
    this.#isFull = true;
    return false;
  }

  #enqueue(waiting: Waiting): void {
    this.#unfinished++;
    this.#waiting.push(waiting);
    this.#wake?.();
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const [index, waiting] of batch.entries()) {
        if (this.#stopped) return void this.#waiting.unshift(...batch.slice(index));
        await this.#react(waiting);
      }
      if (this.#waiting.length === 0 && !this.#stopped)
        await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
  }

  async #react({ entry, isAgain }: Waiting): Promise<void> {
    try {
      if (entry.plan !== undefined) return await this.#runPlan(entry, entry.plan, isAgain);
      const plan = await this.#plan(entry);
      // nobody waits for the commit here: what is run does
      const kept = plan.steps.length > 0 ? this.#deps.journal.keepPlan(entry.id, plan) : undefined;
      await this.#runPlan(entry, plan, false, kept);
    } catch (error) {
      this.#giveUp(entry, error);
    }
  }

  #giveUp({ id, tag }: JournalEntry, error: unknown): void {
    const { journal, log } = this.#deps;
    this.counters.failed++;
    log.about(tag).error(`The reactor could not react to the event ${tag}: ${messageOf(error)}`, error);
    void journal.finish(id);
    this.#unfinished--;
  }

  /** Renders the files of an event, and gives each reaction its job id. */
  async #plan(entry: JournalEntry): Promise<Plan> {
    const { map, renderer, jids, chains, clock, log } = this.#deps;
    const generation = chains.generation(entry);
    if (chains.isSuspicious(entry, clock.monotonicMs()))
      log.warning(
        `The minion ${pyStr(entry.data.get('id') ?? null)} has fired the event ${entry.tag} hundreds of times within a minute, and the reactor reacts to each: see whether a reaction brings about the event that it reacts to.`,
      );
    if (generation > CHAIN_MAX) {
      this.counters.chainsEnded++;
      log.error(
        `The event ${entry.tag} follows from ${CHAIN_MAX} reactions, one from another, and is not reacted to: a reaction seems to bring about the event that it reacts to.`,
      );
      return { steps: [], states: [] };
    }
    const steps: Dict[] = [];
    for (const chunk of await renderer.chunks(entry, map.filesFor(entry.tag))) {
      const reaction = await this.#read(chunk, entry);
      if (reaction !== undefined) steps.push(stepToDict({ reaction, jid: jids.next(), generation }));
    }
    return { steps, states: steps.map((): StepState => 'planned') };
  }

  async #read(chunk: Dict, { tag }: SeenEvent): Promise<Reaction | undefined> {
    const { find, log } = this.#deps;
    try {
      return await readReaction(chunk, find, log.about(tag));
    } catch (error) {
      this.counters.failed++;
      log.about(tag).error(`${messageOf(error)} (${String(chunk.get('__sls__') ?? '')}, event ${tag})`);
      return undefined;
    }
  }

  /** Has the steps of a plan begin in their order. @param kept resolves when the plan is in the journal */
  async #runPlan(
    entry: JournalEntry,
    { steps, states }: Plan,
    isAgain: boolean,
    kept?: Promise<void>,
  ): Promise<void> {
    const { journal, pool, runner } = this.#deps;
    let left = states.filter((state) => state !== 'done').length;
    const finished = (): void => {
      this.#unfinished--;
      void journal.finish(entry.id);
    };
    if (left === 0) finished();
    if (journal.backlog > BACKLOG_MAX) await journal.settled();
    const published: Promise<void>[] = [];
    for (const [index, dict] of steps.entries()) {
      const before = states[index];
      if (before === 'done') continue;
      const step = stepFromDict(dict);
      this.counters.reactions++;
      this.#deps.chains.started(step.jid, step.generation);
      const done = (): void => {
        states[index] = 'done';
        if (--left === 0) finished();
        else void journal.keepStates(entry.id, states);
      };
      if (step.reaction.client === 'local') {
        await this.#jobs.room();
        const run = this.#publish(step, entry, { isAgain, kept }).then(done);
        published.push(run.catch((error: unknown) => this.#giveUp(entry, error)));
        continue;
      }
      // what comes after a job in a file begins when the job is published
      await Promise.all(published);
      await pool.room();
      pool.add(async () => {
        states[index] = 'started';
        await journal.keepStates(entry.id, states);
        await runner.run(step, entry, before === 'started');
        done();
      });
    }
  }

  /** Has a job published after those before it, when its plan is kept. */
  #publish(
    step: Step,
    entry: JournalEntry,
    { isAgain, kept }: { readonly isAgain: boolean; readonly kept: Promise<void> | undefined },
  ): Promise<void> {
    const begun = (this.#begun = this.#begun.then(() => kept));
    return new Promise((resolve, reject) =>
      this.#jobs.add(async () => {
        await begun;
        await this.#deps.runner.run(step, entry, isAgain).then(resolve, reject);
      }),
    );
  }
}
