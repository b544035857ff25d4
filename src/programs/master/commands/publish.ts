/**
 * `publish`: a local program asks for a job. In order: blacklist, whom it would reach, who asks, whether he may, the
 * jid, the events, the job cache, the publication (salt/master.py `publish`, 3006.16;
 * docs/internals/a-jobs-life.md#publishing). Nothing is fired or stored before the request is authorised.
 * `publish-request.ts` reads, `publish-decision.ts` decides, `publish-send.ts` sends.
 */
import { MASTER_FAILURE } from '../../../network/channel/master-failure.ts';
import type { ClearHandler } from '../../../network/channel/door.ts';
import { tags } from '../../../network/events/tags.ts';
import { messageOf } from '../../../errors/errors.ts';
import { TargetError } from '../../../runtime/targeting/target.ts';
import { dict, type Value } from '../../../python/values/value.ts';
import type { Encodable } from '../../../formats/wire/msgpack.ts';
import type { PublishDeps } from './publish-deps.ts';
import { type JobOrder, type PublishRequest, usesUserKey, readRequest } from './publish-request.ts';
import {
  type Reach,
  whyNotJid,
  withoutSyndics,
  permsOf,
  inOriginalName,
  isBlacklisted,
  predict,
  questionOf,
  rightsFor,
  takesJid,
} from './publish-decision.ts';
import { isFailure, type Requester } from '../auth/requester.ts';
import { errorReply } from './error-reply.ts';
import { send } from './publish-send.ts';

const AUTHENTICATION_ERROR = errorReply('AuthenticationError', 'Authentication error occurred.');

const AUTHORIZATION_ERROR = errorReply('AuthorizationError', 'Authorization error occurred.');

/** Serves `publish`. */
export function publishHandler(deps: PublishDeps): ClearHandler {
  return async (load, from) => {
    const request = readRequest(load);
    if (request === undefined) return MASTER_FAILURE;
    if (isBlacklisted(deps.opts, request)) {
      deps.access.blacklisted(request.user, { client: 'local', funs: request.funs, from });
      return AUTHORIZATION_ERROR;
    }
    const credentials = usesUserKey(request.kwargs) ? load : request.kwargs;
    const requester = await deps.access.identify(credentials, { client: 'local', funs: request.funs, from });
    if (isFailure(requester)) return denied(deps, request, AUTHENTICATION_ERROR);
    return publishFor(requester, inOriginalName(requester, request), { deps, from });
  };
}

/** Publishes for somebody who has shown who he is, if he may. */
async function publishFor(
  requester: Requester,
  request: PublishRequest,
  { deps, from }: { readonly deps: PublishDeps; readonly from: string },
): Promise<Encodable> {
  const resolved = predict(deps.fleet, request);
  if (resolved instanceof TargetError) return unresolved(request, `: ${resolved.message}`);
  const syndics = (await deps.syndics?.())?.known() ?? [];
  const predicted = withoutSyndics(resolved, syndics);
  const rights = rightsFor(requester.rights, request);
  // a job that comes from above concerns nobody here: that is no denial
  if (request.authList !== undefined && predicted.minions.length === 0 && !deps.opts.get('order_masters'))
    return unresolved(request, '');
  const question = questionOf(deps, request, predicted);
  if (!deps.access.decide({ ...requester, rights }, question, from).allowed)
    return denied(deps, request, AUTHORIZATION_ERROR);
  const far = whyNotJid(deps, requester, request);
  if (far !== undefined) {
    deps.access.refused(requester, question, from, far);
    return { enc: 'clear', load: { jid: null, minions: [], error: far } };
  }
  if (await takesJid(deps, requester, request)) {
    deps.access.refused(requester, question, from, `there is a job ${request.jid}`);
    return denied(deps, request, AUTHORIZATION_ERROR);
  }
  if (predicted.minions.length === 0 && !deps.opts.get('order_masters')) return unresolved(request, '');
  return publish(deps, request, { predicted, syndics, perms: permsOf(rights) });
}

/**
 * Salt compat: the event carries the request; unlike Salt's without its credentials. The audit line has been written.
 */
function denied(deps: PublishDeps, request: PublishRequest, reply: Encodable): Encodable {
  const { error } = reply as { error: Record<string, string> };
  const { fun, arg, tgt, tgtType, jid, user } = request;
  const data = dict({
    cmd: 'publish',
    fun,
    arg: [...arg],
    tgt,
    tgt_type: tgtType,
    jid,
    user,
    error: dict(error),
  });
  deps.fireEvent(tags.jobError(request.jid), data);
  return reply;
}

function unresolved(request: PublishRequest, reason: string): Encodable {
  const target = Array.isArray(request.tgt) ? request.tgt.join(',') : request.tgt;
  const error = `Master could not resolve minions for target ${String(target)}${reason}`;
  return { enc: 'clear', load: { jid: null, minions: [], error } };
}

/** A job that a minion has published, already found to be allowed. */
export interface PeerJob extends JobOrder {
  readonly publisher: string;
  /** What the minion may do: the masters below hold the job against it, as only they know whom it reaches there. */
  readonly perms: readonly Value[];
}

/** A job that was published. */
export interface PublishedJob {
  readonly jid: string;
  readonly minions: readonly string[];
}

/**
 * Publishes for a minion, in the name of the master's own user (salt/daemons/masterapi.py `minion_pub`).
 * @returns undefined when it cannot be: a blacklisted function, a target without minions
 */
export async function publishForPeer(deps: PublishDeps, job: PeerJob): Promise<PublishedJob | undefined> {
  const { opts } = deps;
  const { perms, ...order } = job;
  const nodegroup = job.tgtType.startsWith('node') ? opts.get('nodegroups').get(job.tgt) : job.tgt;
  if (nodegroup === undefined || (typeof nodegroup !== 'string' && !Array.isArray(nodegroup)))
    return undefined;
  const request: PublishRequest = {
    ...order,
    tgt: nodegroup,
    tgtType: job.tgtType.startsWith('node') ? 'compound' : job.tgtType,
    jid: '',
    user: opts.get('user'),
    kwargs: new Map(),
    authList: undefined,
    to: undefined,
  };
  if (isBlacklisted(opts, request)) return undefined;
  const predicted = predict(deps.fleet, request);
  if (predicted instanceof TargetError) return undefined;
  if (predicted.minions.length === 0 && !opts.get('order_masters')) return undefined;
  const syndics = (await deps.syndics?.())?.known() ?? [];
  return send(deps, request, { predicted: withoutSyndics(predicted, syndics), syndics, perms });
}

async function publish(deps: PublishDeps, request: PublishRequest, reach: Reach): Promise<Encodable> {
  try {
    const job = await send(deps, request, reach);
    if (job === undefined) return { enc: 'clear', load: { error: 'Master failed to assign jid' } };
    return { enc: 'clear', load: job };
  } catch (error) {
    // the job cache or the publisher does not take it; whoever asked is to know why
    deps.notPublished(`A job of ${request.user ?? 'nobody'} was not published: ${messageOf(error)}`, error);
    return { error: `The job was not published: ${messageOf(error)}` };
  }
}
