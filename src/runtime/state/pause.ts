/**
 * Halts of a running state run: `<cachedir>/state_pause/<jid>`, as Salt's own programs write it (salt/state.py
 * `check_pause`, 3006.16).
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { safeJoin, writeFileAtomic } from '../../host/files.ts';
import type { Clock } from '../../host/clock.ts';
import { isDict, toNumber, type Dict } from '../../python/values/value.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';

/** Stands for every state of a run. */
export const ALL_STATES = '__all__';
const LOOK_MS = 1000;

/** The files of one minion. */
export class PauseFiles {
  readonly #folder: string;

  constructor(cachedir: string) {
    this.#folder = join(cachedir, 'state_pause');
  }

  /** The jobs that have a file. */
  jids(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch {
      return [];
    }
  }

  /** What is asked of a run, by the id of a state; undefined when nothing is, or it cannot be read. */
  read(jid: string): Dict | undefined {
    try {
      const path = safeJoin(this.#folder, jid);
      if (!existsSync(path)) return undefined; // an exception for each state of a run would cost more
      const orders = decode(readFileSync(path), 'network');
      return isDict(orders) ? orders : undefined;
    } catch {
      return undefined;
    }
  }

  write(jid: string, orders: Dict): void {
    mkdirSync(this.#folder, { recursive: true });
    writeFileAtomic(safeJoin(this.#folder, jid), encode(orders, 'network'), { mode: 0o600, durable: true });
  }

  remove(jid: string): void {
    rmSync(safeJoin(this.#folder, jid), { force: true });
  }

  /** Waits while a state is paused. @returns whether it may run; false ends the run */
  async mayRun(jid: string, id: string, clock: Clock, signal: AbortSignal): Promise<boolean> {
    const startMs = clock.monotonicMs();
    while (!signal.aborted) {
      const orders = this.read(jid);
      const order = orders?.get(id) ?? orders?.get(ALL_STATES);
      if (!isDict(order)) return true;
      const seconds = toNumber(order.get('duration'));
      if (seconds !== undefined && clock.monotonicMs() - startMs > seconds * 1000) return true;
      if (order.has('kill')) return false;
      await clock.sleep(LOOK_MS, signal);
    }
    return false;
  }
}
