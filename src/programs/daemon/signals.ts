/** The signals that Salt's daemons handle (salt/utils/process.py, 3006.16). */
import { createFile } from '../../host/files.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';

/** What a daemon does with signals. */
export interface SignalActions {
  /** SIGTERM and SIGINT. */
  readonly stop: (signal: 'SIGTERM' | 'SIGINT') => void;
  /** SIGHUP, where the daemon has a use for it. */
  readonly reload?: () => void;
  /** What SIGUSR1 shows besides the memory: one line a thing. */
  readonly describe: () => readonly string[];
}

/** Installs the handlers. A second SIGINT ends the program at once. */
export function handleSignals(actions: SignalActions, clock: Clock, log: Logger): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping && signal === 'SIGINT') process.exit(1);
      if (!stopping) actions.stop(signal);
      stopping = true;
    });
  }
  process.on('SIGHUP', () => actions.reload?.());
  process.on('SIGUSR1', () => dumpState(actions.describe(), clock, log));
  const toggleProfile = profileToggle(clock, log);
  process.on('SIGUSR2', () => void toggleProfile());
}

/** Salt compat: to standard error when that is a terminal, else to `/tmp/salt-debug-<epoch>.log`. */
function dumpState(lines: readonly string[], clock: Clock, log: Logger): void {
  const { rss, heapUsed, external } = process.memoryUsage();
  const memory = [`resident ${rss}`, `heap ${heapUsed}`, `external ${external}`].join(', ');
  const text = [
    '======== Salt Debug Stack Trace =========',
    `process ${process.pid}, Node ${process.version}, bytes: ${memory}`,
    `open resources: ${process.getActiveResourcesInfo().join(' ')}`,
    ...lines,
    '',
  ].join('\n');
  if (process.stderr.isTTY) {
    process.stderr.write(text);
    return;
  }
  const path = `/tmp/salt-debug-${Math.floor(clock.nowMs() / 1000)}-${process.pid}.log`;
  try {
    createFile(path, text, { mode: 0o600 });
    log.info(`The state of this process was written to ${path}`);
  } catch (error) {
    log.warning(`The state of this process could not be written to ${path}: ${(error as Error).message}`);
  }
}

/** The first SIGUSR2 starts a CPU profile, the second writes it for Chrome's developer tools. */
function profileToggle(clock: Clock, log: Logger): () => Promise<void> {
  let profiling: { stop(): Promise<string> } | undefined;
  return async () => {
    if (profiling === undefined) {
      profiling = await startProfile();
      log.warning('Profiling; the next SIGUSR2 ends it.');
      return;
    }
    const running = profiling;
    profiling = undefined;
    const path = `/tmp/salt-${Math.floor(clock.nowMs() / 1000)}-${process.pid}.cpuprofile`;
    createFile(path, await running.stop(), { mode: 0o600 });
    log.warning(`The profile was written to ${path}`);
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
