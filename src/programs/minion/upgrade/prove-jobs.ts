/** Whether jobs can be run here: one is, in a process of its own. */
import { messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Random } from '../../../host/random.ts';
import { dict } from '../../../python/values/value.ts';
import { pyRepr } from '../../../python/values/repr.ts';
import { JidSource } from '../../../storage/jobs/jid.ts';
import { readJob } from '../job.ts';
import type { WorkerPool } from '../worker-pool.ts';

/** Longer than a worker's start takes on a busy machine. */
const JOB_MS = 15_000;

/** Runs `test.echo` in a worker. @returns why that went wrong; undefined when it did not */
export async function proveJobs(
  workers: Pick<WorkerPool, 'run'>,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<string | undefined> {
  const nonce = random.bytes(8).toString('hex');
  const jid = new JidSource(clock).next();
  const job = readJob(dict({ jid, fun: 'test.echo', arg: [nonce], tgt: '*', tgt_type: 'glob', ret: '' }));
  if (job === undefined) return 'it could not make a job';
  const over = new AbortController();
  const late = clock.sleep(JOB_MS, over.signal).then(() => 'late' as const);
  try {
    const hooks = { started: () => undefined, isAborted: () => false };
    const result = await Promise.race([workers.run(job, hooks), late]);
    if (result === 'late') return `a job, test.echo, was not over within ${JOB_MS / 1000} seconds`;
    if (result.return === nonce) return undefined;
    return `a job, test.echo, returned ${pyRepr(result.return)} in place of ${nonce}`;
  } catch (error) {
    return `a job, test.echo, could not be run: ${messageOf(error)}`;
  } finally {
    over.abort();
  }
}
