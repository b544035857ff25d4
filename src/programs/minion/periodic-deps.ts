/** Ties periodic work to the parts of a running minion. */
import type { Dict } from '../../python/values/value.ts';
import type { MinionServices } from '../../runtime/loader/module.ts';
import { returnFurther } from './further-returns.ts';
import type { JobRunner } from './job-runner.ts';
import type { Masters } from './masters/connection-to.ts';
import type { PeriodicDeps } from './periodic-context.ts';
import type { ReturnSender } from './return-sender.ts';
import type { RunningJobs } from './running-jobs.ts';
import type { MinionState } from './state.ts';

/** The parts of a minion. */
export interface MinionPieces {
  /** What holds while no master is served. */
  readonly state: MinionState;
  readonly services: MinionServices;
  readonly running: RunningJobs;
  readonly runner: JobRunner;
  readonly sender: ReturnSender;
  readonly masters: () => Masters | undefined;
  readonly fireLocal: (tag: string, data: Dict) => void;
}

/** With several masters pillar and grains are those of the first; what is returned goes to all. */
export function periodicDeps(pieces: MinionPieces): PeriodicDeps {
  const side = (): { state: MinionState; services: MinionServices } => pieces.masters()?.sides[0] ?? pieces;
  return {
    state: () => side().state,
    services: () => side().services,
    running: pieces.running,
    runJob: (job) => pieces.runner.runOwn(job, side()),
    sendReturn: async (load) => {
      if (side().state.opts.get('pub_ret') === false) return;
      const masters = pieces.masters();
      // while a failover looks for its next master, the one before gets it
      const served = masters?.sides.map(({ connection }) => connection) ?? [];
      const targets = served.length > 0 ? served : (masters?.targets.slice(0, 1) ?? []);
      await Promise.all(targets.map((target) => pieces.sender.send(new Map(load), target)));
    },
    sendFurther: (job, load) => returnFurther(job, load, side()),
    fireLocal: pieces.fireLocal,
  };
}
