/** Gives memory back after a burst of work: V8 itself collects only when it allocates, so an idle process would keep it for ever. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock, Timer } from './clock.ts';

/** What giving memory back needs of the process; handed in, so that tests own it. */
export interface MemoryHost {
  /** CPU time that this process has used so far, milliseconds. */
  cpuMs(): number;
  /** Collects everything. */
  readonly collect: () => void;
}

const LOOK_MS = 1_000;
/** More CPU time than this since the last collection is a burst. */
const BURST_CPU_MS = 250;
/** Less than this between two looks is rest. */
const REST_CPU_MS = 20;
/** V8 shrinks its nursery only when a collection finds that little was allocated in the last five seconds. */
const LONG_REST_MS = 7_000;

/** This process. */
function processMemory(): MemoryHost {
  const collect: () => unknown = globalThis.gc ?? exposedCollector();
  return {
    cpuMs: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    collect: () => collectAndCompact(collect),
  };
}

/** What `--expose-gc` gives to processes that we start; those that a user starts have no flags of ours. */
function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collect;
}

/**
 * What a burst leaves lies scattered over many pages, all of which a usual collection keeps: a worker that has 7 MB in use holds
 * 15 to 20. Here it is moved together, which takes some tens of milliseconds; in the midst of work that would be too long.
 */
function collectAndCompact(collect: () => unknown): void {
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
}

/**
 * Collects garbage after each burst of work, when the process has come to rest, and once more when it has rested for a while.
 * Its start is the first burst.
 * @returns ends that
 */
export function releaseMemoryAtRest(clock: Clock, host: MemoryHost = processMemory()): Timer {
  const { collect } = host;
  let collectedAtCpuMs = -Infinity;
  let lastCpuMs = host.cpuMs();
  let restMs = 0;
  let isNurseryLarge = false;
  return clock.every(
    LOOK_MS,
    () => {
      const cpuMs = host.cpuMs();
      restMs = cpuMs - lastCpuMs < REST_CPU_MS ? restMs + LOOK_MS : 0;
      lastCpuMs = cpuMs;
      const isAfterBurst = restMs > 0 && cpuMs - collectedAtCpuMs >= BURST_CPU_MS;
      if (!isAfterBurst && !(isNurseryLarge && restMs >= LONG_REST_MS)) return;
      collect();
      isNurseryLarge = isAfterBurst;
      collectedAtCpuMs = lastCpuMs = host.cpuMs();
    },
    { background: true },
  );
}
