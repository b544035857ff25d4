/** The results of jobs that did not come to a return of their own. */
import type { JobResult } from './job.ts';

/** The return of a job that was ended from outside: Salt sends none, we never leave a caller waiting. */
export function endedResult(jid: string, signal: number): JobResult {
  return failedJob(`The job ${jid} was ended by signal ${signal}.`);
}

/** A return that reports an error. */
export function failedJob(text: string): JobResult {
  return { return: text, retcode: 1, success: false, out: 'nested' };
}
