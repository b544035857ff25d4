/**
 * What functions on a master may have the master do: Salt's `LocalClient`, `RunnerClient`, `WheelClient` and event bus,
 * as a `MasterMinion` reaches them (salt/modules/saltutil.py `cmd`, `runner`, `wheel`, 3006.16). A minion has nothing
 * of it.
 */
import type { RunSteps } from './run-steps.ts';
import type { Dict, Value } from '../../python/values/value.ts';

/** A job that a function on the master publishes. */
export interface MasterJob {
  readonly tgt: Value;
  readonly tgtType: string;
  readonly fun: string;
  readonly arg: readonly Value[];
  readonly kwarg: Dict;
  /** Returners for the minions, comma-separated. */
  readonly ret: string;
  /** How long a minion may be silent before it is asked, in milliseconds; undefined: the option `timeout`. */
  readonly timeoutMs?: number | undefined;
  /** How many minions at a time, as `3` or `25%`; undefined: all. */
  readonly batch?: string | undefined;
  /** How many minions of the target, chosen at random; undefined: all. */
  readonly subset?: number | undefined;
  /** A minion that fails ends a batch. */
  readonly failHard: boolean;
  /** Minions that do not return are in the answer, as failed. */
  readonly expectMinions: boolean;
  /** The whole return stands in the answer, and not only the parts that are read there. */
  readonly withMeta: boolean;
  /** What goes to the minions beside the arguments: `ret_config`, `ret_kwargs`. */
  readonly publishKwargs?: Dict;
  /** The tag of the state on whose behalf it is published. */
  readonly step?: string | undefined;
}

/** A function of the master that another one calls. */
export interface MasterFunctionCall {
  readonly kind: 'runner' | 'wheel';
  /** `module.function` */
  readonly fun: string;
  readonly arg: readonly Value[];
  readonly kwarg: Dict;
  /** Who asks, as the events name him; undefined: `UNKNOWN`. */
  readonly user?: string | undefined;
  /** The environment, for functions that have a parameter `saltenv`. */
  readonly saltenv?: Value;
  /** The job of the orchestration that asks, if one does. */
  readonly orchestrationJid?: string | undefined;
  /** The tag of the state on whose behalf it is called. */
  readonly step?: string | undefined;
}

/**
 * What the master beside a minion does for the minion's functions: it runs its own, for which it need not be up, and
 * mostly publishes jobs, too.
 */
export type MasterBeside = Pick<MasterForFunctions, 'run'> & Partial<Pick<MasterForFunctions, 'publish'>>;

/** An event as {@link MasterForFunctions.listen} gives it. */
export type EventListener = (tag: string, data: Dict) => void;

/** What a master does for its own functions. */
export interface MasterForFunctions {
  /** Who runs the function that asks. */
  readonly user: string;
  /** What is kept of the orchestration that runs, if one does. */
  readonly steps?: RunSteps | undefined;
  /**
   * Publishes a job and gathers its returns. A target without minions is said on standard output, as Salt says it.
   * @returns mapping of minion to `{ret, out, retcode, jid}`, or to `{failed: True, why}`, with a sentence, for one
   *   that did not return; empty when nobody is meant
   * @throws ClientError when the master cannot be asked
   */
  publish(job: MasterJob): Promise<Dict>;
  /**
   * Runs a function of the master under a job id of its own, with its events and its entry in the job cache. An
   * orchestration's call is told on the bus before (`salt/run/<jid>/args`).
   * @returns what its `ret` event says: `return`, `success` and `jid` among it
   * @throws CommandExecutionError when there is no such function
   */
  run(call: MasterFunctionCall): Promise<Dict>;
  /** Fires on the master's bus. @returns false when no master runs */
  fire(tag: string, data: Dict): Promise<boolean>;
  /** Listens to the master's bus. @returns ends that @throws UnreachableError when no master runs */
  listen(isWanted: (tag: string) => boolean, listener: EventListener): Promise<() => void>;
}
