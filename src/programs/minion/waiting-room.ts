/** The place for returns that a returner's database cannot take now; opened when there is the first of them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WaitingRoom } from '../../plugins/registry/returner/run.ts';
import type { Dict } from '../../python/values/value.ts';
import type { MinionState } from './state.ts';
import type { WaitingReturns } from './waiting-returns.ts';

/** Opens the waiting room with the first return that has to wait. One for each minion, however many masters it has. */
export class LazyWaitingRoom implements WaitingRoom {
  readonly #state: () => MinionState;
  #room: WaitingReturns | undefined;
  #opening: Promise<WaitingReturns> | undefined;

  constructor(state: () => MinionState) {
    this.#state = state;
  }

  isDown(name: string, ret: Dict): boolean {
    return this.#room?.isDown(name, ret) === true;
  }

  async keep(name: string, ret: Dict): Promise<void> {
    await (await this.#open()).keep(name, ret);
  }

  /** Goes on with what an earlier run has left. */
  async resume(): Promise<void> {
    if (existsSync(this.#folder())) await this.#open();
  }

  async close(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.close();
  }

  #folder(): string {
    return join(this.#state().deps.opts.get('cachedir'), 'returners');
  }

  #open(): Promise<WaitingReturns> {
    const opening = (this.#opening ??= this.#make());
    // what failed for once, because the disk was full, is tried again for the next return
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return opening;
  }

  async #make(): Promise<WaitingReturns> {
    const [{ WaitingReturns: Room }, { probeReturner, writeReturn }] = await Promise.all([
      import('./waiting-returns.ts'),
      import('./returner-calls.ts'),
    ]);
    const { opts, clock, random, log } = this.#state().deps;
    this.#room = new Room({
      folder: this.#folder(),
      bytesMax: opts.get('returner_spool_max_bytes'),
      clock,
      random,
      log,
      write: (name, ret) => writeReturn(this.#state(), name, ret),
      probe: (name, ret) => probeReturner(this.#state(), name, ret),
    });
    return this.#room;
  }
}
