/** What all states of PostgreSQL share. */
import { findProgram } from '../../../host/which.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Dict, type DictInit, type Value } from '../../../python/values/value.ts';
import { param } from '../../../runtime/loader/params.ts';
import { POSTGRES_ERROR, postgresProgram } from '../module/connection.ts';
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
  db_port: param.textIfGiven({ default: null, type: 'int', doc: 'The port.' }),
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

/** Calls a function of `postgres`. */
export function postgres(
  ctx: StateContext,
  fun: string,
  args: readonly Value[],
  keywords: DictInit = {},
): Promise<Value> {
  return ctx.functions.call(`postgres.${fun}`, args, dict(keywords));
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
  if (isRight) return outcome(name, true, wanted.right);
  if (ctx.state.test) return outcome(name, null, wanted.foretold);
  forgetTroubles(ctx);
  return (await wanted.run())
    ? outcome(name, true, wanted.done, dict({ [name]: change }))
    : failed(ctx, name, wanted.failure);
}
