/** Gives memory back after a burst of work: V8 itself collects only when it allocates, so an idle process would keep it for ever. */
import type { Clock, Timer } from './clock.ts';

/** What giving memory back needs of the process; handed in, so that tests own it. */
export interface MemoryHost {
  /** CPU time that this process has used so far, milliseconds. */
  cpuMs(): number;
  /** Collects everything; undefined when Node was not started with `--expose-gc`. */
  readonly collect: (() => void) | undefined;
}

const LOOK_MS = 1_000;
/** More CPU time than this since the last collection is a burst. */
const BURST_CPU_MS = 250;
/** Less than this between two looks is rest. */
const REST_CPU_MS = 20;

/** This process. */
export const processMemory: MemoryHost = {
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  collect: globalThis.gc === undefined ? undefined : () => void globalThis.gc?.(),
};

/**
 * Collects garbage once after each burst of work, when the process has come to rest.
 * @returns ends that
 */
export function releaseMemoryAtRest(clock: Clock, host: MemoryHost = processMemory): Timer {
  const { collect } = host;
  if (collect === undefined) return { cancel: () => undefined };
  let collectedAtCpuMs = host.cpuMs();
  let lastCpuMs = collectedAtCpuMs;
  return clock.every(
    LOOK_MS,
    () => {
      const cpuMs = host.cpuMs();
      const isAtRest = cpuMs - lastCpuMs < REST_CPU_MS;
      lastCpuMs = cpuMs;
      if (!isAtRest || cpuMs - collectedAtCpuMs < BURST_CPU_MS) return;
      collect();
      collectedAtCpuMs = lastCpuMs = host.cpuMs();
    },
    { background: true },
  );
}
