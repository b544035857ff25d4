/** What all states of PostgreSQL share. */
import { CommandExecutionError, SaltInvocationError } from '../../../errors/errors.ts';
import { findProgram } from '../../../host/which.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, truthy, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { POSTGRES_ERROR, postgresProgram } from '../module/connection.ts';
import { mayBeMade } from '../../shared/made-earlier.ts';
import { outcome } from '../../shared/outcome.ts';
import type { StateContext, StateResult } from '../../shared/state-function.ts';

const UNAVAILABLE = 'Unable to load postgres module.  Make sure `postgres.bins_dir` is set.';

/** Why the states cannot be used here. */
export const withoutPostgres = ({ opts }: { readonly opts: Dict }): string | undefined =>
  postgresProgram(opts, 'psql') === undefined ? UNAVAILABLE : undefined;

/** The same for the state of clusters, which needs Debian's tools. */
export const withoutClusters = (): string | undefined =>
  findProgram('pg_createcluster') === undefined ? UNAVAILABLE : undefined;

/** The parameter `name`. @param noun what it names */
export const nameOf = (noun: string): { readonly name: ReturnType<typeof param.text> } => ({
  name: param.text({ doc: `The ${noun}.` }),
});

/** The connection under the names that the states have for its parts. */
export const PLACE = {
  user: param.textIfGiven({
    default: null,
    account: 'user',
    doc: 'The user of the system who runs psql; default: postgres.',
  }),
  db_user: param.textIfGiven({ default: null, doc: 'The user of the database.' }),
  db_password: param.textOrNone({ default: null, doc: 'His password.' }),
  db_host: param.textIfGiven({ default: null, doc: 'The host, or a folder of sockets.' }),
  db_port: param.textIfGiven({ default: null, type: 'int', isLine: true, doc: 'The port.' }),
} as const;
/** The same with a database. */
export const PLACE_AND_DATABASE = {
  maintenance_db: param.textIfGiven({ default: null, doc: 'The database to work in.' }),
  ...PLACE,
} as const;

/** A connection as states are given it. */
export interface Place {
  readonly user: string | undefined;
  readonly db_user: string | undefined;
  readonly db_password: string | undefined;
  readonly db_host: string | undefined;
  readonly db_port: string | undefined;
  readonly maintenance_db?: string | undefined;
}

/** The same as keywords of execution functions. */
export function placeKeywords(place: Place): DictInit {
  const { user, db_user, db_password, db_host, db_port, maintenance_db } = place;
  return {
    ...(maintenance_db === undefined ? {} : { maintenance_db }),
    runas: user ?? null,
    host: db_host ?? null,
    user: db_user ?? null,
    port: db_port ?? null,
    password: db_password ?? null,
  };
}

/**
 * Calls a function of `postgres`.
 * @throws SaltInvocationError where there is no such user of the system, so that it is the comment and no traceback
 */
export async function postgres(
  ctx: StateContext,
  fun: string,
  args: readonly Value[],
  keywords: DictInit = {},
): Promise<Value> {
  try {
    return await ctx.functions.call(`postgres.${fun}`, args, dict(keywords));
  } catch (error) {
    if (!(error instanceof CommandExecutionError) || !/^User '.*' is not available$/s.test(error.message))
      throw error;
    throw new SaltInvocationError(error.message);
  }
}

/** Forgets what the programs said before. */
export function forgetTroubles(ctx: StateContext): void {
  ctx.state.memory.delete(POSTGRES_ERROR);
}

/** What the program said when it failed; undefined when it did not. */
export function troubleOf(ctx: StateContext): string | undefined {
  const said = ctx.state.memory.get(POSTGRES_ERROR);
  return said === undefined || said === null ? undefined : pyStr(said);
}

/** A failure, with Salt's words and what the program said. */
export function failed(ctx: StateContext, name: Value, comment: string): StateResult {
  const said = troubleOf(ctx);
  return outcome(name, false, said === undefined || said === '' ? comment : `${comment}\n${said}`);
}

/**
 * In test mode: the failure that the run would end with, where the server did not answer what was asked, and no earlier
 * state of the run would start it. Salt compat: Salt promises.
 */
export function unanswered(ctx: StateContext, name: Value, comment: string): StateResult | undefined {
  const isFault = ctx.state.test && troubleOf(ctx) !== undefined && !mayBeMade(ctx);
  return isFault ? failed(ctx, name, comment) : undefined;
}

/**
 * In test mode: the failure that the run would end with where a role is not there that is to own or to contain
 * something, and that no earlier state of the run would make. Salt compat: Salt promises.
 */
export async function withoutRole(
  ctx: StateContext,
  name: Value,
  roles: readonly (string | undefined)[],
  keywords: DictInit,
): Promise<StateResult | undefined> {
  if (!ctx.state.test || mayBeMade(ctx) || troubleOf(ctx) !== undefined) return undefined;
  for (const role of roles)
    if (role !== undefined && !truthy(await postgres(ctx, 'user_exists', [role], keywords)))
      return outcome(name, false, `Role ${role} does not exist`);
  return undefined;
}

/** What a state adds or removes. */
export interface Switch {
  readonly name: string;
  readonly isRight: boolean;
  readonly change: 'Present' | 'Absent';
  /** The comments: nothing is to do, it is foretold, it is done, it failed. */
  readonly right: string;
  readonly foretold: string;
  readonly done: string;
  readonly failure: string;
  run(): Promise<boolean>;
}

/**
 * Does one thing, or says what it would do.
 * Salt compat: what a server that does not answer is asked to remove, Salt takes for removed.
 */
export async function switched(ctx: StateContext, wanted: Switch): Promise<StateResult> {
  const { name, isRight, change } = wanted;
  if (isRight && change === 'Absent' && !ctx.state.test && troubleOf(ctx) !== undefined)
    return failed(ctx, name, wanted.failure);
  const silent = isRight && change === 'Present' ? undefined : unanswered(ctx, name, wanted.failure);
  if (silent !== undefined) return silent;
  if (isRight) return outcome(name, true, wanted.right);
  if (ctx.state.test) return outcome(name, null, wanted.foretold);
  forgetTroubles(ctx);
  return (await wanted.run())
    ? outcome(name, true, wanted.done, dict({ [name]: change }))
    : failed(ctx, name, wanted.failure);
}
