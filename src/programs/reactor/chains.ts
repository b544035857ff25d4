/**
 * Reactions that follow from reactions. An event that a reaction's own job brings about can match the same rule again,
 * for ever: each such generation is counted, and a chain that grows too long ends.
 */
import { createHash } from 'node:crypto';
import { encode } from '../../formats/wire/msgpack.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { SeenEvent } from './render-reactions.ts';

/** Generations that a chain may have. */
export const CHAIN_MAX = 32;
/** Jobs whose generation is remembered. */
const JOBS_MAX = 50_000;

/** Events that functions of reactions have fired and that have not come back over the bus yet. */
const FIRED_MAX = 50_000;
/** Events of one minion with one tag, within a minute, from which on a chain through the minion is suspected. */
const SUSPICIOUS_A_MINUTE = 600;
const MINUTE_MS = 60_000;
/** Pairs of minion and tag that are counted. */
const COUNTED_MAX = 10_000;

/** Knows the generation of the jobs that reactions have started and of the events that their functions have fired. */
export class Chains {
  readonly #generations = new BoundedMap<string, number>(JOBS_MAX);
  readonly #fired = new BoundedMap<string, number>(FIRED_MAX);
  readonly #counts = new BoundedMap<string, { readonly sinceMs: number; count: number }>(COUNTED_MAX);

  /** The generation of what reacts to an event: 1, unless the event follows from a reaction. */
  generation(event: SeenEvent): number {
    return Math.max(this.#ofJob(event), this.#ofFired(event)) + 1;
  }

  /** Remembers a job that a reaction has started. */
  started(jid: string, generation: number): void {
    this.#generations.set(jid, generation);
  }

  /** Remembers an event that a function of the master fires for a reaction: nothing in it says so. */
  fired(event: SeenEvent, generation: number): void {
    this.#fired.set(eventKey(event), generation);
  }

  /**
   * Counts an event of a minion. What a minion fires while it runs a reaction's job does not say that it does, so a
   * chain through a minion cannot be ended; but it is fast, and can be told of.
   * @returns whether such events have now become suspiciously many, once a minute
   */
  isSuspicious({ tag, data }: SeenEvent, nowMs: number): boolean {
    const id = data.get('id');
    if (typeof id !== 'string' || tag.startsWith('salt/')) return false;
    const key = `${id}\0${tag}`;
    const counted = this.#counts.get(key);
    if (counted === undefined || nowMs - counted.sinceMs >= MINUTE_MS) {
      this.#counts.set(key, { sinceMs: nowMs, count: 1 });
      return false;
    }
    return ++counted.count === SUSPICIOUS_A_MINUTE;
  }

  #ofJob({ tag, data }: SeenEvent): number {
    const jid = tag.startsWith('salt/job/') ? tag.split('/')[2] : pyStr(data.get('jid') ?? '');
    return (jid === undefined || jid === '' ? undefined : this.#generations.get(jid)) ?? 0;
  }

  #ofFired(event: SeenEvent): number {
    if (this.#fired.size === 0) return 0;
    const key = eventKey(event);
    const generation = this.#fired.get(key) ?? 0;
    this.#fired.delete(key);
    return generation;
  }
}

/** An event by what it says; the bus adds the time. */
function eventKey({ tag, data }: SeenEvent): string {
  const fields = new Map([...data].filter(([name]) => name !== '_stamp'));
  return createHash('sha256').update(`${tag}\0`).update(encode(fields, 'local')).digest('base64');
}
