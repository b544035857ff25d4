/**
 * `salt --watch JID`: a job that was started elsewhere, from what the job cache has of it to its end. Ours, not Salt's.
 */
import { constants } from 'node:fs';
import { jobCacheDirectory } from '../../config/job-caches.ts';
import { requirePermitted } from '../../host/not-permitted.ts';
import type { PublishedJob } from '../../runtime/client/local-client.ts';
import { readPresence } from '../../runtime/client/presence.ts';
import { storedJob, storedLedger } from '../../runtime/client/local-job-cache.ts';
import { watchPublished } from '../../runtime/client/watch-job.ts';
import type { KnownBefore } from '../../runtime/client/watch-state.ts';
import { isSafeJid, jidTimeMs, jidTimeText } from '../../storage/jobs/jid.ts';
import { judgeJob, stampOf, type LedgerEntry, type OutcomeKind } from '../../storage/jobs/ledger.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { printHints, reportOptions, type SaltRun } from './context.ts';
import { JobReport } from './report.ts';

/**
 * @returns the exit code, as if the job had been started here; 2 for a job that nobody knows
 * @throws NotPermittedError for a user who may not read the job cache
 */
export async function followJob(run: SaltRun, jid: string): Promise<number> {
  const folder = jobCacheDirectory(run.program.opts.get('cachedir'));
  requirePermitted(folder, constants.R_OK | constants.X_OK, '--watch looks at the job cache of the master');
  const load = isSafeJid(jid) ? await storedJob(run.program.opts, jid) : undefined;
  if (load === undefined) {
    run.display.error(
      `No job with the id ${jid} is in the job cache. See: salt-run jobs.list_jobs, or salt-run jobs.active`,
    );
    return run.codes.of('none matched');
  }
  run.display.error(`Job ${jid} of ${jidTimeText(jid)}: ${title(load)}`);
  const minions = load.get('Minions');
  const ids = Array.isArray(minions) ? minions.map(String) : [];
  run.interrupt.began(jid);
  const entries = await storedLedger(run.program.opts, jid);
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const { job, before } = await jobAsItWas(run, jid, ids, entries);
  const report = new JobReport(run.display, reportOptions(run));
  for await (const item of watchPublished(run.watch, job, run.patience, before)) {
    await report.show(item, jid);
    const givenUpMs = known.get(item.id)?.verdict?.atMs;
    if (item.kind === 'return' && givenUpMs !== undefined)
      run.display.error(`${item.id} returned late: it was given up at ${stampOf(givenUpMs)} UTC.`);
  }
  const code = report.finish();
  await printHints(run, report);
  return code;
}

/** Who was away when the job was published, who could not take part, and what has happened since. */
async function jobAsItWas(
  { program, watch }: SaltRun,
  jid: string,
  minions: readonly string[],
  entries: readonly LedgerEntry[],
): Promise<{ job: PublishedJob; before: KnownBefore }> {
  const presence = await readPresence(program.opts, minions);
  const outcomes = judgeJob({
    publishedMs: jidTimeMs(jid),
    minions,
    returns: [],
    entries: entries.map(({ verdict: _, ...entry }) => entry),
    presence: presence ?? new Map(),
    nowMs: watch.clock.nowMs(),
    patienceMs: 0,
  });
  const sinceOf = (wanted: OutcomeKind): Map<string, string> =>
    new Map(outcomes.flatMap(({ id, kind, detail }) => (kind === wanted && detail ? [[id, detail]] : [])));
  const received = entries.flatMap(({ id, receivedMs }): [string, number][] =>
    receivedMs === undefined ? [] : [[id, receivedMs]],
  );
  const expected = new Set(minions);
  const job = {
    jid,
    minions,
    missing: entries.map(({ id }) => id).filter((id) => !expected.has(id)),
    lost: sinceOf('never received'),
    ...(presence === undefined ? {} : { strange: minions.filter((id) => !presence.has(id)) }),
  };
  return { job, before: { received: new Map(received), lost: sinceOf('connection lost') } };
}

function functionOf(load: Dict): string {
  const fun = load.get('fun');
  return Array.isArray(fun) ? fun.map(String).join(',') : String(fun ?? '');
}

function title(load: Dict): string {
  const tgt = load.get('tgt');
  const target = Array.isArray(tgt) ? tgt.map(String).join(',') : String(tgt ?? '');
  const args = load.get('arg');
  const words = Array.isArray(args) ? args.map((arg: Value) => pyStr(arg)) : [];
  return [functionOf(load), ...words, 'on', target].join(' ');
}
