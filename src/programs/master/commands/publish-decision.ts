/**
 * Deciding on a publication: whether it is forbidden to all, whom it reaches, and whether this user may. Nothing is
 * changed here.
 */
import type { MasterOptions } from '../../../config/master-options.ts';
import { forecast } from '../../../runtime/targeting/forecast.ts';
import { parseTarget } from '../../../runtime/targeting/parse-target.ts';
import { TargetError, type Fleet, type Forecast } from '../../../runtime/targeting/target.ts';
import { truthy, type Value } from '../../../python/values/value.ts';
import { given } from '../../../runtime/access/auth-list.ts';
import { areFunctionsBlacklisted, isUserBlacklisted } from '../../../runtime/access/blacklist.ts';
import { reachOfRule } from '../../../runtime/access/reach.ts';
import { isImpossibleJid, isNearJid } from '../../../storage/jobs/job-days.ts';
import type { LocalQuestion, Rights } from '../../../runtime/access/question.ts';
import { voucherOf, type Requester } from '../auth/requester.ts';
import type { KnownSyndic } from '../syndics.ts';
import { isPartOf } from './job-parts.ts';
import type { PublishDeps } from './publish-deps.ts';
import type { PublishRequest } from './publish-request.ts';

/**
 * Fields of `kwargs` that say how a minion runs a job and where its returner writes: that is beyond any list of
 * functions.
 */
const ONLY_FOR_FULL_RIGHTS = ['ret_config', 'ret_kwargs', 'module_executors', 'executor_opts'] as const;

/** What is known of whom a job reaches. */
export interface Reach {
  readonly predicted: Forecast;
  readonly syndics: readonly KnownSyndic[];
  /** What the user may do; undefined for everything. */
  readonly perms: readonly Value[] | undefined;
}

/** A syndic runs no jobs itself: its id is nobody to wait for, unless a minion of the same id is there, too. */
export function withoutSyndics(resolved: Forecast, syndics: readonly KnownSyndic[]): Forecast {
  const ids = new Set(syndics.filter(({ isMinion }) => !isMinion).map(({ id }) => id));
  return ids.size === 0 ? resolved : { ...resolved, minions: resolved.minions.filter((id) => !ids.has(id)) };
}

/** The list that a syndic hands down counts only from whoever may do everything here (CVE-2022-22941). */
export function rightsFor(rights: Rights, { authList }: PublishRequest): Rights {
  if (rights.kind === 'limited' || authList === undefined || authList.length === 0) return rights;
  return { kind: 'limited', rules: given([...authList], 'the rules from the master above') };
}

/** The rules as they go down with a job; undefined for full rights. */
export function permsOf(rights: Rights): readonly Value[] | undefined {
  return rights.kind === 'full' ? undefined : rights.rules.map(({ rule }) => rule);
}

/**
 * In whose name a job is published: his who logged in or has a token, whatever the request says. A syndic publishes in
 * the name of the user above.
 */
export function inOriginalName(requester: Requester, request: PublishRequest): PublishRequest {
  if (requester.type !== 'user') return { ...request, user: requester.user, eauth: voucherOf(requester) };
  const user = request.authList === undefined ? undefined : request.kwargs.get('user');
  return requester.rights.kind === 'full' && typeof user === 'string' ? { ...request, user } : request;
}

/** Whether `publisher_acl_blacklist` refuses a job, whoever asks. */
export function isBlacklisted(opts: MasterOptions, request: PublishRequest): boolean {
  const blacklist = opts.raw('publisher_acl_blacklist');
  return (
    isUserBlacklisted(blacklist, request.user ?? '') ||
    areFunctionsBlacklisted(blacklist, request.funs, argumentLists(request))
  );
}

/** The argument list of each function. */
function argumentLists({ fun, arg }: PublishRequest): readonly Value[] {
  return Array.isArray(fun) ? arg : [[...arg]];
}

export function predict(fleet: Fleet, request: PublishRequest): Forecast | TargetError {
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

/** What is asked about a job. */
export function questionOf(
  deps: Pick<PublishDeps, 'opts' | 'fleet'>,
  request: PublishRequest,
  predicted: Forecast,
): LocalQuestion {
  return {
    client: 'local',
    isDecidedBelow: deps.opts.get('order_masters'),
    beyondRules: ONLY_FOR_FULL_RIGHTS.filter((field) => truthy(request.kwargs.get(field) ?? null)),
    funs: request.funs,
    args: argumentLists(request),
    minions: predicted.minions,
    minionsOf: (expression) => reachOfRule(expression, deps.fleet, deps.opts.get('nodegroups')),
  };
}

/**
 * Why a job cannot have the id that was asked for; undefined where it can. Salt compat: Salt takes any, so that whoever
 * may publish anything at all puts jobs of his at the top of every list for years. Syndics and orchestrations name jobs
 * that have begun.
 */
export function whyNotJid(
  { clock }: Pick<PublishDeps, 'clock'>,
  { rights }: Requester,
  { jid }: PublishRequest,
): string | undefined {
  if (jid === '') return undefined;
  if (rights.kind === 'limited' && !isNearJid(jid, clock))
    return `The job id ${jid} is not one of the present: without full rights only those within an hour of now can be chosen. Leave it out, and the job gets one.`;
  if (isImpossibleJid(jid, clock))
    return `The job id ${jid} is of a time in which no job can have begun. Leave it out, and the job gets one.`;
  return undefined;
}

/**
 * True when a user with limited rights asks for the id of a job that there is, and of which his is no part: its returns
 * would mix with his.
 */
export async function takesJid(
  { jobs }: PublishDeps,
  { rights }: Requester,
  request: PublishRequest,
): Promise<boolean> {
  if (rights.kind !== 'limited' || request.jid === '') return false;
  const known = await jobs.job(request.jid);
  return known !== undefined && !isPartOf(known, request);
}
