/** Deciding on a publication: whether it is forbidden to all, whom it reaches, and whether this user may. Nothing is changed here. */
import type { MasterOptions } from '../../../config/master-options.ts';
import { forecast } from '../../../runtime/targeting/forecast.ts';
import { parseTarget } from '../../../runtime/targeting/parse-target.ts';
import { TargetError, type Fleet, type Forecast } from '../../../runtime/targeting/target.ts';
import { expressionMatch } from '../../../python/text/expression-match.ts';
import { isDict, truthy, type Value } from '../../../python/values/value.ts';
import { functionsOf, isAuthorised } from '../auth/permissions.ts';
import type { KnownSyndic } from '../syndics.ts';
import type { Rights } from '../auth/user-auth.ts';
import type { PublishParts } from './publish-parts.ts';
import type { PublishRequest } from './publish-request.ts';

/** Fields of `kwargs` that say how a minion runs a job and where its returner writes: that is beyond any list of functions. */
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
export function permsOf(rights: Rights, { authList }: PublishRequest): readonly Value[] | undefined {
  if (rights.kind === 'limited') return rights.perms;
  return authList !== undefined && authList.length > 0 ? authList : undefined;
}

/** A syndic publishes in the name of the user above. */
export function inOriginalName(rights: Rights, request: PublishRequest): PublishRequest {
  const user = request.authList === undefined ? undefined : request.kwargs.get('user');
  return rights.kind === 'full' && typeof user === 'string' ? { ...request, user } : request;
}

/**
 * `publisher_acl_blacklist`: each entry is a glob or an anchored regular expression. A function inside another counts, too; where it
 * cannot be told which that is, the job is refused as soon as there are blacklisted functions.
 */
export function isBlacklisted(opts: MasterOptions, request: PublishRequest): boolean {
  const blacklist = opts.raw('publisher_acl_blacklist');
  if (blacklist === undefined || !isDict(blacklist)) return false;
  const listed = (key: string, texts: readonly string[]): boolean => {
    const entries = blacklist.get(key);
    return (
      Array.isArray(entries) &&
      entries.some((entry) => texts.some((text) => expressionMatch(text, String(entry))))
    );
  };
  if (listed('users', [request.user ?? '']) || listed('modules', request.funs)) return true;
  if (!truthy(blacklist.get('modules') ?? null)) return false;
  const args = Array.isArray(request.fun) ? request.arg : [[...request.arg]];
  return request.funs.some((fun, i) => {
    const inner = functionsOf(fun, args[i] ?? []);
    return inner === undefined || listed('modules', inner);
  });
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

export function mayPublish(
  parts: PublishParts,
  perms: readonly Value[] | undefined,
  request: PublishRequest,
  predicted: Forecast,
): boolean {
  if (perms === undefined) return true;
  if (ONLY_FOR_FULL_RIGHTS.some((field) => truthy(request.kwargs.get(field) ?? null))) return false;
  return isAuthorised(perms, {
    isDecidedBelow: parts.opts.get('order_masters'),
    funs: request.funs,
    args: Array.isArray(request.fun) ? request.arg : [[...request.arg]],
    minions: predicted.minions,
    minionsOf: (expression) =>
      new Set(
        forecast(parseTarget(expression, 'compound'), parts.fleet, { greedy: false, forRights: true })
          .minions,
      ),
  });
}

/** True when a user with limited rights asks for the id of a job that there is: its returns would mix with his. */
export async function takesJid(
  { jobs }: PublishParts,
  rights: Rights,
  { jid }: PublishRequest,
): Promise<boolean> {
  return rights.kind === 'limited' && jid !== '' && (await jobs.job(jid)) !== undefined;
}
