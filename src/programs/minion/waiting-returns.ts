/**
 * Returns that a database of a returner (`--return`, `ext_job_cache`) could not take: they wait on this minion's disk
 * until it is back. Salt's minions lose them.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Timer } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import { safeJoin } from '../../host/files.ts';
import { DatabaseHealth, Delivery } from '../../plugins/shared/returner/delivery.ts';
import { EventSource, EventSpool } from '../../plugins/shared/returner/event-spool.ts';
import { PositionFile } from '../../plugins/shared/returner/position-file.ts';
import type { SavedEvent } from '../../plugins/shared/returner/return-store.ts';
import { truthy, type Dict } from '../../python/values/value.ts';

const POLL_MS = 5_000;
const SPOOL_ENDING = '.sqlite';
const POSITION_ENDING = '.json';
/** Between a returner and its `ret_config`. */
const OF_CONFIG = '@';
const ROOMS_MAX = 16;
/** How often rooms are looked at in which nothing waits any more. */
const TIDY_MS = 60_000;
const KEY = /^[\w.@-]{1,100}$/;

/** What waiting needs. */
export interface WaitingReturnsDeps {
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

/** Keeps returns on disk for each database that is down, and delivers them when it is back. */
export class WaitingReturns {
  readonly #deps: WaitingReturnsDeps;
  readonly #rooms = new Map<string, Room>();
  /** Rooms whose files are being removed. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #tidying: Timer;

  /** Goes on with what an earlier run has left. */
  constructor(deps: WaitingReturnsDeps) {
    this.#deps = deps;
    this.#tidying = deps.clock.every(TIDY_MS, () => this.#endEmptyRooms(), { background: true });
    for (const file of existsSync(deps.folder) ? readdirSync(deps.folder) : [])
      if (file.endsWith(SPOOL_ENDING)) this.#resume(file);
  }

  /** How many returners returns wait for, or have waited for lately. */
  get rooms(): number {
    return this.#rooms.size;
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
  async keep(name: string, ret: Dict): Promise<void> {
    const key = WaitingReturns.roomOf(name, ret);
    if (this.#rooms.size >= ROOMS_MAX && !this.#rooms.has(key)) this.#endEmptyRooms();
    await this.#ending.get(key);
    const { spool, source, delivery } = this.#room(key);
    spool.removeUpTo(source.position);
    spool.append([{ tag: String(ret.get('jid')), data: ret }]);
    delivery.wake();
  }

  async close(): Promise<void> {
    this.#tidying.cancel();
    await Promise.all(this.#ending.values());
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
      this.#endEmptyRooms();
    } catch (error) {
      const path = join(this.#deps.folder, file);
      this.#deps.log.error(`The returns that wait in ${path} stay there: ${messageOf(error)}`, error);
    }
  }

  #endEmptyRooms(): void {
    for (const [key, room] of this.#rooms) {
      if (room.source.waiting() > 0) continue;
      this.#rooms.delete(key);
      this.#ending.set(
        key,
        this.#end(key, room).finally(() => this.#ending.delete(key)),
      );
    }
  }

  /** Never rejects: a file that cannot be removed is a line in the log. */
  async #end(key: string, { spool, delivery }: Room): Promise<void> {
    const { folder, log } = this.#deps;
    try {
      await delivery.stop();
      spool.close();
      for (const ending of [SPOOL_ENDING, `${SPOOL_ENDING}-wal`, `${SPOOL_ENDING}-shm`, POSITION_ENDING])
        rmSync(safeJoin(folder, key + ending), { force: true });
    } catch (error) {
      log.warning(`What waited in ${folder} for ${key} could not be removed: ${messageOf(error)}`, error);
    }
  }

  #room(key: string): Room {
    const known = this.#rooms.get(key);
    if (known !== undefined) return known;
    if (!KEY.test(key)) throw new BrineError(`${key} is no name that a file can have`);
    if (this.#rooms.size >= ROOMS_MAX)
      throw new BrineError(`returns wait for ${ROOMS_MAX} databases already; this one is one too many`);
    const { folder, bytesMax, clock, random, log, write, probe } = this.#deps;
    const [name = key] = key.split(OF_CONFIG);
    const path = safeJoin(folder, `${key}${SPOOL_ENDING}`);
    const spool = new EventSpool({ path, bytesMax, what: 'returns', clock, log });
    const positions = new PositionFile(join(folder, key + POSITION_ENDING), log);
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
