/** What the job caches that are no database of ours share: whether a filter wants a job, and the order of lists. */
import { funText } from './job-rows.ts';
import { jidTimeMs } from './jid.ts';
import type { JobFilter, JobSummary } from './job-store.ts';

/** Whether a filter wants a job, its limit aside. */
export function passesFilter(
  { fun, wantsFun, fromJid, toJid, accepts }: JobFilter,
  job: JobSummary,
): boolean {
  const name = funText(job.load.get('fun'));
  if (fun !== undefined && name !== fun) return false;
  if (wantsFun !== undefined && !wantsFun(name)) return false;
  if (fromJid !== undefined && job.jid < fromJid) return false;
  // a jid may have a suffix
  if (toJid !== undefined && job.jid.slice(0, toJid.length) > toJid) return false;
  return accepts === undefined || accepts(job);
}

/** The newest first, those without a time last. */
export function newestFirst(jobs: Iterable<JobSummary>): JobSummary[] {
  return [...jobs].sort((a, b) => order(a.jid, b.jid));
}

function order(a: string, b: string): number {
  const [isTimeA, isTimeB] = [a, b].map((jid) => jidTimeMs(jid) !== undefined);
  if (isTimeA !== isTimeB) return isTimeA ? -1 : 1;
  return a < b ? 1 : a > b ? -1 : 0;
}
