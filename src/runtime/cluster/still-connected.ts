/**
 * A minion that goes from one master to another connects to the next before it leaves the last. Its leaving is heard on
 * all masters, where whoever waits for its return would take it for lost; so the master that it is connected to says so
 * once more.
 */
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { messageOf } from '../../errors/errors.ts';
import { isoStamp } from '../../network/events/framing.ts';
import { minionOfDisconnected, tags } from '../../network/events/tags.ts';
import type { PublisherClient } from '../../network/ipc/contracts/publisher.ts';
import { dict, type Dict } from '../../python/values/value.ts';

/** When a master drains, all its minions leave within a moment: they are looked up together. */
const TOGETHER_MS = 20;
/** More at once are not looked up: no fleet has so many, and whoever waits asks them (`find_job`). */
const LEFT_MAX = 200_000;

/** What saying so needs. */
export interface StillConnectedDeps {
  /** The publisher of this master. */
  readonly local: Pick<PublisherClient, 'connections'>;
  readonly fire: (tag: string, data: Dict) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Says of minions that have left another master that they are connected to this one. */
export class StillConnected {
  readonly #deps: StillConnectedDeps;
  #left = new Set<string>();
  #timer: Timer | undefined;

  constructor(deps: StillConnectedDeps) {
    this.#deps = deps;
  }

  /** Takes the tag of an event that was fired on another master. */
  heard(tag: string): void {
    const id = minionOfDisconnected(tag);
    if (id === undefined || this.#left.size >= LEFT_MAX) return;
    this.#left.add(id);
    this.#timer ??= this.#deps.clock.after(TOGETHER_MS, () => void this.#look(), { background: true });
  }

  async #look(): Promise<void> {
    const { local, fire, clock, log } = this.#deps;
    const ids = [...this.#left];
    this.#left = new Set();
    this.#timer = undefined;
    try {
      const known = await local.connections({ ids });
      const at = isoStamp(clock);
      for (const [id, { isConnected }] of known)
        if (isConnected) fire(tags.minionConnected(id), dict({ id, at }));
    } catch (error) {
      log.warning(`Which minions are connected here is not known: ${messageOf(error)}`);
    }
  }
}
