/**
 * The masters above a syndic: a connection to each, made anew by itself, the start event, and which of them gets a
 * return (salt/minion.py `SyndicManager`, 3006.16).
 */
import type { AuthClient } from '../../network/channel/client/authenticate.ts';
import type { MinionOptions } from '../../config/minion-options.ts';
import { BrineError, messageOf } from '../../errors/errors.ts';
import { tags } from '../../network/events/tags.ts';
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import type { NameService } from '../../host/dns.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import { asctime } from '../minion/asctime.ts';
import { MasterConnection, type ConnectionMemory } from '../minion/master-connection.ts';
import { MasterDiscovery } from '../minion/masters/discover.ts';
import { dict, type Dict } from '../../python/values/value.ts';

/** What the connections need. */
export interface UpperMastersDeps {
  readonly opts: MinionOptions;
  readonly client: AuthClient;
  readonly memory: ConnectionMemory;
  readonly names: NameService;
  /** `syndic_failover: ordered` */
  readonly isOrdered: boolean;
  /** `syndic_mode: cluster`: the masters above have one job cache between them */
  readonly isCluster: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onPublication: (load: Dict, upper: MasterConnection) => void;
  /** A master above can be reached, or can be reached again. */
  readonly onUp: () => void;
}

const START_PATIENCE = { timeoutMs: 10_000, tries: 3 };
/** Jobs and masters of which it is remembered who asked. */
const ASKERS_MAX = 20_000;
const MASTER_IDS_MAX = 100;

/** The connections to the masters above, and the choice of the one that gets a return. */
export class UpperMasters {
  readonly #deps: UpperMastersDeps;
  readonly #byName = new Map<string, MasterConnection>();
  readonly #askers = new BoundedMap<string, string>(ASKERS_MAX);
  readonly #masterIds = new BoundedMap<string, string>(MASTER_IDS_MAX);

  constructor(deps: UpperMastersDeps) {
    this.#deps = deps;
  }

  /** In the order of the configuration. */
  get all(): readonly MasterConnection[] {
    return [...this.#byName.values()];
  }

  /** Those that waiting returns may go to, the first one in place of one that is gone. */
  get targets(): readonly MasterConnection[] {
    const up = this.#deps.isCluster ? this.#inOrder().filter(({ isUp }) => isUp) : [];
    return up.length > 0 ? up : this.all;
  }

  /** Joins them; never resolves while all is well. @throws RejectedError, FingerprintError, ConfigError */
  async run(): Promise<never> {
    const { opts } = this.#deps;
    const named = opts.raw('master');
    const entries = Array.isArray(named) ? named : [named ?? ''];
    const addresses = await new MasterDiscovery(this.#deps).addresses(entries);
    for (const address of addresses) {
      const connection: MasterConnection = new MasterConnection({
        ...this.#deps,
        address,
        role: 'syndic',
        isOnly: () => addresses.length <= 1,
        onPublication: (load) => this.#take(load, connection),
        onLink: (isUp) => this.#link(isUp, connection),
      });
      this.#byName.set(connection.name, connection);
    }
    if (addresses.length === 0)
      throw new BrineError('The option syndic_master names no master.', { code: 'config-invalid' });
    await Promise.all(this.all.map((connection) => this.#join(connection)));
    return new Promise<never>(() => undefined);
  }

  close(): void {
    for (const connection of this.all) connection.close();
  }

  /**
   * The master that gets a return.
   * @param masterId `master_id` of the job, when it has one
   * @param asker the name of the master that is known otherwise to have asked
   */
  ownerOf(jid: string, masterId: string | undefined, asker?: string): MasterConnection | undefined {
    const byId =
      masterId === undefined ? undefined : (this.#named(masterId) ?? this.#masterIds.get(masterId));
    const name = byId ?? this.#askers.get(jid) ?? asker;
    const wanted = name === undefined ? undefined : this.#byName.get(name);
    if (wanted !== undefined && (wanted.isUp || !this.#deps.isCluster)) return wanted;
    const order = this.#inOrder();
    return order.find(({ isUp }) => isUp) ?? wanted ?? order[0];
  }

  /** The master that published a job. */
  askerOf(jid: string): string | undefined {
    return this.#askers.get(jid);
  }

  /** Salt compat: a `master_id` may be the address that `syndic_master` names. */
  #named(masterId: string): string | undefined {
    return this.all.find(({ name, address }) => name === masterId || address.host === masterId)?.name;
  }

  #inOrder(): MasterConnection[] {
    const { isOrdered, random } = this.#deps;
    const order = [...this.all];
    if (isOrdered) return order;
    for (let at = order.length - 1; at > 0; at--) {
      const other = random.int(0, at);
      [order[at], order[other]] = [order[other] as MasterConnection, order[at] as MasterConnection];
    }
    return order;
  }

  #take(load: Dict, upper: MasterConnection): void {
    const jid = load.get('jid');
    if (typeof jid === 'string') this.#askers.set(jid, upper.name);
    const masterId = load.get('master_id');
    if (typeof masterId === 'string') this.#masterIds.set(masterId, upper.name);
    this.#deps.onPublication(load, upper);
  }

  async #join(connection: MasterConnection): Promise<void> {
    const { log } = this.#deps;
    try {
      await connection.authenticate();
      await connection.subscribe();
      log.info(`Syndic successfully connected to ${connection.name}`);
    } catch (error) {
      if (this.#byName.size <= 1) throw error;
      log.error(`The master ${connection.name} above is given up: ${messageOf(error)}`, error);
    }
  }

  #link(isUp: boolean, connection: MasterConnection): void {
    const { log } = this.#deps;
    if (!isUp)
      return log.warning(`The master ${connection.name} above cannot be reached; returns wait on disk.`);
    void this.#fireStart(connection);
    this.#deps.onUp();
  }

  async #fireStart(connection: MasterConnection): Promise<void> {
    const { opts, log, clock } = this.#deps;
    const id = opts.get('id');
    const data = `Syndic ${id} started at ${asctime(new Date(clock.nowMs()))}`;
    const names = [tags.syndicStart(id)];
    if (opts.raw('enable_legacy_startup_events') !== false) names.unshift(tags.legacySyndicStart);
    for (const tag of names) {
      // `reports` is ours: this syndic tells for each job whom it expects
      const load = dict({ cmd: '_minion_event', id, pretag: null, tag, data, reports: true });
      try {
        await connection.requests.send(load, START_PATIENCE);
      } catch (error) {
        log.warning(`The master ${connection.name} did not take the start event: ${messageOf(error)}`);
      }
    }
  }
}
