/**
 * Gives memory back after a burst of work: V8 itself collects only when it allocates, so an idle process would keep it
 * for ever.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { Clock, Timer } from './clock.ts';

/** What giving memory back needs of the process; handed in, so that tests own it. */
export interface MemoryHost {
  /** CPU time that this process has used so far, milliseconds. */
  cpuMs(): number;
  /** What its objects take, with those that nothing needs any more and with what they hold outside of V8's heap. */
  heapBytes(): number;
  /** Collects everything, and gives back what is free then. */
  readonly collect: () => Promise<void>;
}

const LOOK_MS = 1_000;
/** More CPU time than this since the last collection is a burst. */
const BURST_CPU_MS = 250;
/**
 * So is what has brought so much more of objects: a minion takes little time of its own for the job of another process.
 * Where much is in use it has to be a share of that, because a collection goes through all of it.
 */
const BURST_BYTES = 2_000_000;
const BURST_SHARE = 0.2;
/** Less than this between two looks is rest. */
const REST_CPU_MS = 20;

/** This process. */
function processMemory(): MemoryHost {
  return {
    cpuMs: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    heapBytes: () => {
      const { used_heap_size: usedBytes, external_memory: externalBytes } = getHeapStatistics();
      return usedBytes + externalBytes;
    },
    collect: collectAndCompact,
  };
}

/**
 * Tells V8 that memory is low, which is what the inspector's order to collect does. `gc()` leaves the nursery as large
 * as the work has made it, for as long as V8 remembers that there was work; this gives it back at once.
 *
 * What a burst leaves lies scattered over many pages, all of which a usual collection keeps: a worker that has 7 MB in
 * use holds 15 to 20. Here it is moved together, which takes some tens of milliseconds; in the midst of work that would
 * be too long.
 */
async function collectAndCompact(): Promise<void> {
  // a Node that was built without it has no other way; its processes stay as large as their work has made them
  if (!process.features.inspector) return;
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  setFlagsFromString('--compact-on-every-full-gc');
  await session.post('HeapProfiler.collectGarbage');
  setFlagsFromString('--no-compact-on-every-full-gc');
  session.disconnect();
}

/**
 * Collects garbage after each burst of work, when the process has come to rest. Its start is the first burst.
 * @returns ends that
 */
export function releaseMemoryAtRest(clock: Clock, host: MemoryHost = processMemory()): Timer {
  let collectedAtCpuMs = -Infinity;
  let collectedToBytes = 0;
  let lastCpuMs = host.cpuMs();
  let isCollecting = false;
  const look = async (): Promise<void> => {
    const cpuMs = host.cpuMs();
    const isAtRest = cpuMs - lastCpuMs < REST_CPU_MS;
    lastCpuMs = cpuMs;
    if (isCollecting || !isAtRest) return;
    const grownBytes = host.heapBytes() - collectedToBytes;
    const isLarge = grownBytes >= Math.max(BURST_BYTES, BURST_SHARE * collectedToBytes);
    if (cpuMs - collectedAtCpuMs < BURST_CPU_MS && !isLarge) return;
    isCollecting = true;
    await host.collect();
    isCollecting = false;
    collectedAtCpuMs = lastCpuMs = host.cpuMs();
    collectedToBytes = host.heapBytes();
  };
  return clock.every(LOOK_MS, () => void look(), { background: true });
}
