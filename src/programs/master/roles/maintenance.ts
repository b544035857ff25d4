/**
 * Maintenance: owns the job cache, forgets what is old, notices drop files, and asks for a new shared key when it is
 * time.
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MasterOptions } from '../../../config/master-options.ts';
import { EventBusWriter } from '../../../network/events/bus-client.ts';
import { tags } from '../../../network/events/tags.ts';
import type { Logger } from '../../../host/log.ts';
import { outcomeDict } from '../../../storage/jobs/ledger.ts';
import { storeHandlers } from '../../../storage/jobs/remote-store.ts';
import { DayWindow } from '../../../storage/jobs/job-days.ts';
import { SaltsCleanUp } from '../../../storage/jobs/salts-clean-up.ts';
import { SqliteJobStore } from '../../../storage/jobs/sqlite-store.ts';
import { JobCacheLines } from '../job-cache-lines.ts';
import { RpcPeer } from '../../../network/ipc/rpc.ts';
import { listen } from '../../../network/transport/listen.ts';
import { awaitedDisk } from '../../../config/power-failure.ts';
import { masterSockets } from '../../../config/master-sockets.ts';
import { handsJobsOn, jobCacheDirectory, keepJobsSeconds } from '../../../config/job-caches.ts';
import type { Value } from '../../../python/values/value.ts';
import { countedLines } from '../counted-log.ts';
import { forgetExpiredTokens } from '../expired-tokens.ts';
import { FileServerUpdates } from '../file-server-updates.ts';
import { GitUpdates } from '../git-updates.ts';
import { KeyStore } from '../../../storage/keys/store.ts';
import { MaintenanceFigures } from '../maintenance-figures.ts';
import { PresenceEvents } from '../presence-events.ts';
import type { RoleContext, StartRole } from './role.ts';

const CHECKPOINT_MS = 5_000;
const EVENT_QUEUE_BYTES_MAX = 4 * 1024 * 1024;
/** How often to look for the drop file: a deleted key should end its minion's view of publications soon. */
const DROP_FILE_MS = 1_000;

export const startMaintenance: StartRole = async (context) => {
  const { opts, clock, log } = context;
  const { jobCacheOwner, eventPull } = masterSockets(opts);
  const events = new EventBusWriter({
    path: eventPull,
    clock,
    eventBytesMax: opts.get('max_event_size'),
    queueBytesMax: EVENT_QUEUE_BYTES_MAX,
  });
  const lines = new JobCacheLines(clock, log);
  const store = new SqliteJobStore({
    directory: jobCacheDirectory(opts.get('cachedir')),
    outbox: handsJobsOn(opts),
    disk: awaitedDisk(opts),
    days: new DayWindow(clock, keepJobsSeconds(opts)),
    onStrayDay: strayDayLines(log),
    watch: {
      clock,
      committed: (writes, ms) => {
        figures.committed(writes, ms);
        lines.taken();
      },
      refused: (error) => lines.refused(error),
    },
    onLate: (jid, outcome) => {
      figures.late();
      events.fire(
        tags.jobOutcome(jid, outcome.id),
        new Map<Value, Value>([['jid', jid], ['id', outcome.id], ...outcomeDict(outcome)]),
      );
    },
  });
  const figures = new MaintenanceFigures({
    store,
    keys: new KeyStore(opts.get('pki_dir'), { clock }),
    sessionsFolder: join(opts.get('cachedir'), 'sessions'),
    clock,
  });
  const salts = new SaltsCleanUp({
    cachedir: opts.get('cachedir'),
    keepSeconds: keepJobsSeconds(opts),
    clock,
  });
  const answers = storeHandlers(store);
  const pool = await listen({ address: { path: jobCacheOwner }, mode: 0o600 }, (socket) => {
    new RpcPeer(socket, answers);
  });
  const timers = [
    clock.every(CHECKPOINT_MS, () => lines.watching(() => store.checkpoint())),
    clock.every(DROP_FILE_MS, () => checkDropFile(context)),
    clock.every(opts.get('loop_interval') * 1000, () => void tidyUp(context, store, salts)),
    clock.every(opts.get('loop_interval') * 1000, () => void forgetExpiredTokens(opts, context)),
  ];
  const updates = new FileServerUpdates(context);
  const gitUpdates = GitUpdates.create(context, (tag, data) => events.fire(tag, data));
  if (gitUpdates !== undefined) timers.push(clock.every(gitUpdates.periodMs, () => void gitUpdates.run()));
  timers.push(clock.every(updates.periodMs, () => void updates.run()));
  const presence = opts.get('presence_events')
    ? new PresenceEvents(context, (tag, data) => events.fire(tag, data))
    : undefined;
  if (presence !== undefined)
    timers.push(clock.every(opts.get('loop_interval') * 1000, () => void presence.tell()));
  const schedule = await masterSchedule(context);
  const session = opts.get('publish_session');
  if (session > 0)
    timers.push(clock.every(session * 1000, () => context.requestRotation('publish_session has passed')));
  await tidyUp(context, store, salts);
  void gitUpdates?.run();
  log.info('Maintenance is ready');
  return {
    figures: () => figures.samples(),
    stop: async () => {
      for (const timer of timers) timer.cancel();
      pool.server.close();
      updates.close();
      schedule?.close();
      await presence?.close();
      await store.close();
      events.close();
    },
  };
};

/** The scheduler, where the master has scheduled runners; it is not loaded otherwise. */
async function masterSchedule(context: RoleContext): Promise<{ close(): void } | undefined> {
  if (context.opts.get('schedule').size === 0) return undefined;
  const { MasterSchedule } = await import('../master-schedule.ts');
  return new MasterSchedule(context);
}

/** Tells of job ids of days that the job cache does not keep, for each minion apart. */
function strayDayLines(log: Logger): (jid: string, id: string | undefined) => void {
  const line = countedLines(log, 'warning');
  return (jid, id = 'a user or a syndic') =>
    line(
      id,
      `The job id ${jid}, named by ${id}, is of a day that the job cache does not keep (keep_jobs_seconds); what is said of it is kept ` +
        'with jobs that have no time, the newest of them',
    );
}

async function tidyUp(
  { opts, clock, log }: RoleContext,
  store: SqliteJobStore,
  salts: SaltsCleanUp,
): Promise<void> {
  try {
    const keepSeconds = keepJobsSeconds(opts);
    if (keepSeconds > 0) await store.removeOlderThan(clock.nowMs() - keepSeconds * 1000);
    const forgotten = await store.tidyUndated();
    if (forgotten > 0)
      log.warning(
        `${forgotten} jobs and returns with ids that are no recent time were forgotten: there are too many.`,
      );
    await keepLimits(opts, store, log);
    await salts.round();
  } catch (error) {
    log.error('The job cache could not be cleaned; the next round tries again.', error);
  }
}

async function keepLimits(opts: MasterOptions, store: SqliteJobStore, log: Logger): Promise<void> {
  const limits = { jobsMax: opts.get('job_cache_max_jobs'), bytesMax: opts.get('job_cache_max_bytes') };
  if (limits.jobsMax <= 0 && limits.bytesMax <= 0) return;
  const { areKept, jobs, bytes } = await store.removeBeyond(limits);
  if (areKept) return;
  log.warning(
    `Today's jobs alone are beyond the limits of the job cache: ${jobs} jobs, ${bytes} bytes. They stay until tomorrow; ` +
      'raise job_cache_max_jobs or job_cache_max_bytes, or publish less.',
  );
}

/**
 * `salt-key` asks for a new shared key by leaving `<cachedir>/.dfn`, mode 0400
 * (docs/internals/keys-and-sessions.md#the-shared-key).
 */
function checkDropFile({ opts, log, requestRotation }: RoleContext): void {
  const path = join(opts.get('cachedir'), '.dfn');
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if ((stat.mode & 0o777) !== 0o400) {
    log.error('Found dropfile with incorrect permissions, ignoring...');
    rmSync(path, { force: true });
    return;
  }
  rmSync(path, { force: true });
  requestRotation('a key was deleted or rejected');
}
