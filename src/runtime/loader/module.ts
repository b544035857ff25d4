/**
 * What an execution module is: a file of typed functions, each with a machine-readable description from which
 * `sys.doc`, `sys.argspec`, argument checking and the reference pages come.
 */
import type { Clock } from '../../host/clock.ts';
import type { HeldFiles } from '../../host/held-files.ts';
import type { Logger } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { PythonKind } from '../../network/ipc/contracts/python-host.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import type { CheckedCall } from './built-in-calls.ts';
import type { MasterBeside, MasterForFunctions } from './master-services.ts';
import { withFailingReturns, type FailingFunctions, type FailingRule } from './failing-returns.ts';
import { readArguments, type Params, type ParamSpec, type TypedArguments } from './params.ts';
import type { WordRules } from './words.ts';

export type { Params, ParamSpec, TypedArguments } from './params.ts';

/** What can be said about a function without running it: the source of `sys.doc`, `sys.argspec` and argument checks. */
export interface FunctionDescription<P extends Params = Params> {
  /** What the function is for; `sys.doc` prints it. First sentence alone must make sense. */
  readonly doc: string;
  /** The whole documentation of a function that is in Python, as it stands there. */
  readonly docstring?: string;
  readonly params?: P;
  /** Name of the parameter that takes the remaining positional arguments (Python's `*args`). */
  readonly varargs?: string;
  /** Name of the parameter that takes the remaining keywords (Python's `**kwargs`); it also asks for `__pub_*`. */
  readonly kwargs?: string;
  /** What comes back, in words and shape. */
  readonly returns: string;
  /** What the return looks like when it has not done what it was asked for, though it raises no error. */
  readonly failsWith?: readonly FailingRule[];
  /** Command lines to show as examples; without any, one is made from the parameters. */
  readonly examples?: readonly string[];
  /** The name of Salt's Python function where it differs (`true_`): error texts about arguments use it. */
  readonly pythonName?: string;
}

/** The description and the body of one function. */
export interface FunctionSpec<P extends Params = Params> extends FunctionDescription<P> {
  /** The outputter hint sent with the return (`highstate`, `txt`…). */
  readonly outputter?: string;
  /**
   * `process`: may block or crash the minion (long computing, foreign code) and so runs in a worker process that can
   * be killed. `inline` (default): asynchronous, ends when its signal is aborted.
   */
  readonly isolation?: 'inline' | 'process';
  /** Where it is in Python: code in Python calls it in its own process, with the very values. */
  readonly inPython?: PythonPlace;
  /** What its arguments may be, when they become words of lines and of command lines. */
  readonly words?: WordRules;
  /**
   * @param args the bound parameters, defaults filled in
   * @param rest remaining positional arguments, when `varargs` is set
   * @param kwargs remaining keywords, when `kwargs` is set
   */
  run(
    ctx: ModuleContext,
    args: { readonly [K in keyof P]: Value },
    rest: readonly Value[],
    kwargs: Dict,
  ): Value | Promise<Value>;
  /**
   * Knows of content that is only held in memory ({@link ModuleContext.held}): a path that it gives or takes may stand
   * for such.
   */
  readonly knowsHeld?: true;
  /** Of a function in Python: gives what templates tell apart, tuples and objects that are no data (`PyObject`). */
  readonly runExactly?: FunctionSpec['run'];
}

/** A function of a site's file in Python. */
export interface PythonPlace {
  readonly of: PythonKind;
  readonly file: string;
  readonly path: string;
  readonly fun: string;
}

/** The description of a module of any kind (execution, state, runner, returner). */
export interface ModuleDescription {
  /** The name before the dot (`cmd`). */
  readonly name: string;
  readonly doc: string;
  /** Of a module in Python: its docstring as it stands in the file, empty where it has none. */
  readonly docstring?: string;
  readonly functions: Readonly<Record<string, FunctionDescription>>;
}

/** A module: the functions published under one virtual name. */
export interface ModuleSpec extends ModuleDescription {
  /** The name of Salt's file (`cmdmod`), which `disable_modules` and `test.providers` use. */
  readonly file: string;
  /**
   * The place among the files of one virtual name, of which the first that is available has it; without one they go by
   * their names.
   */
  readonly order?: number;
  readonly functions: Readonly<Record<string, FunctionSpec>>;
  /** What the arguments of all its functions may be, see {@link FunctionSpec.words}. */
  readonly words?: WordRules;
  /** Which of its functions say by their return that they have not done what they were asked for. */
  readonly failsWith?: FailingFunctions;
  /** Why the module cannot be used here, or undefined when it can (Salt's `__virtual__`). */
  readonly unavailable?: (ctx: { readonly opts: Dict; readonly grains: Dict }) => string | undefined;
  /**
   * Of a state module: the execution function that it cannot do without, and what is said where that is not there. It
   * is asked for like any other, so a module that a site disables or replaces counts, too.
   */
  readonly needs?: { readonly fun: string; readonly otherwise: string };
  /** Of a returner: the names of its options behind its own name and a dot. */
  readonly settings?: readonly string[];
}

/** The description and the body of a function whose arguments arrive typed. */
export interface TypedFunctionSpec<P extends Params> extends Omit<FunctionSpec<P>, 'run'> {
  run(
    ctx: ModuleContext,
    args: TypedArguments<P>,
    rest: readonly Value[],
    kwargs: Dict,
  ): Value | Promise<Value>;
}

/** Describes a function; `run` is handed its arguments as the parameters read them. */
export function defineFunction<const P extends Params = Record<never, ParamSpec>>(
  spec: TypedFunctionSpec<P>,
): FunctionSpec {
  return {
    ...spec,
    run: (ctx, args, rest, kwargs) => spec.run(ctx, readArguments(spec.params, args), rest, kwargs),
  };
}

/** Describes a module. */
export function defineModule(spec: ModuleSpec): ModuleSpec {
  const { words, failsWith } = spec;
  if (words === undefined && failsWith === undefined) return spec;
  const functions = withFailingReturns(spec.functions, failsWith);
  if (words === undefined) return { ...spec, functions };
  const ruled = Object.entries(functions).map(([name, fun]) => [name, { words, ...fun }] as const);
  return { ...spec, functions: Object.fromEntries(ruled) };
}

/** The job on whose behalf a function runs. */
export interface JobContext {
  readonly jid: string;
  /** The published function, or the list of them. */
  readonly fun: string;
  /** The publish fields that functions with keywords receive as `__pub_<field>`. Empty for direct calls. */
  readonly pub: Dict;
}

/** The other kinds of modules that `sys.*` describes. */
export type CatalogKind = 'states' | 'runners' | 'returners' | 'renderers';

/** What a look-up by full name gives: the function, or why there is none. */
export type FunctionLookup =
  | { readonly spec: FunctionSpec; readonly module: ModuleSpec; readonly missing?: undefined }
  | { readonly missing: string; readonly spec?: undefined };

/** The modules of one kind. */
export interface FunctionSource {
  /** Looks a function up; a missing one comes with Salt's sentence about it. */
  find(fun: string): Promise<FunctionLookup>;
  /** One module by virtual name, or undefined when it is unknown or unavailable here. */
  module(name: string): Promise<ModuleSpec | undefined>;
  /** The loaded modules by virtual name; modules that are unavailable here are left out. */
  modules(): Promise<ReadonlyMap<string, ModuleSpec>>;
}

/** What modules are found and loaded with. */
export interface LoadContext {
  readonly opts: Dict;
  readonly grains: Dict;
  /**
   * The functions that a module may ask about while it is loaded (`'x.y' in __salt__`); without it every one is
   * believed to be there.
   */
  readonly functions?: LoadFunctions | undefined;
  /** What a module that is loaded sees of the pillar. */
  readonly pillarNow?: (() => Dict) | undefined;
}

/** Functions for a module that is being loaded. */
export interface LoadFunctions extends Pick<FunctionSource, 'find'> {
  /** Calls one, where that can be done without a job. */
  readonly call?: (fun: string, args: readonly Value[], kwargs: Dict) => Promise<Value>;
}

/** Other functions, as modules call them (Salt's `__salt__`), and the descriptions behind them. */
export interface FunctionCaller extends FunctionSource {
  /**
   * Calls a function by its full name, in this process. Arguments are taken as they are: `k=v` texts are not parsed,
   * a `__kwarg__` mapping has no meaning, and no `__pub_*` keywords are added. A name that is written out is checked by
   * the compiler with its arguments, see built-in-calls.ts.
   * @param kwargs a mapping, or an object of which `undefined` is left out
   * @throws CommandExecutionError `'<fun>' is not available.`, ArgumentError, or whatever the function throws
   */
  readonly call: CheckedCall;
  /** The same with {@link FunctionSpec.runExactly}, where there is one. */
  callExactly(fun: string, args: readonly Value[], kwargs: Dict): Promise<Value>;
  has(fun: string): Promise<boolean>;
  /** The files of Salt's names that were not loaded: disabled, unavailable, or another file has their virtual name. */
  notLoaded(): Promise<readonly string[]>;
  /** The modules of another kind, for `sys.list_state_functions` and the like; empty where there is none. */
  catalog(kind: CatalogKind): Promise<ReadonlyMap<string, ModuleDescription>>;
  /** The returners; absent where there are none. */
  returners?(): Promise<FunctionSource>;
  /** The state modules (Salt's `__states__`); only a state run calls their functions. */
  states(): Promise<FunctionSource>;
  /**
   * The same functions, called in another context (other options, another pillar).
   * @param anew loads all modules anew, for these options and grains
   */
  within(context: () => ModuleContext, anew?: LoadContext): FunctionCaller;
}

/** How a request to the master is made. */
export interface RequestOptions {
  /**
   * Ask this master (its host as configured) and not the first.
   * @throws SaltInvocationError when it is none of the masters
   */
  readonly master?: string;
  /** Once and patiently, for what must not happen twice. */
  readonly once?: boolean;
}

/** What the program around a function offers it. All of it can be reached from a worker process too. */
export interface MinionServices {
  /** Fires on the minion's own event bus. False when there is no bus. */
  fireLocal(tag: string, data: Dict): Promise<boolean>;
  /** Sends an event to the master. False when there is no master or it did not take it. */
  fireMaster(tag: string, data: Value, preload?: Dict): Promise<boolean>;
  /** The jobs running now, as their `proc/<jid>` maps (jid, fun, arg, tgt, tgt_type, ret, user, pid). */
  runningJobs(): Promise<Dict[]>;
  /** Signals a running job. @returns false when no such job runs */
  signalJob(jid: string, signal: number): Promise<boolean>;
  /** Loads modules, grains or pillar anew. @returns false when nothing could take the request */
  refresh(what: 'modules' | 'grains' | 'pillar' | 'beacons' | 'matchers', options?: Dict): Promise<boolean>;
  /** Told what the function does just now, in a few words; absent where nobody watches. */
  showStep?(text: string): void;
  /** Collects the grains anew and gives them; absent where nothing can. */
  grains?(): Promise<Dict>;
  /** Shows events on the terminal, until the count is reached; absent where there is no terminal. */
  showEvents?(wanted: {
    readonly node: 'master' | 'minion';
    /** The folder of the sockets, in place of the configured one. */
    readonly sockDir: string | undefined;
    readonly matches: (tag: string) => boolean;
    /** -1 for ever. */
    readonly count: number;
    readonly isQuiet: boolean;
    readonly isPretty: boolean;
  }): Promise<void>;
  /** A request to the master over the authenticated channel. @throws UnreachableError with `--local` */
  request(load: Dict, options?: RequestOptions): Promise<Value>;
  /** The same request to every master. @throws UnreachableError when none takes it */
  requestAll?(load: Dict): Promise<Value>;
  /**
   * Has the minion on this host carry out an order about its schedule or its beacons.
   * @param order `{func, name, …}`, the data of Salt's event `manage_schedule` or `manage_beacons`
   * @param answerTag the event that answers, for programs beside the minion; undefined for orders without one
   * @returns the data of the answer, empty for orders without one; undefined when no minion answers
   */
  manage?(part: 'schedule' | 'beacons', order: Dict, answerTag?: string): Promise<Dict | undefined>;
  /**
   * Puts another version on trial in the place of the minion that runs; absent where none runs.
   * @param order `{to, jid}`
   * @returns what became of it, when that is known: `{result, from, to, step, comment, away_s}`
   */
  tryVersion?(order: Dict): Promise<Dict>;
}

/**
 * What a state function may know of its run (Salt's `__opts__['test']`, `__low__`, `__lowstate__`, `__states__`,
 * `__context__`).
 */
export interface StateCall extends StateFacts {
  /**
   * Calls another state function, as a part of this one.
   * @param kwargs its arguments, `name` among them
   * @param args those without a name
   */
  call(fun: string, kwargs: Dict, args?: readonly Value[]): Promise<Value>;
  /** Describes a state function, or says why there is none. */
  find(fun: string): Promise<FunctionLookup>;
  /** What the states of one run share: texts gathered for a file, whether packages were refreshed. */
  readonly memory: Map<string, Value>;
}

/** The part of a {@link StateCall} that is data. */
export interface StateFacts {
  /** Nothing may be changed; say what would be. */
  readonly test: boolean;
  /** The low chunk that runs: `state`, `fun`, `name`, `__id__`, `__sls__`, `__env__`, `order` and the arguments. */
  readonly low: Dict;
  /** All low chunks of the run, in the order in which they are reached. */
  readonly lowstate: readonly Dict[];
  /** The results so far, by tag. */
  readonly running: Dict;
}

/** Everything a function may touch besides its arguments. */
export interface ModuleContext {
  readonly id: string;
  /** The effective minion options by Salt's names. */
  readonly opts: Dict;
  readonly grains: Dict;
  readonly pillar: Dict;
  readonly job: JobContext;
  /** Aborted when the job is killed or times out; `signal.reason` is the signal's number. */
  readonly signal: AbortSignal;
  readonly functions: FunctionCaller;
  readonly services: MinionServices;
  /** What the master does for functions that run on it; absent on a minion. */
  readonly master?: MasterForFunctions;
  /** On a minion: the master whose configuration lies beside the minion's, opened when it is asked. */
  readonly masterBeside?: MasterBeside;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The job's return code as set so far (Salt's `__context__['retcode']`). */
  readonly retcode: number;
  /** Sets the job's return code. */
  setRetcode(code: number): void;
  /** Fires an event of the job, whose tag ends in the suffix; absent where it is one of the minion's jobs. */
  fireJobEvent?(suffix: string, data: Dict): Promise<void>;
  /**
   * Where a function that knows of it may keep what would else be a temporary file, for a caller that hands the path to
   * no other.
   */
  readonly held?: HeldFiles;
  /** The state call, for state functions within a run. */
  readonly state?: StateCall;
}
