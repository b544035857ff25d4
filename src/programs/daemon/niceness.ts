/** `*_niceness`: how much the system is to prefer other processes to this one (`os.nice`, salt/master.py, 3006.16). */
import { getPriority, setPriority } from 'node:os';
import { messageOf } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { toNumber, type Value } from '../../python/values/value.ts';

const NICEST = 19;
const GREEDIEST = -20;

/** Adds to the niceness of this process. @param wanted the option; not set changes nothing */
export function applyNiceness(wanted: Value | undefined, log: Logger): void {
  const step = wanted === undefined ? undefined : toNumber(wanted);
  if (step === undefined || step === 0) return;
  const niceness = Math.max(GREEDIEST, Math.min(NICEST, getPriority() + step));
  try {
    setPriority(niceness);
    log.info(`${process.title} runs with the niceness ${niceness}`);
  } catch (error) {
    log.warning(`${process.title} keeps the niceness ${getPriority()}: ${messageOf(error)}.`);
  }
}
