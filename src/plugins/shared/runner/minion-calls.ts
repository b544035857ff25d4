/** Asking minions on behalf of a runner (salt/client/__init__.py `LocalClient.cmd`, 3006.16). */
import { CLIENT_TEXTS, NoMinionsError } from '../../../runtime/client/errors.ts';
import { keyOutcome } from '../../../runtime/client/key-outcome.ts';
import { storedReturns } from '../../../runtime/client/local-job-cache.ts';
import { publishAndWatch, type WatchJobDeps, type WatchPatience } from '../../../runtime/client/watch-job.ts';
import { SaltInvocationError } from '../../../errors/errors.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { expandTargetNodegroups } from '../../../runtime/targeting/nodegroups.ts';
import { toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { RunnerContext, Shortfall } from './runner.ts';

/** A job for minions. */
export interface MinionCall {
  readonly tgt: Value;
  readonly tgtType?: string;
  readonly fun: string;
  readonly arg?: readonly Value[];
  readonly kwarg?: Dict;
  /** Returners for the minions. */
  readonly ret?: string;
  readonly jid?: string;
  /** How long a minion may be silent before it is asked; default: the option `timeout`. */
  readonly timeoutS?: number;
  /** How long it may take to answer then; default: the option `gather_job_timeout`. */
  readonly gatherS?: number;
}

/** What came of it. */
export interface MinionAnswers {
  readonly jid: string;
  /** Whom the job was meant for. */
  readonly minions: readonly string[];
  /** The loads of returns, by minion, in the order in which they came. */
  readonly returns: ReadonlyMap<string, Dict>;
}

/**
 * Publishes a job and waits for its returns.
 * @returns undefined when the target means nobody, which has been said on standard output then
 * @throws ClientError
 */
export async function callMinions(ctx: RunnerContext, call: MinionCall): Promise<MinionAnswers | undefined> {
  const parts = await watchingDeps(ctx);
  const patience = patienceOf(ctx.settings);
  const timeoutMs = call.timeoutS === undefined ? patience.timeoutMs : 1000 * call.timeoutS;
  const gatherMs = call.gatherS === undefined ? patience.gatherMs : 1000 * call.gatherS;
  const { tgt, tgtType = 'glob', fun, kwarg, ret = '', jid = '' } = call;
  const arg = [...(call.arg ?? [])];
  if (kwarg !== undefined && kwarg.size > 0) arg.push(new Map<Value, Value>([['__kwarg__', true], ...kwarg]));
  try {
    const { job, news } = await publishAndWatch(
      parts,
      { ...sentTarget(ctx, tgt, tgtType), fun, arg, ret, jid, timeoutMs },
      { timeoutMs, gatherMs },
    );
    const returns = new Map<string, Dict>();
    for await (const item of news) if (item.kind === 'return') returns.set(item.id, item.load);
    return { jid: job.jid, minions: job.minions, returns };
  } catch (error) {
    if (!(error instanceof NoMinionsError)) throw error;
    ctx.print(error.message === '' ? CLIENT_TEXTS.noMinions : error.message);
    return undefined;
  }
}

/**
 * The target of a job as it is sent: node groups are what they stand for (salt/client/__init__.py `_prep_pub`,
 * 3006.16).
 * @throws PythonError `SaltClientError` for a group that is not there
 */
export function sentTarget(
  { opts }: RunnerContext,
  tgt: Value,
  type: string,
): { readonly tgt: Value; readonly tgtType: string } {
  const groups = opts.get('nodegroups');
  try {
    return expandTargetNodegroups(tgt, type, groups, opts.get('conf_file'));
  } catch (error) {
    if (!(error instanceof SaltInvocationError)) throw error;
    throw new PythonError('salt.exceptions.SaltClientError', error.message);
  }
}

/** What watching jobs needs of a runner's context. @throws MasterDownError */
export async function watchingDeps(ctx: RunnerContext): Promise<WatchJobDeps> {
  const { opts, clock } = ctx;
  return {
    client: await ctx.client(),
    clock,
    stored: (jid) => storedReturns(opts, jid),
    keyOutcome: (id) => keyOutcome(opts, id),
    signal: ctx.signal,
    ...(ctx.waits === undefined ? {} : { waits: ctx.waits }),
  };
}

/** The options `timeout` and `gather_job_timeout`. */
export function patienceOf(settings: Dict): WatchPatience {
  return {
    timeoutMs: 1000 * seconds(settings, 'timeout', 5),
    gatherMs: 1000 * seconds(settings, 'gather_job_timeout', 10),
  };
}

/** How a job fell short of what it was for: nobody was meant, somebody failed, or somebody did not return. */
export function answersShortfall(answers: MinionAnswers | undefined): Shortfall | undefined {
  if (answers === undefined || answers.minions.length === 0) return 'none matched';
  const hasFailed = (load: Dict): boolean =>
    load.get('success') === false || truthy(load.get('retcode') ?? 0);
  if ([...answers.returns.values()].some(hasFailed)) return 'some failed';
  return answers.minions.every((id) => answers.returns.has(id)) ? undefined : 'some silent';
}

/** The values that minions returned, by minion. */
export function returnValues(answers: MinionAnswers | undefined): Dict {
  return new Map([...(answers?.returns ?? [])].map(([id, load]) => [id, load.get('return') ?? null]));
}

function seconds(settings: Dict, key: string, fallback: number): number {
  const value = toNumber(settings.get(key));
  return value !== undefined && value > 0 ? value : fallback;
}
