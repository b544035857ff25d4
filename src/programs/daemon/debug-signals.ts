/** What a running process tells of itself when it gets a signal (salt/utils/debug.py, 3006.16). */
import { createFile } from '../../host/files.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';

/** What the process of a daemon or of one of its parts has to say. */
export interface DebugSignals {
  readonly clock: Clock;
  /** Where it is said; undefined while there is no log yet. */
  readonly log: () => Logger | undefined;
  /** What SIGUSR1 shows besides the memory: one line a thing. */
  readonly describe?: () => readonly string[];
}

/**
 * SIGUSR1 writes what the process is doing, SIGUSR2 begins and ends a profile. Each process of a daemon needs them:
 * without, the first would open Node's debugger, and the second end the process.
 */
export function handleDebugSignals(signals: DebugSignals): void {
  process.on('SIGUSR1', () => dumpState(signals));
  const toggleProfile = profileToggle(signals);
  process.on('SIGUSR2', () => void toggleProfile());
}

/** Salt compat: to standard error when that is a terminal, else to `/tmp/salt-debug-<epoch>.log`. */
function dumpState({ clock, log, describe }: DebugSignals): void {
  const { rss, heapUsed, external } = process.memoryUsage();
  const memory = [`resident ${rss}`, `heap ${heapUsed}`, `external ${external}`].join(', ');
  const text = [
    '======== Salt Debug Stack Trace =========',
    `process ${process.pid}, Node ${process.version}, bytes: ${memory}`,
    `open resources: ${process.getActiveResourcesInfo().join(' ')}`,
    ...(describe?.() ?? []),
    '',
  ].join('\n');
  if (process.stderr.isTTY) {
    process.stderr.write(text);
    return;
  }
  const path = `/tmp/salt-debug-${Math.floor(clock.nowMs() / 1000)}-${process.pid}.log`;
  try {
    createFile(path, text, { mode: 0o600 });
    log()?.warning(`The state of this process was written to ${path}`);
  } catch (error) {
    log()?.warning(`The state of this process could not be written to ${path}: ${(error as Error).message}`);
  }
}

/** The first SIGUSR2 starts a CPU profile, the second writes it for Chrome's developer tools. */
function profileToggle({ clock, log }: DebugSignals): () => Promise<void> {
  let profiling: { stop(): Promise<string> } | undefined;
  return async () => {
    if (profiling === undefined) {
      profiling = await startProfile();
      log()?.warning('Profiling; the next SIGUSR2 ends it.');
      return;
    }
    const running = profiling;
    profiling = undefined;
    const path = `/tmp/salt-${Math.floor(clock.nowMs() / 1000)}-${process.pid}.cpuprofile`;
    createFile(path, await running.stop(), { mode: 0o600 });
    log()?.warning(`The profile was written to ${path}`);
  };
}

async function startProfile(): Promise<{ stop(): Promise<string> }> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  return {
    stop: async () => {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return JSON.stringify(profile);
    },
  };
}
