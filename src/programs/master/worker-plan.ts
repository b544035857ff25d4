/**
 * Which workers of a master serve, and which are started at first. A master that has little to do has one. The others
 * that serve are started when there is more to do, those that stand in when one is silent; they stay.
 */
import { availableParallelism } from 'node:os';

/** The workers of a master by their numbers. */
export interface WorkerPlan {
  /** `worker_threads` */
  readonly workersMax: number;
  /**
   * How many of them serve as long as all are well; the others stand in. More processes at work than the machine has
   * cores make smaller batches and hold more memory, and serve no more requests.
   */
  readonly activeMax: number;
  /** Those that every master has. */
  readonly first: readonly number[];
  /** Those that are started when there is more to do. */
  readonly serving: readonly number[];
  /** Those that are started when one that serves is silent; before that they would do nothing but hold memory. */
  readonly standIns: readonly number[];
}

/**
 * Which workers a master is to have besides the first: when there is more to do, and when one of them has fallen
 * silent.
 */
export type WorkersWanted = 'serving' | 'all';

/** @param workerThreads `worker_threads` @param cores of the machine */
export function planWorkers(workerThreads: number, cores = availableParallelism()): WorkerPlan {
  const workersMax = Math.max(1, workerThreads);
  const activeMax = Math.max(1, Math.min(workersMax, cores));
  const numbers = Array.from({ length: workersMax }, (_, number) => number);
  return {
    workersMax,
    activeMax,
    first: numbers.slice(0, 1),
    serving: numbers.slice(1, activeMax),
    standIns: numbers.slice(activeMax),
  };
}
