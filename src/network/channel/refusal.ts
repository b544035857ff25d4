/**
 * How a master tells a minion why it refuses. The fields are Brine's own: a Salt on the other side looks at neither of
 * them, and gets the answer that it knows.
 */
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';

/** The field by which a request asks for the reason. */
export const ASKS_REASON = { asks_reason: true };
const REFUSED = '__refused__';

/** The reason in an answer; undefined for an answer that is none. */
export function refusalIn(reply: Value): string | undefined {
  const reason = isDict(reply) && reply.size === 1 ? reply.get(REFUSED) : undefined;
  return typeof reason === 'string' ? reason : undefined;
}

/** The answer that says why. */
export const refusal = (reason: string): Dict => dict({ [REFUSED]: reason });

/** Whether the reason is wanted. */
export const asksReason = (load: Dict): boolean => load.get('asks_reason') === true;

/** The answer with the reason for who asks for it, and Salt's for everybody else. */
export const refusalFor = (load: Dict, reason: string, salts: Value): Value =>
  asksReason(load) ? refusal(reason) : salts;
