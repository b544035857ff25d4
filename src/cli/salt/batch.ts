/** `--batch` and what follows from `--batch-safe-limit`. */
import { tellError } from '../terminal/failure-line.ts';
import { batchEntry, runBatch, whoIsThere, type Present } from '../../runtime/client/batch.ts';
import { NoMinionsError } from '../../runtime/client/errors.ts';
import type { JobNews } from '../../runtime/client/watch-state.ts';
import { minionsOutputter } from '../../plugins/outputters/registry.ts';
import { textRepr } from '../../python/values/repr.ts';
import { truthy } from '../../python/values/value.ts';
import { numberOption, printHints, sayAbsent, sayNoMinions, sayReason, type SaltRun } from './context.ts';
import { STRICT_CODES, strictCode } from './outcome.ts';
import { returnCode, unknownFunction } from './report.ts';
import { amountOf, parseAmount, type Amount } from '../../runtime/client/amount.ts';

/** Runs the job as a batch. @param size `--batch`, or `--batch-safe-size` @returns the exit code */
export async function runInBatches(run: SaltRun, size: string): Promise<number> {
  const amount = parseAmount(size);
  if (amount === undefined) {
    // Salt compat: Salt finds out after the ping, and ends with a traceback
    run.display.line(`Invalid batch data sent: ${size}\nData must be in the form of %10, 10% or 3`);
    return 1;
  }
  const present = await findPresent(run);
  if (present === undefined) return run.isStrict ? STRICT_CODES.noneMatched : 0;
  sayAbsent(run.display, present);
  return new BatchReport(run).run(present, amount);
}

/** Who answers; undefined when nobody matches, which has been said then. */
async function findPresent({ watch, request, patience, display }: SaltRun): Promise<Present | undefined> {
  try {
    return await whoIsThere(watch, request.publish, patience);
  } catch (error) {
    if (!(error instanceof NoMinionsError)) throw error;
    sayNoMinions(display, error);
    tellError(display.io, error);
    display.line('No minions matched the target.');
    return undefined;
  }
}

class BatchReport {
  readonly #run: SaltRun;
  readonly #unknown = new Set<string>();
  #returned = 0;
  #failed = 0;
  #silent = 0;
  #worst = 0;

  constructor(run: SaltRun) {
    this.#run = run;
  }

  async run(present: Present, amount: Amount): Promise<number> {
    const { watch, patience, request, program, interrupt, isStrict, display } = this.#run;
    const failHard = truthy(program.merged.get('failhard'));
    const news = runBatch(watch, patience, {
      publish: request.publish,
      minions: present.minions,
      size: amountOf(amount, present.minions.length),
      waitMs: numberOption(program.merged, 'batch_wait') * 1000,
      isLast: (item) => failHard && (item.kind === 'silent' || returnCode(item.load) > 0),
    });
    for await (const item of news) {
      if (item.kind === 'news') {
        await this.#show(item.news, item.jid);
        if (failHard) this.#sayStop(item.news);
        continue;
      }
      interrupt.began(item.jid);
      display.line(`\nExecuting run on [${[...item.ids].sort().map(textRepr).join(', ')}]\n`);
    }
    await printHints(this.#run, { unknown: this.#unknown, unknownIds: [] });
    if (!isStrict) return this.#worst;
    return strictCode({
      returned: this.#returned,
      failed: this.#failed,
      silent: this.#silent + present.silent.length,
    });
  }

  async #show(news: JobNews, jid: string): Promise<void> {
    const { display } = this.#run;
    if (news.kind === 'silent') {
      this.#silent++;
      display.line(`Minion '${news.id}' failed to respond to job sent`);
      sayReason(display, news.id, news.outcome);
      return;
    }
    const { id, load } = news;
    const retcode = returnCode(load);
    this.#returned++;
    if (retcode !== 0) this.#failed++;
    this.#worst = Math.max(this.#worst, retcode);
    const unknown = unknownFunction(load);
    if (unknown !== undefined) this.#unknown.add(unknown);
    await display.value(batchEntry(id, load, retcode, jid), minionsOutputter(load.get('out')));
  }

  #sayStop(news: JobNews): void {
    if (news.kind === 'return' && returnCode(news.load) === 0) return;
    this.#run.program.logging.logger.error(
      `Minion ${news.id} returned with non-zero exit code. Batch run stopped due to failhard`,
    );
  }
}
