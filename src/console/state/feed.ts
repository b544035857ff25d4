/** The event bus as the console hears it: the latest events, and the jobs that follow from them. */
import { signal } from '@preact/signals';
import type { LiveEvent, Job, MinionOutcome } from '../model/contract.ts';
import type { Server } from '../api/server.ts';
import { after, nowMs } from '../model/clock.ts';
import { LiveJobs, type LiveJob } from '../model/live-jobs.ts';
import { isoMs } from '../model/time.ts';
import type { Link } from './link.ts';

/** Events that are kept, and how many characters of data. */
const EVENTS_MAX = 2000;
const CHARS_MAX = 4_000_000;
/** What is kept of the data of one event. */
const EVENT_CHARS = 20_000;
/** The page is drawn so often at most while events come. */
const DRAW_MS = 120;
const WENT_MAX = 200;

/** An event as it is kept. */
export interface KeptEvent {
  readonly nth: number;
  readonly tag: string;
  readonly timeMs: number;
  /** How often it came; a minion that shows its key again and again, as one that waits does, has one row. */
  readonly times: number;
  /** What else there is to say of it in a few words: which minion showed its key, and what came of it. */
  readonly about: string;
  /** As JSON, cut at a bound. */
  readonly json: string;
  readonly isCut: boolean;
}

/** A minion that has gone away or come back. */
export interface Movement {
  readonly minion: string;
  readonly timeMs: number;
  readonly kind: 'went' | 'came';
  readonly why: string;
}

/** How listening goes. `refused` is a user without the right to it. */
export type FeedState = 'connecting' | 'live' | 'lost' | 'refused';

/** Listens to the event bus. */
export class Feed {
  readonly state = signal<FeedState>('connecting');
  /** Goes up when events may have been missed. */
  readonly gaps = signal(0);
  /** The latest events; each list is another one, and none is changed once it is here. */
  readonly events = signal<readonly KeptEvent[]>([]);
  /** Jobs, the newest first. */
  readonly jobs = signal<readonly LiveJob[]>([]);
  /** Who went and came, the latest first. */
  readonly movements = signal<readonly Movement[]>([]);
  readonly #live = new LiveJobs();
  #events: KeptEvent[] = [];
  #movements: readonly Movement[] = [];
  #count = 0;
  #chars = 0;
  #drawing: (() => void) | undefined;
  #stop: (() => void) | undefined;
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  /** Begins to listen; what was heard before stays. */
  start(server: Server): void {
    this.#stop?.();
    this.state.value = 'connecting';
    this.#stop = server.events({
      opened: (isAgain) => {
        this.state.value = 'live';
        this.#link.answered();
        this.#link.masterBack();
        if (isAgain) this.gaps.value++;
      },
      lost: () => {
        if (this.state.peek() === 'refused') return;
        this.state.value = 'lost';
      },
      refused: (error) => {
        this.state.value = error.status === 401 ? 'lost' : 'refused';
      },
      event: (name, data) => {
        if (name === 'gap') this.gaps.value++;
        else if (isBusEvent(data)) this.#take(data);
      },
    });
  }

  /** Takes jobs that were under way, or over, before anybody listened. */
  add(
    known: readonly {
      readonly job: Job;
      readonly minions: readonly Pick<MinionOutcome, 'minion' | 'outcome' | 'retcode' | 'success'>[];
    }[],
  ): void {
    for (const { job, minions } of known) this.#live.add(job, minions, isoMs(job.start_time) ?? nowMs());
    this.jobs.value = this.#live.list();
  }

  #take(event: LiveEvent): void {
    const now = nowMs();
    this.#count++;
    this.#live.take(event, now);
    this.#keep(event, isoMs(event.stamp) ?? now);
    this.#moved(event, now);
    this.#drawing ??= after(DRAW_MS, () => {
      this.#drawing = undefined;
      this.events.value = [...this.#events];
      this.jobs.value = this.#live.list();
      this.movements.value = this.#movements;
    });
  }

  #keep(event: LiveEvent, timeMs: number): void {
    const text = JSON.stringify(event.data);
    const isCut = text.length > EVENT_CHARS;
    const json = isCut ? text.slice(0, EVENT_CHARS) : text;
    const about = event.tag === 'salt/auth' ? authenticationOf(event.data) : '';
    const times = 1 + this.#takeBack(about);
    this.#events.push({ nth: this.#count, tag: event.tag, timeMs, times, about, json, isCut });
    this.#chars += json.length;
    if (this.#events.length <= EVENTS_MAX * 1.25 && this.#chars <= CHARS_MAX * 1.25) return;
    // several at a time: moving the list for each event costs more than all else
    while (this.#events.length > EVENTS_MAX || this.#chars > CHARS_MAX) {
      const drop = this.#events.splice(0, Math.max(1, this.#events.length - EVENTS_MAX));
      for (const { json: gone } of drop) this.#chars -= gone.length;
    }
  }

  /**
   * Takes the row of an earlier authentication that came to the same out of the list.
   * @returns how often that had come
   */
  #takeBack(about: string): number {
    const at = about === '' ? -1 : this.#events.findLastIndex((event) => event.about === about);
    const [earlier] = at < 0 ? [] : this.#events.splice(at, 1);
    this.#chars -= earlier?.json.length ?? 0;
    return earlier?.times ?? 0;
  }

  #moved({ tag, data }: LiveEvent, timeMs: number): void {
    if (tag === 'salt/presence/change') {
      for (const minion of namesIn(data['lost']))
        this.#movement({ minion, timeMs, kind: 'went', why: 'connection lost' });
      for (const minion of namesIn(data['new']))
        this.#movement({ minion, timeMs, kind: 'came', why: 'connected' });
      return;
    }
    const started = /^salt\/minion\/(.+)\/start$/.exec(tag);
    if (started !== null)
      this.#movement({ minion: started[1] as string, timeMs, kind: 'came', why: 'started' });
    const outcome = /^salt\/job\/\d+\/outcome\/(.+)$/.exec(tag);
    if (outcome !== null && data['outcome'] === 'connection lost') {
      const reason = data['reason'];
      const why = typeof reason === 'string' ? reason : 'connection lost during a job';
      this.#movement({ minion: outcome[1] as string, timeMs, kind: 'went', why });
    }
  }

  #movement(movement: Movement): void {
    const last = this.#movements.find(({ minion }) => minion === movement.minion);
    if (last?.kind === movement.kind && movement.timeMs - last.timeMs < 5000) return;
    this.#movements = [movement, ...this.#movements].slice(0, WENT_MAX);
  }
}

/** `web1 pend`; with the kind of what was refused, where it was. */
function authenticationOf(data: LiveEvent['data']): string {
  return [data['id'], data['act'], data['result'] === false ? 'refused' : '']
    .filter((word) => typeof word === 'string' && word !== '')
    .join(' ')
    .slice(0, 200);
}

function isBusEvent(data: unknown): data is LiveEvent {
  return (
    typeof data === 'object' &&
    data !== null &&
    typeof (data as LiveEvent).tag === 'string' &&
    typeof (data as LiveEvent).data === 'object' &&
    (data as LiveEvent).data !== null
  );
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string').slice(0, WENT_MAX) : [];
}
