/**
 * What a runner is: a function of the master itself, described like an execution function and run by `salt-run` in its
 * own process, with the master's files at hand (salt/runner.py, 3006.16).
 */
import type { ErrorCode } from '../../../errors/codes.ts';
import type { MinionDataCache } from '../../../storage/cache/minion-data.ts';
import type { Waits } from '../../../runtime/client/waits.ts';
import type { LocalClient } from '../../../runtime/client/local-client.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import { BrineError, SaltInvocationError } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Random } from '../../../host/random.ts';
import type { JobArchive } from '../../../storage/jobs/job-store.ts';
import type { KeyStore } from '../../../storage/keys/store.ts';
import type { OrchestrationJournal } from '../../../storage/orchestrations/journal.ts';
import type {
  FunctionDescription,
  ModuleDescription,
  Params,
  ParamSpec,
} from '../../../runtime/loader/module.ts';
import { withFailingReturns, type FailingFunctions } from '../../../runtime/loader/failing-returns.ts';
import { readArguments, type TypedArguments } from '../../../runtime/loader/params.ts';
import type { Fleet } from '../../../runtime/targeting/target.ts';
import type { KnownConnection } from '../../../runtime/targeting/connected.ts';
import type { Dict, Value } from '../../../python/values/value.ts';

/** The kinds of functions of the master: both are described and run alike, and found in tables of their own. */
export type MasterFunctionKind = 'runner' | 'wheel';

/** A call of a function of the master that is a job of its own. */
export interface MasterCall {
  readonly kind: MasterFunctionKind;
  /** `module.function` */
  readonly fun: string;
  readonly arg: readonly Value[];
  readonly kwarg: Dict;
  /** In whose name, if not in that of the caller. */
  readonly user?: string;
  /** The id of the job; without one it is given the next. */
  readonly jid?: string;
  /** Shows which step it is at, if it is an orchestration; default: as the caller's. */
  readonly showStep?: (text: string) => void;
}

/** How an execution function is called on the master's own machine. */
export interface ExecuteOptions {
  /** What it finds as its pillar. */
  readonly pillar?: Dict;
  /** Options over those of the master. */
  readonly opts?: Dict;
  /** The orchestration that is run. */
  readonly journal?: OrchestrationJournal;
}

/** The description and the body of one runner function. */
export interface RunnerSpec<P extends Params = Params> extends FunctionDescription<P> {
  /**
   * What it returns, and its arguments behind the first, are for the caller alone: events and the job cache have stars.
   * `entirely`: the first argument, too.
   */
  readonly isSecret?: boolean | 'entirely';
  /**
   * A secret return stands in the event all the same when another program has asked for the run: it has no other way to
   * get it.
   */
  readonly answersByEvent?: boolean;
  run(
    ctx: RunnerContext,
    args: { readonly [K in keyof P]: Value },
    rest: readonly Value[],
    kwargs: Dict,
  ): Value | Promise<Value>;
}

/** The description and the body of a runner function whose arguments arrive typed. */
export interface TypedRunnerSpec<P extends Params> extends FunctionDescription<P> {
  readonly isSecret?: boolean | 'entirely';
  /**
   * A secret return stands in the event all the same when another program has asked for the run: it has no other way to
   * get it.
   */
  readonly answersByEvent?: boolean;
  run(
    ctx: RunnerContext,
    args: TypedArguments<P>,
    rest: readonly Value[],
    kwargs: Dict,
  ): Value | Promise<Value>;
}

/** The runner functions of one name. */
export interface RunnerModule extends ModuleDescription {
  /** Which of its functions say by their return that they have not done what they were asked for. */
  readonly failsWith?: FailingFunctions;
  readonly functions: Readonly<Record<string, RunnerSpec>>;
}

/** Describes a runner function; `run` is handed its arguments as the parameters read them. */
export function defineRunner<const P extends Params = Record<never, ParamSpec>>(
  spec: TypedRunnerSpec<P>,
): RunnerSpec {
  return {
    ...spec,
    run: (ctx, args, rest, kwargs) => spec.run(ctx, readArguments(spec.params, args), rest, kwargs),
  };
}

/** Describes a runner. */
export function defineRunners(spec: RunnerModule): RunnerModule {
  return { ...spec, functions: withFailingReturns(spec.functions, spec.failsWith) };
}

/** A runner cannot do its work: its message alone becomes the return, with code 1 and no traceback. */
export class RunnerRefusal extends BrineError {
  static override readonly errorCode: ErrorCode = 'function-failed';
  override readonly name = 'RunnerRefusal';
}

/** There is no function of the master of this name. The message is Salt's: `'x.y' is not available.` */
export class FunctionMissingError extends BrineError {
  static override readonly errorCode: ErrorCode = 'function-not-found';
  override readonly name = 'FunctionMissingError';
}

/** A run of a function of the master was interrupted before it ended. */
export class CancelledRunError extends BrineError {
  override readonly name = 'CancelledRunError';
}

/**
 * Runs work whose errors say all that there is to say: each becomes a {@link RunnerRefusal}.
 * @throws SaltInvocationError as it is, since it is about the arguments
 */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BrineError) || error instanceof SaltInvocationError) throw error;
    throw new RunnerRefusal(error.message, { cause: error });
  }
}

/**
 * How a run that ended well fell short of what was asked for. Event and job cache say of it what Salt's do; the exit
 * code of `salt-run` is not 0.
 */
export type Shortfall = (typeof SHORTFALLS)[number];

const SHORTFALLS = ['some failed', 'some silent', 'none matched'] as const;

/** Whether a value of another process is one. */
export function isShortfall(value: unknown): value is Shortfall {
  return SHORTFALLS.some((one) => one === value);
}

/** What a runner works with. Costly parts are made when they are first asked for. */
export interface RunnerContext {
  /** The master's id, `<host>_master`. */
  readonly id: string;
  /** The version that the master shows to others. */
  readonly version: string;
  readonly opts: MasterOptions;
  /** The options with the command line laid over them, by Salt's names. */
  readonly settings: Dict;
  readonly jid: string;
  readonly user: string;
  /** What has vouched for that name; undefined for a user of the machine. */
  readonly eauth?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** The job cache, for reading. */
  readonly jobs: JobArchive;
  readonly keys: KeyStore;
  readonly cache: MinionDataCache;
  /** The minions as targets are tried on them. */
  readonly fleet: Fleet;
  /** Calls another runner. */
  call(fun: string, args?: readonly Value[], kwargs?: Dict): Promise<Value>;
  /**
   * Runs a function of the master as a job of its own: with a job id, its two events and its place in the job cache, as
   * `saltutil.runner` and `saltutil.wheel` do (salt/modules/saltutil.py, 3006.16).
   * @returns what its `ret` event says: `jid`, `fun`, `fun_args`, `return`, `success`, `retcode` when it failed
   * @throws FunctionMissingError for a function that is not there; CancelledRunError when it was interrupted
   */
  run(call: MasterCall): Promise<Dict>;
  /** Every module of runners, or of wheel functions, by name. */
  modules(kind?: MasterFunctionKind): Promise<ReadonlyMap<string, RunnerModule>>;
  /** Calls an execution function on this machine, with the master's options. */
  execute(fun: string, args: readonly Value[], kwargs: Dict, options?: ExecuteOptions): Promise<Value>;
  /** The return code that those have set (Salt's `__context__['retcode']`): the run has no success when it is not 0. */
  retcode(): number;
  /** What a function of a site sets as `__context__['retcode']`. */
  setRetcode(code: number): void;
  /** Notes that what was asked for was not done, where the return cannot say it. */
  fallShort(how: Shortfall): void;
  /** How the run fell short of what was asked for; undefined when it did not. */
  shortfall(): Shortfall | undefined;
  /** Fires on the master's bus. @returns false when no master runs */
  fire(tag: string, data: Dict): Promise<boolean>;
  /** Tells how far the runner is: an event of the job, which is also shown. */
  progress(data: Dict): Promise<void>;
  /** Shows which step an orchestration is at, where somebody looks on. */
  showStep(text: string): void;
  /** Told of what is waited for, where somebody wants to know. */
  readonly waits?: Waits;
  /** Writes a line on standard output. */
  print(text: string): void;
  /** The way to the minions. @throws MasterDownError */
  client(): Promise<LocalClient>;
  /** Addresses that minions are connected from; none when no master runs. */
  connectedAddresses(): Promise<ReadonlySet<string>>;
  /**
   * With `con_cache`: the connections of those of the minions that tell who they are; undefined without, or when no
   * master runs.
   */
  connections(ids: readonly string[]): Promise<ReadonlyMap<string, KnownConnection> | undefined>;
}
