/** `salt` (cli.md, 4 to 7; salt/cli/salt.py, 3006.16). */
import { CLIENT_TEXTS, ClientError, NoMinionsError } from '../../client/errors.ts';
import { LocalClient } from '../../client/local-client.ts';
import type { Outcome } from '../../client/outcome.ts';
import { publishAndWatch, type WatchPatience } from '../../client/watch-job.ts';
import { BrineError } from '../../errors/errors.ts';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { toNumber, truthy, type Dict } from '../../values/value.ts';
import { CompoundArgumentsError } from '../arguments.ts';
import { openClientProgram, type ClientProgram } from '../client-program.ts';
import { Display } from '../display.ts';
import { formatHelp } from '../help.ts';
import type { CommandIo } from '../io.ts';
import { saltProgram } from '../options/salt.ts';
import type { ParsedOptions } from '../optparse.ts';
import { prepareCommandLine } from '../prepare.ts';
import { terminalColumns } from '../terminal.ts';
import { printDocs } from './docs.ts';
import { JobReport } from './report.ts';
import { readSaltRequest, type SaltRequest } from './request.ts';

/** The command line is incomplete. */
const INCOMPLETE = 42;

/** Runs the command. @returns the exit code */
export async function runSalt(argv: readonly string[], io: CommandIo): Promise<number> {
  const parsed = await prepareCommandLine(saltProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  const words = completeWords(parsed);
  if (typeof words === 'string') return incomplete(words, io);
  const program = openClientProgram(parsed, io, 'salt.client');
  try {
    return await new SaltCommand(program, words, io).run();
  } catch (error) {
    if (error instanceof CompoundArgumentsError) return incomplete(error.message, io, false);
    throw error;
  } finally {
    program.logging.close();
  }
}

/** The words with the ones that may be left out, or what is missing. */
function completeWords(parsed: ParsedOptions): string[] | string {
  const words = [...parsed.args];
  if (parsed.flag('doc')) {
    if (words.length > 2) return 'You can only get documentation for one method at one time.';
    const [target = '*', fun] = words;
    return [target, 'sys.doc', ...(fun === undefined ? [] : [fun])];
  }
  if (words.length === 0) return 'Cannot execute command without defining a target.';
  return words.length === 1 && !parsed.flag('preview_target') ? 'Incomplete options passed.' : words;
}

function incomplete(message: string, io: CommandIo, withHelp = true): number {
  if (withHelp) io.stdout.write(formatHelp(saltProgram, terminalColumns(io.stdout, io.env), io.env));
  io.stderr.write(`\n${message}\n\n`);
  return INCOMPLETE;
}

/** One run of the command. */
class SaltCommand {
  readonly #program: ClientProgram;
  readonly #words: readonly string[];
  readonly #io: CommandIo;
  readonly #patience: WatchPatience;
  #jid: string | undefined;

  constructor(program: ClientProgram, words: readonly string[], io: CommandIo) {
    this.#program = program;
    this.#words = words;
    this.#io = io;
    this.#patience = patienceOf(program.merged);
  }

  async run(): Promise<number> {
    const { opts, merged, logging } = this.#program;
    const request = readSaltRequest(this.#words, merged, this.#patience.timeoutMs);
    const display = new Display(merged, this.#io, logging.logger, request.fun);
    const stopListening = this.#onInterrupt();
    let client: LocalClient | undefined;
    try {
      client = await LocalClient.connect({
        opts,
        env: this.#io.env,
        clock: systemClock,
        random: systemRandom,
      });
      return await this.#publish(client, request, display);
    } catch (error) {
      return this.#failed(error, display);
    } finally {
      stopListening();
      client?.close();
    }
  }

  async #publish(client: LocalClient, request: SaltRequest, display: Display): Promise<number> {
    const { merged, opts } = this.#program;
    if (truthy(merged.get('async'))) {
      const { jid } = await client.publish(request.publish, () => undefined);
      display.line(`Executed command with job ID: ${jid}`);
      return 0;
    }
    const stored = async (jid: string): Promise<Dict[]> =>
      (await import('../../client/stored-returns.ts')).storedReturns(opts, jid);
    const keyOutcome = async (id: string): Promise<Outcome> =>
      (await import('../../client/key-outcome.ts')).keyOutcome(opts, id);
    const { job, news } = await publishAndWatch(
      { client, clock: systemClock, stored, keyOutcome },
      request.publish,
      this.#patience,
    );
    this.#jid = job.jid;
    this.#printHeader(job.jid, display);
    if (request.fun === 'sys.doc') return printDocs(news, display);
    const report = new JobReport(display, job, {
      verbose: truthy(merged.get('verbose')),
      showTimeout: merged.get('show_timeout') !== false,
      summary: truthy(merged.get('cli_summary')) && display.chosen === undefined,
    });
    for await (const item of news) await report.show(item);
    return report.finish();
  }

  #printHeader(jid: string, display: Display): void {
    const { merged } = this.#program;
    if (truthy(merged.get('verbose'))) {
      const text = `Executing job with jid ${jid}`;
      display.line(`${text}\n${'-'.repeat(text.length)}\n`);
    } else if (truthy(merged.get('show_jid'))) display.line(`jid: ${jid}`);
  }

  /** Salt compat: what goes wrong before publishing is shown through the outputter and ends with 0. */
  async #failed(error: unknown, display: Display): Promise<number> {
    if (error instanceof NoMinionsError) {
      display.line(error.message);
      display.error('ERROR: No return received');
      return error.exitCode;
    }
    if (!(error instanceof BrineError)) throw error;
    if (error instanceof ClientError && error.message === CLIENT_TEXTS.masterDown) {
      this.#program.logging.logger.error(
        `Unable to connect to the salt master publisher at ${this.#program.opts.get('sock_dir')}`,
      );
    }
    await display.value(error.message, undefined, 1);
    return 0;
  }

  /** Ctrl-C says how to find the job again; a second one ends at once. */
  #onInterrupt(): () => void {
    const onSignal = (): void => {
      const { stderr } = this.#io;
      stderr.write('\nExiting gracefully on Ctrl-c\n');
      if (this.#jid !== undefined) {
        stderr.write(
          `This job's jid is: ${this.#jid}\n` +
            'The minions may not have all finished running and any remaining minions will return upon completion. ' +
            `To look up the return data for this job later, run the following command:\n\nsalt-run jobs.lookup_jid ${this.#jid}\n`,
        );
      }
      process.exit(truthy(this.#program.merged.get('hard_crash')) ? 1 : 0);
    };
    process.once('SIGINT', onSignal);
    return () => process.removeListener('SIGINT', onSignal);
  }
}

function patienceOf(merged: Dict): WatchPatience {
  const timeout = toNumber(merged.get('timeout')) ?? 5;
  const gather = toNumber(merged.get('gather_job_timeout')) ?? 10;
  return { timeoutMs: (timeout > 0 ? timeout : 5) * 1000, gatherMs: gather * 1000 };
}
