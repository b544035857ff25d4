/**
 * `publish`: a local program asks for a job. In order: blacklist, whom it would reach, who asks, whether he may, the jid,
 * the events, the job cache, the publication (salt/master.py `publish`, 3006.16; wire-protocol.md, 6.3). Nothing is fired
 * or stored before the request is authorised.
 */
import type { ClearHandler } from '../../channel/door.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import { isoStamp } from '../../events/framing.ts';
import { syndicName, tags } from '../../events/tags.ts';
import type { Clock } from '../../host/clock.ts';
import type { Logger } from '../../host/log.ts';
import { isSafeJid, type JidSource } from '../../jobs/jid.ts';
import type { JobStore } from '../../jobs/job-store.ts';
import { outcomeDict, type LedgerEntry } from '../../jobs/ledger.ts';
import type { LoadMirror } from '../../jobs/load-mirror.ts';
import { forecast } from '../../targeting/forecast.ts';
import { parseTarget } from '../../targeting/parse-target.ts';
import { isTargetType, TargetError, type Fleet, type Forecast } from '../../targeting/target.ts';
import { expressionMatch } from '../../text/expression-match.ts';
import { dict, isDict, type Dict, type Value } from '../../values/value.ts';
import type { Encodable } from '../../wire/msgpack.ts';
import { isAuthorised } from '../auth/permissions.ts';
import type { PublishOrder } from '../roles/publisher.ts';
import type { KnownSyndic, SyndicDesk } from '../syndics.ts';
import type { Rights, UserAuth } from '../auth/user-auth.ts';

/** What publishing needs. */
export interface PublishParts {
  readonly opts: MasterOptions;
  readonly users: UserAuth;
  readonly fleet: Fleet;
  readonly jobs: JobStore;
  readonly mirror: LoadMirror;
  readonly jids: JidSource;
  readonly fireEvent: (tag: string, data: Dict) => void;
  /**
   * Hands a publication to the publisher.
   * @returns when it has been sent: `lost`, which of the expected minions are known to be away, and since when; `strange`,
   *   which have never been seen
   */
  readonly send: (order: PublishOrder) => Promise<Dict>;
  /** The state of a minion's key; undefined when there is none. */
  readonly keyState: (id: string) => string | undefined;
  /** Whether a minion has authenticated since its key was accepted. */
  readonly hasAuthenticated: (id: string) => boolean;
  /** With `order_masters`: the syndics, each of which gets every job. */
  readonly syndics?: () => Promise<SyndicDesk>;
  readonly clock: Clock;
  readonly log: Logger;
}

const JID_ATTEMPTS = 5;
/** More minions that were never seen are real Salt's: whether each has authenticated is not looked up, job for job. */
const NEWCOMERS_MAX = 200;
/** Fields of `kwargs` that travel on to the minion. */
const PASSED_ON = ['ret_config', 'metadata', 'module_executors', 'executor_opts', 'ret_kwargs'] as const;
const AUTHENTICATION_ERROR = errorReply('AuthenticationError', 'Authentication error occurred.');
const AUTHORIZATION_ERROR = errorReply('AuthorizationError', 'Authorization error occurred.');

function errorReply(name: string, message: string): Encodable {
  return { error: { name, message } };
}

/** What is to be run, and where. */
export interface JobOrder {
  readonly funs: readonly string[];
  /** The function, or the list of them; `arg` then has a list for each. */
  readonly fun: Value;
  readonly arg: readonly Value[];
  readonly tgt: Value;
  readonly tgtType: string;
  readonly ret: string;
}

/** A publish request, read. */
interface PublishRequest extends JobOrder {
  readonly jid: string;
  readonly user: string | undefined;
  /** Without `auth_list`. */
  readonly kwargs: Dict;
  /** `auth_list`, which only syndics send. */
  readonly authList: readonly Value[] | undefined;
  readonly to: number | undefined;
  /** The minion on whose behalf the master publishes. */
  readonly publisher?: string;
}

/** Serves `publish`. */
export function publishHandler(parts: PublishParts): ClearHandler {
  return async (load) => {
    const request = readRequest(load);
    if (request === undefined) return 'Some exception handling minion payload';
    if (isBlacklisted(parts.opts, request)) {
      parts.log.error(`${request.user} does not have permissions to run ${request.funs.join(', ')}.`);
      return AUTHORIZATION_ERROR;
    }
    const rights = usesUserKey(request.kwargs) ? parts.users.check(load) : undefined;
    if (rights === undefined) return denied(parts, request, AUTHENTICATION_ERROR, 'Authentication');
    const resolved = predict(parts.fleet, request);
    if (resolved instanceof TargetError) return unresolved(request, `: ${resolved.message}`);
    const syndics = (await parts.syndics?.())?.known() ?? [];
    const predicted = withoutSyndics(resolved, syndics);
    const perms = permsOf(rights, request);
    // a job that comes from above concerns nobody here: that is no denial
    if (request.authList !== undefined && predicted.minions.length === 0 && !parts.opts.get('order_masters'))
      return unresolved(request, '');
    if (!mayPublish(parts, perms, request, predicted))
      return denied(parts, request, AUTHORIZATION_ERROR, 'Authorization');
    if (predicted.minions.length === 0 && !parts.opts.get('order_masters')) return unresolved(request, '');
    return publish(parts, inOriginalName(rights, request), { predicted, syndics, perms });
  };
}

/** What is known of whom a job reaches. */
interface Reach {
  readonly predicted: Forecast;
  readonly syndics: readonly KnownSyndic[];
  /** What the user may do; undefined for everything. */
  readonly perms: readonly Value[] | undefined;
}

/** A syndic runs no jobs itself: its id is nobody to wait for, unless a minion of the same id is there, too. */
function withoutSyndics(resolved: Forecast, syndics: readonly KnownSyndic[]): Forecast {
  const ids = new Set(syndics.filter(({ isMinion }) => !isMinion).map(({ id }) => id));
  return ids.size === 0 ? resolved : { ...resolved, minions: resolved.minions.filter((id) => !ids.has(id)) };
}

/** The list that a syndic hands down counts only from whoever may do everything here (CVE-2022-22941). */
function permsOf(rights: Rights, { authList }: PublishRequest): readonly Value[] | undefined {
  if (rights.kind === 'limited') return rights.perms;
  return authList !== undefined && authList.length > 0 ? authList : undefined;
}

/** A syndic publishes in the name of the user above. */
function inOriginalName(rights: Rights, request: PublishRequest): PublishRequest {
  const user = request.authList === undefined ? undefined : request.kwargs.get('user');
  return rights.kind === 'full' && typeof user === 'string' ? { ...request, user } : request;
}

/** External authentication and tokens win over a key, and are not served yet: they are refused, never ignored. */
function usesUserKey(kwargs: Dict): boolean {
  return !kwargs.has('token') && !kwargs.has('eauth');
}

function readRequest(load: Dict): PublishRequest | undefined {
  const { fun, arg, tgt, tgtType, ret, jid, user, kwargs, to } = {
    fun: load.get('fun'),
    arg: load.get('arg') ?? [],
    tgt: load.get('tgt'),
    tgtType: load.get('tgt_type'),
    ret: load.get('ret'),
    jid: load.get('jid') ?? '',
    user: load.get('user'),
    kwargs: load.get('kwargs') ?? new Map(),
    to: load.get('to'),
  };
  const funs = typeof fun === 'string' ? [fun] : Array.isArray(fun) ? fun : [];
  if (funs.length === 0 || !funs.every((name) => typeof name === 'string' && name !== '')) return undefined;
  if (!Array.isArray(arg) || !isDict(kwargs) || typeof tgtType !== 'string' || typeof ret !== 'string')
    return undefined;
  if (typeof tgt !== 'string' && !Array.isArray(tgt)) return undefined;
  if (jid !== '' && !isSafeJid(jid)) return undefined;
  const passed: Dict = new Map(kwargs);
  const authList = passed.get('auth_list');
  passed.delete('auth_list');
  if (authList !== undefined && !Array.isArray(authList)) return undefined;
  return {
    funs: funs as string[],
    fun: fun as Value,
    arg,
    tgt,
    tgtType,
    ret,
    jid: String(jid),
    user: typeof user === 'string' ? user : undefined,
    kwargs: passed,
    authList,
    to: typeof to === 'number' ? to : undefined,
  };
}

/** `publisher_acl_blacklist`: each entry is a glob or an anchored regular expression. */
function isBlacklisted(opts: MasterOptions, request: PublishRequest): boolean {
  const blacklist = opts.raw('publisher_acl_blacklist');
  if (blacklist === undefined || !isDict(blacklist)) return false;
  const listed = (key: string, texts: readonly string[]): boolean => {
    const entries = blacklist.get(key);
    return (
      Array.isArray(entries) &&
      entries.some((entry) => texts.some((text) => expressionMatch(text, String(entry))))
    );
  };
  return listed('users', [request.user ?? '']) || listed('modules', request.funs);
}

function predict(fleet: Fleet, request: PublishRequest): Forecast | TargetError {
  const delimiter = request.kwargs.get('delimiter');
  try {
    const target = parseTarget(
      request.tgt,
      request.tgtType,
      typeof delimiter === 'string' ? delimiter : undefined,
    );
    return forecast(target, fleet, { greedy: true });
  } catch (error) {
    if (error instanceof TargetError) return error;
    throw error;
  }
}

function mayPublish(
  parts: PublishParts,
  perms: readonly Value[] | undefined,
  request: PublishRequest,
  predicted: Forecast,
): boolean {
  if (perms === undefined) return true;
  return isAuthorised(perms, {
    isDecidedBelow: parts.opts.get('order_masters'),
    funs: request.funs,
    args: Array.isArray(request.fun) ? request.arg : [[...request.arg]],
    minions: predicted.minions,
    minionsOf: (expression) =>
      new Set(forecast(parseTarget(expression, 'compound'), parts.fleet, { greedy: false }).minions),
  });
}

/** Salt compat: the event carries the request; unlike Salt's without its credentials. */
function denied(parts: PublishParts, request: PublishRequest, reply: Encodable, what: string): Encodable {
  parts.log.warning(`${what} of the user ${request.user ?? '?'} to run ${request.funs.join(', ')} failed.`);
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
  parts.fireEvent(tags.jobError(request.jid), data);
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

/** What the reply says of a job. */
type Sent = { readonly jid: string; readonly minions: string[] } & Readonly<
  Record<string, Encodable | undefined>
>;

/**
 * Publishes for a minion, in the name of the master's own user (salt/daemons/masterapi.py `minion_pub`).
 * @returns undefined when it cannot be: a blacklisted function, a target without minions
 */
export async function publishForPeer(parts: PublishParts, job: PeerJob): Promise<PublishedJob | undefined> {
  const { opts } = parts;
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
  const predicted = predict(parts.fleet, request);
  if (predicted instanceof TargetError) return undefined;
  if (predicted.minions.length === 0 && !opts.get('order_masters')) return undefined;
  const syndics = (await parts.syndics?.())?.known() ?? [];
  return send(parts, request, { predicted: withoutSyndics(predicted, syndics), syndics, perms });
}

async function publish(parts: PublishParts, request: PublishRequest, reach: Reach): Promise<Encodable> {
  const job = await send(parts, request, reach);
  if (job === undefined) return { enc: 'clear', load: { error: 'Master failed to assign jid' } };
  return { enc: 'clear', load: job };
}

/** Keeps and sends a job. @returns what the reply says of it; undefined when there is no job id to be had */
async function send(
  parts: PublishParts,
  request: PublishRequest,
  { predicted, syndics, perms }: Reach,
): Promise<Sent | undefined> {
  const minions = [...predicted.minions];
  const missing = [...predicted.missing];
  const jid = await registerJob(parts, request, minions);
  if (jid === undefined) return undefined;
  const { fun, arg, tgt, tgtType, user } = request;
  parts.fireEvent(jid, dict({ minions }));
  parts.fireEvent(
    tags.jobNew(jid),
    dict({ jid, tgt_type: tgtType, tgt, user, fun, arg: [...arg], minions, missing }),
  );
  const namesItsMinions = ['glob', 'list', 'pcre'].includes(tgtType);
  const load = publishLoad(parts.opts, request, jid, perms);
  const expected = [...minions, ...syndics.map(({ id }) => syndicName(id))];
  const presence = await parts.send({ load, ids: namesItsMinions ? minions : null, expected });
  const { lost, strange, below } = readAbsence(parts, presence, syndics);
  // with syndics nobody knows yet whether a name without a key here is that of a minion below
  await enterAbsent(parts, jid, lost, syndics.length > 0 ? [] : missing);
  parts.log.info(`User ${user ?? 'unknown'} Published command ${request.funs.join(',')} with jid ${jid}`);
  // these are ours; Salt's programs do not look at them
  const newcomers = newcomersOf(parts, strange);
  const more = { lost: lost.size > 0 ? lost : undefined, strange, newcomers, syndics: below };
  return { jid, minions, missing, ...more };
}

/** Who of the expected is away, among them syndics; and which syndics will tell whom they expect. */
interface Absence {
  readonly lost: Dict;
  readonly strange: Value[] | undefined;
  /** `reporting`: those that tell when they have named all; `others`: Salt's, which do not. Undefined without `order_masters`. */
  readonly below: { readonly reporting: string[]; readonly others: string[] } | undefined;
}

function readAbsence(parts: PublishParts, presence: Dict, syndics: readonly KnownSyndic[]): Absence {
  const given = presence.get('lost');
  const lost: Dict = isDict(given) ? given : new Map();
  const unseen = presence.get('strange');
  const strange = Array.isArray(unseen) ? new Set(unseen) : undefined;
  const reporting: string[] = [];
  const others: string[] = [];
  for (const { id, reports } of syndics) {
    const name = syndicName(id);
    const isUnseen = strange?.delete(name) ?? false;
    if (!reports) {
      lost.delete(name); // an earlier one of ours; Salt's do not say who they are
      others.push(id);
    } else if (lost.has(name)) continue;
    else if (isUnseen) lost.set(name, isoStamp(parts.clock));
    else reporting.push(id);
  }
  const below = parts.syndics === undefined ? undefined : { reporting, others };
  return { lost, strange: strange && [...strange], below };
}

/** Of minions that were never seen, those that cannot have received anything; undefined when there are none. */
function newcomersOf(parts: PublishParts, strange: readonly Value[] | undefined): Value[] | undefined {
  if (strange === undefined || strange.length > NEWCOMERS_MAX) return undefined;
  const newcomers = strange.filter((id) => !parts.hasAuthenticated(String(id)));
  return newcomers.length === 0 ? undefined : newcomers;
}

/** Writes into the ledger who was away at publication, and who cannot take part for want of an accepted key. */
async function enterAbsent(
  parts: PublishParts,
  jid: string,
  lost: Dict,
  missing: readonly string[],
): Promise<void> {
  if (!parts.opts.get('job_cache') || lost.size + missing.length === 0) return;
  const entries: LedgerEntry[] = [...lost].map(([id, since]) => ({
    id: String(id),
    absentSince: String(since),
  }));
  for (const id of missing) {
    const state = parts.keyState(id);
    const kind = state === undefined ? 'not known' : 'key not accepted';
    const atMs = parts.clock.nowMs();
    const verdict = { kind, atMs, ...(state === undefined ? {} : { detail: state }) } as const;
    entries.push({ id, verdict });
    const outcome = outcomeDict({ id, ...verdict, givenUpMs: atMs });
    parts.fireEvent(tags.jobOutcome(jid, id), new Map<Value, Value>([['jid', jid], ['id', id], ...outcome]));
  }
  try {
    await parts.jobs.note(jid, entries);
  } catch (error) {
    parts.log.warning(`The ledger of job ${jid} could not be kept.`, error);
  }
}

/** Reserves a jid and keeps the job's load under it. */
async function registerJob(
  parts: PublishParts,
  request: PublishRequest,
  minions: string[],
): Promise<string | undefined> {
  const { opts, jobs, mirror, jids } = parts;
  for (let attempt = 0; attempt < JID_ATTEMPTS; attempt++) {
    const jid = request.jid === '' ? jids.next() : request.jid;
    const load = storedLoad(request, jid);
    if (!opts.get('job_cache')) return jid;
    mirror.save(jid, load);
    // Salt compat: a jid that was passed in may be known already, from a syndic's other master
    if ((await jobs.saveJob(jid, load, minions)) || request.jid !== '') return jid;
  }
  return undefined;
}

/** The load as the job cache keeps it: the request without its credentials. */
function storedLoad(request: PublishRequest, jid: string): Dict {
  const { fun, arg, tgt, tgtType, ret, user, to } = request;
  const kwargs: Dict = new Map(request.kwargs);
  for (const secret of ['username', 'password', 'token', 'eauth']) kwargs.delete(secret);
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
  if (request.publisher !== undefined) load.set('id', request.publisher);
  return load;
}

/** What the minion gets, in Salt's order (wire-protocol.md, 4.2). */
function publishLoad(
  opts: MasterOptions,
  request: PublishRequest,
  jid: string,
  perms: readonly Value[] | undefined,
): Dict {
  const { kwargs } = request;
  const load = dict({ fun: request.fun, arg: [...request.arg], tgt: request.tgt, jid, ret: request.ret });
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
