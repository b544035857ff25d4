/** What `salt` prints of a job: returns as they come, the silent, the summary, the exit code (salt/cli/salt.py, 3006.16). */
import type { JobNews } from '../../client/watch-job.ts';
import { outcomeText, type Outcome } from '../../client/outcome.ts';
import type { PublishedJob } from '../../client/local-client.ts';
import { isDict, type Dict, type Value } from '../../values/value.ts';
import type { Display } from '../display.ts';

/** How much is printed. */
export interface ReportOptions {
  readonly verbose: boolean;
  /** Print minions that did not return. */
  readonly showTimeout: boolean;
  readonly summary: boolean;
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

/** Collects how a job ended while it is printed. */
export class JobReport {
  readonly #display: Display;
  readonly #job: PublishedJob;
  readonly #options: ReportOptions;
  readonly #failed: string[] = [];
  readonly #silent: string[] = [];
  #returned = 0;
  #worst = 0;

  constructor(display: Display, job: PublishedJob, options: ReportOptions) {
    this.#display = display;
    this.#job = job;
    this.#options = options;
  }

  /** Prints one piece of news. */
  async show(news: JobNews): Promise<void> {
    if (news.kind === 'silent') return this.#showSilent(news.id, news.outcome);
    const { id, load } = news;
    const retcode = returnCode(load);
    this.#returned++;
    this.#worst = Math.max(this.#worst, retcode);
    if (retcode !== 0) this.#failed.push(id);
    const out = load.get('out');
    const value: Dict = new Map<Value, Value>([[id, load.get('return') ?? null]]);
    await this.#display.value(value, typeof out === 'string' ? out : undefined, retcode);
  }

  async #showSilent(id: string, outcome: Outcome): Promise<void> {
    this.#silent.push(id);
    this.#worst = Math.max(this.#worst, 1);
    if (!this.#options.showTimeout && !this.#options.verbose) return;
    await this.#display.value(new Map([[id, outcomeText(id, this.#job.jid, outcome)]]), 'no_return', 1);
  }

  /** Prints the summary and decides the exit code. @returns the exit code of `salt` */
  finish(): number {
    if (this.#options.summary) this.#printSummary();
    if (this.#returned === 0 && this.#silent.length === 0) {
      this.#display.error('ERROR: No return received');
      return 2;
    }
    if (this.#worst === 0) return 0;
    this.#display.error('ERROR: Minions returned with non-zero exit code');
    return 1;
  }

  #printSummary(): void {
    const silent = this.#silent.length;
    const lines = [
      '\n',
      RULE,
      'Summary',
      RULE,
      `# of minions targeted: ${this.#returned + silent}`,
      `# of minions returned: ${this.#returned}`,
      `# of minions that did not return: ${silent}`,
      `# of minions with errors: ${this.#failed.length}`,
    ];
    if (this.#options.verbose && silent > 0) lines.push(`Minions not responding: ${this.#silent.join(' ')}`);
    if (this.#options.verbose && this.#failed.length > 0)
      lines.push(`Minions with failures: ${this.#failed.join(' ')}`);
    for (const line of [...lines, RULE]) this.#display.line(line);
  }
}
