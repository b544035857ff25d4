/** One state run at a time: who is refused, who waits (salt/modules/state.py `_check_queue`, 3006.16). */
import { jidTimeText } from '../../../storage/jobs/jid.ts';
import type { ModuleContext } from '../../../runtime/loader/module.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, isInt, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { COMPILER_ERROR } from './codes.ts';

const LOOK_MS = 1000;

/**
 * Waits for other state runs when `queue` says so.
 * @param kwargs `concurrent` and `__pub_jid` are read
 * @returns the other runs in sentences, when this one may not run because of them
 */
export async function conflictOf(
  ctx: ModuleContext,
  queue: Value,
  kwargs: Dict,
): Promise<Value[] | undefined> {
  const wanted = queue ?? (await ctx.functions.call('config.option', ['state_queue', false]));
  if (wanted === true) {
    await waitForTurn(ctx, kwargs, 0);
    return undefined;
  }
  if (isInt(wanted) && (await waitForTurn(ctx, kwargs, Number(wanted)))) return undefined;
  const others = truthy(kwargs.get('concurrent')) ? [] : await runningStates(ctx);
  if (others.length === 0) return undefined;
  ctx.setRetcode(COMPILER_ERROR);
  return others;
}

/**
 * Runs something in its turn; a run that may not begin gives the others in sentences.
 * @param kwargs as {@link conflictOf}, and `queue`
 */
export async function inTurn(ctx: ModuleContext, kwargs: Dict, run: () => Promise<Value>): Promise<Value> {
  return (await conflictOf(ctx, kwargs.get('queue') ?? null, kwargs)) ?? run();
}

/** The state runs under way, in sentences. */
export async function runningStates(ctx: ModuleContext): Promise<Value[]> {
  return (await stateJobs(ctx)).map((job) => {
    const [fun, pid, jid] = ['fun', 'pid', 'jid'].map((key) => pyStr(job.get(key) ?? null)) as [
      string,
      string,
      string,
    ];
    return `The function "${fun}" is running as PID ${pid} and was started at ${jidTimeText(jid)} with jid ${jid}`;
  });
}

async function stateJobs(ctx: ModuleContext): Promise<Dict[]> {
  const jobs = await ctx.functions.call('saltutil.is_running', ['state.*']);
  return Array.isArray(jobs) ? jobs.filter(isDict) : [];
}

/** @param limit how many may be before this one; 0: no limit. @returns whether its turn has come */
async function waitForTurn(ctx: ModuleContext, kwargs: Dict, limit: number): Promise<boolean> {
  const jid = pyStr(kwargs.get('__pub_jid') ?? ctx.job.jid);
  let before = await runsBefore(ctx, jid);
  if (limit !== 0 && before >= limit) return false;
  while (before > 0 && !ctx.signal.aborted) {
    await ctx.clock.sleep(LOOK_MS, ctx.signal);
    before = await runsBefore(ctx, jid);
  }
  return true;
}

async function runsBefore(ctx: ModuleContext, jid: string): Promise<number> {
  const numberOf = (text: string): bigint | undefined => (/^\d+$/.test(text) ? BigInt(text) : undefined);
  const own = numberOf(jid.split('_')[0] as string);
  return (await stateJobs(ctx)).filter((job) => {
    const other = numberOf(pyStr(job.get('jid') ?? null));
    return own !== undefined && other !== undefined && other < own;
  }).length;
}
