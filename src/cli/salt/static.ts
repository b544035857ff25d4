/**
 * `--static`: all returns in one document, once the last has come (salt/cli/salt.py, 3006.16). Salt compat: Salt pings
 * first and then runs a batch of everybody; the ping tells nothing that the job does not, so without `--batch` the job
 * is all there is.
 */
import { tellError, tellFailure } from '../terminal/failure-line.ts';
import { runBatch, whoIsThere } from '../../runtime/client/batch.ts';
import { NoMinionsError } from '../../runtime/client/errors.ts';
import { outcomeText, type Outcome } from '../../runtime/client/outcome.ts';
import { publishAndWatch } from '../../runtime/client/watch-job.ts';
import type { JobNews } from '../../runtime/client/watch-state.ts';
import { outcomeCode } from '../../storage/jobs/ledger.ts';
import { amountOf, type Amount } from '../../runtime/client/amount.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { jobOutcome } from '../program/exit-codes.ts';
import { batchOptions, sayStop } from './batch.ts';
import { printHeader, printHints, sayNoMinions, wantsErrorDocument, type SaltRun } from './context.ts';
import { hasFailed, printSummaryOf, returnCode, unknownFunction } from './report.ts';

/** @param size `--batch`, which takes so many minions at a time @returns the exit code */
export async function runStatic(run: SaltRun, size: Amount | undefined): Promise<number> {
  const report = new StaticReport(run);
  try {
    for await (const { jid, news } of size === undefined ? plainNews(run) : batchNews(run, size))
      report.take(jid, news);
  } catch (error) {
    if (!(error instanceof NoMinionsError)) throw error;
    sayNoMinions(run, error);
    tellError(run.display.io, error);
    if (wantsErrorDocument(run)) return run.codes.of('none matched');
  }
  return report.finish();
}

interface NewsOf {
  readonly jid: string;
  readonly news: JobNews;
}

async function* plainNews(run: SaltRun): AsyncGenerator<NewsOf, void, void> {
  const { job, news } = await publishAndWatch(run.watch, run.request.publish, run.patience);
  run.interrupt.began(job.jid);
  printHeader(run, job.jid);
  for await (const item of news) yield { jid: job.jid, news: item };
}

async function* batchNews(run: SaltRun, size: Amount): AsyncGenerator<NewsOf, void, void> {
  const present = await whoIsThere(run.watch, run.request.publish, run.patience);
  for (const id of present.silent) {
    const outcome: Outcome = present.outcomes.get(id) ?? { kind: 'no response' };
    yield { jid: '', news: { kind: 'silent', id, outcome } };
  }
  const options = batchOptions(run, present, amountOf(size, present.minions.length));
  for await (const item of runBatch(run.watch, run.patience, options)) {
    if (item.kind === 'start') {
      run.interrupt.began(item.jid);
      printHeader(run, item.jid);
      continue;
    }
    if (options.isLast(item.news)) sayStop(run, item.news);
    yield { jid: item.jid, news: item.news };
  }
}

/** What has come, for the one document. */
class StaticReport {
  readonly #run: SaltRun;
  readonly #returns: Dict = new Map<Value, Value>();
  readonly #unknown = new Map<string, string>();
  readonly #silent: [id: string, text: string][] = [];
  readonly #failed: string[] = [];

  constructor(run: SaltRun) {
    this.#run = run;
  }

  take(jid: string, news: JobNews): void {
    const { display, codes } = this.#run;
    if (news.kind === 'silent') {
      const text = outcomeText(news.id, jid, news.outcome);
      const code = outcomeCode(news.outcome.kind);
      if (code !== undefined) tellFailure(display.io, { code, message: text, minion: news.id });
      this.#silent.push([news.id, text]);
      return;
    }
    const { id, load } = news;
    this.#returns.set(id, load.get('return') ?? null);
    if (hasFailed(load, codes)) {
      this.#failed.push(id);
      const message = `The function returned ${returnCode(load)}.`;
      tellFailure(display.io, { code: 'minion-failed', message, minion: id });
    }
    const name = unknownFunction(load);
    if (name !== undefined) this.#unknown.set(name, id);
  }

  /** Prints the document. @returns the exit code */
  async finish(): Promise<number> {
    const { display, program, codes } = this.#run;
    await display.value(this.#returns);
    await printHints(this.#run, { unknown: this.#unknown, unknownIds: [] });
    // Salt says nothing of them, and what reads the document must not stumble over them
    if (program.merged.get('show_timeout') !== false)
      for (const [id, text] of this.#silent) display.error(`${id}:\n    ${text.replaceAll('\n', '\n    ')}`);
    if (this.#returns.size === 0) display.error('ERROR: No return received');
    const silent = this.#silent.length;
    if (program.merged.get('cli_summary') === true)
      printSummaryOf((line) => display.error(line), {
        returned: this.#returns.size,
        failed: this.#failed.length,
        silent,
      });
    const counts = { returned: this.#returns.size, failed: this.#failed.length, silent };
    // Salt compat: for Salt it matters only whether anybody returned
    return codes.of(jobOutcome(codes.isStrict ? counts : { ...counts, silent: 0 }));
  }
}
