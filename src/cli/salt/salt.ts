/** `salt` (salt/cli/salt.py, 3006.16). */
import { tellError } from '../terminal/failure-line.ts';
import { CLIENT_TEXTS, ClientError, NoMinionsError } from '../../runtime/client/errors.ts';
import { LocalClient } from '../../runtime/client/local-client.ts';
import { publishAndWatch, type WatchJobDeps, type WatchPatience } from '../../runtime/client/watch-job.ts';
import { whileWaiting } from '../../runtime/client/waits.ts';
import { VerdictWriter } from '../../runtime/client/verdict-writer.ts';
import { openTracing, type Tracing } from '../../runtime/tracing/open.ts';
import { BrineError, UsageError } from '../../errors/errors.ts';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { toNumber, truthy, type Dict } from '../../python/values/value.ts';
import { CompoundArgumentsError } from '../command-line/arguments.ts';
import { logIn } from '../program/login.ts';
import { openClientProgram, type ClientProgram } from '../program/client-program.ts';
import { Display, OutputFileError } from '../terminal/display.ts';
import { formatUsageError } from '../command-line/help.ts';
import type { CommandIo } from '../terminal/io.ts';
import { withWaitingLine } from '../terminal/waiting-line.ts';
import { saltProgram } from '../options/salt.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import { prepareCommandLine } from '../program/prepare.ts';
import {
  printHeader,
  printHints,
  publishOn,
  reportOptions,
  sayNoMinions,
  type SaltCommand,
  type SaltRun,
} from './context.ts';
import { InterruptHandler } from './interrupt.ts';
import { strictErrorCode } from './outcome.ts';
import { JobReport } from './report.ts';
import { readSaltRequest, withoutNodegroups, type SaltRequest } from './request.ts';
import { completeWords, sayIncomplete, sayMismatch } from './words.ts';

/** A minion that works has so long to say that it does, however short `-t` is. */
const ANSWER_MS = 3_000;
/** So long a command stays for a collector that does not answer; its job is over then. */
const TRACE_MS = 300;

/** Runs the command. @returns the exit code */
export async function runSalt(argv: readonly string[], streams: CommandIo): Promise<number> {
  const { waits, io } = withWaitingLine(streams, systemClock);
  const parsed = await prepareCommandLine(saltProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  try {
    const words = wordsOf(parsed);
    if (typeof words === 'string') return sayIncomplete(words, parsed, io);
    refuseContradictions(parsed);
    const program = await openClientProgram(parsed, io, 'salt.client', 'salt');
    try {
      return await runProgram(parsed, program, words, { io, waits });
    } finally {
      program.logging.close();
    }
  } catch (error) {
    if (error instanceof CompoundArgumentsError) return sayMismatch(error.message, io);
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(formatUsageError(saltProgram, error.message));
    tellError(io, error);
    return error.exitCode;
  }
}

/** The words, or what is missing; some options need none. */
function wordsOf(parsed: ParsedOptions): string[] | string {
  if (parsed.text('watch') !== '' || parsed.flag('config_dump')) return parsed.args;
  return completeWords(parsed);
}

/** Options that exclude each other. */
function refuseContradictions(parsed: ParsedOptions): void {
  if (parsed.text('abort_on') !== '' && parsed.text('canary') === '')
    throw new UsageError('option --abort-on needs --canary');
  if (parsed.text('canary') === '') return;
  for (const other of ['batch', 'static', 'async', 'subset', 'progress']) {
    if (parsed.flag(other)) throw new UsageError(`option --canary cannot be combined with --${other}`);
  }
}

async function runProgram(
  parsed: ParsedOptions,
  program: ClientProgram,
  words: readonly string[],
  { io, waits }: Pick<SaltCommand, 'io' | 'waits'>,
): Promise<number> {
  const { merged, logging } = program;
  if (parsed.flag('config_dump')) {
    const { dumpConfig } = await import('./config-dump.ts');
    io.stdout.write(dumpConfig(parsed, io));
    return 0;
  }
  const patience = patienceOf(merged, parsed);
  const request = readSaltRequest(words, merged, patience.timeoutMs);
  const isStrict = merged.get('exit_codes') === 'strict';
  const hardCrash = truthy(merged.get('hard_crash'));
  const command: SaltCommand = {
    parsed,
    program,
    io,
    request,
    patience,
    isStrict,
    waits,
    display: new Display(merged, io, logging.logger, request.fun),
    interrupt: new InterruptHandler({ stderr: io.stderr, hardCrash, isStrict }),
  };
  if (parsed.flag('preview_target') && !isBatch(command)) return previewOnly(command);
  return new Session(command).run();
}

function isBatch({ program }: SaltCommand): boolean {
  return truthy(program.merged.get('batch')) || truthy(program.merged.get('static'));
}

async function previewOnly({ program, request, display, isStrict }: SaltCommand): Promise<number> {
  const { previewTarget } = await import('./preview.ts');
  const ids = previewTarget(program.opts, request.publish, program.logging.logger);
  await display.value(ids);
  if (ids.length > 0) return 0;
  display.error('ERROR: No return received');
  return isStrict ? strictErrorCode(new NoMinionsError('')) : 2;
}

/** One conversation with the master. */
class Session {
  readonly #command: SaltCommand;

  constructor(command: SaltCommand) {
    this.#command = command;
  }

  async run(): Promise<number> {
    const { interrupt, io, program } = this.#command;
    let client: LocalClient | undefined;
    let tracing: Tracing | undefined;
    const verdicts = new VerdictWriter(program.opts, systemClock);
    interrupt.install();
    try {
      const { opts, logging } = program;
      const parts = { opts, clock: systemClock, random: systemRandom };
      tracing = await openTracing(opts, { ...parts, service: 'salt', log: logging.logger });
      client = await LocalClient.connect({ ...parts, env: io.env, tracer: tracing.tracer });
      await logIn(client, program, io);
      return await this.#dispatch(client, verdicts);
    } catch (error) {
      return await this.#failed(error);
    } finally {
      await verdicts.close();
      interrupt.remove();
      client?.close();
      await tracing?.close(TRACE_MS);
    }
  }

  /** The way of running that the options ask for, in Salt's order. */
  async #dispatch(client: LocalClient, verdicts: VerdictWriter): Promise<number> {
    const command = this.#command;
    const { parsed, program } = command;
    const { merged } = program;
    const run: SaltRun = {
      ...command,
      request: this.#publishable(),
      client,
      watch: { ...watchDeps(client, verdicts, program), waits: command.waits },
    };
    const jid = parsed.text('watch');
    if (jid !== '') return (await import('./follow.ts')).followJob(run, jid);
    const batch = String(merged.get('batch') ?? '');
    if (truthy(merged.get('static'))) return (await import('./static.ts')).runStatic(run);
    if (batch !== '') return (await import('./batch.ts')).runInBatches(run, batch);
    const canary = parsed.text('canary');
    if (canary !== '') return (await import('./canary.ts')).runCanary(run, canary, parsed.text('abort_on'));
    if (await this.#isTooMany()) {
      run.display.line('\nNOTICE: Too many minions targeted, switching to batch execution.');
      return (await import('./batch.ts')).runInBatches(run, String(merged.get('batch_safe_size') ?? 8));
    }
    if (truthy(merged.get('async'))) return publishOnly(run);
    return runAndReport(await this.#subset(run));
  }

  /** The request with node groups written out. */
  #publishable(): SaltRequest {
    const { request, program } = this.#command;
    return withoutNodegroups(request, program.merged, (message) => program.logging.logger.error(message));
  }

  async #isTooMany(): Promise<boolean> {
    const { program, request } = this.#command;
    const limit = toNumber(program.merged.get('batch_safe_limit')) ?? 0;
    if (limit <= 1) return false;
    const { previewTarget } = await import('./preview.ts');
    return previewTarget(program.opts, request.publish, program.logging.logger).length >= limit;
  }

  async #subset(run: SaltRun): Promise<SaltRun> {
    const size = toNumber(run.program.merged.get('subset')) ?? 0;
    if (size === 0) return run;
    const { chooseSubset } = await import('./subset.ts');
    const publish = publishOn(run.request, await chooseSubset(run, size));
    return { ...run, request: { ...run.request, publish } };
  }

  /** Salt compat: what goes wrong before publishing is shown through the outputter and ends with 0, unless in a batch. */
  async #failed(error: unknown): Promise<number> {
    const { display, program, isStrict, request } = this.#command;
    if (!(error instanceof BrineError) || error instanceof OutputFileError) throw error;
    tellError(this.#command.io, error);
    if (error instanceof NoMinionsError) return this.#noMinions(error);
    if (error instanceof ClientError && error.message === CLIENT_TEXTS.masterDown) {
      program.logging.logger.error(
        `Unable to connect to the salt master publisher at ${program.opts.get('sock_dir')}`,
      );
    }
    if (request.fun === 'sys.doc' || isBatch(this.#command)) {
      display.error(error.message);
      return isStrict ? strictErrorCode(error) : request.fun === 'sys.doc' ? 2 : 1;
    }
    await display.value(error.message, undefined, 1);
    return isStrict ? strictErrorCode(error) : 0;
  }

  async #noMinions(error: NoMinionsError): Promise<number> {
    const { display, request, program } = this.#command;
    const isAsync = truthy(program.merged.get('async'));
    sayNoMinions(display, error);
    if (isAsync) display.line('Executed command with job ID: 0');
    else if (request.fun === 'sys.doc') display.error('No minions found to gather docs from');
    else {
      await display.value(new Map());
      display.error('ERROR: No return received');
    }
    const { namedIds } = await import('./hints.ts');
    const unknownIds = namedIds(request.publish.tgt, request.publish.tgtType);
    await printHints(this.#command, { unknown: new Set(), unknownIds });
    if (this.#command.isStrict) return strictErrorCode(error);
    return isAsync ? 0 : error.exitCode;
  }
}

function watchDeps(client: LocalClient, verdicts: VerdictWriter, { opts }: ClientProgram): WatchJobDeps {
  return {
    client,
    clock: systemClock,
    stored: async (jid) => (await import('../../runtime/client/local-job-cache.ts')).storedReturns(opts, jid),
    judged: (jid, silent) => verdicts.write(jid, silent),
    keyOutcome: async (id) => (await import('../../runtime/client/key-outcome.ts')).keyOutcome(opts, id),
  };
}

/** `--async`. */
async function publishOnly({ client, request, display, waits }: SaltRun): Promise<number> {
  const publishing = client.publish(request.publish, () => undefined);
  const { jid } = await whileWaiting(waits, 'waiting for the master to publish the job', publishing);
  display.line(`Executed command with job ID: ${jid}`);
  return 0;
}

/** The plain way: returns are printed as they come. */
async function runAndReport(run: SaltRun): Promise<number> {
  const { watch, request, patience, interrupt, display } = run;
  const { job, news } = await publishAndWatch(watch, request.publish, patience);
  interrupt.began(job.jid);
  if (truthy(run.program.merged.get('progress')))
    return (await import('./progress.ts')).runWithProgress(run, job, news);
  printHeader(run, job.jid);
  if (request.fun === 'sys.doc') return (await import('./docs.ts')).printDocs(news, display);
  const report = new JobReport(display, reportOptions(run));
  for await (const item of news) await report.show(item, job.jid);
  const code = report.finish();
  await printHints(run, report);
  return code;
}

/** What was asked on the command line bounds also the question who is still at work, unless that has a limit of its own there. */
function patienceOf(merged: Dict, parsed: ParsedOptions): WatchPatience {
  const timeout = toNumber(merged.get('timeout')) ?? 5;
  const gather = toNumber(merged.get('gather_job_timeout')) ?? 10;
  const timeoutMs = (timeout > 0 ? timeout : 5) * 1000;
  const isAsked = parsed.isExplicit('timeout') && !parsed.isExplicit('gather_job_timeout');
  const longestMs = isAsked ? Math.max(timeoutMs, ANSWER_MS) : Infinity;
  return { timeoutMs, gatherMs: Math.min(gather * 1000, longestMs) };
}
