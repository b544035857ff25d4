/** What returners are offered by the program around them when they run outside of any job: nothing. */
import { BrineError } from '../../../errors/errors.ts';
import type { MinionServices } from '../../../runtime/loader/module.ts';

/** Services that do nothing. */
export const NO_SERVICES: MinionServices = {
  fireLocal: () => Promise.resolve(false),
  fireMaster: () => Promise.resolve(false),
  runningJobs: () => Promise.resolve([]),
  signalJob: () => Promise.resolve(false),
  refresh: () => Promise.resolve(false),
  request: () => Promise.reject(new BrineError('A returner has no master to ask.')),
};
