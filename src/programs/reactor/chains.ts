/**
 * Reactions that follow from reactions. An event that a reaction's own job brings about can match the same rule again, for ever: each
 * such generation is counted, and a chain that grows too long ends.
 */
import { BoundedMap } from '../../host/bounded-map.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { SeenEvent } from './render-reactions.ts';

/** Generations that a chain may have. */
export const CHAIN_MAX = 32;
/** Jobs whose generation is remembered. */
const JOBS_MAX = 50_000;

/** Knows the generation of the jobs that reactions have started. */
export class Chains {
  readonly #generations = new BoundedMap<string, number>(JOBS_MAX);

  /** The generation of what reacts to an event: 1, unless the event belongs to a job of a reaction. */
  generation({ tag, data }: SeenEvent): number {
    const jid = tag.startsWith('salt/job/') ? tag.split('/')[2] : pyStr(data.get('jid') ?? '');
    const before = jid === undefined || jid === '' ? undefined : this.#generations.get(jid);
    return (before ?? 0) + 1;
  }

  /** Remembers a job that a reaction has started. */
  started(jid: string, generation: number): void {
    this.#generations.set(jid, generation);
  }
}
