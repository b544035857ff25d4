/** What the master says when a log-in holds and it could not keep a token for it. */
import { isDict, type Value } from '../../python/values/value.ts';

/**
 * @param reply to `mk_token`
 * @returns the master's sentence; undefined for a token, and for a log-in that does not hold
 */
export function tokenFailure(reply: Value): string | undefined {
  const error = isDict(reply) ? reply.get('error') : undefined;
  const message = isDict(error) ? error.get('message') : undefined;
  return typeof message === 'string' ? message : undefined;
}
