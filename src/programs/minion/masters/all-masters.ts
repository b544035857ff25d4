/**
 * Every master at once: each has its own connection, grains, pillar and services, and none can keep another waiting.
 * Masters that come from a list are looked up again now and then; new ones are joined, those that are gone are left.
 */
import { BrineError } from '../../../errors/errors.ts';
import { addressName, type MasterAddress } from '../master-address.ts';
import type { MasterConnection } from '../master-connection.ts';
import { MinionState } from '../state.ts';
import { MasterDiscovery } from './discover.ts';
import { connectionTo, type Masters, type MastersDeps } from './connection-to.ts';
import { inPlannedOrder, type MasterPlan } from './plan.ts';
import { takeUp, type MasterSide } from './side.ts';

/** Lists of masters are read again at random times below this. */
const LOOK_UP_AGAIN_MS = 120_000;
/** While there is no master at all. */
const LOOK_UP_SOON_MS = 10_000;

/** Connects to every configured master and keeps the list up to date. */
export class AllMasters implements Masters {
  readonly #deps: MastersDeps;
  readonly #plan: MasterPlan;
  readonly #discovery: MasterDiscovery;
  readonly #sides = new Map<string, MasterSide>();
  readonly #stop = new AbortController();
  #fail: (error: Error) => void = () => undefined;
  #isLeaderTaken = false;

  constructor(deps: MastersDeps, plan: MasterPlan, discovery: MasterDiscovery) {
    this.#deps = deps;
    this.#plan = plan;
    this.#discovery = discovery;
  }

  get sides(): readonly MasterSide[] {
    return [...this.#sides.values()];
  }

  get targets(): readonly MasterConnection[] {
    return this.sides.map(({ connection }) => connection);
  }

  async run(): Promise<never> {
    const failed = new Promise<never>((_, reject) => (this.#fail = reject));
    return Promise.race([failed, this.#keepUp()]);
  }

  close(): void {
    this.#stop.abort();
    for (const { connection } of this.#sides.values()) connection.close();
  }

  async #keepUp(): Promise<never> {
    const { clock, random } = this.#deps;
    const hasLists = this.#plan.entries.some((entry) => MasterDiscovery.isList(entry));
    while (!this.#stop.signal.aborted) {
      const found = await this.#discovery.addresses(this.#plan.entries);
      this.#take(inPlannedOrder(this.#plan, found, random));
      if (!hasLists) break;
      const limitMs = this.#sides.size === 0 ? LOOK_UP_SOON_MS : LOOK_UP_AGAIN_MS;
      await clock.sleep(1000 + random.fraction() * limitMs, this.#stop.signal);
    }
    return new Promise<never>(() => undefined);
  }

  #take(addresses: readonly MasterAddress[]): void {
    const names = new Set(addresses.map(addressName));
    for (const [name, { connection }] of this.#sides) {
      if (names.has(name) || names.size === 0) continue;
      this.#deps.log.info(`The master ${name} is no longer in the list; it is left.`);
      connection.close();
      this.#sides.delete(name);
    }
    for (const address of addresses) {
      if (this.#sides.has(addressName(address))) continue;
      const side = this.#side(address);
      this.#sides.set(addressName(address), side);
      void this.#join(side);
    }
  }

  #side(address: MasterAddress): MasterSide {
    const { deps, grains } = this.#deps.state;
    // the first master has the minion's own state, so that schedule and beacons live in one
    const state = this.#isLeaderTaken ? new MinionState(deps, grains) : this.#deps.state;
    this.#isLeaderTaken = true;
    state.serve(address);
    const connection = connectionTo(this.#deps, address, {
      isOnly: () => this.#sides.size <= 1,
      onPublication: (load) => this.#deps.onPublication(load, side),
      onLink: () => undefined,
      onForbidden: (error) => this.#fail(error),
    });
    const side: MasterSide = { connection, state, services: this.#deps.services(() => side) };
    return side;
  }

  async #join(side: MasterSide): Promise<void> {
    try {
      await side.connection.authenticate();
      await takeUp(side);
      this.#deps.onReady?.(side);
    } catch (error) {
      if (this.#stop.signal.aborted || !this.sides.includes(side)) return; // left meanwhile
      this.#fail(error instanceof Error ? error : new BrineError(String(error)));
    }
  }
}
