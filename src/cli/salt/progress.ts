/**
 * `--progress`: a bar in place of the returns, and the summary at the end (salt/cli/salt.py, salt/output/progress.py,
 * 3006.16).
 */
import type { PublishedJob } from '../../runtime/client/local-client.ts';
import type { JobNews } from '../../runtime/client/watch-state.ts';
import { printHeader, printHints, reportOptions, type SaltRun } from './context.ts';
import { ProgressBar } from './progress-bar.ts';
import { JobReport } from './report.ts';

/** Shows the job while it runs. @returns the exit code */
export async function runWithProgress(
  run: SaltRun,
  job: PublishedJob,
  news: AsyncIterable<JobNews>,
): Promise<number> {
  printHeader(run, job.jid);
  const bar = new ProgressBar(run.io, run.watch.clock, job.minions.length + job.missing.length);
  run.waits.moveTo(bar);
  const report = new JobReport(run.display, {
    ...reportOptions(run),
    summary: true,
    progress: (returned) => bar.update(returned),
  });
  for await (const item of news) await report.show(item, job.jid);
  bar.end();
  const code = report.finish();
  await printHints(run, report);
  return code;
}
