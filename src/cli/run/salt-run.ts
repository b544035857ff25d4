/** `salt-run` (cli.md, 11; salt/runner.py and salt/client/mixins.py, 3006.16). */
import { userInfo } from 'node:os';
import { ClientError } from '../../client/errors.ts';
import { accountOf, becomeUser } from '../../daemon/privileges.ts';
import {
  ArgumentError,
  BrineError,
  SaltInvocationError,
  UsageError,
  messageOf,
} from '../../errors/errors.ts';
import { isoStamp } from '../../events/framing.ts';
import { systemClock } from '../../host/clock.ts';
import { systemRandom } from '../../host/random.ts';
import { JidSource } from '../../jobs/jid.ts';
import { bindCall, parsePublished, type CallArguments } from '../../loader/bind.ts';
import { catalogOf } from '../../loader/catalog.ts';
import { functionDoc } from '../../loader/documentation.ts';
import { describeOsError, formatTraceback, PythonError } from '../../loader/python-error.ts';
import { RunnerRefusal, type RunnerSpec } from '../../runners/runner.ts';
import { compileGlob } from '../../text/fnmatch.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../values/value.ts';
import { keepJidsText, noParseNames, parseArguments } from '../arguments.ts';
import { openClientProgram, type ClientProgram } from '../client-program.ts';
import { Display } from '../display.ts';
import { formatUsageError } from '../help.ts';
import type { CommandIo } from '../io.ts';
import { saltRunProgram } from '../options/salt-run.ts';
import type { ParsedOptions } from '../optparse.ts';
import { prepareCommandLine } from '../prepare.ts';
import { detach, detachedJid } from './detach.ts';
import { findRunner, loadRunners } from './find-runner.ts';
import { ownRunners, type OwnRunners } from './own-runners.ts';
import { recordRun } from './record-run.ts';
import { openRunnerContext, type OpenRunnerContext } from './runner-context.ts';

/** The code in the event of a run that never began. */
const NOT_RUN = 254;

/** Runs the command. @returns the exit code */
export async function runSaltRun(argv: readonly string[], io: CommandIo): Promise<number> {
  const detached = detachedJid(io.env);
  const parsed = await prepareCommandLine(saltRunProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  const fault = wordsFault(parsed);
  if (fault !== undefined) {
    io.stderr.write(formatUsageError(saltRunProgram, fault));
    return new UsageError(fault).exitCode;
  }
  const program = openClientProgram(parsed, io, 'salt.runner');
  try {
    if (truthy(program.merged.get('doc'))) return await printDocs(parsed.args[0] ?? '', program, io);
    if (!(await becomeConfiguredUser(program))) return 0;
    return await new RunnerRun(program, parsed, io, detached).run();
  } finally {
    program.logging.close();
  }
}

function wordsFault(parsed: ParsedOptions): string | undefined {
  if (parsed.flag('doc') && parsed.args.length > 1)
    return 'You can only get documentation for one method at one time';
  if (parsed.text('eauth') !== '')
    return 'option --auth is not available yet; run salt-run on the master as the user of the master';
  return undefined;
}

/** Salt compat: a user who cannot be switched to ends the command with a message and 0. */
async function becomeConfiguredUser({ opts, logging }: ClientProgram): Promise<boolean> {
  const user = opts.get('user');
  if (user === '' || user === userInfo().username) return true;
  const account = await accountOf(user);
  try {
    await becomeUser(account);
    return true;
  } catch (error) {
    logging.logger.critical(`Salt configured to run as user "${user}" but unable to switch.`, error);
    return false;
  }
}

/** The documentation of functions that a word chooses: a module, a full name, a glob; all for an empty word. */
async function docsOf(word: string, own: OwnRunners): Promise<Dict> {
  const functions = catalogOf(await loadRunners(own));
  const glob = word.includes('*') ? compileGlob(word) : undefined;
  const prefix = word.endsWith('.') ? word : `${word}.`;
  const isChosen = (name: string): boolean =>
    word === '' || (glob === undefined ? name === word || name.startsWith(prefix) : glob.matches(name));
  const chosen = [...functions].filter(([name]) => isChosen(name));
  return new Map(chosen.map(([name, spec]) => [name, functionDoc(name, spec)]));
}

async function printDocs(word: string, { merged, logging }: ClientProgram, io: CommandIo): Promise<number> {
  const display = new Display(new Map([...merged, ['output', 'text']]), io, logging.logger, '');
  for (const [name, doc] of await docsOf(word, ownRunners(merged, logging.logger))) {
    await display.value(`${String(name)}:`);
    display.line(String(doc));
  }
  return 0;
}

/** One run of a runner. */
class RunnerRun {
  readonly #program: ClientProgram;
  readonly #io: CommandIo;
  readonly #isDetached: boolean;
  readonly #display: Display;
  readonly #fun: string;
  readonly #arg: Value[];
  readonly #jid: string;
  readonly #context: OpenRunnerContext;
  readonly #own: OwnRunners;
  readonly #abort = new AbortController();

  constructor(program: ClientProgram, parsed: ParsedOptions, io: CommandIo, detached: string | undefined) {
    const { merged, opts, logging } = program;
    this.#program = program;
    this.#io = io;
    this.#isDetached = detached !== undefined;
    const [fun = '', ...words] = parsed.args;
    this.#fun = fun;
    this.#arg = keepJidsText(parseArguments(words, noParseNames(merged.get('no_parse'))));
    this.#display = new Display(merged, io, logging.logger, fun);
    const suffix = truthy(merged.get('unique_jid')) ? `_${process.pid}` : '';
    this.#jid = detached ?? (parsed.text('jid') || new JidSource(systemClock, suffix).next());
    this.#own = ownRunners(merged, logging.logger);
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
      own: this.#own,
    });
  }

  async run(): Promise<number> {
    const stopListening = this.#onInterrupt();
    try {
      const spec = await findRunner(this.#fun, this.#own);
      if (spec === undefined) return await this.#refuse(missingText(this.#fun));
      let call: CallArguments;
      try {
        call = parsePublished(spec, this.#arg);
      } catch (error) {
        if (!(error instanceof BrineError)) throw error;
        return await this.#refuse(error.message);
      }
      if (truthy(this.#program.merged.get('async')) && !this.#isDetached) return this.#detach();
      return await this.#call(spec, call);
    } finally {
      stopListening();
      await this.#context.close();
    }
  }

  /** Nothing was run: the documentation of what it may have been, or the reason. */
  async #refuse(reason: string): Promise<number> {
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
    return 0;
  }

  async #call(spec: RunnerSpec, call: CallArguments): Promise<number> {
    const { clock, log, opts, user } = this.#context;
    const funArgs = [...call.positional, ...(call.keywords.size > 0 ? [call.keywords] : [])];
    const data = dict({ fun: `runner.${this.#fun}`, jid: this.#jid, user, fun_args: funArgs });
    const tag = `salt/run/${this.#jid}`;
    // Salt compat: the job cache has the time of the first event
    if (await this.#context.fire(`${tag}/new`, data)) data.set('_stamp', isoStamp(clock));
    const result = await Promise.race([this.#result(spec, call), this.#interruption()]);
    if (result === undefined || this.#abort.signal.aborted) return this.#leave();
    for (const [key, value] of result) data.set(key, value);
    await recordRun({ opts, clock, log }, data);
    await this.#context.fire(`${tag}/ret`, data);
    await this.#show('ret', data);
    log.info(`Runner completed: ${this.#jid}`);
    return exitCode(data);
  }

  async #result(spec: RunnerSpec, call: CallArguments): Promise<Dict> {
    const name = this.#fun.slice(this.#fun.indexOf('.') + 1);
    try {
      const { args, rest, kwargs } = bindCall(name, spec, call);
      return dict({ return: await spec.run(this.#context, args, rest, kwargs), success: true });
    } catch (error) {
      // Salt compat: an invocation error of the function itself is a TypeError for Python, and shown as one
      if (error instanceof ArgumentError || error instanceof SaltInvocationError) {
        const usage = functionDoc(this.#fun, spec).replaceAll("salt '*'", 'salt-run');
        if (this.#display.chosen === 'quiet')
          this.#program.logging.logger.error(`Passed invalid arguments: ${error.message}`);
        return dict({
          return: `\nPassed invalid arguments: ${error.message}\n\nUsage:\n${usage}`,
          success: true,
        });
      }
      this.#context.log.debug(`The runner ${this.#fun} failed`, error);
      return dict({ return: this.#failureText(error), success: false, retcode: 1 });
    }
  }

  #failureText(error: unknown): string {
    if (error instanceof RunnerRefusal || error instanceof ClientError) return error.message;
    return `Exception occurred in runner ${this.#fun}: ${tracebackText(error)}`;
  }

  /** Shows an event of this job (salt/client/mixins.py `print_async_event`). */
  async #show(suffix: string, data: Dict): Promise<void> {
    if (truthy(this.#program.merged.get('quiet'))) return;
    if (suffix !== 'ret') {
      const event = new Map<Value, Value>([...data, ['_stamp', isoStamp(systemClock)]]);
      return this.#display.value(dict({ suffix, event }));
    }
    const value = data.get('return') ?? null;
    const hint = isDict(value) ? value.get('outputter') : undefined;
    const isWrapped = isDict(value) && value.size === 2 && value.has('data') && value.has('outputter');
    await this.#display.value(
      isWrapped ? (value.get('data') ?? null) : value,
      typeof hint === 'string' ? hint : undefined,
    );
  }

  #detach(): Promise<number> {
    this.#program.logging.logger.warning(
      'Running in asynchronous mode. Results of this execution may be collected by attaching to the master event bus or by ' +
        `examining the master job cache, if configured. This execution is running under tag salt/run/${this.#jid}`,
    );
    return detach(this.#jid);
  }

  #onInterrupt(): () => void {
    const onSignal = (): void => this.#abort.abort();
    process.on('SIGINT', onSignal);
    return () => process.removeListener('SIGINT', onSignal);
  }

  /** Resolves at Ctrl-C: the runner is told, and not waited for. */
  #interruption(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#abort.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  }

  #leave(): number {
    this.#io.stderr.write('\nExiting gracefully on Ctrl-c\n');
    return 1;
  }
}

function missingText(fun: string): string {
  return fun === '' ? 'Must specify a function to run!\nex: manage.up' : `'${fun}' is not available.`;
}

/** Who runs this, as jobs name it (salt/utils/user.py `get_specific_user`). */
function specificUser(env: NodeJS.ProcessEnv): string {
  const { username } = userInfo();
  const sudo = env['SUDO_USER'];
  return username === 'root' && sudo !== undefined ? `sudo_${sudo}` : username;
}

/** Python's traceback without its frames. */
function tracebackText(error: unknown): string {
  if (error instanceof PythonError) return formatTraceback(error.type, error.message);
  if (error instanceof BrineError) return formatTraceback(`salt.exceptions.${error.name}`, error.message);
  const known = error instanceof Error ? describeOsError(error) : undefined;
  return formatTraceback(known?.type ?? 'Exception', known?.message ?? messageOf(error));
}

/** `retcode` of the run, else of what it returned (salt/cli/run.py). */
function exitCode(data: Dict): number {
  const code = (holder: Value | undefined): number | undefined =>
    isDict(holder) && holder.has('retcode') ? (toNumber(holder.get('retcode')) ?? 0) : undefined;
  const value = data.get('return');
  const found = code(data) ?? code(value) ?? (isDict(value) ? code(value.get('data')) : undefined) ?? 0;
  return found & 0xff;
}
