/** The signals that Salt's daemons handle (salt/utils/process.py, 3006.16). */
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { handleDebugSignals } from './debug-signals.ts';

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
  handleDebugSignals({ clock, log: () => log, describe: actions.describe });
}
