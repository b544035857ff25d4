/**
 * Which workers of a master serve, and which are started at first. A master that has little to do has two of them: one that serves, and one
 * that stands in while that one is busy or away. The others are started when there is more to do, and stay.
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
  /** Those that are started when they are needed. */
  readonly later: readonly number[];
}

/** @param workerThreads `worker_threads` @param cores of the machine */
export function planWorkers(workerThreads: number, cores = availableParallelism()): WorkerPlan {
  const workersMax = Math.max(1, workerThreads);
  const activeMax = Math.max(1, Math.min(workersMax, cores));
  const numbers = Array.from({ length: workersMax }, (_, number) => number);
  const standIn = activeMax < workersMax ? activeMax : 1;
  const first = numbers.filter((number) => number === 0 || number === standIn);
  return { workersMax, activeMax, first, later: numbers.filter((number) => !first.includes(number)) };
}
