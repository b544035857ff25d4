/**
 * What an engine is: a service of its own beside a master or a minion, which fires events, listens to them, or both
 * (salt/engines/__init__.py, 3006.16). Each runs in a process of its own, for as long as its daemon.
 */
import type { ErrorCode } from '../../../errors/codes.ts';
import { BrineError } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Dict, Value } from '../../../python/values/value.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import {
  readArguments,
  type Params,
  type ParamSpec,
  type TypedArguments,
} from '../../../runtime/loader/params.ts';

/** The daemon that an engine runs beside. */
export type EngineRole = 'master' | 'minion';

/** An event of the bus. */
export interface EngineEvent {
  readonly tag: string;
  readonly data: Dict;
}

/** What a job has besides its target and its function. */
export interface EngineJobOptions {
  readonly tgtType?: string;
  readonly kwarg?: Dict;
  readonly jid?: string;
}

/** What only a master offers. */
export interface MasterForEngines {
  /** Ids of accepted keys. */
  acceptedIds(): readonly string[];
  /** Minions that are connected now. */
  connectedIds(): Promise<ReadonlySet<string>>;
  /** Deletes the keys of minions. */
  deleteKeys(ids: readonly string[]): Promise<void>;
  /** Runs a function on minions and waits. @returns return by minion */
  job(
    tgt: string,
    fun: string,
    arg: readonly Value[],
    more?: EngineJobOptions,
  ): Promise<ReadonlyMap<string, Value>>;
  /** A job id that nobody has yet. */
  nextJid(): string;
  hasRunner(fun: string): Promise<boolean>;
  /** Calls a runner. @throws what it throws */
  runner(fun: string, args: readonly Value[], kwargs: Dict): Promise<Value>;
  /** Runs a runner as a job, with its events and its place in the job cache. @returns its return, or why it failed */
  runnerJob(fun: string, args: readonly Value[], kwargs: Dict, jid: string): Promise<Value>;
}

/** What an engine works with. */
export interface EngineContext {
  readonly role: EngineRole;
  /** The id of the daemon: the minion's, or the master's `<host>_master`. */
  readonly id: string;
  readonly opts: Dict;
  readonly grains: Dict;
  readonly pillar: Dict;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborted when the engine is to end. */
  readonly signal: AbortSignal;
  /** Fires on the master's bus; a minion without a master fires on its own. @returns false when nobody took it */
  fire(tag: string, data: Dict): Promise<boolean>;
  /**
   * The events of the daemon's bus from now on, without end. A bounded number waits; those beyond it are left out and
   * told of.
   */
  events(wanted?: (tag: string) => boolean): AsyncIterable<EngineEvent>;
  /** Calls an execution function. @throws what it throws */
  call(fun: string, args?: readonly Value[], kwargs?: Dict): Promise<Value>;
  /** What the execution functions work with, for engines that look for them. */
  functions(): ModuleContext | Promise<ModuleContext>;
  /** On a master only. */
  readonly master?: MasterForEngines;
}

/** An engine whose options arrive as its parameters read them. */
export interface EngineSpec<P extends Params = Params> {
  /** As the option `engines` names it. */
  readonly name: string;
  readonly doc: string;
  readonly params?: P;
  /** The daemons that it can run beside; default: both. */
  readonly runsOn?: EngineRole;
  /** Works until the signal is aborted. One that returns or throws before is started again. */
  start(ctx: EngineContext, options: Readonly<Record<string, Value>>): Promise<void>;
}

interface TypedEngineSpec<P extends Params> extends Omit<EngineSpec<P>, 'start'> {
  start(ctx: EngineContext, options: TypedArguments<P>): Promise<void>;
}

/** Describes an engine. */
export function defineEngine<const P extends Params = Record<never, ParamSpec>>(
  spec: TypedEngineSpec<P>,
): EngineSpec {
  return { ...spec, start: (ctx, options) => spec.start(ctx, readArguments(spec.params, options)) };
}

/** An engine cannot work as it is configured; starting it again would not help. */
export class EngineRefusal extends BrineError {
  static override readonly errorCode: ErrorCode = 'engine-not-started';
  override readonly name = 'EngineRefusal';
}
