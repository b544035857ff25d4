/**
 * What simulated minions answer. No function is really run: the answer costs nothing, so the master is what is
 * measured.
 */
import type { Job, JobResult } from '../minion/job.ts';
import type { Value } from '../../python/values/value.ts';

/** Answers a job for one minion. */
export type Answerer = (job: Job, id: string) => JobResult;

/**
 * Answers of the usual kind: `test.ping` and `test.echo` as the real ones, `saltutil.find_job` "not running",
 * everything else a text.
 * @param payloadBytes length of that text
 */
export function simulatedAnswer(payloadBytes: number): Answerer {
  const one = (fun: string, args: readonly Value[], id: string): Value => {
    if (fun === 'test.ping') return true;
    if (fun === 'test.echo') return args[0] ?? null;
    if (fun === 'saltutil.find_job') return new Map();
    return `${id} answers ${fun} `.padEnd(payloadBytes, '.');
  };
  return ({ funs, args, isMultiple }, id) => {
    const values = funs.map((fun, index) => one(fun, args[index] ?? [], id));
    if (!isMultiple) return { return: values[0] as Value, retcode: 0, success: true };
    const named = (items: readonly Value[]): Value =>
      new Map(funs.map((fun, index) => [fun, items[index] as Value]));
    return {
      return: named(values),
      retcode: named(funs.map(() => 0)),
      success: named(funs.map(() => true)),
    };
  };
}
