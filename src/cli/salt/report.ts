/**
 * What `salt` prints of a job: returns as they come, the silent, the summary, the exit code (salt/cli/salt.py,
 * 3006.16).
 */
import { MISSING_RETURNERS } from '../../storage/jobs/stored-return.ts';
import { outcomeCode } from '../../storage/jobs/ledger.ts';
import { tellFailure } from '../terminal/failure-line.ts';
import type { JobNews } from '../../runtime/client/watch-state.ts';
import { outcomeText, type Outcome } from '../../runtime/client/outcome.ts';
import { minionsOutputter } from '../../plugins/outputters/registry.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { jobOutcome, type ExitCodes, type MinionCounts } from '../program/exit-codes.ts';
import type { Display } from '../terminal/display.ts';

/** How much is printed. */
export interface ReportOptions {
  readonly verbose: boolean;
  /** Print minions that did not return. */
  readonly showTimeout: boolean;
  readonly summary: boolean;
  readonly codes: ExitCodes;
  /** `--progress`: told after each return in place of printing it. */
  readonly progress?: (returned: number) => void;
}

const RULE = '-------------------------------------------';

/** The code of one return: the highest of several functions'. */
export function returnCode(load: Dict): number {
  const retcode = load.get('retcode');
  if (typeof retcode === 'number') return retcode;
  const codes =
    retcode !== undefined && isDict(retcode) ? [...retcode.values()] : Array.isArray(retcode) ? retcode : [];
  return codes.reduce<number>((worst, code) => Math.max(worst, typeof code === 'number' ? code : 0), 0);
}

/** Whether a return tells of a failure. Salt compat: Salt does not look at `success`. */
export function hasFailed(load: Dict, { isStrict }: ExitCodes): boolean {
  return returnCode(load) !== 0 || (isStrict && load.get('success') === false);
}

/** The name in a return that says that there is no such function. */
export function unknownFunction(load: Dict): string | undefined {
  const value = load.get('return');
  return typeof value === 'string' ? /^'([^']+)' is not available\.$/.exec(value)?.[1] : undefined;
}

/** Collects how jobs ended while they are printed. */
export class JobReport {
  /** Functions that minions did not know, each with one of those minions. */
  readonly unknown = new Map<string, string>();
  /** Named minions that have no accepted key. */
  readonly unknownIds: string[] = [];
  readonly #display: Display;
  readonly #options: ReportOptions;
  readonly #failed: string[] = [];
  /** Silent minions by what Salt's summary calls them. */
  readonly #silent = { 'not connected': [] as string[], 'not responding': [] as string[] };
  #returned = 0;
  #hidden = 0;

  constructor(display: Display, options: ReportOptions) {
    this.#display = display;
    this.#options = options;
  }

  get failed(): readonly string[] {
    return this.#failed;
  }

  get silent(): readonly string[] {
    return [...this.#silent['not connected'], ...this.#silent['not responding']];
  }

  /** Prints one piece of news of the job `jid`. */
  async show(news: JobNews, jid: string): Promise<void> {
    if (news.kind === 'silent') return this.#showSilent(news.id, news.outcome, jid);
    const { id, load } = news;
    const retcode = returnCode(load);
    this.#returned++;
    if (hasFailed(load, this.#options.codes)) {
      this.#failed.push(id);
      const message = `The function returned ${retcode}.`;
      tellFailure(this.#display.io, { code: 'minion-failed', message, minion: id });
    }
    const missing = load.get(MISSING_RETURNERS);
    if (Array.isArray(missing) && missing.length > 0) this.#tellMissingReturners(id, missing.map(String));
    const unknown = unknownFunction(load);
    if (unknown !== undefined) this.unknown.set(unknown, id);
    if (this.#options.progress !== undefined) return this.#options.progress(this.#returned);
    const value: Dict = new Map<Value, Value>([[id, load.get('return') ?? null]]);
    await this.#display.value(value, minionsOutputter(load.get('out')), retcode);
  }

  #tellMissingReturners(id: string, names: readonly string[]): void {
    const message = `${id} has no returner ${names.join(', ')}, so this return was not kept there; its log says why.`;
    this.#display.error(`ERROR: ${message}`);
    tellFailure(this.#display.io, { code: 'minion-failed', message, minion: id });
  }

  async #showSilent(id: string, outcome: Outcome, jid: string): Promise<void> {
    const isNamed = outcome.kind === 'not known' || outcome.kind === 'key not accepted';
    if (outcome.kind === 'not known') this.unknownIds.push(id);
    const { showTimeout, progress } = this.#options;
    // Salt compat: a name without an accepted key is shown even with --hide-timeout
    if (!showTimeout && !isNamed) {
      this.#hidden++;
      return;
    }
    const text = outcomeText(id, jid, outcome);
    const code = outcomeCode(outcome.kind);
    if (code !== undefined) tellFailure(this.#display.io, { code, message: text, minion: id });
    this.#silent[text.includes('[Not connected]') ? 'not connected' : 'not responding'].push(id);
    if (progress === undefined) await this.#display.value(new Map([[id, text]]), 'no_return', 1);
  }

  /** Prints the summary and decides the exit code. @returns the exit code of `salt` */
  finish(): number {
    if (this.#options.summary) this.printSummary();
    const { codes } = this.#options;
    const shown = this.silent.length;
    const silent = shown + this.#hidden;
    if (this.#returned === 0 && silent === 0) {
      this.#display.error('ERROR: No return received');
      return codes.of('none matched');
    }
    if (this.#failed.length + shown > 0)
      this.#display.error('ERROR: Minions returned with non-zero exit code');
    // Salt compat: Salt does not count whom it is not to show
    if (!codes.isStrict && this.#failed.length + shown === 0) return 0;
    return codes.of(jobOutcome({ returned: this.#returned, failed: this.#failed.length, silent }));
  }

  /** Takes in minions that got no job, since they did not answer before; they have been named. */
  absent(ids: readonly string[]): void {
    this.#silent['not responding'].push(...ids);
  }

  /** The block of `--summary`. */
  printSummary(): void {
    const silent = this.silent.length + this.#hidden;
    const more: string[] = [];
    if (this.#options.verbose) {
      for (const [what, ids] of Object.entries(this.#silent))
        if (ids.length > 0) more.push(`Minions ${what}: ${ids.join(' ')}`);
      if (this.#failed.length > 0) more.push(`Minions with failures: ${this.#failed.join(' ')}`);
    }
    // what reads the chosen form must not stumble over the lines
    const isChosen = this.#display.chosen !== undefined;
    const say = (line: string): void => (isChosen ? this.#display.error(line) : this.#display.line(line));
    printSummaryOf(say, { returned: this.#returned, failed: this.#failed.length, silent }, more);
  }
}

/** The block of `--summary`. @param more lines that name minions */
export function printSummaryOf(
  say: (line: string) => void,
  { returned, failed, silent }: MinionCounts,
  more: readonly string[] = [],
): void {
  const lines = [
    '\n',
    RULE,
    'Summary',
    RULE,
    `# of minions targeted: ${returned + silent}`,
    `# of minions returned: ${returned}`,
    `# of minions that did not return: ${silent}`,
    `# of minions with errors: ${failed}`,
    ...more,
    RULE,
  ];
  for (const line of lines) say(line);
}
