/** `salt --watch JID`: a job that was started elsewhere, from what the job cache has of it to its end. Ours, not Salt's. */
import { storedJob } from '../../client/stored-returns.ts';
import { watchPublished } from '../../client/watch-job.ts';
import { isSafeJid, jidTimeText } from '../../jobs/jid.ts';
import { pyStr } from '../../values/repr.ts';
import type { Dict, Value } from '../../values/value.ts';
import { printHints, reportOptions, type SaltRun } from './context.ts';
import { JobReport } from './report.ts';

/** Exit code for a job that is not in the job cache. */
const UNKNOWN_JOB = 2;

/** @returns the exit code, as if the job had been started here; 2 for a job that nobody knows */
export async function followJob(run: SaltRun, jid: string): Promise<number> {
  const load = isSafeJid(jid) ? await storedJob(run.program.opts, jid) : undefined;
  if (load === undefined) {
    run.display.error(
      `No job with the id ${jid} is in the job cache. See: salt-run jobs.list_jobs, or salt-run jobs.active`,
    );
    return UNKNOWN_JOB;
  }
  run.display.error(`Job ${jid} of ${jidTimeText(jid)}: ${title(load)}`);
  const minions = load.get('Minions');
  const ids = Array.isArray(minions) ? minions.map(String) : [];
  run.interrupt.began(jid);
  const job = { jid, minions: ids, missing: [], lost: new Map<string, string>() };
  const report = new JobReport(run.display, reportOptions(run));
  for await (const item of watchPublished(run.watch, job, run.patience)) await report.show(item, jid);
  const code = report.finish();
  await printHints(run, report);
  return code;
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
