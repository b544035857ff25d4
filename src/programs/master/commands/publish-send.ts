/**
 * Sending a publication that was allowed: the job id, the events, the job cache, the publisher, and what is known of
 * who is away.
 */
import type { MasterOptions } from '../../../config/master-options.ts';
import { isoStamp } from '../../../network/events/framing.ts';
import { START_EVENT_FIELD, syndicIdOf, syndicName, tags } from '../../../network/events/tags.ts';
import type { Absence } from '../../../network/ipc/contracts/publisher.ts';
import { OWNER_FIELD } from '../../../storage/jobs/job-owner.ts';
import { outcomeDict, type LedgerEntry } from '../../../storage/jobs/ledger.ts';
import { CLIENT_FIELD } from '../../../runtime/client/login.ts';
import { isTargetType } from '../../../runtime/targeting/target.ts';
import { listedIds } from '../../../runtime/targeting/terms.ts';
import { handedOn, TRACE_FIELD } from '../../../runtime/tracing/context.ts';
import type { Span } from '../../../runtime/tracing/tracer.ts';
import { dict, type Dict, type Value } from '../../../python/values/value.ts';
import type { Encodable } from '../../../formats/wire/msgpack.ts';
import type { KnownSyndic } from '../syndics.ts';
import type { PublicationDeps } from './publish-deps.ts';
import { isPartOf, partName } from './job-parts.ts';
import { usesUserKey, type PublishRequest } from './publish-request.ts';
import type { Reach } from './publish-decision.ts';
import type { Turn } from './turns.ts';

const JID_ATTEMPTS = 5;

/**
 * More minions that were never seen are real Salt's, and more that are away are a part of the site: whether each has
 * authenticated is not looked up, job for job.
 */
const NEWCOMERS_MAX = 200;

/** Fields of `kwargs` that travel on to the minion. */
const PASSED_ON = [
  'ret_config',
  'metadata',
  'module_executors',
  'executor_opts',
  'ret_kwargs',
  START_EVENT_FIELD,
  TRACE_FIELD,
] as const;

/** What the reply says of a job. */
type Sent = { readonly jid: string; readonly minions: string[] } & Readonly<
  Record<string, Encodable | undefined>
>;

/**
 * Keeps and sends a job.
 * @param turn before which it is not sent: what is kept side by side is sent one after the other
 * @returns what the reply says of it; undefined when there is no job id to be had
 */
export async function send(
  deps: PublicationDeps,
  given: PublishRequest,
  reach: Reach,
  turn?: Turn,
): Promise<Sent | undefined> {
  const { fun } = given;
  const name = Array.isArray(fun) ? fun.map(String).join(',') : String(fun);
  const span = deps.tracer?.start(`publish ${name}`, {
    kind: 'server',
    parent: given.kwargs.get(TRACE_FIELD),
    facts: {
      'salt.fun': name,
      'salt.tgt_type': given.tgtType,
      'salt.minions': reach.predicted.minions.length,
    },
  });
  try {
    const sent = await sendTraced(deps, inTrace(given, span), reach, turn);
    span?.end({ facts: { 'salt.jid': sent?.jid }, isError: sent === undefined });
    return sent;
  } catch (error) {
    span?.end({ isError: true });
    throw error;
  }
}

/** What follows is done for this span, or else for the one that came with the request. */
function inTrace(request: PublishRequest, span: Span | undefined): PublishRequest {
  const came = request.kwargs.get(TRACE_FIELD);
  const goes = span?.traceparent ?? handedOn(came);
  if (came === goes) return request;
  const kwargs: Dict = new Map(request.kwargs);
  if (goes === undefined) kwargs.delete(TRACE_FIELD);
  else kwargs.set(TRACE_FIELD, goes);
  return { ...request, kwargs };
}

async function sendTraced(
  deps: PublicationDeps,
  request: PublishRequest,
  { predicted, syndics, perms }: Reach,
  turn?: Turn,
): Promise<Sent | undefined> {
  const minions = [...predicted.minions];
  const missing = [...predicted.missing];
  const isLimited = perms !== undefined || !usesUserKey(request.kwargs);
  const jid = await registerJob(deps, request, minions, isLimited);
  if (jid === undefined) return undefined;
  await turn?.come;
  const { fun, arg, tgt, tgtType, user } = request;
  if (request.listener !== undefined)
    deps.fireEvent(tags.listening(jid), dict({ jid, listener: request.listener }));
  deps.fireEvent(jid, dict({ minions }));
  deps.fireEvent(
    tags.jobNew(jid),
    dict({ jid, tgt_type: tgtType, tgt, user, fun, arg: [...arg], minions, missing }),
  );
  const namesItsMinions = ['glob', 'list', 'pcre'].includes(tgtType);
  const load = publishLoad(deps.opts, request, jid, perms);
  const expected = [...minions, ...syndics.map(({ id }) => syndicName(id))];
  const sent = deps.send({ load, ...(namesItsMinions ? { ids: minions } : {}), expected });
  turn?.pass();
  const absence = await sent;
  const { lost, strange, below } = withSyndics(deps, absence, syndics);
  // with syndics nobody knows yet whether a name without a key here is that of a minion below
  await enterAbsent(deps, jid, lost, syndics.length > 0 ? [] : missing);
  deps.log.info(`User ${user ?? 'unknown'} Published command ${request.funs.join(',')} with jid ${jid}`);
  // these are ours; Salt's programs do not look at them
  const newcomers = [...newcomersOf(deps, strange ?? []), ...newcomersOf(deps, [...lost.keys()].map(String))];
  const more = {
    lost: lost.size > 0 ? lost : undefined,
    strange,
    unseen_since: absence.unseenSince,
    newcomers: newcomers.length > 0 ? newcomers : undefined,
    syndics: below,
  };
  return { jid, minions, missing, ...more };
}

/** Who of the expected is away, among them syndics; and which syndics will tell whom they expect. */
interface AbsenceBelow {
  readonly lost: Dict;
  readonly strange: string[] | undefined;
  /**
   * `reporting`: those that tell when they have named all; `others`: Salt's, which do not. Undefined without
   * `order_masters`.
   */
  readonly below: { readonly reporting: string[]; readonly others: string[] } | undefined;
}

function withSyndics(deps: PublicationDeps, absence: Absence, syndics: readonly KnownSyndic[]): AbsenceBelow {
  const lost: Dict = new Map(absence.lost);
  const strange = absence.strange && new Set(absence.strange);
  const reporting: string[] = [];
  const others: string[] = [];
  for (const { id, reports } of syndics) {
    const name = syndicName(id);
    const isUnseen = strange?.delete(name) ?? false;
    if (!reports) {
      lost.delete(name); // an earlier one of ours; Salt's do not say who they are
      others.push(id);
    } else if (lost.has(name)) continue;
    else if (isUnseen) lost.set(name, isoStamp(deps.clock));
    else reporting.push(id);
  }
  const below = deps.syndics === undefined ? undefined : { reporting, others };
  return { lost, strange: strange && [...strange], below };
}

/**
 * Of minions that are away or were never seen, those that cannot have received anything: one that was connected before
 * its key was accepted is as new as one that was not.
 */
function newcomersOf(deps: PublicationDeps, away: readonly string[]): string[] {
  if (away.length > NEWCOMERS_MAX) return [];
  return away.filter((id) => syndicIdOf(id) === undefined && !deps.hasAuthenticated(id));
}

/** Writes into the ledger who was away at publication, and who cannot take part for want of an accepted key. */
async function enterAbsent(
  deps: PublicationDeps,
  jid: string,
  lost: Dict,
  missing: readonly string[],
): Promise<void> {
  if (!deps.opts.get('job_cache') || lost.size + missing.length === 0) return;
  const entries: LedgerEntry[] = [...lost].map(([id, since]) => ({
    id: String(id),
    absentSince: String(since),
  }));
  for (const id of missing) {
    const state = deps.keyState(id);
    const kind = state === undefined ? 'not known' : 'key not accepted';
    const atMs = deps.clock.nowMs();
    const verdict = { kind, atMs, ...(state === undefined ? {} : { detail: state }) } as const;
    entries.push({ id, verdict });
    const outcome = outcomeDict({ id, ...verdict, givenUpMs: atMs });
    deps.fireEvent(tags.jobOutcome(jid, id), new Map<Value, Value>([['jid', jid], ['id', id], ...outcome]));
  }
  try {
    await deps.jobs.note(jid, entries);
  } catch (error) {
    deps.log.warning(`The ledger of job ${jid} could not be kept.`, error);
  }
}

/** Reserves a jid and keeps the job's load under it. */
async function registerJob(
  deps: PublicationDeps,
  request: PublishRequest,
  minions: string[],
  isLimited: boolean,
): Promise<string | undefined> {
  const { opts, jobs, mirror, jids } = deps;
  for (let attempt = 0; attempt < JID_ATTEMPTS; attempt++) {
    const jid = request.jid === '' ? jids.next() : request.jid;
    const load = storedLoad(request, jid);
    if (!opts.get('job_cache')) return jid;
    mirror?.save(jid, load, minions, isLimited);
    // Salt compat: a jid that was passed in may be known already, from a syndic's other master
    if (await jobs.saveJob(jid, load, minions)) return jid;
    if (request.jid === '') continue;
    await joinJob(deps, request, minions);
    return jid;
  }
  return undefined;
}

/** Adds the minions of a further part of a job to it; any other publication under its id adds none. */
async function joinJob(
  { jobs, log }: PublicationDeps,
  request: PublishRequest,
  minions: readonly string[],
): Promise<void> {
  const [first, ...others] = minions;
  if (first === undefined) return;
  try {
    const known = await jobs.job(request.jid);
    if (known !== undefined && isPartOf(known, request))
      await jobs.addMinions(request.jid, minions, partName([first, ...others]));
  } catch (error) {
    log.warning(`The minions of a further part of job ${request.jid} could not be kept.`, error);
  }
}

/** The load as the job cache keeps it: the request without its credentials. */
function storedLoad(request: PublishRequest, jid: string): Dict {
  const { fun, arg, tgt, tgtType, ret, user, to } = request;
  const kwargs: Dict = new Map(request.kwargs);
  for (const secret of ['username', 'password', 'token', 'eauth', CLIENT_FIELD]) kwargs.delete(secret);
  const load = dict({
    cmd: 'publish',
    tgt,
    fun,
    arg: [...arg],
    tgt_type: tgtType,
    ret,
    jid,
    kwargs,
    user,
    to,
  });
  if (request.eauth !== undefined) load.set(OWNER_FIELD, request.eauth);
  if (request.publisher !== undefined) load.set('id', request.publisher);
  return load;
}

/** What the minion gets, in Salt's order (docs/internals/wire-protocol.md#publications). */
function publishLoad(
  opts: MasterOptions,
  request: PublishRequest,
  jid: string,
  perms: readonly Value[] | undefined,
): Dict {
  const { kwargs } = request;
  const isListText = request.tgtType === 'list' && typeof request.tgt === 'string';
  // a minion of Salt's takes blanks beside the commas for parts of the ids
  const tgt = isListText ? listedIds(request.tgt).join(',') : request.tgt;
  const load = dict({ fun: request.fun, arg: [...request.arg], tgt, jid, ret: request.ret });
  const ownMasterId = opts.raw('master_id');
  const masterId = kwargs.get('master_id') ?? (ownMasterId === null ? undefined : ownMasterId);
  if (masterId !== undefined && masterId !== '') load.set('master_id', masterId);
  const delimiter = kwargs.get('delimiter');
  if (typeof delimiter === 'string' && delimiter !== ':') load.set('delimiter', delimiter);
  load.set('tgt_type', isTargetType(request.tgtType) ? request.tgtType : 'glob');
  if (opts.get('order_masters') && request.to !== undefined) load.set('to', request.to);
  for (const field of PASSED_ON) {
    const value = kwargs.get(field);
    if (value !== undefined) load.set(field, value);
  }
  if (request.publisher !== undefined) load.set('id', request.publisher);
  if (request.user !== undefined) load.set('user', request.user);
  if (opts.get('order_masters')) load.set('auth_list', [...(perms ?? [])]);
  return load;
}
