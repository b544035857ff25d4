/** What every part of the master is handed, and what it gives back. */
import type { WorkersWanted } from '../worker-plan.ts';
import type { Crypticle } from '../../../network/crypto/crypticle.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Random } from '../../../host/random.ts';
import type { Secret } from '../../../host/secret.ts';
import type { Sample } from '../../../runtime/metrics/sample.ts';

/** The world of a part. */
export interface RoleContext {
  readonly opts: MasterOptions;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Number of this worker. */
  readonly index: number;
  readonly userKeys: ReadonlyMap<string, Secret>;
  /** The shared keys: the one in force, then the one before it. */
  readonly sharedKeys: () => readonly Crypticle[];
  /** Calls back after each new shared key. */
  readonly onNewKey: (listener: () => void) => void;
  /** Has the main process put another shared key in force, which the cluster has. */
  readonly adoptKey: (key: Secret) => void;
  /** Whether what is to be done once in a cluster is this master's to do; always, where it stands alone. */
  readonly hasDuty: () => boolean;
  /** Tells all parts of this master whether it has the duty. */
  readonly tellDuty: (isMine: boolean) => void;
  /** Has the main process start the workers that are not there yet. */
  readonly startWorkers: (wanted: WorkersWanted) => void;
  /** Asks the main process for a new shared key. */
  readonly requestRotation: (reason: string) => void;
}

/** A running part. */
export interface RunningRole {
  /** Finishes what is under way and lets go of everything. */
  stop(): Promise<void>;
  /** What this part has counted, and how full it is, besides what every process says of itself. */
  figures?(): readonly Sample[];
  /** For a part that may come to an end by itself: the status of its process then. */
  readonly ended?: Promise<number>;
}

/** Starts a part; resolves when it can do its work. */
export type StartRole = (context: RoleContext) => Promise<RunningRole>;
