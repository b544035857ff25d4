/**
 * `postgres_schema` and `postgres_language`: what is in one database (3006.16 salt/states/postgres_schema.py,
 * salt/states/postgres_language.py).
 */
import { isDict, truthy } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  forgetTroubles,
  nameOf,
  PLACE,
  placeKeywords,
  postgres,
  switched,
  withoutPostgres,
  withoutRole,
  type Place,
} from './state/parts.ts';

/** A schema of a database. */
interface Schema extends Place {
  readonly dbname: string;
  readonly name: string;
}

const schemaKeywords = ({ user, db_user, db_password, db_host, db_port }: Place): Place => ({
  user,
  db_user,
  db_password,
  db_host,
  db_port,
});

async function schemaPresent(
  ctx: StateContext,
  schema: Schema,
  owner: string | undefined,
): Promise<StateResult> {
  const { dbname, name } = schema;
  forgetTroubles(ctx);
  const keywords = { ...schemaKeywords(schema) };
  const isThere = isDict(await postgres(ctx, 'schema_get', [dbname, name], keywords));
  const refusal = isThere ? undefined : await withoutRole(ctx, name, [owner], placeKeywords(schema));
  if (refusal !== undefined) return { dbname, ...refusal };
  const result = await switched(ctx, {
    name,
    isRight: isThere,
    change: 'Present',
    right: `Schema ${name} already exists in database ${dbname}`,
    foretold: `Schema ${name} is set to be created in database ${dbname}.`,
    done: `Schema ${name} has been created in database ${dbname}`,
    failure: `Failed to create schema ${name} in database ${dbname}`,
    run: async () => truthy(await postgres(ctx, 'schema_create', [dbname, name], { owner, ...keywords })),
  });
  return { dbname, ...result };
}

async function schemaAbsent(ctx: StateContext, schema: Schema): Promise<StateResult> {
  const { dbname, name } = schema;
  forgetTroubles(ctx);
  const keywords = { ...schemaKeywords(schema) };
  const result = await switched(ctx, {
    name,
    isRight: !truthy(await postgres(ctx, 'schema_exists', [dbname, name], keywords)),
    change: 'Absent',
    right: `Schema ${name} is not present in database ${dbname}, so it cannot be removed`,
    foretold: `Schema ${name} is set to be removed from database ${dbname}`,
    done: `Schema ${name} has been removed from database ${dbname}`,
    failure: `Schema ${name} failed to be removed`,
    run: async () => truthy(await postgres(ctx, 'schema_remove', [dbname, name], keywords)),
  });
  const { name: shown, ...rest } = result;
  return { name: shown, dbname, ...rest };
}

const DBNAME = { dbname: param.text({ doc: 'The database.' }) } as const;

/** The states of `postgres_schema`. */
export const postgresSchemaStates = defineModule({
  name: 'postgres_schema',
  file: 'postgres_schema',
  doc: 'Schemas of databases of PostgreSQL.',
  unavailable: withoutPostgres,
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a schema. The owner of one that is there is left alone.',
      params: {
        ...nameOf('schema'),
        ...DBNAME,
        owner: param.textOrNone({ default: null, doc: 'The owner of a schema that is made.' }),
        ...PLACE,
      },
      run: (ctx, { owner, ...schema }) => schemaPresent(ctx, schema, owner),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such schema; one with something in it stays, which is a failure.',
      params: { ...nameOf('schema'), ...DBNAME, ...PLACE },
      run: schemaAbsent,
    }),
  },
});

async function language(
  ctx: StateContext,
  { name, maintenance_db, ...place }: Place & { readonly name: string; readonly maintenance_db: string },
  isWanted: boolean,
): Promise<StateResult> {
  forgetTroubles(ctx);
  const keywords = placeKeywords(place);
  const isThere = truthy(await postgres(ctx, 'language_exists', [name, maintenance_db], keywords));
  const words = isWanted
    ? {
        change: 'Present' as const,
        right: `Language ${name} is already installed`,
        foretold: `Language ${name} is set to be installed`,
        done: `Language ${name} has been installed`,
        failure: `Failed to install language ${name}`,
      }
    : {
        change: 'Absent' as const,
        right: `Language ${name} is not present so it cannot be removed`,
        foretold: `Language ${name} is set to be removed`,
        done: `Language ${name} has been removed`,
        failure: `Failed to remove language ${name}`,
      };
  const fun = isWanted ? 'language_create' : 'language_remove';
  return switched(ctx, {
    name,
    isRight: isThere === isWanted,
    ...words,
    run: async () => truthy(await postgres(ctx, fun, [name, maintenance_db], keywords)),
  });
}

const DATABASE = { maintenance_db: param.text({ doc: 'The database.' }) } as const;

/** The states of `postgres_language`. */
export const postgresLanguageStates = defineModule({
  name: 'postgres_language',
  file: 'postgres_language',
  doc: 'Languages of databases of PostgreSQL.',
  unavailable: withoutPostgres,
  functions: {
    present: defineState({
      doc: 'Makes sure that a database has a language.',
      params: { ...nameOf('language'), ...DATABASE, ...PLACE },
      run: (ctx, wanted) => language(ctx, wanted, true),
    }),
    absent: defineState({
      doc: 'Makes sure that a database does not have a language.',
      params: { ...nameOf('language'), ...DATABASE, ...PLACE },
      run: (ctx, wanted) => language(ctx, wanted, false),
    }),
  },
});
