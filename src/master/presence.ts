/** Which identified minions are connected, and since when the others are not. Kept by the publisher, which sees connections. */
import { tags } from '../events/tags.ts';
import { BoundedMap } from '../host/bounded-map.ts';
import type { Clock } from '../host/clock.ts';
import { isoStamp } from '../events/framing.ts';
import { dict, type Dict, type Value } from '../values/value.ts';

/** Minions of which it is remembered when their connection was lost. */
const LOST_MAX = 200_000;

/** See the file's comment. */
export class Presence {
  readonly #clock: Clock;
  readonly #fireEvent: (tag: string, data: Dict) => void;
  readonly #connected = new Set<string>();
  readonly #lostSince = new BoundedMap<string, string>(LOST_MAX);

  constructor(clock: Clock, fireEvent: (tag: string, data: Dict) => void) {
    this.#clock = clock;
    this.#fireEvent = fireEvent;
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

  /** Of these minions: `lost`, those that are known to be away, and since when (UTC); `strange`, those never seen here. */
  absence(ids: readonly string[]): Dict {
    const lost: Dict = new Map();
    const strange: Value[] = [];
    for (const id of ids) {
      if (this.#connected.has(id)) continue;
      const since = this.#lostSince.get(id);
      if (since === undefined) strange.push(id);
      else lost.set(id, since);
    }
    return dict({ lost, strange });
  }

  /** What is known of these minions: whether they are connected, and when their connection was last lost (UTC) or null. */
  describe(ids: readonly string[]): Dict {
    const out: Dict = new Map();
    for (const id of ids) {
      const isConnected = this.#connected.has(id);
      const since = this.#lostSince.get(id);
      if (isConnected || since !== undefined) out.set(id, [isConnected, since ?? null]);
    }
    return out;
  }
}
