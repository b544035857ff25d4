/**
 * `--canary 1,10%,100% --abort-on 5%`: a job is rolled out in growing steps; each step waits for all of its minions,
 * and the next one is taken only while there are few failures. Ours, not Salt's.
 */
import { whoIsThere } from '../../runtime/client/batch.ts';
import { publishAndWatch } from '../../runtime/client/watch-job.ts';
import { printHeader, printHints, publishOn, reportOptions, sayAbsent, type SaltRun } from './context.ts';
import { JobReport } from './report.ts';
import { parseLimit, parseSteps, planSteps, reachesLimit } from '../options/rollout-plan.ts';

/** Failures that stop a roll-out when `--abort-on` does not say: one. */
const DEFAULT_LIMIT = '1';

/** @returns the exit code: that of the job, and 1 when the roll-out was stopped */
export async function runCanary(run: SaltRun, steps: string, limitText: string): Promise<number> {
  const { watch, request, patience, display } = run;
  const present = await whoIsThere(watch, request.publish, patience);
  sayAbsent(display, present);
  const limit = parseLimit(limitText || DEFAULT_LIMIT);
  const plan = planSteps(parseSteps(steps), present.minions.length);
  const ids = [...present.minions].sort();
  const report = new JobReport(display, reportOptions(run));
  let stopped = false;
  for (const [index, reached] of plan.entries()) {
    const done = plan[index - 1] ?? 0;
    const step = ids.slice(done, reached);
    display.line(`\nStep ${index + 1} of ${plan.length}: ${listed(step)} (${reached} of ${ids.length})\n`);
    await runStep(run, step, report);
    const failures = report.failed.length + report.silent.length;
    stopped = index < plan.length - 1 && reachesLimit(limit, failures, reached);
    if (!stopped) continue;
    const bad = listed([...report.failed, ...report.silent]);
    display.line(
      `\nThe roll-out was stopped: ${failures} of ${reached} minions failed (${bad}), and --abort-on is ${limitText || DEFAULT_LIMIT}.\n` +
        `Not run on: ${listed(ids.slice(reached))}`,
    );
    break;
  }
  report.absent(present.silent);
  const code = report.finish();
  await printHints(run, report);
  return stopped && code === 0 ? 1 : code;
}

async function runStep(run: SaltRun, ids: readonly string[], report: JobReport): Promise<void> {
  const { job, news } = await publishAndWatch(run.watch, publishOn(run.request, ids), run.patience);
  run.interrupt.began(job.jid);
  printHeader(run, job.jid);
  for await (const item of news) await report.show(item, job.jid);
  run.interrupt.ended(job.jid);
}

/** Ids shown at most in one line. */
const SHOWN_MAX = 10;

function listed(ids: readonly string[]): string {
  const more = ids.length > SHOWN_MAX ? ` and ${ids.length - SHOWN_MAX} more` : '';
  return ids.slice(0, SHOWN_MAX).join(', ') + more;
}
