/**
 * What nobody has foreseen and nobody has caught: it costs what it was part of, and not the daemon with all that others
 * wait for.
 */
import { messageOf } from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';

/**
 * So many within this time are no accident any more: whatever goes wrong goes on doing so, and a new process may do
 * better.
 */
const MOST = 100;
const WITHIN_MS = 60_000;

/**
 * Makes the process outlive errors that no part of it has caught; each is written to the log as a mistake of ours.
 * Salt compat: an exception that leaves a handler of its event loop is logged, and the loop goes on.
 */
export function outliveUnexpected(
  clock: Clock,
  log: Logger,
  end: () => void = () => process.exit(1),
): (error: unknown) => void {
  let [count, since, begunMs] = [0, 0, clock.monotonicMs()];
  return (error) => {
    const nowMs = clock.monotonicMs();
    if (nowMs - begunMs > WITHIN_MS) [since, begunMs] = [0, nowMs];
    log.critical(`Something unexpected went wrong (${++count} times so far): ${messageOf(error)}`, error);
    if (++since < MOST) return;
    log.critical(`This has happened ${MOST} times within ${WITHIN_MS / 1000} seconds: the program ends.`);
    end();
  };
}
