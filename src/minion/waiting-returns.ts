/**
 * Returns that a database of a returner (`--return`, `ext_job_cache`) could not take: they wait on this minion's disk until it is
 * back. Salt's minions lose them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../host/clock.ts';
import type { Logger } from '../host/log.ts';
import type { Random } from '../host/random.ts';
import { safeJoin } from '../host/files.ts';
import { DatabaseHealth, Delivery } from '../returners/delivery.ts';
import { EventSource, EventSpool } from '../returners/event-spool.ts';
import { PositionFile } from '../returners/position-file.ts';
import type { SavedEvent } from '../returners/return-store.ts';
import type { Dict, Value } from '../values/value.ts';

const POLL_MS = 5_000;
const SPOOL_ENDING = '.sqlite';
/** A jid that no job has. */
const PROBED_JID = '0';

/** What waiting needs. */
export interface WaitingParts {
  readonly folder: string;
  /** `returner_spool_max_bytes`, for each returner. */
  readonly bytesMax: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Calls a function of a returner. */
  readonly call: (fun: string, args: readonly Value[]) => Promise<void>;
}

interface Room {
  readonly spool: EventSpool;
  readonly source: EventSource;
  readonly delivery: Delivery<SavedEvent>;
}

/** See the file's comment. */
export class WaitingReturns {
  readonly #parts: WaitingParts;
  readonly #rooms = new Map<string, Room>();

  /** Goes on with what an earlier run has left. */
  constructor(parts: WaitingParts) {
    this.#parts = parts;
    for (const file of existsSync(parts.folder) ? readdirSync(parts.folder) : [])
      if (file.endsWith(SPOOL_ENDING)) this.#room(file.slice(0, -SPOOL_ENDING.length));
  }

  /** True while returns wait for this returner: another one would come before them. */
  isDown(name: string): boolean {
    return this.#rooms.get(name)?.delivery.isDown === true;
  }

  /** Keeps a return. */
  keep(name: string, ret: Dict): void {
    const { spool, source, delivery } = this.#room(name);
    spool.removeUpTo(source.position);
    spool.append([{ tag: String(ret.get('jid')), data: ret }]);
    delivery.wake();
  }

  async close(): Promise<void> {
    const rooms = [...this.#rooms.values()];
    this.#rooms.clear();
    for (const { spool, source, delivery } of rooms) {
      await delivery.stop();
      spool.removeUpTo(source.position);
      spool.close();
    }
  }

  #room(name: string): Room {
    const known = this.#rooms.get(name);
    if (known !== undefined) return known;
    const { folder, bytesMax, clock, random, log, call } = this.#parts;
    const path = safeJoin(folder, `${name}${SPOOL_ENDING}`);
    const spool = new EventSpool({ path, bytesMax, what: 'returns', clock, log });
    const positions = new PositionFile(join(folder, `${name}.json`), log);
    const source = new EventSource(spool, { name, positions, due: { countMin: 0, ageMaxMs: 0 }, clock });
    const delivery = new Delivery<SavedEvent>({
      name,
      what: 'returns',
      source,
      health: new DatabaseHealth(name, log),
      write: async (rets) => {
        for (const { data } of rets) await call(`${name}.returner`, [data]);
      },
      probe: () => call(`${name}.get_load`, [PROBED_JID]),
      describe: ({ tag }) => `the return for job ${tag}`,
      pollMs: POLL_MS,
      clock,
      random,
      log,
    });
    const room = { spool, source, delivery };
    this.#rooms.set(name, room);
    return room;
  }
}
