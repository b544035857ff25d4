/**
 * A minion that is given one master, and learns from it that it is one of several that are a cluster: it chooses one of
 * them by its own id, so that minions spread themselves, goes to the next when that one is gone or gives its minions
 * away, and comes back when it authenticates anew. What it has learned is kept, so that it finds a master when it
 * starts while its configured one is away. Real Salt knows nothing of it.
 */
import { join } from 'node:path';
import { textList } from '../../../formats/json/text-list.ts';
import { toJson } from '../../../formats/json/text.ts';
import { messageOf } from '../../../errors/errors.ts';
import { readTextIfExists, writeFileAtomic } from '../../../host/files.ts';
import { addressName, parseMasterAddress } from '../master-address.ts';
import type { MasterConnection } from '../master-connection.ts';
import { AllMasters } from './all-masters.ts';
import type { MasterDiscovery } from './discover.ts';
import type { Masters, MastersDeps } from './connection-to.ts';
import { LearnedOrder } from './learned-order.ts';
import { OneMaster } from './one-master.ts';
import type { MasterPlan } from './plan.ts';
import type { MasterSide } from './side.ts';

/** A master of a cluster that is away for so long is left: the others are there for that. */
const ALIVE_SECONDS = 2;
const FILE = 'masters_learned';

/** See the head of this file. */
export class LearnedMasters implements Masters {
  readonly #deps: MastersDeps;
  readonly #plan: MasterPlan;
  readonly #discovery: MasterDiscovery;
  readonly #path: string;
  readonly #order: LearnedOrder;
  #inner: Masters;
  /**
   * What is still connected until its successor is: a job that is published meanwhile comes by one of them, or by both,
   * and runs once.
   */
  readonly #left: Masters[] = [];
  #isClosed = false;
  #moved: () => void = () => undefined;

  /** @param plan of one configured master */
  constructor(deps: MastersDeps, plan: MasterPlan, discovery: MasterDiscovery) {
    this.#deps = {
      ...deps,
      onMasters: (masters, connection) => this.#learn(masters, connection),
      onReady: (side) => {
        for (const left of this.#left.splice(0)) left.close();
        deps.onReady?.(side);
      },
    };
    this.#plan = plan;
    this.#discovery = discovery;
    this.#path = join(deps.opts.get('cachedir'), FILE);
    const port = deps.opts.get('master_port');
    this.#order = new LearnedOrder(deps.opts.get('id'), plan.entries[0] ?? '', (entry) =>
      addressName(parseMasterAddress(entry, port)),
    );
    this.#order.set(textList(readTextIfExists(this.#path)));
    this.#inner = this.#open();
  }

  get sides(): readonly MasterSide[] {
    return this.#inner.sides;
  }

  get targets(): readonly MasterConnection[] {
    return this.#inner.targets;
  }

  async run(): Promise<never> {
    while (!this.#isClosed) {
      const moved = new Promise<void>((resolve) => (this.#moved = resolve));
      await Promise.race([this.#inner.run(), moved]);
      if (this.#isClosed) break;
      this.#left.push(this.#inner);
      this.#inner = this.#open();
    }
    return new Promise<never>(() => undefined);
  }

  close(): void {
    this.#isClosed = true;
    for (const masters of [...this.#left.splice(0), this.#inner]) masters.close();
  }

  #open(): Masters {
    if (this.#order.entries.length === 0) return new AllMasters(this.#deps, this.#plan, this.#discovery);
    const plan = {
      ...this.#plan,
      mode: 'one',
      entries: this.#order.entries,
      aliveSeconds: ALIVE_SECONDS,
    } as const;
    return new OneMaster(this.#deps, plan, this.#discovery);
  }

  #learn(masters: readonly string[], connection: MasterConnection): void {
    const { log } = this.#deps;
    if (this.#isClosed || !this.#inner.targets.includes(connection)) return;
    const wasKnown = this.#order.entries.length > 0;
    if (!this.#order.heard(masters, connection.name)) return;
    this.#keep();
    const preferred = this.#order.entries[0];
    if (wasKnown && preferred !== undefined && this.#order.nameOf(preferred) === connection.name) return;
    if (preferred === undefined)
      log.info('The master is part of no cluster any more; the configured one counts.');
    else if (masters.length === 0)
      log.info(
        `The master ${connection.name} has left its cluster; this minion goes to ${String(preferred)}.`,
      );
    else
      log.info(
        `The master is one of a cluster of ${masters.length}; this minion belongs to ${String(preferred)}.`,
      );
    this.#moved();
  }

  #keep(): void {
    try {
      writeFileAtomic(this.#path, toJson(this.#order.entries), { mode: 0o600 });
    } catch (error) {
      this.#deps.log.warning(`The masters of the cluster could not be written down: ${messageOf(error)}`);
    }
  }
}
