/** Checks that come before the states of `file` do anything. */
import { optionOf } from '../../../runtime/loader/option-of.ts';
import { isAbs, pathExists } from '../../../python/paths.ts';
import { findUser } from '../../../host/users.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { FileOutcome } from './outcome.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
import type { StateContext } from '../../shared/state-function.ts';
import { gidOf, uidOf } from '../../shared/accounts.ts';

/** A user and group that a file is to have. */
export interface Owner {
  readonly user: Value;
  readonly group: Value;
}

/** The user that is asked for; `owner` counts when it is given by mistake. */
export function askedUser(ctx: StateContext, user: Value, kwargs: Dict): Value {
  if (truthy(user) || !kwargs.has('owner')) return user;
  ctx.log.warning('Use of argument owner found, "owner" is invalid, please use "user"');
  return kwargs.get('owner') ?? null;
}

/** The owner where none is asked for: the minion's user, and that user's group. */
export async function ownerOrMinions(ctx: StateContext, { user, group }: Owner): Promise<Owner> {
  const name = user ?? optionOf(ctx.opts, 'user');
  if (group !== null) return { user: name, group };
  // not by user.info, as Salt does: that asks another program for all groups of the user, at each link
  const account = typeof name === 'string' || typeof name === 'number' ? await findUser(name) : undefined;
  return { user: name, group: await ctx.functions.call('file.gid_to_group', [account?.gid ?? 0]) };
}

/**
 * Salt's sentence about a user or group that there is not; empty when all is well, and in test mode when an earlier
 * state may make them. Salt compat: there, test mode only warns of it in the log.
 */
export async function missingOwner(ctx: StateContext, { user, group }: Owner): Promise<string> {
  let error = '';
  if (truthy(user) && (await uidOf(ctx, [user])) === undefined)
    error += `User ${pyStr(user)} is not available `;
  if (truthy(group) && (await gidOf(ctx, [group])) === undefined)
    error += `Group ${pyStr(group)} is not available`;
  if (error === '' || !mayBeMade(ctx)) return error;
  ctx.log.warning(error);
  return '';
}

/** What stands in the way of making a link: several sentences may be joined. */
export async function linkObstacles(
  ctx: StateContext,
  { user, group }: Owner,
  paths: readonly (readonly [what: string, path: string])[],
): Promise<string> {
  const errors: string[] = [];
  const isNeeded = !mayBeMade(ctx);
  if (isNeeded && (await uidOf(ctx, [user])) === undefined) errors.push(`User ${pyStr(user)} does not exist`);
  if (isNeeded && (await gidOf(ctx, [group])) === undefined)
    errors.push(`Group ${pyStr(group)} does not exist`);
  for (const [what, path] of paths)
    if (!isAbs(path)) errors.push(`Specified ${what} ${path} is not an absolute path`);
  return errors.join('. ') + (errors.length > 1 ? '.' : '');
}

/** The end of a state that edits a file which an earlier state of the test would make. */
export function endForeseen(outcome: FileOutcome, name: string): Dict {
  return outcome.end(null, `File ${name} is to be made by an earlier state, and would be edited then`);
}

/** Why a file cannot be edited; undefined when it can. */
export function editObstacle(name: string): string | undefined {
  if (!isAbs(name)) return `Specified file ${name} is not an absolute path`;
  return pathExists(name) ? undefined : `${name}: file not found`;
}
