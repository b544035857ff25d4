/** A site's Python files as modules of the loader: described by the Python process, and run in it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFile } from 'node:fs/promises';
import {
  ArgumentError,
  CommandExecutionError,
  CommandNotFoundError,
  SaltInvocationError,
  BrineError,
  messageOf,
} from '../../errors/errors.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import type {
  CalledKind,
  PythonFunction,
  PythonKind,
  ServePython,
} from '../../network/ipc/contracts/python-host.ts';
import { describeOsError, PythonError, type ThrownByPython } from '../../python/exceptions.ts';
import { isDict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { FunctionSpec, LoadContext, ModuleContext, ModuleSpec } from '../loader/module.ts';
import { callArguments, changesArguments, paramSpec, takeChanges } from './arguments.ts';
import { jobCaller, type PythonCaller } from './callers.ts';
import { keptBy } from './kept.ts';
import { interpreterOf, PythonProcess, PythonProcessError, settingsOf } from './python-process.ts';
import type { TimeLimit } from './time-limit.ts';

/** Time for a file to be loaded, or its grains to be found. */
const ANSWER_MS = 15_000;
/** What bounds calls in Python that are no functions of a job, and its value where options have none. */
const LIMIT_OPTION = 'python_seconds_max';
const LIMIT_SECONDS = 60;
const UNLIMITED = { limitMs: Infinity };
/** Functions in Python that wait for one another: each holds a thread there. */
const NESTED_MAX = 100;
const NO_PILLAR: Dict = new Map();
const NOTHING_TOLD = { tellsItems: false, tellsArguments: false } as const;

/** A file in Python. */
export interface PythonSource {
  /** Its name without folder and ending. */
  readonly file: string;
  readonly path: string;
}

/** A file and the name that its module gives itself, as far as that can be read. */
interface NamedSource extends PythonSource {
  readonly name: string;
}

/** A call of a function of a file. */
export interface PythonCall extends PythonSource {
  readonly kind: PythonKind;
  readonly fun: string;
  readonly args: readonly Value[];
  readonly kwargs: Dict;
  /** See {@link PythonTemplate.keeps}; tuples and ordered mappings stay such ones, too. */
  readonly keeps?: boolean;
  /** It may take any time: an engine. */
  readonly isUnlimited?: boolean;
}

/** A file whose `run()` makes text or data. */
export interface PythonTemplate {
  /** The file, as tracebacks name it. */
  readonly path: string;
  readonly text: string;
  /**
   * Names that its code sees besides `__salt__`, `__grains__`, `__pillar__`, `__opts__` and those without underscores.
   */
  readonly variables: Dict;
  readonly opts: Dict;
  readonly grains: Dict;
  readonly pillar: Dict;
  /** What is no data in the result is something that stands for it, see `PyObject`; default: it is refused. */
  readonly keeps?: boolean;
}

/** A file has raised something before anything of it was called; the message has the traceback too. */
export class PythonFileError extends Error {
  override readonly name = 'PythonFileError';
  constructor(cause: PythonError) {
    super(`${cause.message}\n${cause.trace ?? ''}`, { cause });
  }
}

/** What is found out about a file. */
export type PythonTried =
  | { readonly module: ModuleSpec; readonly aliases: readonly string[] }
  | { readonly name: string; readonly unavailable: string }
  | { readonly broken: string };

/** What the modules of a process work with. */
export interface PythonModulesOptions {
  readonly clock: Clock;
  /** Where lines of modules go that no call has written. */
  readonly log?: Logger;
  /** What modules print goes to the standard output of this program, which somebody looks at; default: to the log. */
  readonly prints?: boolean;
  /** Functions take no longer than `python_seconds_max`: there is no job that could be ended. */
  readonly limitsFunctions?: boolean;
  /** Files of a kind by the options. */
  readonly files: (opts: Dict, kind: 'utils' | 'modules') => readonly NamedSource[];
}

interface LoadedSource extends PythonSource {
  /** Of the module. */
  readonly name: string;
  /** It looks at the other states of the run, which are much to hand over for each state. */
  readonly wantsRun: boolean;
}

/** Where objects are kept, and on whose behalf they are asked. */
interface KeptFrom {
  readonly process: PythonProcess;
  readonly kind: PythonKind;
  readonly around: Pick<ModuleContext, 'opts' | 'grains' | 'pillar'>;
  readonly caller: PythonCaller;
}

type Returned = Extract<Awaited<ReturnType<PythonProcess['asks']['run']>>, { readonly kind: 'returned' }>;

interface Raised extends ThrownByPython {
  readonly type: string;
  readonly message: string;
  readonly trace: string;
}

/** A call that has not come back. */
interface UnderWay {
  readonly caller: PythonCaller;
  /** How many functions in Python wait for it. */
  readonly depth: number;
  /** Of a file that is rendered: functions of modules, which run in the same process, have time of their own. */
  readonly limit?: TimeLimit | undefined;
}

interface Given {
  readonly number: number;
  readonly opts: Dict;
  readonly grains: Dict;
  readonly pillar: Dict;
}

/** The Python modules of one program, with the process that they run in. */
export class PythonModules {
  readonly #options: PythonModulesOptions;
  readonly #calls = new Map<number, UnderWay>();
  /** How many functions in Python wait for what runs. */
  readonly #depth = new AsyncLocalStorage<number>();
  /** Jobs that end the process when they are ended. */
  readonly #watched = new WeakSet<AbortSignal>();
  #process: PythonProcess | undefined;
  #interpreter = '';
  /** Files that the process has loaded. */
  readonly #loaded = new Set<string>();
  #given: Given | undefined;
  /** What modules that are being loaded may ask about. */
  #loading: LoadContext | undefined;
  #numbers = 0;

  constructor(options: PythonModulesOptions) {
    this.#options = options;
  }

  /** Something runs in the process. */
  get isBusy(): boolean {
    return this.#calls.size > 0;
  }

  /** Ends the process. */
  close(): void {
    this.#process?.close();
  }

  /** Loads a file and says what is in it; never throws. */
  async tryFile(kind: PythonKind, { file, path }: PythonSource, context: LoadContext): Promise<PythonTried> {
    const outer = this.#loading;
    try {
      const process = this.#processFor(context.opts);
      const surroundings = this.#give(context.opts, context.grains, context.pillarNow?.() ?? NO_PILLAR);
      this.#loading = context;
      const found = await process.within({ limitMs: ANSWER_MS }, () =>
        process.asks.tryModule({ kind, file, path, surroundings }),
      );
      this.#loaded.add(path);
      if (found.kind === 'broken') return { broken: `${path} cannot be loaded: ${found.reason}` };
      if (found.kind === 'unavailable') return { name: found.name, unavailable: found.reason };
      const { name, doc, functions, outputters, aliases } = found;
      const source = { file, path, name, wantsRun: await looksAtRun(kind, path) };
      const specs = [...functions].map(([fun, described]) => {
        const outputter = outputters.get(fun);
        const shown = typeof outputter === 'string' ? { outputter } : {};
        return [fun, { ...this.#spec(kind, source, fun, described), ...shown }] as const;
      });
      const described = { doc: doc.trim(), docstring: doc };
      return { module: { name, file, ...described, functions: Object.fromEntries(specs) }, aliases };
    } catch (error) {
      return { broken: `${path} cannot be used: ${sentenceOf(error, path)}` };
    } finally {
      this.#loading = outer; // one file may make another be loaded
    }
  }

  /** The grains that a file gives, and what is wrong with it; never throws. */
  async grains(
    { file, path }: PythonSource,
    context: LoadContext,
  ): Promise<{ readonly grains: Dict; readonly faults: readonly string[] }> {
    const outer = this.#loading;
    try {
      const { opts, grains } = context;
      const process = this.#processFor(opts);
      const surroundings = this.#give(opts, grains, NO_PILLAR);
      this.#loading = context;
      return await process.within({ limitMs: ANSWER_MS }, () =>
        process.asks.grains({ file, path, surroundings }),
      );
    } catch (error) {
      return { grains: new Map(), faults: [`${path} cannot be used: ${sentenceOf(error, path)}`] };
    } finally {
      this.#loading = outer;
    }
  }

  /**
   * What `run()` of a file gives: SLS in `#!py`, templates of the kind `py`.
   * @throws PythonError with the traceback of what `run()` raises; PythonFileError of what the file itself does;
   *   CommandExecutionError when the process ends
   */
  async render(
    { path, text, variables, opts, grains, pillar, keeps = false }: PythonTemplate,
    caller: PythonCaller,
  ): Promise<Value> {
    const process = this.#processFor(opts);
    const surroundings = this.#give(opts, grains, pillar);
    const call = ++this.#numbers;
    try {
      const outcome = await process.within(limitOf(opts), (limit) => {
        this.#began(call, outsideOf(limit, caller), limit);
        return process.asks.render({ surroundings, call, path, text, variables, keeps });
      });
      if (outcome.kind === 'returned')
        return this.#kept(outcome, { process, kind: 'modules', around: { opts, grains, pillar }, caller });
      const error = pythonErrorOf(outcome);
      throw outcome.kind === 'raised' ? error : new PythonFileError(error);
    } catch (error) {
      if (!(error instanceof PythonProcessError)) throw error;
      throw new CommandExecutionError(error.sentence(path), { cause: error });
    } finally {
      this.#calls.delete(call);
    }
  }

  #spec(kind: PythonKind, source: LoadedSource, fun: string, described: PythonFunction): FunctionSpec {
    const { doc, params, varargs, kwargs, pythonName } = described;
    const runIn =
      (exactly: boolean): FunctionSpec['run'] =>
      (ctx, args, rest, keywords) =>
        this.#run(ctx, { kind, source, fun, exactly }, callArguments(params, args, rest, keywords));
    return {
      doc,
      docstring: doc,
      params: Object.fromEntries(params.map((one) => [one.name, paramSpec(one)])),
      returns: 'what the function gives',
      isolation: 'process',
      inPython: { of: kind, file: source.file, path: source.path, fun },
      ...(varargs === undefined ? {} : { varargs }),
      ...(kwargs === undefined ? {} : { kwargs }),
      ...(pythonName === undefined ? {} : { pythonName }),
      run: runIn(false),
      runExactly: runIn(true),
    };
  }

  /**
   * Calls a function of a file on behalf of another program than a job: an external pillar, a renderer.
   * @throws what {@link FunctionSpec} of such a file throws
   */
  async call(
    { kind, file, path, fun, args, kwargs, isUnlimited, keeps = false }: PythonCall,
    { opts, grains, pillar }: Pick<ModuleContext, 'opts' | 'grains' | 'pillar'>,
    caller: PythonCaller,
  ): Promise<Value> {
    const process = this.#processFor(opts);
    const surroundings = this.#give(opts, grains, pillar);
    const test = truthy(opts.get('test'));
    const called = { kind, file, path, fun, args, kwargs };
    const ask = { surroundings, ...called, jid: '', test, exactly: keeps, ...NOTHING_TOLD };
    try {
      await this.#load(process, { kind, file, path, surroundings });
      const asked = (limit: TimeLimit) => this.#outcome(process, ask, outsideOf(limit, caller));
      const limit = isUnlimited === true ? UNLIMITED : limitOf(opts);
      const around = { opts, grains, pillar };
      return this.#kept(await process.within(limit, asked), { process, kind, around, caller });
    } catch (error) {
      throw failure(error, path, fun);
    }
  }

  /** Loads a file before it is called for the first time: what that takes does not count as its function's. */
  async #load(
    process: PythonProcess,
    source: Parameters<PythonProcess['asks']['tryModule']>[0],
  ): Promise<void> {
    if (this.#loaded.has(source.path)) return;
    await process.within({ limitMs: ANSWER_MS }, () => process.asks.tryModule(source));
    this.#loaded.add(source.path);
  }

  async #run(
    ctx: ModuleContext,
    {
      kind,
      source: { file, path, name, wantsRun },
      fun,
      exactly,
    }: { kind: PythonKind; source: LoadedSource; fun: string; exactly: boolean },
    { args, kwargs }: { args: Value[]; kwargs: Dict },
  ): Promise<Value> {
    const { opts, grains, pillar, state } = ctx;
    const process = this.#processFor(opts);
    const surroundings = this.#give(opts, grains, pillar);
    this.#endWith(ctx.signal);
    const test = state?.test ?? truthy(opts.get('test'));
    const tellsItems = kind === 'modules' && ctx.job.fun === `${name}.${fun}`;
    const { jid } = ctx.job;
    const tellsArguments = changesArguments(kind, fun);
    const called = { kind, file, path, fun, args, kwargs };
    const ask = { surroundings, ...called, jid, test, tellsItems, exactly, tellsArguments };
    try {
      await this.#load(process, { kind, file, path, surroundings });
      const stated = state === undefined ? ask : { ...ask, state: stateOf(state, wantsRun) };
      const caller = jobCaller(ctx);
      const outcome =
        this.#options.limitsFunctions === true
          ? await process.within(limitOf(opts), (limit) =>
              this.#outcome(process, stated, outsideOf(limit, caller)),
            )
          : await this.#outcome(process, stated, caller);
      if (outcome.retcode !== undefined) ctx.setRetcode(outcome.retcode);
      if (outcome.args !== undefined) takeChanges([...args, ...kwargs.values()], outcome.args);
      return this.#kept(outcome, { process, kind, around: { opts, grains, pillar }, caller });
    } catch (error) {
      throw failure(error, path, fun);
    }
  }

  /** Ends the process when a job is ended. */
  #endWith(signal: AbortSignal): void {
    if (this.#watched.has(signal)) return;
    this.#watched.add(signal);
    signal.addEventListener('abort', () => this.close(), { once: true });
  }

  #began(call: number, caller: PythonCaller, limit?: TimeLimit): void {
    this.#calls.set(call, { caller, depth: this.#depth.getStore() ?? 0, limit });
  }

  async #outcome(
    process: PythonProcess,
    ask: Omit<Parameters<PythonProcess['asks']['run']>[0], 'call'>,
    caller: PythonCaller,
  ): Promise<Omit<Returned, 'kind'>> {
    const call = ++this.#numbers;
    this.#began(call, caller);
    try {
      const outcome = await process.asks.run({ ...ask, call });
      if (outcome.kind === 'raised') throw errorOf(ask.kind, outcome);
      return outcome;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** A value; where something in it stands for an object, that can be asked about it. */
  #kept({ value, keeps }: { readonly value: Value; readonly keeps?: boolean }, from: KeptFrom): Value {
    if (keeps === true)
      keptBy(value, {
        ask: (object, question, args, kwargs) => this.#ask(from, { object, question, args, kwargs }),
      });
    return value;
  }

  async #ask(
    from: KeptFrom,
    asked: Pick<Parameters<PythonProcess['asks']['object']>[0], 'object' | 'question' | 'args' | 'kwargs'>,
  ): Promise<Value | undefined> {
    const { process, around, caller, kind } = from;
    const surroundings = this.#give(around.opts, around.grains, around.pillar);
    const call = ++this.#numbers;
    this.#began(call, caller);
    try {
      const ask = () => process.asks.object({ surroundings, call, ...asked });
      const outcome = await (this.#options.limitsFunctions === true
        ? process.within(limitOf(around.opts), ask)
        : ask());
      // what an operator raises has nothing to do with a function's arguments
      if (outcome.kind === 'raised')
        throw asked.question === 'operator' ? pythonErrorOf(outcome) : errorOf(kind, outcome);
      return outcome.kind === 'missing' ? undefined : this.#kept(outcome, from);
    } catch (error) {
      if (!(error instanceof PythonProcessError)) throw error;
      throw new CommandExecutionError(`an object in Python: ${error.message}`, { cause: error });
    } finally {
      this.#calls.delete(call);
    }
  }

  #processFor(opts: Dict): PythonProcess {
    const interpreter = interpreterOf(opts);
    if (this.#process !== undefined && interpreter === this.#interpreter) return this.#process;
    this.#process?.close();
    this.#interpreter = interpreter;
    this.#process = new PythonProcess({
      ...settingsOf(opts),
      prints: this.#options.prints === true,
      clock: this.#options.clock,
      serve: this.#services(),
      started: () => {
        this.#given = undefined;
        this.#loaded.clear();
      },
    });
    return this.#process;
  }

  /** Says what modules see, unless the process knows it. @returns its number */
  #give(opts: Dict, grains: Dict, pillar: Dict): number {
    const process = this.#process as PythonProcess;
    process.start();
    const given = this.#given;
    if (given?.grains === grains && given.pillar === pillar && isSameButTest(given.opts, opts))
      return given.number;
    const number = ++this.#numbers;
    this.#given = { number, opts, grains, pillar };
    const utilities = new Map<Value, Value>(
      this.#options.files(opts, 'utils').map(({ file, path }) => [file, path]),
    );
    process.asks.surroundings({ number, opts, grains, pillar, utilities });
    return number;
  }

  #services(): Omit<ServePython, 'spent'> {
    return {
      log: ({ level, text }) =>
        ([...this.#calls.values()].at(-1)?.caller.log ?? this.#options.log)?.[level](text),
      has: async ({ call, kind, fun, isBuiltIn }) => {
        if (call === 0) return this.#hasWhileLoading(kind, fun, isBuiltIn);
        const found = (await this.#calls.get(call)?.caller.find(kind, fun)) ?? false;
        if (typeof found === 'boolean') return there(found);
        return found.inPython === undefined ? there(true) : { kind: 'here', ...found.inPython };
      },
      away: ({ call, isAway }) => {
        // where functions have the same limit as the files that call them, it is one
        if (this.#options.limitsFunctions === true) return;
        const limit = this.#calls.get(call)?.limit;
        if (isAway) limit?.leave();
        else limit?.comeBack();
      },
      names: async ({ call, kind }) => (await this.#calls.get(call)?.caller.names(kind)) ?? [],
      event: async ({ call, suffix, data }) => {
        await this.#calls.get(call)?.caller.event?.(suffix, data);
        return true;
      },
      call: async ({ call, kind, fun, args, kwargs }) => {
        try {
          const loading = call === 0 && kind === 'modules' ? this.#loading?.functions?.call : undefined;
          if (loading !== undefined) return { kind: 'returned', value: await loading(fun, args, kwargs) };
          const { caller, depth } = this.#callOf(call, fun);
          const run = (): Promise<Value> => caller.call(kind, fun, args, kwargs);
          return { kind: 'returned', value: await this.#depth.run(depth + 1, run) };
        } catch (error) {
          return { kind: 'raised', ...raisedBy(error) };
        }
      },
    };
  }

  #callOf(call: number, fun: string): UnderWay {
    const found = this.#calls.get(call);
    if (found === undefined)
      throw new CommandExecutionError(`${fun} was called after its function had returned.`);
    if (found.depth < NESTED_MAX) return found;
    throw new PythonError(
      'RecursionError',
      `${fun} is not called: ${NESTED_MAX} functions in Python wait for each other already`,
    );
  }

  /** While a file is loaded, functions of the program are there, and those of the files beside it. */
  async #hasWhileLoading(kind: CalledKind, fun: string, isBuiltIn: boolean): Promise<Found> {
    if (kind !== 'modules' || this.#loading === undefined) return there(true);
    const { opts, functions } = this.#loading;
    const [module = '', name = ''] = fun.split('.', 2);
    const beside = this.#options.files(opts, 'modules').find((one) => one.name === module);
    if (beside !== undefined && name !== '' && !isBuiltIn)
      return { kind: 'here', of: 'modules', file: beside.file, path: beside.path, fun: name };
    return there((await functions?.find(fun))?.missing === undefined);
  }
}

/**
 * What a function of the program has thrown, as Python raises it: an error of the system is an `OSError` with its
 * number.
 */
function raisedBy(error: unknown): { readonly type: string; readonly message: string } & ThrownByPython {
  if (error instanceof PythonError) return { ...error.thrown, type: error.type, message: error.message };
  if (error instanceof BrineError) return { ...thrownOf(error), type: error.name, message: error.message };
  const ofSystem = error instanceof Error ? describeOsError(error) : undefined;
  return ofSystem ?? { type: 'Exception', message: messageOf(error) };
}

/** What is known besides of an error: by the process that has raised it, or by the function that tells of it. */
function thrownOf(error: BrineError): ThrownByPython {
  const { cause } = error;
  if (cause instanceof PythonError && cause.message === error.message) return cause.thrown ?? {};
  return 'about' in error && Array.isArray(error.about) ? { about: error.about as Value[] } : {};
}

function sentenceOf(error: unknown, path: string): string {
  return error instanceof PythonProcessError ? error.sentence(path) : messageOf(error);
}

/** An error as it reaches the job: that of the process says whose fault it is. */
function failure(error: unknown, path: string, fun: string): unknown {
  if (!(error instanceof PythonProcessError)) return error;
  return new CommandExecutionError(`${path}: ${fun}: ${error.sentence(path)}`, { cause: error });
}

/** Whether a function is there, and of one that the process runs itself, where. */
type Found = Awaited<ReturnType<ServePython['has']>>;

function there(isThere: boolean): Found {
  return { kind: isThere ? 'there' : 'missing' };
}

function limitOf(opts: Dict): { readonly limitMs: number; readonly option: string } {
  const seconds = toNumber(opts.get(LIMIT_OPTION) ?? null) ?? LIMIT_SECONDS;
  return { limitMs: seconds > 0 ? seconds * 1000 : Infinity, option: LIMIT_OPTION };
}

function outsideOf(limit: TimeLimit, caller: PythonCaller): PythonCaller {
  return { ...caller, call: (...asked) => limit.outside(() => caller.call(...asked)) };
}

const RUN_NAMES = /__(?:lowstate|running)__/;

async function looksAtRun(kind: PythonKind, path: string): Promise<boolean> {
  return kind === 'states' && RUN_NAMES.test(await readFile(path, 'utf8'));
}

function stateOf({ low, lowstate, running }: NonNullable<ModuleContext['state']>, wantsRun: boolean): Dict {
  const state: Dict = new Map([['low', low]]);
  return wantsRun ? state.set('lowstate', [...lowstate]).set('running', running) : state;
}

type ErrorClass = new (message: string, options: { cause: Error }) => BrineError;

/** By their names, which the classes themselves do not have in what is built. */
const CLASSES: ReadonlyMap<string, ErrorClass> = new Map(
  Object.entries<ErrorClass>({ CommandExecutionError, SaltInvocationError, CommandNotFoundError }),
);

function pythonErrorOf({ type, message, trace, own, about }: Raised): PythonError {
  return new PythonError(type, message, trace, {
    ...(own === undefined ? {} : { own }),
    ...(about === undefined ? {} : { about }),
  });
}

/**
 * Kinds whose functions' TypeErrors Salt takes for arguments that do not fit (salt/minion.py, salt/client/mixins.py
 * `low`, 3006.16).
 */
const TYPE_ERRORS_REFUSE: ReadonlySet<PythonKind> = new Set(['modules', 'runners', 'wheel']);

/** What Salt treats in a way of its own is an error of that kind here; anything else arrives as a traceback. */
function errorOf(kind: PythonKind, raised: Raised): Error {
  const { type, message } = raised;
  const error = pythonErrorOf(raised);
  // of a state, Salt shows the traceback of whatever it raises
  if (kind === 'states') return error;
  if (TYPE_ERRORS_REFUSE.has(kind) && type === 'TypeError')
    return new ArgumentError(message, { cause: error });
  if (kind === 'modules' && type === 'salt.exceptions.SaltClientError')
    return new BrineError(message, { cause: error });
  const Class = CLASSES.get(/^salt\.exceptions\.(\w+)$/.exec(type)?.[1] ?? '');
  return Class === undefined ? error : new Class(message, { cause: error });
}

/** Options differ in `test` from state to state; everything else of a job is the same object. */
function isSameButTest(one: Dict, other: Dict): boolean {
  if (one === other) return true;
  if (Math.abs(one.size - other.size) > 1) return false;
  for (const [key, value] of other) if (key !== 'test' && one.get(key) !== value) return false;
  return isDict(one);
}
