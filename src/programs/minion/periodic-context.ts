/** What scheduled jobs, beacons and states at the start share. */
import type { MinionServices } from '../../runtime/loader/module.ts';
import type { Dict } from '../../python/values/value.ts';
import type { Job, JobResult } from './job.ts';
import type { RunningJobs } from './running-jobs.ts';
import type { MinionState } from './state.ts';

/** What periodic work needs. With several masters, pillar and grains are those of the first. */
export interface PeriodicDeps {
  readonly state: () => MinionState;
  readonly services: () => MinionServices;
  readonly running: RunningJobs;
  /** Runs a job as one that a master has published; never throws. */
  readonly runJob: (job: Job) => Promise<JobResult>;
  /** Hands a finished job to every master. */
  readonly sendReturn: (load: Dict) => Promise<void>;
  /** Hands a finished job to returners. */
  readonly sendFurther: (job: Job, load: Dict) => Promise<void>;
  /** Asks for new credentials everywhere: the answer to a ping that no master takes. */
  readonly reconnect?: () => void;
  readonly fireLocal: (tag: string, data: Dict) => void;
}
