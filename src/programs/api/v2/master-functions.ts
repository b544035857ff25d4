/** Functions of the master itself, called in the name of whoever asks. */
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { NotAuthorisedError } from '../../../runtime/client/errors.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireClient } from './enabled-clients.ts';
import { ApiFault } from './fault.ts';

/** A call. */
export interface FunctionCall {
  readonly fun: string;
  readonly arg?: readonly Value[];
  readonly kwarg?: Dict;
  readonly signal: AbortSignal;
}

/** How a call has ended. */
export interface FunctionEnd {
  readonly jid: string;
  readonly return: Value;
  readonly success: boolean;
}

type FunctionDeps = Pick<Deps, 'master' | 'link' | 'clock'>;

/** Calls a wheel function, and refuses what has failed. @throws ApiFault `run-failed`, `not-allowed`, `not-served` */
export async function callWheel(deps: FunctionDeps, caller: Caller, call: FunctionCall): Promise<Value> {
  const ended = await runWheel(deps, caller, call);
  if (ended.success) return ended.return;
  throw new ApiFault('run-failed', `${call.fun} failed: ${pyStr(ended.return).slice(0, 2000)}`);
}

/** Calls a wheel function. @throws ApiFault `not-allowed`, `not-served` */
export async function runWheel(
  { master, link }: FunctionDeps,
  caller: Caller,
  call: FunctionCall,
): Promise<FunctionEnd> {
  requireClient(link, 'wheel', 'wheel_async');
  const reply = await refusing('wheel', call.fun, () => master.wheel(lowOf(caller, call)));
  return endedOf(isDict(reply) ? reply.get('data') : undefined);
}

/** Calls a runner, and waits for its end. @throws ApiFault `not-allowed`, `not-served`, `timed-out` */
export async function runRunner(
  { master, link }: FunctionDeps,
  caller: Caller,
  call: FunctionCall,
): Promise<FunctionEnd> {
  requireClient(link, 'runner');
  const low = lowOf(caller, call).set('full_return', true);
  const reply = await refusing('runner', call.fun, () => master.runner(low, call.signal));
  return endedOf(isDict(reply) ? reply.get('data') : undefined);
}

/** Begins a runner. @throws ApiFault `not-allowed`, `not-served` */
export async function startRunner(
  { master, link }: FunctionDeps,
  caller: Caller,
  call: FunctionCall,
): Promise<{ readonly jid: string; readonly tag: string }> {
  requireClient(link, 'runner_async', 'runner');
  const reply = await refusing('runner', call.fun, () => master.startRunner(lowOf(caller, call)));
  const [jid, tag] = isDict(reply) ? [reply.get('jid'), reply.get('tag')] : [];
  return { jid: pyStr(jid ?? ''), tag: pyStr(tag ?? '') };
}

function lowOf(caller: Caller, { fun, arg = [], kwarg = new Map() }: FunctionCall): Dict {
  return dict({ fun, arg: [...arg], kwarg, token: caller.token.reveal() });
}

function endedOf(data: Value | undefined): FunctionEnd {
  const found: Dict = isDict(data) ? data : new Map();
  return {
    jid: pyStr(found.get('jid') ?? ''),
    return: found.get('return') ?? null,
    success: truthy(found.get('success') ?? true),
  };
}

async function refusing<T>(client: 'runner' | 'wheel', fun: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof NotAuthorisedError)) throw error;
    if (/ for user /.test(error.message))
      throw new ApiFault(
        'not-allowed',
        `The master does not let you call the ${client} function ${fun} with these arguments.`,
        {
          details: { client, fun },
        },
      );
    throw new ApiFault('not-logged-in', 'The token is not known, or its time is over. Log in again.');
  }
}
