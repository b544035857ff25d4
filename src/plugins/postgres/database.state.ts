/** `postgres_database`: databases of PostgreSQL (3006.16 salt/states/postgres_database.py). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  failed,
  forgetTroubles,
  nameOf,
  placeKeywords,
  PLACE_AND_DATABASE,
  postgres,
  switched,
  troubleOf,
  unanswered,
  withoutPostgres,
  withoutRole,
  type Place,
} from './state/parts.ts';
import { textIfSaid } from '../shared/optional-params.ts';

/** What a database is to be. */
interface WantedDatabase extends Place {
  readonly name: string;
  readonly tablespace: string | undefined;
  readonly encoding: string | undefined;
  readonly lc_collate: string | undefined;
  readonly lc_ctype: string | undefined;
  readonly owner: string | undefined;
  readonly owner_recurse: boolean;
  readonly template: string | undefined;
}

async function create(ctx: StateContext, wanted: WantedDatabase): Promise<StateResult> {
  const { name, tablespace, encoding, lc_collate, lc_ctype, owner, template } = wanted;
  const keywords = { tablespace, encoding, lc_collate, lc_ctype, owner, template, ...placeKeywords(wanted) };
  return truthy(await postgres(ctx, 'db_create', [name], keywords))
    ? outcome(name, true, `The database ${name} has been created`, dict({ [name]: 'Present' }))
    : failed(ctx, name, `Failed to create database ${name}`);
}

async function alter(ctx: StateContext, wanted: WantedDatabase): Promise<StateResult> {
  const { name, tablespace, owner, owner_recurse } = wanted;
  const keywords = { tablespace, owner, owner_recurse, ...placeKeywords(wanted) };
  return truthy(await postgres(ctx, 'db_alter', [name], keywords))
    ? outcome(
        name,
        true,
        `Parameters for database ${name} have been changed`,
        dict({ [name]: 'Parameters changed' }),
      )
    : failed(ctx, name, `Failed to change parameters for database ${name}`);
}

async function present(ctx: StateContext, wanted: WantedDatabase): Promise<StateResult> {
  const { name } = wanted;
  forgetTroubles(ctx);
  const all = await postgres(ctx, 'db_list', [], placeKeywords(wanted));
  const found = isDict(all) ? all.get(name) : undefined;
  if (!isDict(found)) {
    const refusal =
      unanswered(ctx, name, `Failed to create database ${name}`) ??
      (await withoutRole(ctx, name, [wanted.owner], placeKeywords(wanted)));
    if (refusal !== undefined) return refusal;
    if (ctx.state.test) return outcome(name, null, `Database ${name} is set to be created`);
    return create(ctx, wanted);
  }
  const has = (field: string): string => pyStr(found.get(field) ?? '');
  const differs = (field: string, value: string | undefined): boolean =>
    value !== undefined && has(field) !== value;
  if (
    (wanted.encoding !== undefined && has('Encoding').toLowerCase() !== wanted.encoding.toLowerCase()) ||
    differs('Collate', wanted.lc_collate) ||
    differs('Ctype', wanted.lc_ctype)
  )
    return outcome(name, false, `Database ${name} has wrong parameters which couldn't be changed on fly.`);
  if (!differs('Tablespace', wanted.tablespace) && !differs('Owner', wanted.owner))
    return outcome(name, true, `Database ${name} is already present`);
  const refusal = await withoutRole(ctx, name, [wanted.owner], placeKeywords(wanted));
  if (refusal !== undefined) return refusal;
  if (ctx.state.test)
    return outcome(name, null, `Database ${name} exists, but parameters need to be changed`);
  return alter(ctx, wanted);
}

async function absent(ctx: StateContext, name: string, place: Place): Promise<StateResult> {
  forgetTroubles(ctx);
  const keywords = placeKeywords(place);
  const failure = `Database ${name} failed to be removed`;
  try {
    return await switched(ctx, {
      name,
      isRight: !truthy(await postgres(ctx, 'db_exists', [name], keywords)),
      change: 'Absent',
      right: `Database ${name} is not present, so it cannot be removed`,
      foretold: `Database ${name} is set to be removed`,
      done: `Database ${name} has been removed`,
      failure,
      run: async () => truthy(await postgres(ctx, 'db_remove', [name], keywords)),
    });
  } catch (error) {
    if (!(error instanceof CommandExecutionError) || troubleOf(ctx) === undefined) throw error;
    return failed(ctx, name, failure);
  }
}

/** The states of `postgres_database`. */
export const postgresDatabaseStates = defineModule({
  name: 'postgres_database',
  file: 'postgres_database',
  doc: 'Databases of PostgreSQL.',
  unavailable: withoutPostgres,
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a database, with its owner and tablespace.',
      params: {
        ...nameOf('database'),
        tablespace: textIfSaid('The tablespace.'),
        encoding: textIfSaid('The encoding; that of an existing database cannot be changed.'),
        lc_collate: textIfSaid('The locale of its order; cannot be changed.'),
        lc_ctype: textIfSaid('The locale of its classes of characters; cannot be changed.'),
        owner: textIfSaid('The owner.'),
        owner_recurse: param.flag({ default: false, doc: 'Give a new owner all that is in it as well.' }),
        template: textIfSaid('The database that it becomes a copy of.'),
        ...PLACE_AND_DATABASE,
      },
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such database.',
      params: { ...nameOf('database'), ...PLACE_AND_DATABASE },
      run: (ctx, { name, ...place }) => absent(ctx, name, place),
    }),
  },
});
