/** The masters of a minion, in whichever way they are used (salt/minion.py `MinionManager`, 3006.16). */
import type { AuthClient } from '../../channel/client/authenticate.ts';
import type { MinionOptions } from '../../config/minion-options.ts';
import { BrineError } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { NameService } from '../../host/dns.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { MinionServices } from '../../loader/module.ts';
import { dict, type Dict, type Value } from '../../values/value.ts';
import { MasterConnection } from '../master-connection.ts';
import type { MasterAddress } from '../master-address.ts';
import type { MinionState } from '../state.ts';
import { AllMasters } from './all-masters.ts';
import { MasterDiscovery } from './discover.ts';
import { OneMaster } from './one-master.ts';
import { planMasters } from './plan.ts';
import type { MasterSide } from './side.ts';

/** What using masters needs. */
export interface MastersParts {
  readonly opts: MinionOptions;
  readonly client: AuthClient;
  readonly names: NameService;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The minion's own state: that of its first master. */
  readonly state: MinionState;
  /** The services of a side, which is made with them. */
  readonly services: (side: () => MasterSide) => MinionServices;
  readonly onPublication: (load: Dict, side: MasterSide) => void;
  /** A master is served from now on: subscribed, pillar fetched, start event sent. */
  readonly onReady?: (side: MasterSide) => void;
  /** A master can be reached again: what waits for it can be sent. */
  readonly onUp: () => void;
  /** Fires on the minion's own bus. */
  readonly fireLocal: (tag: string, data: Dict) => void;
}

/** The masters of a running minion. */
export interface Masters {
  /** Those that are served now, the most important one first. */
  readonly sides: readonly MasterSide[];
  /** Those that can be sent to, the most important one first. */
  readonly targets: readonly MasterConnection[];
  /** Joins them, and never resolves while all is well. @throws RejectedError, FingerprintError: the minion must not go on */
  run(): Promise<never>;
  close(): void;
}

/** No connection at all: `master_type: disable`. */
const noMasters: Masters = {
  sides: [],
  targets: [],
  run: () => new Promise<never>(() => undefined),
  close: () => undefined,
};

/** Reads which masters there are, and how they are used. @throws ConfigError, BrineError */
export async function openMasters(parts: MastersParts): Promise<Masters> {
  const { opts, log } = parts;
  const plan = await planMasters(opts, log, (fun) => callBeforeJoining(parts, fun));
  if (plan.mode === 'none') return noMasters;
  const discovery = new MasterDiscovery(parts);
  await discovery.addresses(plan.entries.filter((entry) => !MasterDiscovery.isList(entry))); // a bad one ends the start
  return plan.mode === 'one' ? new OneMaster(parts, plan, discovery) : new AllMasters(parts, plan, discovery);
}

function callBeforeJoining({ state, services }: MastersParts, fun: string): Promise<Value> {
  const none = (): never => {
    throw new BrineError(`The function ${fun}, which names the master, runs before there is a master.`);
  };
  const job = { jid: '0', fun, pub: new Map() };
  return state.context(job, services(none), new AbortController().signal).functions.call(fun);
}

/** Makes the connection of a master. */
export function connectionTo(
  parts: MastersParts,
  address: MasterAddress,
  events: {
    readonly isOnly: () => boolean;
    readonly onPublication: (load: Dict) => void;
    readonly onLink: (isUp: boolean) => void;
    readonly onForbidden: (error: Error) => void;
  },
): MasterConnection {
  const { opts, client, names, clock, random, log, fireLocal } = parts;
  let wasUp = false;
  const onLink = (isUp: boolean): void => {
    if (isUp) parts.onUp();
    // Salt compat: Salt's checks fire these events with the master's address
    const tag = isUp ? '__master_connected' : '__master_disconnected';
    if (isUp || wasUp) fireLocal(tag, dict({ master: address.host }));
    wasUp = isUp;
    events.onLink(isUp);
  };
  return new MasterConnection({ address, opts, client, names, clock, random, log, ...events, onLink });
}
