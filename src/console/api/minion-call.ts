/** A function on one minion, with what it returned: for what a view does there, and tells at once. */
import type { MinionOutcome, Return } from '../model/contract.ts';
import type { ApiError } from './http.ts';
import type { Server } from './server.ts';

/** A call of one minion. */
export interface MinionCall {
  readonly id: string;
  readonly fun: string;
  readonly arg: readonly unknown[];
  readonly kwarg?: Readonly<Record<string, unknown>>;
}

/**
 * Starts a job for the minion and waits for its return.
 * @throws ApiError of the API; Error with what became of a minion that does not return
 */
export async function callMinion(server: Server, call: MinionCall): Promise<Return> {
  const { id, fun, arg, kwarg = {} } = call;
  const { jid } = await server.start({ tgt: [id], tgt_type: 'list', fun, arg, kwarg });
  if (jid === null) throw new Error(`${fun} was not sent: ${id} has no accepted key.`);
  const outcome = await ended(server, jid, id);
  const { items } = await server.returns(jid, { minion: id, limit: '1' });
  const [item] = items;
  if (item !== undefined) return item;
  throw new Error(
    `${id} did not return from ${fun} (job ${jid})${outcome === undefined ? '' : `: ${outcome.reason ?? outcome.outcome}`}. What it was asked may still happen.`,
  );
}

/** Waits until the job has ended. @returns what became of the minion, as far as it was told */
function ended(server: Server, jid: string, id: string): Promise<MinionOutcome | undefined> {
  return new Promise((resolve, reject) => {
    let outcome: MinionOutcome | undefined;
    const told = (each: MinionOutcome): void => {
      if (each.minion === id) outcome = each;
    };
    const stop = server.followJob(jid, {
      event: (name, data) => {
        if (name === 'job') (data as { minions?: readonly MinionOutcome[] }).minions?.forEach(told);
        else if (name === 'outcome') told(data as MinionOutcome);
        else if (name === 'end') {
          stop();
          resolve(outcome);
        }
      },
      refused: (error: ApiError) => {
        stop();
        reject(error);
      },
    });
  });
}
