/**
 * Which identified minions are connected, and since when the others are not. Kept by the publisher, which sees
 * connections.
 */
import { tags } from '../../network/events/tags.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { isoStamp } from '../../network/events/framing.ts';
import type { Absence, Connection } from '../../network/ipc/contracts/publisher.ts';
import { dict, type Dict } from '../../python/values/value.ts';

/** Minions of which it is remembered when their connection was lost. */
const LOST_MAX = 200_000;

/** The connected minions that have identified themselves, and since when the others are away. */
export class Presence {
  readonly #clock: Clock;
  readonly #fireEvent: (tag: string, data: Dict) => void;
  readonly #connected = new Set<string>();
  /** When this began; nobody who is not connected has been since. */
  readonly #began: string;
  readonly #lostSince = new BoundedMap<string, string>(LOST_MAX);

  constructor(clock: Clock, fireEvent: (tag: string, data: Dict) => void) {
    this.#clock = clock;
    this.#began = isoStamp(clock);
    this.#fireEvent = fireEvent;
  }

  /** How many are connected. */
  get count(): number {
    return this.#connected.size;
  }

  /** Notes that a minion has come or gone, and tells the bus. */
  note(id: string, isConnected: boolean): void {
    const at = isoStamp(this.#clock);
    if (isConnected) {
      this.#connected.add(id);
      this.#fireEvent(tags.minionConnected(id), dict({ id, at }));
    } else {
      this.#connected.delete(id);
      this.#lostSince.set(id, at);
      this.#fireEvent(tags.minionDisconnected(id), dict({ id, at }));
    }
  }

  /**
   * Which of these minions are not there.
   * @param subscribers how many connections there are; more than of minions that said who they are means that one of
   *   them may be anybody's
   */
  absence(ids: readonly string[], subscribers = Infinity): Absence {
    const lost = new Map<string, string>();
    const strange: string[] = [];
    for (const id of ids) {
      if (this.#connected.has(id)) continue;
      const since = this.#lostSince.get(id);
      if (since === undefined) strange.push(id);
      else lost.set(id, since);
    }
    const unseen = subscribers <= this.#connected.size ? { unseenSince: this.#began } : {};
    return { lost, strange, ...unseen };
  }

  /** What is known of these minions' connections; those that were never seen are missing. */
  describe(ids: readonly string[]): ReadonlyMap<string, Connection> {
    const out = new Map<string, Connection>();
    for (const id of ids) {
      const isConnected = this.#connected.has(id);
      const lostSince = this.#lostSince.get(id);
      if (isConnected || lostSince !== undefined)
        out.set(id, { isConnected, ...(lostSince === undefined ? {} : { lostSince }) });
    }
    return out;
  }
}
