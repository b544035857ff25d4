/** `salt` (salt/cli/salt.py, 3006.16). */
import { tellError, tellFailure } from '../terminal/failure-line.ts';
import { CLIENT_TEXTS, ClientError, NoMinionsError } from '../../runtime/client/errors.ts';
import { LocalClient } from '../../runtime/client/local-client.ts';
import { publishAndWatch, type WatchJobDeps, type WatchPatience } from '../../runtime/client/watch-job.ts';
import { whileWaiting } from '../../runtime/client/waits.ts';
import { VerdictWriter } from '../../runtime/client/verdict-writer.ts';
import { parseAmount, type Amount } from '../../runtime/client/amount.ts';
import { openTracing, type Tracing } from '../../runtime/tracing/open.ts';
import { BrineError, UsageError } from '../../errors/errors.ts';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { dict, toNumber, truthy, type Dict } from '../../python/values/value.ts';
import { CompoundArgumentsError } from '../command-line/arguments.ts';
import { checkLogin, logIn } from '../program/login.ts';
import { openClientProgram, type ClientProgram } from '../program/client-program.ts';
import { ExitCodes, exitCodeMode, type Way } from '../program/exit-codes.ts';
import { wantsForm } from '../program/wanted-form.ts';
import { refuseUnknownOutputter } from '../program/outputter-check.ts';
import { Display, OutputFileError } from '../terminal/display.ts';
import { sayUsageError } from '../program/usage.ts';
import type { CommandIo } from '../terminal/io.ts';
import { withWaitingLine } from '../terminal/waiting-line.ts';
import { saltProgram } from '../options/salt.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import { prepareCommandLine } from '../program/prepare.ts';
import {
  printHeader,
  noPublisher,
  printHints,
  publishOn,
  reportOptions,
  sayNoMinions,
  wantsErrorDocument,
  type SaltCommand,
  type SaltRun,
} from './context.ts';
import { InterruptHandler } from './interrupt.ts';
import { JobReport } from './report.ts';
import { readSaltRequest, unreadKwargs, withoutNodegroups, type SaltRequest } from './request.ts';
import { completeWords, sayMismatch, sayMissing } from './words.ts';

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
    if (typeof words === 'string') return sayMissing(words, io);
    if (parsed.text('abort_on') !== '' && parsed.text('canary') === '')
      throw new UsageError('option --abort-on needs --canary');
    const program = await openClientProgram(parsed, io, 'salt.client', 'salt');
    try {
      return await runProgram(parsed, program, words, { io, waits });
    } finally {
      program.logging.close();
    }
  } catch (error) {
    if (error instanceof CompoundArgumentsError) return sayMismatch(error.message, io);
    if (!(error instanceof UsageError)) throw error;
    return sayUsageError(saltProgram, error, io);
  }
}

/** The words, or what is missing; some options need none. */
function wordsOf(parsed: ParsedOptions): string[] | string {
  const jid = parsed.text('watch');
  if (jid !== '' && parsed.args.length > 0)
    throw new UsageError(
      `option --watch takes a job id and nothing else: '${parsed.args.join(' ')}' was not run`,
    );
  if (parsed.flag('config_dump') && parsed.args.length > 0)
    throw new UsageError(
      `option --config-dump takes no words: '${parsed.args.join(' ')}' was not run, as it prints the configuration alone`,
    );
  if (jid !== '' || parsed.flag('config_dump')) return parsed.args;
  return completeWords(parsed);
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
  await checkLogin(program);
  const patience = patienceOf(merged, parsed);
  const request = readSaltRequest(words, merged, patience.timeoutMs);
  for (const fault of unreadKwargs(request)) logging.logger.warning(fault);
  const codes = new ExitCodes(exitCodeMode(parsed, merged, io.env), wayOf(merged, request.fun));
  if (codes.isStrict) refuseUnknownOutputter(parsed, merged);
  const hardCrash = truthy(merged.get('hard_crash'));
  const command: SaltCommand = {
    parsed,
    program,
    io,
    request,
    patience,
    waits,
    codes,
    display: new Display(merged, io, logging.logger, request.fun),
    interrupt: new InterruptHandler({ stderr: io.stderr, hardCrash, codes }),
  };
  if (parsed.flag('preview_target')) return previewOnly(command);
  return new Session(command).run();
}

/** The way for which Salt has codes of its own. */
function wayOf(merged: Dict, fun: string): Way {
  if (truthy(merged.get('static'))) return 'static';
  if (truthy(merged.get('batch'))) return 'batch';
  if (fun === 'sys.doc') return 'docs';
  return truthy(merged.get('async')) ? 'async' : 'plain';
}

async function previewOnly({ program, request, display, codes }: SaltCommand): Promise<number> {
  const { previewTarget } = await import('./preview.ts');
  const ids = previewTarget(program.opts, request.publish, program.logging.logger);
  if (ids.length > 0 || !codes.isStrict || display.chosen !== 'json') await display.value(ids);
  if (ids.length > 0) return 0;
  display.error('ERROR: No return received');
  tellFailure(display.io, { code: 'target-without-minions', message: CLIENT_TEXTS.noMinions });
  return codes.of('none matched');
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
    const asked: SaltRun = {
      ...command,
      request: this.#publishable(),
      client,
      watch: { ...watchDeps(client, verdicts, program), waits: command.waits },
    };
    const jid = parsed.text('watch');
    if (jid !== '') return (await import('./follow.ts')).followJob(asked, jid);
    const batch = String(merged.get('batch') ?? '');
    const size = batch === '' ? undefined : parseAmount(batch);
    if (batch !== '' && size === undefined) return sayInvalidBatch(asked, batch);
    const canary = parsed.text('canary');
    if (canary !== '') return (await import('./canary.ts')).runCanary(asked, canary, parsed.text('abort_on'));
    return this.#publish(await this.#subset(asked), size);
  }

  /** Publishes now, at once or some minions at a time. @param batch minions at a time */
  async #publish(run: SaltRun, batch: Amount | undefined): Promise<number> {
    const { merged } = run.program;
    const isBig = batch === undefined && (await isTooMany(run));
    const safeSize = String(merged.get('batch_safe_size') ?? 8);
    const size = isBig ? parseAmount(safeSize) : batch;
    if (isBig && size === undefined) return sayInvalidBatch(run, safeSize);
    const notice = '\nNOTICE: Too many minions targeted, switching to batch execution.';
    if (isBig && truthy(merged.get('static'))) run.display.error(notice);
    else if (isBig) run.display.line(notice);
    if (truthy(merged.get('static'))) return (await import('./static.ts')).runStatic(run, size);
    if (truthy(merged.get('async'))) return publishOnly(run);
    if (size !== undefined) return (await import('./batch.ts')).runInBatches(run, size);
    return runAndReport(run);
  }

  /** The request with node groups written out. */
  #publishable(): SaltRequest {
    const { request, program } = this.#command;
    return withoutNodegroups(request, program.merged);
  }

  async #subset(run: SaltRun): Promise<SaltRun> {
    const size = toNumber(run.program.merged.get('subset')) ?? 0;
    if (size === 0) return run;
    const { chooseSubset } = await import('./subset.ts');
    const publish = publishOn(run.request, await chooseSubset(run, size));
    return { ...run, request: { ...run.request, publish } };
  }

  /** Salt compat: what goes wrong before publishing is shown through the outputter, unless in a batch. */
  async #failed(error: unknown): Promise<number> {
    const { display, program, codes, request } = this.#command;
    if (!(error instanceof BrineError) || error instanceof OutputFileError || error instanceof UsageError)
      throw error;
    tellError(this.#command.io, error);
    if (error instanceof NoMinionsError) return this.#noMinions(error);
    if (error instanceof ClientError && error.message === CLIENT_TEXTS.masterDown) {
      program.logging.logger.error(noPublisher(program.opts));
    }
    const isBatch = truthy(program.merged.get('batch')) || truthy(program.merged.get('static'));
    if (request.fun === 'sys.doc' || isBatch || wantsErrorDocument(this.#command))
      display.error(error.message);
    else await display.value(error.message, undefined, 1);
    return codes.ofError(error);
  }

  async #noMinions(error: NoMinionsError): Promise<number> {
    const { display, request, program, codes } = this.#command;
    const isAsync = truthy(program.merged.get('async'));
    sayNoMinions(this.#command, error);
    if (isAsync && !codes.isStrict) display.line('Executed command with job ID: 0');
    else if (request.fun === 'sys.doc') display.error('No minions found to gather docs from');
    else if (!isAsync) {
      if (!wantsErrorDocument(this.#command)) await display.value(new Map());
      display.error('ERROR: No return received');
    }
    const { namedIds } = await import('./hints.ts');
    const unknownIds = namedIds(request.publish.tgt, request.publish.tgtType);
    await printHints(this.#command, { unknown: new Map(), unknownIds });
    return codes.ofError(error);
  }
}

/** `--batch-safe-limit`. */
async function isTooMany({ program, request }: SaltRun): Promise<boolean> {
  const limit = toNumber(program.merged.get('batch_safe_limit')) ?? 0;
  if (limit <= 1) return false;
  const { previewTarget } = await import('./preview.ts');
  return previewTarget(program.opts, request.publish, program.logging.logger).length >= limit;
}

/** Salt compat: Salt finds out after the ping, and ends with a traceback. */
function sayInvalidBatch({ display, codes }: SaltRun, size: string): number {
  const message = `Invalid batch data sent: ${size}\nData must be in the form of %10, 10% or 3`;
  display.line(message);
  tellFailure(display.io, { code: 'usage-invalid', message });
  return codes.of('value invalid');
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

/**
 * `--async`. Salt compat: Salt prints its sentence whatever `--out` and `--out-file` say; here the job id is a value
 * like any other then, in the form and the file that were asked for.
 */
async function publishOnly(run: SaltRun): Promise<number> {
  const { client, request, display, waits, parsed, codes } = run;
  const publishing = client.publish(request.publish, () => undefined);
  const { jid } = await whileWaiting(waits, 'waiting for the master to publish the job', publishing);
  if (wantsForm(parsed, codes)) await display.value(dict({ jid }));
  else display.line(`Executed command with job ID: ${jid}`);
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
  if (request.fun === 'sys.doc') {
    const asked = String(request.publish.arg[0] ?? '');
    return (await import('./docs.ts')).printDocs(news, display, run.codes, asked);
  }
  const report = new JobReport(display, reportOptions(run));
  for await (const item of news) await report.show(item, job.jid);
  const code = report.finish();
  await printHints(run, report);
  return code;
}

/**
 * What was asked on the command line bounds also the question who is still at work, unless that has a limit of its own
 * there.
 */
function patienceOf(merged: Dict, parsed: ParsedOptions): WatchPatience {
  const timeout = toNumber(merged.get('timeout')) ?? 5;
  const gather = toNumber(merged.get('gather_job_timeout')) ?? 10;
  const timeoutMs = (timeout > 0 ? timeout : 5) * 1000;
  const isAsked = parsed.isExplicit('timeout') && !parsed.isExplicit('gather_job_timeout');
  const longestMs = isAsked ? Math.max(timeoutMs, ANSWER_MS) : Infinity;
  return { timeoutMs, gatherMs: Math.min(gather * 1000, longestMs) };
}
