/** Ctrl-C and SIGTERM while `salt` waits (salt/scripts.py `_handle_signals`, 3006.16). */
import type { CommandOutcome, ExitCodes } from '../program/exit-codes.ts';
import type { TextSink } from '../terminal/io.ts';

/** How to end. */
export interface InterruptOptions {
  readonly stderr: TextSink;
  /** `--hard-crash`: exit 1. */
  readonly hardCrash: boolean;
  readonly codes: ExitCodes;
  readonly exit?: (code: number) => void;
}

/** Ends the program on a signal; Ctrl-C says how the running jobs are found again. */
export class InterruptHandler {
  readonly #options: InterruptOptions;
  readonly #jids = new Set<string>();
  readonly #onInt = (): void => this.interrupt();
  readonly #onTerm = (): void => this.terminate();

  constructor(options: InterruptOptions) {
    this.#options = options;
  }

  /** Starts to listen. */
  install(): void {
    process.on('SIGINT', this.#onInt);
    process.on('SIGTERM', this.#onTerm);
  }

  remove(): void {
    process.off('SIGINT', this.#onInt);
    process.off('SIGTERM', this.#onTerm);
  }

  /** A job that would go on without us. */
  began(jid: string): void {
    this.#jids.add(jid);
  }

  /** A job all of whose minions have been heard of. */
  ended(jid: string): void {
    this.#jids.delete(jid);
  }

  interrupt(): void {
    const lines = ['', 'Exiting gracefully on Ctrl-c'];
    for (const jid of this.#jids) {
      lines.push(
        `This job's jid is: ${jid}`,
        'The minions may not have all finished running and any remaining minions will return upon completion. ' +
          'To look up the return data for this job later, run the following command:',
        '',
        `salt-run jobs.lookup_jid ${jid}`,
      );
    }
    this.#options.stderr.write(`${lines.join('\n')}\n`);
    this.#exit('interrupted');
  }

  terminate(): void {
    if (this.#options.hardCrash) this.#options.stderr.write('\nExiting with hard crash on Ctrl-c\n');
    this.#exit('terminated');
  }

  #exit(outcome: CommandOutcome): void {
    const { codes, hardCrash, exit = (code) => process.exit(code) } = this.#options;
    exit(!codes.isStrict && hardCrash ? 1 : codes.of(outcome));
  }
}
