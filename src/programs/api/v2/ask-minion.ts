/** Asking one minion something, in the name of whoever wants to know. */
import { dict, isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { NoMinionsError, NotAuthorisedError } from '../../../runtime/client/errors.ts';
import type { Caller } from './caller.ts';
import type { Deps } from './deps.ts';
import { requireClient } from './enabled-clients.ts';
import { ApiFault } from './fault.ts';
import { retcodeIn } from './job-views.ts';

/** A question. */
export interface MinionQuestion {
  readonly id: string;
  readonly fun: string;
  readonly arg?: readonly Value[];
  readonly kwarg?: Dict;
  readonly signal: AbortSignal;
}

/** @returns what the minion returns @throws ApiFault `timed-out`, `run-failed`, `not-allowed` */
export async function askMinion(
  { clients, link }: Pick<Deps, 'clients' | 'link'>,
  caller: Caller,
  { id, fun, arg = [], kwarg = new Map(), signal }: MinionQuestion,
): Promise<Value> {
  requireClient(link, 'local');
  const low = dict({
    client: 'local',
    tgt: [id],
    tgt_type: 'list',
    fun,
    arg: [...arg],
    kwarg,
    full_return: true,
  });
  low.set('token', caller.token.reveal());
  const [answer] = await clients
    .run(low, { address: '', signal, beforeCall: () => undefined })
    .catch((error: unknown) => {
      throw asFault(error, id, fun);
    });
  const returned = isDict(answer) ? answer.get(id) : undefined;
  if (!isDict(returned))
    throw new ApiFault(
      'timed-out',
      `The minion ${id} did not answer in time: it may be away. What is known of it (/minions/${id}) says since when.`,
    );
  const value = returned.get('ret') ?? null;
  if (retcodeIn(returned) === 0) return value;
  throw new ApiFault('run-failed', `${fun} failed on ${id}.`, { details: value });
}

function asFault(error: unknown, id: string, fun: string): unknown {
  if (error instanceof NoMinionsError)
    return new ApiFault('not-found', `There is no accepted key of a minion ${id}.`);
  if (!(error instanceof NotAuthorisedError)) return error;
  if (/Authentication/.test(error.message))
    return new ApiFault('not-logged-in', 'The token is not known, or its time is over. Log in again.');
  return new ApiFault('not-allowed', `The master does not let you run ${fun} on ${id}.`, {
    details: { client: 'local', fun },
  });
}
