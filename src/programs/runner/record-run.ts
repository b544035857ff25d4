/** Runs in the job cache (salt/client/mixins.py `low`, salt/utils/job.py `store_job`, 3006.16). */
import { handsJobsOn, jobCacheDirectory } from '../../config/job-caches.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { awaitedDisk } from '../../config/power-failure.ts';
import { masterSockets } from '../../config/master-sockets.ts';
import { messageOf } from '../../errors/errors.ts';
import { notPermitted } from '../../host/not-permitted.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type { MasterFunctionKind } from '../../plugins/shared/runner/runner.ts';
import { OWNER_FIELD } from '../../storage/jobs/job-owner.ts';
import type { JobWriter } from '../../storage/jobs/job-store.ts';
import { RemoteJobStore } from '../../storage/jobs/remote-store.ts';
import { SqliteJobStore } from '../../storage/jobs/sqlite-store.ts';
import { connectRpc } from '../../network/ipc/rpc-client.ts';
import { dict, type Dict } from '../../python/values/value.ts';

/** What recording needs. */
export interface RecordRunDeps {
  readonly opts: MasterOptions;
  readonly clock: Clock;
  readonly log: Logger;
  /** What has vouched for the user. */
  readonly eauth: string | undefined;
}

/**
 * Keeps a run with its return: through the master when one runs, else in the files themselves. A failure is logged.
 *
 * Salt compat: `runner_returns: False` keeps all runners out, not only those of `salt-run`; for wheel functions Salt
 * has no such option.
 */
export async function recordRun(deps: RecordRunDeps, kind: MasterFunctionKind, data: Dict): Promise<void> {
  const { opts, log, eauth } = deps;
  if (!opts.get('job_cache') || (kind === 'runner' && opts.raw('runner_returns') === false)) return;
  const id = String(opts.raw('id'));
  const jid = String(data.get('jid'));
  const fun = String(data.get('fun'));
  const load = dict({ id, tgt: id, jid, fun, user: data.get('user') });
  if (eauth !== undefined) load.set(OWNER_FIELD, eauth);
  let store: JobWriter | undefined;
  try {
    store = await openStore(deps);
    await store.saveJob(jid, load, []);
    const success = data.get('success') === true;
    await store.saveReturn({ jid, id, fun, return: data, retcode: success ? 0 : 1, success });
  } catch (error) {
    // a user with few rights runs what needs none of them; that his run is not kept is no fault
    const refusal = notPermitted(error);
    if (refusal !== undefined) return log.info(`This run is not kept in the job cache: ${refusal.message}`);
    log.error(
      `Could not store job cache info. Job details for this run may be unavailable. ${messageOf(error)}`,
      error,
    );
  } finally {
    await store?.close().catch(() => undefined);
  }
}

async function openStore({ opts, clock }: RecordRunDeps): Promise<JobWriter> {
  const path = masterSockets(opts).jobCache;
  try {
    (await connectRpc(path, {})).close();
    return new RemoteJobStore(path, clock);
  } catch {
    const directory = jobCacheDirectory(opts.get('cachedir'));
    return new SqliteJobStore({ directory, outbox: handsJobsOn(opts), disk: awaitedDisk(opts) });
  }
}
