/**
 * The services of a program that has no minion around it: nothing runs, nothing hears, and there is no master to ask.
 */
import { UnreachableError } from '../../errors/errors.ts';
import type { MinionServices } from './module.ts';

/** @param why there is no master to ask, as a sentence */
export function withoutMinion(why: string): MinionServices {
  return {
    fireLocal: () => Promise.resolve(false),
    fireMaster: () => Promise.resolve(false),
    runningJobs: () => Promise.resolve([]),
    signalJob: () => Promise.resolve(false),
    refresh: () => Promise.resolve(false),
    request: () => Promise.reject(new UnreachableError(why)),
  };
}
