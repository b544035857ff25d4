/**
 * Publishing for reactions: in the name of the master's own user, as a command of his would be, but without the request
 * port between. `publisher_acl_blacklist` holds for them too (salt/utils/reactor.py `ReactWrap.local`, 3006.16).
 */
import {
  CLIENT_TEXTS,
  ClientError,
  NoMinionsError,
  NotAuthorisedError,
} from '../../../runtime/client/errors.ts';
import type { ReactionOrder } from '../../reactor/run-reaction.ts';
import { TargetError } from '../../../runtime/targeting/target.ts';
import { dict } from '../../../python/values/value.ts';
import type { PublicationDeps } from './publish-deps.ts';
import { isBlacklisted, predict, withoutSyndics } from './publish-decision.ts';
import { readRequest, type PublishRequest } from './publish-request.ts';
import { send } from './publish-send.ts';
import type { Turn } from './turns.ts';

/**
 * Publishes a job after all whose turn is before its own.
 * @throws NoMinionsError when nobody matches, NotAuthorisedError for what is blacklisted, ClientError for what is no
 *   request
 */
export async function publishForReaction(
  deps: PublicationDeps,
  order: ReactionOrder,
  turn: Turn,
): Promise<void> {
  const { opts } = deps;
  const request = requestOf(opts.get('user'), order, opts.get('order_masters'));
  if (isBlacklisted(opts, request))
    throw new NotAuthorisedError('publisher_acl_blacklist refuses the user or the function to everybody');
  const resolved = predict(deps.fleet, request);
  if (resolved instanceof TargetError) throw new NoMinionsError(CLIENT_TEXTS.noMinions, resolved.message);
  const syndics = (await deps.syndics?.())?.known() ?? [];
  const predicted = withoutSyndics(resolved, syndics);
  if (predicted.minions.length === 0 && !opts.get('order_masters'))
    throw new NoMinionsError(CLIENT_TEXTS.noMinions);
  await send(deps, request, { predicted, syndics, perms: undefined }, turn);
}

function requestOf(user: string, order: ReactionOrder, namesTimeout: boolean): PublishRequest {
  const { tgt, tgtType, fun, arg, ret = '', jid, timeoutMs, kwargs = new Map() } = order;
  const load = dict({
    tgt,
    tgt_type: tgtType,
    fun: typeof fun === 'string' ? fun : [...fun],
    arg: [...arg],
    ret,
    jid,
    kwargs,
    user,
    to: namesTimeout ? Math.ceil(timeoutMs / 1000) : undefined,
  });
  const request = readRequest(load);
  if (request === undefined)
    throw new ClientError('The reaction asks for what is no job: see its fun, tgt and arg.');
  return request;
}
