/** `mysql_database`: databases of MariaDB and MySQL (3006.16 salt/states/mysql_database.py). */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { CONNECTION, errorInParentheses, failureByError, mysql, takeError } from './state/parts.ts';
import { textIfSaid } from '../shared/optional-params.ts';

/** What a database is to be like. */
interface WantedDatabase {
  readonly name: string;
  readonly character_set: string | undefined;
  readonly collate: string | undefined;
}

/** The name that servers have for one: in small letters, and `utf8` is short for `utf8mb3`. */
const asKept = (name: string): string => name.toLowerCase().replace(/^utf8(?=_|$)/, 'utf8mb3');

const SETTINGS = ['collate', 'character_set'] as const;

/** Changes the settings of a database that is there, where they are others. */
async function adjust(
  ctx: StateContext,
  { name, character_set, collate }: WantedDatabase,
  existing: Dict,
  connection: Dict,
): Promise<StateResult> {
  let comment = `Database ${name} is already present`;
  const has = (field: string): string => pyStr(existing.get(field) ?? null);
  // Salt compat: `utf8` and names in capitals are set again at each run
  const isOther = character_set !== undefined && asKept(character_set) !== asKept(has('character_set'));
  const isSortedOtherwise = collate !== undefined && asKept(collate) !== asKept(has('collate'));
  if (isOther)
    comment = `Database character set ${character_set} != ${has('character_set')} needs to be updated`;
  if (isSortedOtherwise) comment += `\nDatabase collate ${collate} != ${has('collate')} needs to be updated`;
  if (!isOther && !isSortedOtherwise) return outcome(name, true, comment);
  if (ctx.state.test)
    return outcome(
      name,
      null,
      isSortedOtherwise ? comment : `${comment}\nDatabase ${name} is going to be updated`,
    );
  const keywords = { character_set: character_set ?? null, collate: collate ?? null };
  const isDone = truthy(await mysql(ctx, 'alter_db', [name], connection, keywords));
  if (!isDone) return outcome(name, false, `${comment}${errorInParentheses(ctx)}`);
  const current = await mysql(ctx, 'db_get', [name], connection);
  const changes = dict();
  for (const field of SETTINGS) {
    const [before, now] = [
      existing.get(field) ?? null,
      isDict(current) ? (current.get(field) ?? null) : null,
    ];
    if (before !== now) changes.set(field, dict({ before, now }));
  }
  return outcome(name, true, comment, changes);
}

async function present(ctx: StateContext, wanted: WantedDatabase, connection: Dict): Promise<StateResult> {
  const { name, character_set, collate } = wanted;
  takeError(ctx);
  const existing = await mysql(ctx, 'db_get', [name], connection);
  if (isDict(existing) && existing.size > 0) return adjust(ctx, wanted, existing, connection);
  const failure = failureByError(ctx, name);
  if (failure !== undefined) return failure;
  if (ctx.state.test) return outcome(name, null, `Database ${name} is not present and needs to be created`);
  const keywords = { character_set: character_set ?? null, collate: collate ?? null };
  return truthy(await mysql(ctx, 'db_create', [name], connection, keywords))
    ? outcome(name, true, `The database ${name} has been created`, dict({ [name]: 'Present' }))
    : outcome(name, false, `Failed to create database ${name}${errorInParentheses(ctx)}`);
}

async function absent(ctx: StateContext, name: string, connection: Dict): Promise<StateResult> {
  takeError(ctx);
  if (!truthy(await mysql(ctx, 'db_exists', [name], connection)))
    return (
      failureByError(ctx, name) ??
      outcome(name, true, `Database ${name} is not present, so it cannot be removed`)
    );
  if (ctx.state.test) return outcome(name, null, `Database ${name} is present and needs to be removed`);
  if (truthy(await mysql(ctx, 'db_remove', [name], connection)))
    return outcome(name, true, `Database ${name} has been removed`, dict({ [name]: 'Absent' }));
  // Salt compat: of a database that is the server's own, Salt says that it is not there.
  return outcome(name, false, `Unable to remove database ${name}${errorInParentheses(ctx)}`);
}

/** Why names of settings can never be right. Salt compat: promised in test mode. */
function refuses({
  name,
  character_set,
  collate,
}: Pick<WantedDatabase, 'name' | 'character_set' | 'collate'>): string | undefined {
  if (name === '') return 'A database needs a name: it cannot be empty';
  const isNone = (word: string | undefined): boolean => word !== undefined && !/^[a-z]\w*$/i.test(word);
  if (isNone(character_set)) return `The character set ${pyRepr(character_set ?? null)} is no name of one.`;
  return isNone(collate) ? `The collation ${pyRepr(collate ?? null)} is no name of one.` : undefined;
}

const NAME = { name: param.text({ doc: 'The database.' }) } as const;

/** The states of `mysql_database`. */
export const mysqlDatabaseStates = defineModule({
  name: 'mysql_database',
  file: 'mysql_database',
  doc: 'Databases of MariaDB and MySQL.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a database, with its character set and collation.',
      params: {
        ...NAME,
        character_set: textIfSaid('The character set.'),
        collate: textIfSaid('The collation.'),
      },
      kwargs: CONNECTION,
      refuses,
      run: present,
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such database.',
      params: NAME,
      kwargs: CONNECTION,
      run: (ctx, { name }, connection) => absent(ctx, name, connection),
    }),
  },
});
