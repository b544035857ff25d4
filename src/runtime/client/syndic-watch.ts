/**
 * What a watched job knows of the masters below (salt/client/__init__.py `get_iter_returns` with `order_masters`,
 * 3006.16): which syndics have not yet told whom they expect, whose minions are whose, and how long Salt's syndics,
 * which do not say when they have told all, are waited for.
 */
import type { BusEvent } from '../../network/events/framing.ts';
import { readSyndicReport, syndicIdOf, syndicName } from '../../network/events/tags.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { SyndicsOfJob } from './local-client.ts';

/** What a syndic has told. */
export interface SyndicNews {
  /** As {@link syndicName} names it. */
  readonly name: string;
  /** Nothing more will be told. */
  readonly isComplete: boolean;
  /** Minions that are known to be away below, and since when (UTC). */
  readonly lost: ReadonlyMap<string, string>;
  /** Minions that give no signs. */
  readonly strange: readonly string[];
  /** Why which masters below did not take the job. */
  readonly refusals: ReadonlyMap<string, string>;
}

/** Keeps track of which syndics have still to say whom they expect. Times are on the monotonic clock. */
export class SyndicWatch {
  readonly #deadlines = new Map<string, number>();
  readonly #minions = new Map<string, ReadonlySet<string>>();
  readonly #refusals = new Map<string, string>();
  readonly #holdUntilMs: number;
  readonly #waitMs: number;

  constructor(syndics: SyndicsOfJob | undefined, nowMs: number) {
    this.#waitMs = syndics?.waitMs ?? 0;
    this.#holdUntilMs = syndics?.hasOthers === true ? nowMs + this.#waitMs : -Infinity;
    for (const id of syndics?.reporting ?? []) this.#deadlines.set(syndicName(id), nowMs + this.#waitMs);
  }

  /** The syndics that have not told yet whom they expect. */
  get awaited(): IterableIterator<string> {
    return this.#deadlines.keys();
  }

  /** Whether syndics that do not say when they have told all still have time. */
  isHeld(nowMs: number): boolean {
    return nowMs < this.#holdUntilMs;
  }

  /** The awaited syndics whose time is over; they are not awaited any longer. */
  overdue(nowMs: number): string[] {
    const names = [...this.#deadlines].filter(([, atMs]) => nowMs >= atMs).map(([name]) => name);
    for (const name of names) this.#deadlines.delete(name);
    return names;
  }

  /** The next moment at which something here changes by itself. */
  nextMs(nowMs: number): number {
    const hold = this.isHeld(nowMs) ? this.#holdUntilMs : Infinity;
    return Math.min(hold, ...this.#deadlines.values());
  }

  /** The minions that a syndic has named. */
  minionsOf(name: string): Iterable<string> {
    return this.#minions.get(name) ?? [];
  }

  refusalOf(name: string): string | undefined {
    return this.#refusals.get(name);
  }

  /** Reads an event. @returns what a syndic tells with it; undefined when it is none of a syndic */
  read(event: BusEvent, nowMs: number): SyndicNews | undefined {
    const report = readSyndicReport(event.tag);
    if (report === undefined) return undefined;
    const name = syndicName(report.id);
    const { data } = event;
    // a syndic among its own minions would be looked for without end
    const minions = textsOf(data.get('minions')).filter((id) => syndicIdOf(id) === undefined);
    this.#minions.set(name, new Set([...this.minionsOf(name), ...minions]));
    const refusals = readRefusals(name, data);
    for (const [refusing, reason] of refusals) this.#refusals.set(refusing, reason);
    const isComplete = data.get('complete') !== false;
    if (isComplete) this.#deadlines.delete(name);
    else if (this.#deadlines.has(name)) this.#deadlines.set(name, nowMs + 2 * this.#waitMs);
    // only ours tell who is away and who gives signs
    const isOurs = data.has('complete');
    const lost = data.get('lost');
    return {
      name,
      isComplete,
      lost: new Map(isDict(lost) ? [...lost].map(([id, since]) => [String(id), String(since)]) : []),
      strange: isOurs ? textsOf(data.get('strange')) : minions,
      refusals,
    };
  }
}

/** `error` is the master's beside the syndic; `refused` are those further below. */
function readRefusals(name: string, data: Dict): Map<string, string> {
  const out = new Map<string, string>();
  const error = data.get('error');
  if (isDict(error)) out.set(name, String(error.get('message') ?? error.get('name') ?? 'it did not say why'));
  const below = data.get('refused');
  if (isDict(below)) for (const [refusing, reason] of below) out.set(String(refusing), String(reason));
  return out;
}

function textsOf(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
