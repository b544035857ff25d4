/** What every way of using masters shares. */
import type { AuthClient } from '../../../network/channel/client/authenticate.ts';
import type { MinionOptions } from '../../../config/minion-options.ts';
import type { Clock } from '../../../host/clock.ts';
import type { NameService } from '../../../host/dns.ts';
import type { Logger } from '../../../host/log.ts';
import type { Random } from '../../../host/random.ts';
import type { MinionServices } from '../../../runtime/loader/module.ts';
import { dict, type Dict } from '../../../python/values/value.ts';
import { MasterConnection, type ConnectionMemory } from '../master-connection.ts';
import type { MasterAddress } from '../master-address.ts';
import type { MinionState } from '../state.ts';
import type { MasterSide } from './side.ts';

/** What using masters needs. */
export interface MastersDeps {
  readonly opts: MinionOptions;
  readonly client: AuthClient;
  readonly names: NameService;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** What was published before, by whichever master. */
  readonly memory: ConnectionMemory;
  /** The minion's own state: that of its first master. */
  readonly state: MinionState;
  /** The services of a side, which is made with them. */
  readonly services: (side: () => MasterSide) => MinionServices;
  readonly onPublication: (load: Dict, side: MasterSide) => void;
  /** A master is served from now on: subscribed, pillar fetched, start event sent. */
  readonly onReady?: (side: MasterSide) => void;
  /** A master can be reached again: what waits for it can be sent. */
  readonly onUp: () => void;
  /** A master says where those of its cluster are. */
  readonly onMasters?: ((masters: readonly string[], connection: MasterConnection) => void) | undefined;
  /** Fires on the minion's own bus. */
  readonly fireLocal: (tag: string, data: Dict) => void;
}

/** The masters of a running minion. */
export interface Masters {
  /** Those that are served now, the most important one first. */
  readonly sides: readonly MasterSide[];
  /** Those that can be sent to, the most important one first. */
  readonly targets: readonly MasterConnection[];
  /**
   * Joins them, and never resolves while all is well.
   * @throws RejectedError, FingerprintError: the minion must not go on
   */
  run(): Promise<never>;
  close(): void;
}

/** Makes the connection of a master. */
export function connectionTo(
  deps: MastersDeps,
  address: MasterAddress,
  events: {
    readonly isOnly: () => boolean;
    readonly onPublication: (load: Dict) => void;
    readonly onLink: (isUp: boolean) => void;
    readonly onForbidden: (error: Error) => void;
  },
): MasterConnection {
  const { opts, client, memory, names, clock, random, log, fireLocal } = deps;
  let wasUp = false;
  const onLink = (isUp: boolean): void => {
    if (isUp) deps.onUp();
    // Salt compat: Salt's checks fire these events with the master's address
    const tag = isUp ? '__master_connected' : '__master_disconnected';
    if (isUp || wasUp) fireLocal(tag, dict({ master: address.host }));
    wasUp = isUp;
    events.onLink(isUp);
  };
  return new MasterConnection({
    address,
    opts,
    client,
    memory,
    names,
    clock,
    random,
    log,
    ...events,
    onMasters: deps.onMasters,
    onLink,
  });
}
