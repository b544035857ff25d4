/** `mysql_query`: queries on MariaDB and MySQL (3006.16 salt/states/mysql_query.py). */
import { existsSync } from 'node:fs';
import { SaltInvocationError } from '../../errors/errors.ts';
import { writeInPlace } from '../../host/file-operations.ts';
import { isAbs, isFile } from '../../python/paths.ts';
import { isOsError, osErrorText } from '../../python/os-errors.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { stateEnvironment } from '../shared/state-environment.ts';
import { CONNECTION, failureByError, mysql, takeError } from './state/parts.ts';
import { textIfSaid } from '../shared/optional-params.ts';
import { cachedFile } from '../shared/served-files.ts';
import { withoutPassword } from '../shared/source-url.ts';

const FROM_ELSEWHERE = /^(?:https?|salt|s3|swift):\/\//;

/** What is run, and where its answer goes. */
interface Query {
  readonly name: string;
  readonly database: string;
  /** `grain`, a file, or nowhere. */
  readonly output: string | undefined;
  readonly grain: string | undefined;
  readonly key: string | undefined;
  readonly overwrite: boolean;
  readonly check_db_exists: boolean;
  readonly client_flags: Value;
}

/** What is run, after all that could stand in its way. */
interface Task {
  readonly query: Query;
  readonly connection: Dict;
  run(connection: Dict): Promise<Value>;
}

async function grainOf(ctx: StateContext, name: string): Promise<Value | undefined> {
  const names = await ctx.functions.call('grains.ls');
  return Array.isArray(names) && names.includes(name) ? ctx.functions.call('grains.get', [name]) : undefined;
}

/** Where the answer goes, in words. */
function placeOf({ output, grain, key }: Query): string {
  return output === 'grain' ? `grain: ${grain}${key === undefined ? '' : `:${key}`}` : `file: ${output}`;
}

/** True when there is an answer already, which is not to be overwritten. */
async function isAnswered(ctx: StateContext, query: Query): Promise<boolean> {
  const { output, grain, key, overwrite } = query;
  if (overwrite || output === undefined) return false;
  if (output !== 'grain') return isFile(output);
  const value = await grainOf(ctx, grain ?? '');
  return key === undefined ? value !== undefined : isDict(value) && value.has(key);
}

/** The rows of an answer as mappings. */
function withMappings(answer: Dict): Dict {
  const [columns, rows] = [answer.get('columns'), answer.get('results')];
  if (!Array.isArray(columns) || !Array.isArray(rows)) return answer;
  const mapped = rows.map((row): Value => {
    const values = Array.isArray(row) ? row : [];
    return new Map(columns.map((name, i): [Value, Value] => [name, values[i] ?? null]));
  });
  return new Map([...answer, ['results', mapped]]);
}

/** The answer in a comment: Salt's columns are a tuple. */
function shown(answer: Dict): string {
  const columns = answer.get('columns');
  if (!Array.isArray(columns) || columns.some((column) => Array.isArray(column))) return pyRepr(answer);
  const tuple = `(${columns.map(pyRepr).join(', ')}${columns.length === 1 ? ',' : ''})`;
  return pyRepr(answer).replace(`'columns': ${pyRepr(columns)}`, () => `'columns': ${tuple}`);
}

function fileText(answer: Dict): string {
  const rows = answer.get('results');
  const lines = (item: Value): string =>
    isDict(item)
      ? [...item].map(([name, value]) => `${pyStr(name)}:${pyStr(value)}\n`).join('')
      : `${pyStr(item)}\n`;
  return Array.isArray(rows) ? rows.map(lines).join('') : lines(answer);
}

/** Puts the answer where it is to go. @returns what has changed */
async function store(ctx: StateContext, query: Query, answer: Dict): Promise<string> {
  const { output, grain = '', key } = query;
  if (output === undefined) return 'Executed';
  if (output !== 'grain') {
    writeInPlace(output, fileText(answer));
    return `Executed. Output into ${output}`;
  }
  const before = key === undefined ? undefined : await grainOf(ctx, grain);
  const value: Value =
    key === undefined ? answer : new Map<Value, Value>([...(isDict(before) ? before : []), [key, answer]]);
  await ctx.functions.call('grains.setval', [grain, value]);
  return `Executed. Output into ${placeOf(query)}`;
}

async function answered(ctx: StateContext, { query, connection, run }: Task): Promise<StateResult> {
  const { name } = query;
  const answer = await run(connection);
  const failure = failureByError(ctx, name);
  if (failure !== undefined) return failure;
  if (!isDict(answer)) return outcome(name, false, 'The query failed.');
  const made = withMappings(answer);
  try {
    return outcome(name, true, shown(made), dict({ query: await store(ctx, query, made) }));
  } catch (error) {
    if (!isOsError(error)) throw error;
    return outcome(name, false, `The query was executed, and its answer not stored: ${osErrorText(error)}`);
  }
}

/** Does all that comes before the query, and then runs it. */
async function perform(ctx: StateContext, task: Task): Promise<StateResult> {
  const { query } = task;
  const { name, database, output } = query;
  if (query.check_db_exists && !truthy(await mysql(ctx, 'db_exists', [database], task.connection)))
    return failureByError(ctx, name) ?? outcome(name, null, `Database ${database} is not present`);
  if (await isAnswered(ctx, query)) {
    const place = placeOf(query).replace(/^(grain|file): /, (_all, kind: string) =>
      kind === 'grain' ? 'Grain ' : 'File ',
    );
    return outcome(name, true, `No execution needed. ${place} already set`);
  }
  if (ctx.state.test)
    return outcome(
      name,
      null,
      `Query would execute, ${output === undefined ? 'not storing result' : `storing result in ${placeOf(query)}`}`,
    );
  return answered(ctx, task);
}

/** The keywords that say where, with the flags of the connection; undefined for flags that are no list. */
function withFlags({ client_flags }: Query, connection: Dict): Dict | undefined {
  if (client_flags === null) return connection;
  return Array.isArray(client_flags) ? new Map([...connection, ['client_flags', client_flags]]) : undefined;
}

/** Why a place for answers can never be one. Salt compat: a path that is not whole is below where the minion runs. */
function placeRefusal({ output, grain }: Pick<Query, 'output' | 'grain'>): string | undefined {
  if (output === 'grain' && grain === undefined)
    return "Error: output type 'grain' needs the grain parameter\n";
  if (output === undefined || output === 'grain') return undefined;
  return isAbs(output)
    ? undefined
    : `output must be grain, or the whole path of a file, not ${pyRepr(output)}`;
}

const wrongFlags = (name: string): StateResult => outcome(name, false, 'Error: client_flags must be a list.');

const QUERY = {
  name: param.text({ doc: 'What the query is called in results.' }),
  database: param.text({ doc: 'The database.' }),
  output: textIfSaid('Where the answer goes: grain, or a file; default: into the comment.'),
  grain: textIfSaid('The grain, for `output: grain`.'),
  key: textIfSaid('The key within the grain.'),
  overwrite: param.flag({ default: true, doc: 'Run it although there is an answer already.' }),
  check_db_exists: param.flag({ default: true, doc: 'Do nothing where the database is not there.' }),
  client_flags: param.value({
    default: null,
    type: 'list',
    doc: 'Flags of the connection: multi_statements.',
  }),
} as const;

/** The states of `mysql_query`. */
export const mysqlQueryStates = defineModule({
  name: 'mysql_query',
  file: 'mysql_query',
  doc: 'Queries on MariaDB and MySQL.',
  functions: {
    run: defineState({
      doc: 'Runs a query, at each run unless its answer is kept and not to be overwritten.',
      params: { ...QUERY, query: param.text({ doc: 'The query.' }) },
      kwargs: CONNECTION,
      refuses: placeRefusal,
      run: (ctx, { query: sql, ...query }, connection) => {
        takeError(ctx);
        const flagged = withFlags(query, connection);
        if (flagged === undefined) return wrongFlags(query.name);
        const run = (where: Dict): Promise<Value> => mysql(ctx, 'query', [query.database, sql], where);
        return perform(ctx, { query, connection: flagged, run });
      },
    }),
    run_file: defineState({
      doc: 'Runs the statements of a file, in the same way.',
      params: {
        ...QUERY,
        query_file: textIfSaid('The file: a path, or an address such as salt://.'),
        saltenv: param.value({ default: null, type: 'str', doc: 'The environment of the file.' }),
      },
      kwargs: CONNECTION,
      refuses: placeRefusal,
      run: async (ctx, { query_file, saltenv, ...query }, connection) => {
        takeError(ctx);
        const flagged = withFlags(query, connection);
        if (flagged === undefined) return wrongFlags(query.name);
        if (query_file === undefined) throw new SaltInvocationError('The argument query_file is missing.');
        const path = FROM_ELSEWHERE.test(query_file)
          ? await cachedFile(ctx, [query_file], { saltenv: saltenv ?? stateEnvironment(ctx) })
          : query_file;
        if (path === undefined || !existsSync(path))
          return outcome(query.name, false, `File ${withoutPassword(query_file)} does not exist`);
        const run = (where: Dict): Promise<Value> => mysql(ctx, 'file_query', [query.database, path], where);
        return perform(ctx, { query, connection: flagged, run });
      },
    }),
  },
});
