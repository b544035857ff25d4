/** The process that a custom beacon runs in, whatever language it is in. */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { Verdict } from '../../plugins/shared/beacon/beacon.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';

/** What the beacons see of the minion; grains and pillar are replaced whole when they change. */
export interface BeaconSurroundings {
  readonly id: string;
  readonly opts: Dict;
  readonly grains: Dict;
  readonly pillar: Dict;
}

/** What custom beacons need. */
export interface OwnBeaconsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly surroundings: () => BeaconSurroundings;
  /** The execution functions that they may call. */
  readonly functions: () => ModuleContext;
  /** The program of the process, when it does not lie beside this one. */
  readonly hostScript?: string;
}

/** The process of one beacon, started when it is first asked. */
export interface BeaconProcess {
  /** @throws what the beacon raises, or an error of the process */
  validate(config: Value): Promise<Verdict>;
  /** @throws what the beacon raises, or an error of the process */
  look(config: readonly Value[]): Promise<readonly Dict[]>;
  /** Whether an error means that the process hung or ended, and not that the beacon raised something. */
  isEnd(error: unknown): boolean;
  /** Ends the process. */
  close(): void;
}

/** A custom beacon that was found. */
export interface FoundBeacon {
  readonly name: string;
  readonly doc: string;
  /** It is handed items that are no beacon's own, too. */
  readonly seesAll?: boolean;
  /** @param beacon the name under which it is configured */
  open(beacon: string): BeaconProcess;
}
