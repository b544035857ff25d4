/** `--batch` and what follows from `--batch-safe-limit`. */
import { tellError, tellFailure } from '../terminal/failure-line.ts';
import {
  batchEntry,
  runBatch,
  whoIsThere,
  type BatchOptions,
  type Present,
} from '../../runtime/client/batch.ts';
import { NoMinionsError } from '../../runtime/client/errors.ts';
import type { Outcome } from '../../runtime/client/outcome.ts';
import type { JobNews } from '../../runtime/client/watch-state.ts';
import { minionsOutputter } from '../../plugins/outputters/registry.ts';
import { outcomeCode } from '../../storage/jobs/ledger.ts';
import { textRepr } from '../../python/values/repr.ts';
import { truthy } from '../../python/values/value.ts';
import { exitStatus, jobOutcome } from '../program/exit-codes.ts';
import {
  numberOption,
  printHeader,
  printHints,
  sayAbsent,
  sayNoMinions,
  sayReason,
  wantsErrorDocument,
  type SaltRun,
} from './context.ts';
import { hasFailed, printSummaryOf, returnCode, unknownFunction } from './report.ts';
import { amountOf, type Amount } from '../../runtime/client/amount.ts';

/** Runs the job as a batch. @param amount `--batch`, or `--batch-safe-size` @returns the exit code */
export async function runInBatches(run: SaltRun, amount: Amount): Promise<number> {
  const present = await findPresent(run);
  if (present === undefined) return run.codes.of('none matched');
  if (run.program.merged.get('show_timeout') !== false) sayAbsent(run.display, present);
  return new BatchReport(run).run(present, amount);
}

/** Who answers; undefined when nobody matches, which has been said then. */
async function findPresent(run: SaltRun): Promise<Present | undefined> {
  const { watch, request, patience, display } = run;
  try {
    return await whoIsThere(watch, request.publish, patience);
  } catch (error) {
    if (!(error instanceof NoMinionsError)) throw error;
    sayNoMinions(run, error);
    tellError(display.io, error);
    if (!wantsErrorDocument(run)) display.line('No minions matched the target.');
    return undefined;
  }
}

/** The batch that the options ask for. @param size minions at a time */
export function batchOptions(
  { program, request, codes }: SaltRun,
  present: Present,
  size: number,
): BatchOptions {
  const failHard = truthy(program.merged.get('failhard'));
  return {
    publish: request.publish,
    minions: present.minions,
    size,
    waitMs: numberOption(program.merged, 'batch_wait') * 1000,
    isLast: (item) => failHard && (item.kind === 'silent' || hasFailed(item.load, codes)),
  };
}

/** Says why no further minions are started. */
export function sayStop({ program }: SaltRun, news: JobNews): void {
  program.logging.logger.error(
    `Minion ${news.id} returned with non-zero exit code. Batch run stopped due to failhard`,
  );
}

class BatchReport {
  readonly #run: SaltRun;
  readonly #unknown = new Map<string, string>();
  #returned = 0;
  #failed = 0;
  #silent = 0;
  #worst = 0;

  constructor(run: SaltRun) {
    this.#run = run;
  }

  async run(present: Present, amount: Amount): Promise<number> {
    const { watch, patience, program, interrupt, codes, display } = this.#run;
    const options = batchOptions(this.#run, present, amountOf(amount, present.minions.length));
    for (const id of present.silent) this.#lose(id, present.outcomes.get(id));
    for await (const item of runBatch(watch, patience, options)) {
      if (item.kind === 'news') {
        await this.#show(item.news, item.jid);
        if (options.isLast(item.news)) sayStop(this.#run, item.news);
        continue;
      }
      interrupt.began(item.jid);
      display.line(`\nExecuting run on [${[...item.ids].sort().map(textRepr).join(', ')}]\n`);
      printHeader(this.#run, item.jid);
    }
    await printHints(this.#run, { unknown: this.#unknown, unknownIds: [] });
    const counts = { returned: this.#returned, failed: this.#failed, silent: this.#silent };
    if (truthy(program.merged.get('cli_summary')))
      printSummaryOf(
        (text) => (display.chosen === undefined ? display.line(text) : display.error(text)),
        counts,
      );
    return codes.isStrict ? codes.of(jobOutcome(counts)) : exitStatus(this.#worst);
  }

  /** Counts a minion that does not return. */
  #lose(id: string, outcome: Outcome | undefined): void {
    this.#silent++;
    const code = outcomeCode(outcome?.kind ?? 'no response');
    if (code !== undefined)
      tellFailure(this.#run.display.io, { code, message: 'The minion did not return.', minion: id });
  }

  async #show(news: JobNews, jid: string): Promise<void> {
    const { display, program, codes } = this.#run;
    if (news.kind === 'silent') {
      this.#lose(news.id, news.outcome);
      if (program.merged.get('show_timeout') === false) return;
      display.line(`Minion '${news.id}' failed to respond to job sent`);
      sayReason(display, news.id, news.outcome);
      return;
    }
    const { id, load } = news;
    const retcode = returnCode(load);
    this.#returned++;
    if (hasFailed(load, codes)) {
      this.#failed++;
      const message = `The function returned ${retcode}.`;
      tellFailure(display.io, { code: 'minion-failed', message, minion: id });
    }
    this.#worst = Math.max(this.#worst, retcode);
    const unknown = unknownFunction(load);
    if (unknown !== undefined) this.#unknown.set(unknown, id);
    await display.value(batchEntry(id, load, retcode, jid), minionsOutputter(load.get('out')));
  }
}
