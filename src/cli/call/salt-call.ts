/** `salt-call` (salt/cli/caller.py, 3006.16). */
import { requestLimits } from '../../programs/minion/request-limits.ts';
import { withWaitingLine } from '../terminal/waiting-line.ts';
import { pyStr } from '../../python/values/repr.ts';
import { tellError, tellFailure } from '../terminal/failure-line.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean } from '../../errors/did-you-mean.ts';
import { DiskRefusesError, UsageError, messageOf } from '../../errors/errors.ts';
import { systemClock } from '../../host/clock.ts';
import { makeDirectory, safeJoin, writeFileAtomic } from '../../host/files.ts';
import { systemRandom } from '../../host/random.ts';
import { JidSource, PROPOSED_JID, REQUEST_JID } from '../../storage/jobs/jid.ts';
import { functionDoc } from '../../runtime/loader/documentation.ts';
import type { ModuleContext } from '../../runtime/loader/module.ts';
import { localPillar } from '../../programs/minion/local-pillar.ts';
import { ProcFiles } from '../../programs/minion/proc-files.ts';
import { MinionState } from '../../programs/minion/state.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { encode } from '../../formats/wire/msgpack.ts';
import { yamlifyArgument } from '../../formats/yaml/yamlify.ts';
import { noParseNames, parseArguments } from '../command-line/arguments.ts';
import { Display } from '../terminal/display.ts';
import { ExitCodes, exitCodeMode, exitStatus } from '../program/exit-codes.ts';
import { wantsForm } from '../program/wanted-form.ts';
import { refuseUnknownOutputter } from '../program/outputter-check.ts';
import { sayIncomplete, sayUsageError } from '../program/usage.ts';
import type { CommandIo } from '../terminal/io.ts';
import { saltCallProgram } from '../options/salt-call.ts';
import type { ParsedOptions } from '../command-line/optparse.ts';
import { prepareCommandLine } from '../program/prepare.ts';
import { callFunction, type CallOutcome } from './call-function.ts';
import { grainsNow, grainsWhenNeeded } from './caller-grains.ts';
import { ownModules } from '../../runtime/extensions/own-modules.ts';
import { checkWords, openCallerProgram, type CallerProgram } from './caller-program.ts';
import { callerServices } from './caller-services.ts';
import { NO_ANSWER, NOT_AUTHENTICATED, NotAdmittedError, type MasterLink } from './master-link.ts';

/** What may be replaced in tests. */
export interface SaltCallDeps {
  /** The program that collects grains apart, see `caller-grains.ts`. */
  readonly grainsScript: string;
}

const RETURN_PATIENCE = { timeoutMs: 10_000, tries: 3 };
const SIGINT = 2;
const SIGTERM = 15;
/** Time for a function to notice Ctrl-C, and for what it has started to end. */
const INTERRUPT_GRACE_MS = 1_000;

/** Runs the command. @returns the exit code */
export async function runSaltCall(
  argv: readonly string[],
  streams: CommandIo,
  deps: SaltCallDeps,
): Promise<number> {
  const { waits, io } = withWaitingLine(streams, systemClock);
  const parsed = await prepareCommandLine(saltCallProgram, argv, io);
  if (typeof parsed === 'number') return parsed;
  if (parsed.args.length === 0 && !parsed.flag('grains_run') && !parsed.flag('doc'))
    return sayIncomplete(saltCallProgram, 'Requires function, --grains or --doc', io);
  let program: CallerProgram | undefined;
  let caller: Caller | undefined;
  let waited = (): void => undefined;
  try {
    checkWords(parsed);
    program = await openCallerProgram(parsed, io);
    const codes = new ExitCodes(exitCodeMode(parsed, program.merged, io.env), 'call');
    if (codes.isStrict) refuseUnknownOutputter(parsed, program.merged);
    caller = new Caller(program, { parsed, io, deps, codes });
    const running = caller;
    waited = waits.begins({ text: () => running.doing });
    return await caller.run();
  } catch (error) {
    if (error instanceof UsageError) return sayUsageError(saltCallProgram, error, io);
    return notAdmitted(error, program, io);
  } finally {
    waited();
    caller?.close();
    program?.logging.close();
  }
}

/** The reason and the next step come first, then the sentence that Salt has for it. */
function notAdmitted(error: unknown, program: CallerProgram | undefined, io: CommandIo): number {
  if (!(error instanceof NotAdmittedError) || program === undefined) throw error;
  const { logger } = program.logging;
  if (error.kind === 'rejected') logger.critical(error.message);
  else logger.error(error.message);
  tellError(io, error);
  if (error.kind === 'pending') io.stdout.write(`${NOT_AUTHENTICATED}\n`);
  if (error.kind === 'silent') io.stderr.write(`${NO_ANSWER}\n`);
  return error.exitCode;
}

/** What a run is made of. */
interface CallerDeps {
  readonly parsed: ParsedOptions;
  readonly io: CommandIo;
  readonly deps: SaltCallDeps;
  readonly codes: ExitCodes;
}

/** One run of the command. */
class Caller {
  readonly #program: CallerProgram;
  readonly #parsed: ParsedOptions;
  readonly #io: CommandIo;
  readonly #deps: SaltCallDeps;
  readonly #codes: ExitCodes;
  readonly #display: Display;
  readonly #abort = new AbortController();
  /** What is being waited for, for the line on a terminal. */
  doing = 'collecting grains';
  #removeProc: () => void = () => undefined;
  #link: MasterLink | undefined;

  constructor(program: CallerProgram, { parsed, io, deps, codes }: CallerDeps) {
    this.#program = program;
    this.#parsed = parsed;
    this.#io = io;
    this.#deps = deps;
    this.#codes = codes;
    this.#display = new Display(program.merged, io, program.logging.logger, parsed.args[0] ?? '');
  }

  async run(): Promise<number> {
    const { merged, logging } = this.#program;
    const state = await this.#open();
    if (truthy(merged.get('doc'))) return this.#printDocs(state);
    if (truthy(merged.get('grains_run'))) {
      await this.#display.value(new Map([['local', state.grains]]), 'grains');
      return 0;
    }
    const jid = new JidSource(systemClock, truthy(merged.get('unique_jid')) ? `_${process.pid}` : '').next();
    const call: Dict = dict({ fun: this.#fun, pid: process.pid, jid, tgt: 'salt-call' });
    const metadata = this.#metadata();
    if (metadata !== undefined) call.set('metadata', metadata);
    const { opts } = this.#program;
    const services = callerServices({
      ...{ opts, link: this.#link, clock: systemClock, log: logging.logger },
      signal: this.#abort.signal,
      showStep: (text) => (this.doing = `running ${this.#fun}: ${text}`),
      print: (line) => this.#io.stdout.write(`${line}\n`),
    });
    const context = state.context({ jid, fun: this.#fun, pub: call }, services, this.#abort.signal);
    this.doing = `running ${this.#fun}`;
    const outcome = await Promise.race([this.#call(context, call), this.#interruption()]);
    if (outcome === undefined || this.#abort.signal.aborted) return this.#leave();
    if (outcome.kind !== 'returned') await state.close();
    if (outcome.kind === 'failed') return this.#failed(outcome);
    if (outcome.kind === 'similar') {
      await this.#display.value(new Map([['local', outcome.docs]]), 'nested');
      return 1;
    }
    return this.#finish(jid, metadata, outcome, state, context);
  }

  close(): void {
    this.#link?.close();
  }

  get #fun(): string {
    return this.#parsed.args[0] ?? '';
  }

  #metadata(): Value | undefined {
    const text = this.#parsed.get('metadata');
    return typeof text === 'string' ? yamlifyArgument(text) : undefined;
  }

  /** Grains, master and pillar: what a minion has when it is ready. */
  async #open(): Promise<MinionState> {
    const { merged, opts, isLocal, logging } = this.#program;
    const log = logging.logger;
    const { grainsScript } = this.#deps;
    const { custom, installed, python } = ownModules(log, { prints: true });
    const stateDeps = { opts, clock: systemClock, random: systemRandom, log, custom, installed, python };
    if (isLocal) {
      const grainsDeps = { opts: merged, log, grainsScript };
      const isAll = truthy(merged.get('grains_run'));
      const grains = isAll ? await grainsNow(grainsDeps) : await grainsWhenNeeded(grainsDeps, this.#fun);
      const state = new MinionState(stateDeps, grains);
      state.pillar = await localPillar({
        opts: state.opts,
        id: state.id,
        grains: async () => (isAll ? grains : grainsNow(grainsDeps)),
        clock: systemClock,
        random: systemRandom,
        log,
        own: { custom, installed },
      });
      return state;
    }
    const [{ connectMaster }, { authClient, loadMinionKey }] = await Promise.all([
      import('./master-link.ts'),
      import('../../programs/minion/keys.ts'),
    ]);
    makeDirectory(opts.get('pki_dir'), 0o700); // no minion has run here yet
    const [grains, key] = await Promise.all([grainsNow({ opts: merged, log }), loadMinionKey(opts)]);
    const state = new MinionState(stateDeps, grains);
    this.doing = `connecting to the master ${pyStr(opts.raw('master') ?? '')}`;
    this.#link = await connectMaster({
      opts,
      call: (fun) => this.#callWithoutMaster(state, fun),
      client: authClient(opts, key, grains, systemRandom),
      clock: systemClock,
      random: systemRandom,
      log,
      hasTimeout: this.#parsed.isExplicit('auth_timeout'),
    });
    state.serve(this.#link.address);
    this.doing = 'waiting for the pillar of the master';
    state.pillar = await this.#link.pillar(state.grains);
    return state;
  }

  /** For `master_type: func`. */
  #callWithoutMaster(state: MinionState, fun: string): Promise<Value> {
    const { opts, logging } = this.#program;
    const services = callerServices({ opts, link: undefined, clock: systemClock, log: logging.logger });
    const context = state.context({ jid: '0', fun, pub: new Map() }, services, this.#abort.signal);
    return context.functions.call(fun);
  }

  async #call(context: ModuleContext, call: Dict): Promise<CallOutcome> {
    const { merged } = this.#program;
    const words = this.#parsed.args.slice(1);
    const arg = parseArguments(words, noParseNames(merged.get('no_parse')));
    const wanted = merged.get('module_executors') ?? ['direct_call'];
    const read = (value: Value | undefined): Value | undefined =>
      typeof value === 'string' ? yamlifyArgument(value) : value;
    const names = read(truthy(wanted) ? wanted : ['direct_call']) ?? null;
    const executors = { names, options: read(merged.get('executor_opts')) };
    const found = await context.functions.has(this.#fun);
    // before anybody can see that it runs, and until nobody can any more
    const stopListening = this.#onInterrupt();
    try {
      if (found) this.#removeProc = this.#writeProc(context.job.jid, call);
      return await callFunction(this.#fun, context, arg, executors);
    } finally {
      this.#removeProc();
      stopListening();
    }
  }

  /** The file by which others on this host see the job (`saltutil.running`). @returns what removes it */
  #writeProc(jid: string, call: Dict): () => void {
    const cachedir = this.#program.opts.get('cachedir');
    try {
      const files = new ProcFiles(cachedir);
      files.write(jid, call);
      return () => files.remove(jid);
    } catch (error) {
      const path = join(cachedir, 'proc', jid);
      const reason =
        error instanceof DiskRefusesError ? error.message : `Do you have permissions to write to ${path} ?`;
      this.#io.stderr.write(`Cannot write to process directory. ${reason}\n`);
      return () => undefined;
    }
  }

  async #finish(
    jid: string,
    metadata: Value | undefined,
    outcome: Extract<CallOutcome, { kind: 'returned' }>,
    state: MinionState,
    context: ModuleContext,
  ): Promise<number> {
    const { merged } = this.#program;
    const { value, retcode, out } = outcome;
    const ret: Dict = dict({
      jid,
      return: value,
      retcode,
      out,
      id: this.#program.opts.get('id'),
      fun: this.#fun,
      fun_args: this.#parsed.args.slice(1),
      metadata,
    });
    const unstored = await this.#runReturners(ret, state, context);
    await state.close();
    await this.#deliver(ret);
    const isWhole = truthy(merged.get('print_metadata'));
    const shown = isWhole ? ret : value;
    await this.#display.value(new Map([['local', shown]]), isWhole ? 'nested' : (out ?? 'nested'), retcode);
    // the log has said it
    for (const message of unstored) tellFailure(this.#io, { code: 'function-failed', message });
    if (truthy(merged.get('retcode_passthrough')) && retcode !== 0) return exitStatus(retcode);
    if (retcode === 0 && unstored.length > 0) return this.#codes.of('not stored');
    return retcode === 0 ? 0 : 1;
  }

  /** @returns why returners did not take it */
  async #runReturners(ret: Dict, state: MinionState, context: ModuleContext): Promise<string[]> {
    const wanted = this.#program.merged.get('return');
    if (!truthy(wanted)) return [];
    const { returnerNames, runReturners } = await import('../../plugins/registry/returner/run.ts');
    ret.set('success', true);
    return runReturners(await state.returners(), returnerNames(wanted), ret, context);
  }

  /** Tells the master, which gives the job an id of its own; without one, `cache_jobs` keeps the return here. */
  async #deliver(ret: Dict): Promise<void> {
    const { merged, opts, logging } = this.#program;
    try {
      if (this.#link !== undefined && !truthy(merged.get('no_return_event'))) {
        const load: Dict = new Map([
          ...dict({ cmd: '_return', id: opts.get('id') }),
          ...ret,
          ['jid', REQUEST_JID],
          [PROPOSED_JID, ret.get('jid') ?? null],
        ]);
        await this.#link.requests.send(load, requestLimits(opts, RETURN_PATIENCE));
      } else if (opts.get('cache_jobs')) {
        const folder = safeJoin(join(opts.get('cachedir'), 'minion_jobs'), String(ret.get('jid')));
        mkdirSync(folder, { recursive: true });
        writeFileAtomic(join(folder, 'return.p'), encode(ret, 'local'), { mode: 0o600 });
      }
    } catch (error) {
      logging.logger.warning(`The result could not be handed on: ${messageOf(error)}`, error);
    }
  }

  #failed({ stderr, message, stdout, exitCode, code }: Extract<CallOutcome, { kind: 'failed' }>): number {
    this.#io.stderr.write(stderr);
    tellFailure(this.#io, { code, message: message ?? stderr.trim() });
    if (stdout !== undefined) this.#io.stdout.write(stdout);
    return exitCode;
  }

  async #printDocs(state: MinionState): Promise<number> {
    const docs: Dict = new Map();
    for (const [name, module] of await state.registry.modules()) {
      for (const fun of Object.keys(module.functions).sort()) {
        const full = `${name}.${fun}`;
        const spec = module.functions[fun];
        if (spec === undefined || !full.startsWith(this.#fun)) continue;
        const doc = functionDoc(full, spec);
        if (doc === '') continue; // a function in Python without a docstring has none to show
        docs.set(full, doc);
      }
    }
    // Salt compat: Salt prints its text whatever `--out` and `--out-file` say
    if (docs.size > 0 && wantsForm(this.#parsed, this.#codes)) await this.#display.value(docs);
    else for (const [full, doc] of docs) this.#io.stdout.write(`${pyStr(full)}:\n${pyStr(doc)}\n\n`);
    if (docs.size > 0) return 0;
    const names = [...(await state.registry.modules())].flatMap(([name, { functions }]) =>
      Object.keys(functions).map((fun) => `${name}.${fun}`),
    );
    const message = `There is no documentation of '${this.#fun}'.${didYouMean(this.#fun, names)}`;
    this.#io.stderr.write(`ERROR: ${message}\n`);
    tellFailure(this.#io, { code: 'function-not-found', message });
    return this.#codes.of('nothing documented');
  }

  /** Ctrl-C and SIGTERM end the function, and what it has started gets the signal, too. */
  #onInterrupt(): () => void {
    const onInt = (): void => this.#abort.abort(SIGINT);
    const onTerm = (): void => this.#abort.abort(SIGTERM);
    process.on('SIGINT', onInt);
    process.on('SIGTERM', onTerm);
    return () => {
      process.removeListener('SIGINT', onInt);
      process.removeListener('SIGTERM', onTerm);
    };
  }

  /** Resolves some time after Ctrl-C, when the function has not noticed it. */
  #interruption(): Promise<undefined> {
    return new Promise((resolve) => {
      const giveUp = (): void =>
        void systemClock.after(INTERRUPT_GRACE_MS, () => resolve(undefined), { background: true });
      this.#abort.signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #leave(): number {
    this.#removeProc();
    if (this.#abort.signal.reason === SIGTERM) return this.#codes.of('terminated');
    this.#io.stderr.write('\nExiting gracefully on Ctrl-c\n');
    return this.#codes.of('interrupted');
  }
}
