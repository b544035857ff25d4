/**
 * Returns that a database of a returner (`--return`, `ext_job_cache`) could not take: they wait on this minion's disk until it is
 * back. Salt's minions lose them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../host/clock.ts';
import type { Logger } from '../host/log.ts';
import type { Random } from '../host/random.ts';
import { BrineError, messageOf } from '../errors/errors.ts';
import { safeJoin } from '../host/files.ts';
import { DatabaseHealth, Delivery } from '../returners/delivery.ts';
import { EventSource, EventSpool } from '../returners/event-spool.ts';
import { PositionFile } from '../returners/position-file.ts';
import type { SavedEvent } from '../returners/return-store.ts';
import { truthy, type Dict } from '../values/value.ts';

const POLL_MS = 5_000;
const SPOOL_ENDING = '.sqlite';
/** Between a returner and its `ret_config`. */
const OF_CONFIG = '@';
const ROOMS_MAX = 16;
const KEY = /^[\w.@-]{1,100}$/;

/** What waiting needs. */
export interface WaitingParts {
  readonly folder: string;
  /** `returner_spool_max_bytes`, for each returner. */
  readonly bytesMax: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Hands a return to a returner. */
  readonly write: (name: string, ret: Dict) => Promise<void>;
  /** Resolves when the database answers that a return is meant for. */
  readonly probe: (name: string, ret: Dict) => Promise<void>;
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
      if (file.endsWith(SPOOL_ENDING)) this.#resume(file);
  }

  /** One for each returner and `ret_config`. */
  static roomOf(name: string, ret: Dict): string {
    const config = ret.get('ret_config');
    return truthy(config) ? `${name}${OF_CONFIG}${String(config)}` : name;
  }

  /** True while returns wait for this returner: another one would come before them. */
  isDown(name: string, ret: Dict): boolean {
    return this.#rooms.get(WaitingReturns.roomOf(name, ret))?.delivery.isDown === true;
  }

  /** Keeps a return. @throws BrineError when there is no place for it */
  keep(name: string, ret: Dict): void {
    const { spool, source, delivery } = this.#room(WaitingReturns.roomOf(name, ret));
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

  /** A file that cannot be used keeps no other return from waiting. */
  #resume(file: string): void {
    try {
      this.#room(file.slice(0, -SPOOL_ENDING.length));
    } catch (error) {
      const path = join(this.#parts.folder, file);
      this.#parts.log.error(`The returns that wait in ${path} stay there: ${messageOf(error)}`, error);
    }
  }

  #room(key: string): Room {
    const known = this.#rooms.get(key);
    if (known !== undefined) return known;
    if (!KEY.test(key)) throw new BrineError(`${key} is no name that a file can have`);
    if (this.#rooms.size >= ROOMS_MAX)
      throw new BrineError(`returns wait for ${ROOMS_MAX} databases already; this one is one too many`);
    const { folder, bytesMax, clock, random, log, write, probe } = this.#parts;
    const [name = key] = key.split(OF_CONFIG);
    const path = safeJoin(folder, `${key}${SPOOL_ENDING}`);
    const spool = new EventSpool({ path, bytesMax, what: 'returns', clock, log });
    const positions = new PositionFile(join(folder, `${key}.json`), log);
    const source = new EventSource(spool, { name, positions, due: { countMin: 0, ageMaxMs: 0 }, clock });
    const delivery = new Delivery<SavedEvent>({
      name,
      what: 'returns',
      source,
      health: new DatabaseHealth(key, log),
      write: async (rets) => {
        for (const { data } of rets) await write(name, data);
      },
      probe: ({ data }) => probe(name, data),
      describe: ({ tag }) => `the return for job ${tag}`,
      pollMs: POLL_MS,
      clock,
      random,
      log,
    });
    const room = { spool, source, delivery };
    this.#rooms.set(key, room);
    return room;
  }
}
