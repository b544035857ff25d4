/** `salt-run` (salt/runner.py and salt/client/mixins.py, 3006.16). */
import type { ErrorCode } from '../../errors/codes.ts';
import { thisUser } from '../../host/own-account.ts';
import { tellError, tellFailure } from '../terminal/failure-line.ts';
import { accountOf, becomeUser } from '../../programs/daemon/privileges.ts';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { BrineError, UsageError } from '../../errors/errors.ts';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { JidSource } from '../../storage/jobs/jid.ts';
import { parsePublished, type CallArguments } from '../../runtime/loader/bind.ts';
import { catalogOf } from '../../runtime/loader/catalog.ts';
import { isFailingReturn } from '../../runtime/loader/failing-returns.ts';
import { functionDoc } from '../../runtime/loader/documentation.ts';
import { isShortfall, type RunnerSpec } from '../../plugins/shared/runner/runner.ts';
import { compileGlob } from '../../python/text/fnmatch.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { keepJidsText, noParseNames, parseArguments } from '../command-line/arguments.ts';
import { openClientProgram, type ClientProgram } from '../program/client-program.ts';
import { ExitCodes, exitCodeMode, exitStatus } from '../program/exit-codes.ts';
import { wantsForm } from '../program/wanted-form.ts';
import { hintAmong } from '../program/hint.ts';
import { requireLogin } from '../program/login.ts';
import { refuseUnknownOutputter } from '../program/outputter-check.ts';
import { sayIncomplete, sayUsageError } from '../program/usage.ts';
import { Display } from '../terminal/display.ts';
import type { CommandIo } from '../terminal/io.ts';
import { saltRunProgram } from '../options/salt-run.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import { prepareCommandLine } from '../program/prepare.ts';
import { detach, detachedJid } from './detach.ts';
import { isOrdered, runOrdered } from './ordered.ts';
import type { StatusLine } from '../terminal/status-line.ts';
import { withWaitingLine, type WaitingLine } from '../terminal/waiting-line.ts';
import { whileWaiting } from '../../runtime/client/waits.ts';
import { REFUSED_SHORTFALL, SHORTFALL_FIELD, runMasterFunction } from '../../programs/runner/run-function.ts';
import { findFunction, loadModules, missingFunction } from '../../programs/runner/find-function.ts';
import { ownFunctions, type OwnFunctions } from '../../programs/runner/own-functions.ts';
import { openRunnerContext, type OpenRunnerContext } from '../../programs/runner/runner-context.ts';

/** The code in the event of a run that never began. */
const NOT_RUN = 254;
/**
 * The exit code of such a run, and of one whose arguments the function does not take. Salt compat: Salt ends both with
 * 0.
 */
const NOT_RUN_EXIT = 1;

/** The runners that are told the job they run under (salt/runner.py `run`). */
const ORCHESTRATIONS: ReadonlySet<string> = new Set(['state.orchestrate', 'state.orch', 'state.sls']);

/** Runs the command. @returns the exit code */
export async function runSaltRun(argv: readonly string[], streams: CommandIo): Promise<number> {
  const { status, waits, io } = withWaitingLine(streams, systemClock);
  const detached = detachedJid(io.env);
  const parsed = await prepareCommandLine(saltRunProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.args.length === 0 && !parsed.flag('doc') && !isOrdered(io.env))
    return sayIncomplete(saltRunProgram, 'Must specify a function to run!', io);
  const fault = wordsFault(parsed);
  if (fault !== undefined) return sayUsageError(saltRunProgram, new UsageError(fault), io);
  const program = await openClientProgram(parsed, io, 'salt.runner', 'salt-run');
  try {
    return await runProgram(program, parsed, { io, status, waits }, detached);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return sayUsageError(saltRunProgram, error, io);
  } finally {
    program.logging.close();
  }
}

async function runProgram(
  program: ClientProgram,
  parsed: ParsedOptions,
  streams: RunStreams,
  detached: string | undefined,
): Promise<number> {
  const { io } = streams;
  const codes = new ExitCodes(exitCodeMode(parsed, program.merged, io.env), 'run');
  if (codes.isStrict) refuseUnknownOutputter(parsed, program.merged);
  if (truthy(program.merged.get('doc'))) return await printDocs(parsed, program, io, codes);
  if (parsed.text('eauth') !== '') {
    const code = await runAsLoggedIn(program, parsed, streams, codes);
    if (code !== undefined) return code;
  } else requireLogin(parsed);
  if (!(await becomeConfiguredUser(program, io))) return codes.of('user not switchable');
  if (isOrdered(io.env)) return await runOrdered(program, io);
  return await new RunnerRun(program, parsed, { ...streams, codes }, detached).run();
}

function wordsFault(parsed: ParsedOptions): string | undefined {
  if (parsed.flag('doc') && parsed.args.length > 1)
    return 'You can only get documentation for one method at one time';
  return undefined;
}

/** `-a`: the master runs it. @returns the exit code; undefined when there is nothing to log in with */
async function runAsLoggedIn(
  program: ClientProgram,
  parsed: ParsedOptions,
  { io, waits }: Pick<RunStreams, 'io' | 'waits'>,
  codes: ExitCodes,
): Promise<number | undefined> {
  const [fun = '', ...words] = parsed.args;
  const display = new Display(program.merged, io, program.logging.logger, fun);
  const arg = keepJidsText(parseArguments(words, noParseNames(program.merged.get('no_parse'))));
  const { runRemotely } = await import('./remote-run.ts');
  const isAsync = truthy(program.merged.get('async'));
  try {
    const data = await runRemotely(program, { io, waits }, { fun, arg, isAsync });
    if (data === 'key') return undefined;
    const isQuiet = truthy(program.merged.get('quiet')) && codes.isStrict;
    if (isQuiet) display.io.failures?.sawOutput();
    else if (!isAsync) await showReturn(display, data);
    else if (wantsForm(parsed, codes)) await display.value(dict({ jid: data.get('jid') ?? null }));
    else display.line(`Executed command with job ID: ${String(data.get('jid'))}`);
    if (isAsync) return 0;
    const code = await remoteCode(program, fun, data, codes);
    if (code !== 0 && codes.isStrict && !isQuiet) tellNothing(display, fun, data);
    return code;
  } catch (error) {
    if (!(error instanceof BrineError) || error instanceof UsageError) throw error;
    tellError(io, error);
    if (codes.isStrict && display.chosen === 'json') display.error(error.message);
    else await display.value(error.message, undefined, 1);
    return codes.ofError(error);
  }
}

async function remoteCode(
  { merged, logging }: ClientProgram,
  fun: string,
  data: Dict,
  codes: ExitCodes,
): Promise<number> {
  const shortfall = data.get(SHORTFALL_FIELD) ?? null;
  if (shortfall === REFUSED_SHORTFALL) return NOT_RUN_EXIT;
  const code = exitCode(data, codes);
  if (code !== 0 || !codes.isStrict) return code;
  if (isShortfall(shortfall)) return codes.of(shortfall);
  const spec = await findFunction('runner', fun, ownFunctions(merged, logging.logger));
  const isShort = isFailingReturn(spec?.failsWith ?? [], data.get('return') ?? null);
  return isShort ? codes.of('some failed') : 0;
}

/** An answer for which outputters print nothing leaves people with a code, and wondering. */
function tellNothing(display: Display, fun: string, data: Dict): void {
  const value = data.get('return');
  const isEmpty = value === '' || ((Array.isArray(value) || isDict(value)) && !truthy(value));
  if (isEmpty) display.error(`${fun} has nothing to show: there is nothing of what was asked for.`);
}

/** Works as the configured user. @returns false when that is not possible, which has been said */
async function becomeConfiguredUser({ opts, logging }: ClientProgram, io: CommandIo): Promise<boolean> {
  const user = opts.get('user');
  if (user === '' || user === thisUser()) return true;
  const account = await accountOf(user);
  try {
    await becomeUser(account);
    return true;
  } catch (error) {
    const message = `Salt configured to run as user "${user}" but unable to switch.`;
    logging.logger.critical(message, error);
    tellFailure(io, { code: 'user-not-switchable', message });
    return false;
  }
}

/** The documentation of functions that a word chooses: a module, a full name, a glob; all for an empty word. */
async function docsOf(word: string, own: OwnFunctions): Promise<Dict> {
  const functions = catalogOf(await loadModules('runner', own));
  const glob = word.includes('*') ? compileGlob(word) : undefined;
  const prefix = word.endsWith('.') ? word : `${word}.`;
  const isChosen = (name: string): boolean =>
    word === '' || (glob === undefined ? name === word || name.startsWith(prefix) : glob.matches(name));
  const chosen = [...functions].filter(([name]) => isChosen(name));
  return new Map(chosen.map(([name, spec]) => [name, functionDoc(name, spec)]));
}

async function printDocs(
  parsed: ParsedOptions,
  { merged, logging }: ClientProgram,
  io: CommandIo,
  codes: ExitCodes,
): Promise<number> {
  const word = parsed.args[0] ?? '';
  const display = new Display(new Map([...merged, ['output', 'text']]), io, logging.logger, '');
  const own = ownFunctions(merged, logging.logger);
  const docs = await docsOf(word, own);
  if (docs.size === 0) {
    const names = catalogOf(await loadModules('runner', own)).keys();
    display.error(`ERROR: There is no documentation of '${word}'.${didYouMean(word, names)}`);
    return codes.of('nothing documented');
  }
  // Salt compat: Salt prints its text whatever `--out` says
  if (wantsForm(parsed, codes)) {
    await new Display(merged, io, logging.logger, '').value(docs);
    return 0;
  }
  for (const [name, doc] of docs) {
    await display.value(`${String(name)}:`);
    display.line(String(doc));
  }
  return 0;
}

/** Where a run writes, and where it says what it waits for. */
type RunStreams = ReturnType<typeof withWaitingLine>;

/** One run of a runner. */
class RunnerRun {
  readonly #program: ClientProgram;
  readonly #parsed: ParsedOptions;
  readonly #io: CommandIo;
  readonly #isDetached: boolean;
  readonly #display: Display;
  readonly #fun: string;
  readonly #arg: Value[];
  readonly #jid: string;
  readonly #context: OpenRunnerContext;
  readonly #own: OwnFunctions;
  readonly #abort = new AbortController();
  readonly #status: StatusLine;
  readonly #waits: WaitingLine;
  readonly #codes: ExitCodes;

  constructor(
    program: ClientProgram,
    parsed: ParsedOptions,
    { io, status, waits, codes }: RunStreams & { readonly codes: ExitCodes },
    detached: string | undefined,
  ) {
    const { merged, opts, logging } = program;
    this.#program = program;
    this.#parsed = parsed;
    this.#io = io;
    this.#status = status;
    this.#waits = waits;
    this.#codes = codes;
    this.#isDetached = detached !== undefined;
    const [fun = '', ...words] = parsed.args;
    this.#fun = fun;
    this.#arg = keepJidsText(parseArguments(words, noParseNames(merged.get('no_parse'))));
    this.#display = new Display(merged, io, logging.logger, fun);
    const suffix = truthy(merged.get('unique_jid')) ? `_${process.pid}` : '';
    this.#jid = detached ?? (parsed.text('jid') || new JidSource(systemClock, suffix).next());
    this.#own = ownFunctions(merged, logging.logger, { prints: true });
    this.#context = openRunnerContext({
      opts,
      settings: merged,
      jid: this.#jid,
      user: specificUser(io.env),
      env: io.env,
      clock: systemClock,
      random: systemRandom,
      log: logging.logger,
      signal: this.#abort.signal,
      print: (text) => this.#display.line(text),
      show: (step, data) => this.#show(step, data),
      showStep: (text) => this.#status.show(text),
      // an orchestration shows its steps instead
      ...(ORCHESTRATIONS.has(fun) ? {} : { waits }),
      own: this.#own,
    });
  }

  async run(): Promise<number> {
    const stopListening = this.#onInterrupt();
    try {
      const spec = await findFunction('runner', this.#fun, this.#own);
      if (spec === undefined) return await this.#refuseMissing();
      let call: CallArguments;
      try {
        call = this.#inOrchestration(parsePublished(spec, this.#arg));
      } catch (error) {
        if (!(error instanceof BrineError)) throw error;
        return await this.#refuse(error.errorCode, error.message);
      }
      if (truthy(this.#program.merged.get('async')) && !this.#isDetached) return this.#detach();
      return await this.#call(spec, call);
    } finally {
      stopListening();
      await this.#context.close();
    }
  }

  /** Orchestrations are told their own job, as Salt tells them. */
  #inOrchestration(call: CallArguments): CallArguments {
    if (!ORCHESTRATIONS.has(this.#fun)) return call;
    return { ...call, keywords: new Map([...call.keywords, ['orchestration_jid', this.#jid]]) };
  }

  async #refuseMissing(): Promise<number> {
    const reason = await missingFunction('runner', this.#fun, this.#own);
    const code = await this.#refuse('function-not-found', reason);
    const hint = hintAmong(this.#fun, catalogOf(await loadModules('runner', this.#own)).keys());
    if (hint !== undefined) this.#display.error(hint);
    return code;
  }

  /** Nothing was run: the documentation of what it may have been, or the reason. */
  async #refuse(code: ErrorCode, reason: string): Promise<number> {
    tellFailure(this.#io, { code, message: reason });
    // who wants to see nothing, as the master with its schedule, is told all the same
    if (this.#display.chosen === 'quiet') this.#program.logging.logger.error(reason);
    await this.#context.fire(
      `salt/run/${this.#jid}/ret`,
      dict({
        success: false,
        return: reason,
        retcode: NOT_RUN,
        fun: this.#fun,
        fun_args: this.#arg,
        jid: this.#jid,
      }),
    );
    const docs = await docsOf(`${this.#fun}*`, this.#own);
    if (!truthy(this.#program.merged.get('quiet')))
      await this.#display.value(docs.size > 0 ? docs : reason, 'nested');
    return NOT_RUN_EXIT;
  }

  async #call(spec: RunnerSpec, call: CallArguments): Promise<number> {
    const { log } = this.#context;
    const running = runMasterFunction(this.#context, { kind: 'runner', fun: this.#fun, spec, call });
    const waits = ORCHESTRATIONS.has(this.#fun) ? undefined : this.#waits;
    const ended = await whileWaiting(waits, `running ${this.#fun}`, running);
    this.#status.clear();
    if (ended === undefined) return this.#leave();
    if (ended.error !== undefined) tellError(this.#io, ended.error);
    if (ended.refused !== undefined && this.#display.chosen === 'quiet')
      log.error(`Passed invalid arguments: ${ended.refused}`);
    await this.#show('ret', ended.data);
    log.info(`Runner completed: ${this.#jid}`);
    if (ended.refused !== undefined) return NOT_RUN_EXIT;
    const { isStrict } = this.#codes;
    const own = exitCode(ended.data, this.#codes);
    const isShort = own === 0 && isStrict && ended.shortfall !== undefined;
    const code = isShort ? this.#codes.of(ended.shortfall) : own;
    const isQuiet = truthy(this.#program.merged.get('quiet'));
    if (code !== 0 && ended.error === undefined && isStrict && !isQuiet)
      tellNothing(this.#display, this.#fun, ended.data);
    return code;
  }

  /** Shows an event of this job (salt/client/mixins.py `print_async_event`). */
  async #show(suffix: string, data: Dict): Promise<void> {
    if (truthy(this.#program.merged.get('quiet'))) return;
    if (suffix !== 'ret') {
      // Salt compat: Salt shows states that are told of in this way as if nobody knew their order
      if (data.get('outputter') === 'highstate' && this.#display.chosen === undefined)
        return this.#display.value(data.get('data') ?? null, 'highstate');
      return this.#display.value(dict({ suffix, event: data }));
    }
    await showReturn(this.#display, data);
  }

  /**
   * Salt compat: Salt prints its warning whatever `--out` and `--quiet` say; here the job id comes in the form that was
   * asked for.
   */
  async #detach(): Promise<number> {
    const { merged, logging } = this.#program;
    const isQuiet = truthy(merged.get('quiet')) && this.#codes.isStrict;
    const notice =
      'Running in asynchronous mode. Results of this execution may be collected by attaching to the master event bus or by ' +
      `examining the master job cache, if configured. This execution is running under tag salt/run/${this.#jid}`;
    if (isQuiet) logging.logger.info(notice);
    else logging.logger.warning(notice);
    // an output file is for the return, which the process in the background writes
    const isForReturn = truthy(merged.get('output_file'));
    if (!isForReturn && wantsForm(this.#parsed, this.#codes))
      await this.#display.value(dict({ jid: this.#jid }));
    return detach(this.#jid);
  }

  #onInterrupt(): () => void {
    const onInt = (): void => this.#abort.abort('interrupted');
    const onTerm = (): void => this.#abort.abort('terminated');
    process.on('SIGINT', onInt);
    process.on('SIGTERM', onTerm);
    return () => {
      process.removeListener('SIGINT', onInt);
      process.removeListener('SIGTERM', onTerm);
    };
  }

  #leave(): number {
    if (this.#abort.signal.reason === 'terminated') return this.#codes.of('terminated');
    this.#io.stderr.write('\nExiting gracefully on Ctrl-c\n');
    return this.#codes.of('interrupted');
  }
}

/** Shows what a function returned, through the outputter that it names (salt/runner.py). */
async function showReturn(display: Display, data: Dict): Promise<void> {
  const value = data.get('return') ?? null;
  const hint = isDict(value) ? value.get('outputter') : undefined;
  const isWrapped = isDict(value) && value.size === 2 && value.has('data') && value.has('outputter');
  await display.value(
    isWrapped ? (value.get('data') ?? null) : value,
    typeof hint === 'string' ? hint : undefined,
  );
}

/** Who runs this, as jobs name it (salt/utils/user.py `get_specific_user`). */
function specificUser(env: NodeJS.ProcessEnv): string {
  const username = thisUser();
  const sudo = env['SUDO_USER'];
  return username === 'root' && sudo !== undefined ? `sudo_${sudo}` : username;
}

/** `retcode` of the run, else of what it returned (salt/cli/run.py). Salt compat: Salt does not look at `success`. */
function exitCode(data: Dict, codes: ExitCodes): number {
  const code = (holder: Value | undefined): number | undefined =>
    isDict(holder) && holder.has('retcode') ? (toNumber(holder.get('retcode')) ?? 0) : undefined;
  const value = data.get('return');
  const found = code(data) ?? code(value) ?? (isDict(value) ? code(value.get('data')) : undefined) ?? 0;
  // with data of its own, `success` tells of those: looking up a job that failed has not failed
  const isShown = isDict(value) && value.has('data');
  if (found === 0 && codes.isStrict && !isShown && data.get('success') === false)
    return codes.of('some failed');
  return exitStatus(found);
}
