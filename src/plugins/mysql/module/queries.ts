/** The functions of `mysql` that run queries (3006.16 salt/modules/mysql.py). */
import { isFile } from '../../../python/paths.ts';
import { readBytes } from '../../../host/file-operations.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, float, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { connectionKeywords, withServer, type MysqlServer } from './connection.ts';
import { statementsOf } from './statements.ts';
import { cachedFile } from '../../shared/served-files.ts';

/** What a statement begins with that returns rows, as Salt sees it. */
const RETURNS_ROWS = /^\s*(?:SELECT|SHOW|DESC)/i;
const FROM_ELSEWHERE = /^(?:salt|https?|swift|s3):\/\//;
const LONG_S = 0.2;

/** Python's `str(round(x, n))`. */
function rounded(value: number, digits: number): string {
  return pyStr(float(Number(value.toFixed(digits))));
}

/** One statement and how long it took, as Salt returns it. */
async function timed(
  ctx: ModuleContext,
  server: MysqlServer,
  sql: string,
): Promise<[answer: Dict, seconds: number]> {
  const startMs = ctx.clock.monotonicMs();
  const { columns, rows, count } = await server.run(sql, [], true);
  const seconds = (ctx.clock.monotonicMs() - startMs) / 1000;
  const human = seconds < LONG_S ? `${rounded(seconds * 1000, 1)}ms` : `${rounded(seconds, 2)}s`;
  const answer = dict({ 'query time': { human, raw: rounded(seconds, 5) } });
  if (!RETURNS_ROWS.test(sql)) return [answer.set('rows affected', count), seconds];
  answer.set('rows returned', count);
  answer.set('columns', [...columns]);
  return [
    answer.set(
      'results',
      rows.map((row) => [...row]),
    ),
    seconds,
  ];
}

/** The statements of a file, one after the other, and their answers put together. */
async function runScript(ctx: ModuleContext, server: MysqlServer, script: string): Promise<Dict> {
  const [columns, results]: [Value[], Value[]] = [[], []];
  let [returned, affected, seconds] = [0, 0, 0];
  for (const statement of statementsOf(script)) {
    const [answer, took] = await timed(ctx, server, statement);
    seconds += took;
    returned += Number(answer.get('rows returned') ?? 0);
    affected += Number(answer.get('rows affected') ?? 0);
    if (answer.has('columns')) columns.push(answer.get('columns') ?? null);
    if (answer.has('results')) results.push(answer.get('results') ?? null);
  }
  const time = dict({ raw: float(Number(seconds.toFixed(5))), human: `${rounded(seconds, 2)}s` });
  return new Map<Value, Value>([
    ...(returned > 0 ? [['rows returned', returned] as [Value, Value]] : []),
    ...(columns.length > 0 ? [['columns', columns] as [Value, Value]] : []),
    ...(results.length > 0 ? [['results', results] as [Value, Value]] : []),
    ...(affected > 0 ? [['rows affected', affected] as [Value, Value]] : []),
    ['query time', time],
  ]);
}

const DATABASE = { database: param.textOrEmpty({ doc: 'The database.' }) } as const;

const inDatabase = (kwargs: Dict, database: string): Dict =>
  new Map([...connectionKeywords(kwargs), ['connection_db', database]]);

/** The functions that run queries. */
export const queryFunctions = {
  query: defineFunction({
    doc: 'Runs one statement.',
    params: { ...DATABASE, query: param.text({ doc: 'The statement.' }) },
    kwargs: 'connection_args',
    returns:
      'mapping with query time, and rows affected or rows returned, columns and results; false where it failed, an empty mapping where nothing could be asked',
    examples: ["salt '*' mysql.query mydb 'SELECT id,name,cash from users limit 3'"],
    run: (ctx, { database, query }, _rest, kwargs) =>
      withServer<Value>(
        ctx,
        inDatabase(kwargs, database),
        false,
        async (server) => (await timed(ctx, server, query))[0],
        dict(),
      ),
  }),
  file_query: defineFunction({
    doc: 'Runs the statements of a file, one after the other, until one fails.',
    params: {
      ...DATABASE,
      file_name: param.text({ doc: 'The file: a path, or salt://.' }),
    },
    kwargs: 'connection_args',
    returns:
      'mapping with query time, and rows affected, rows returned, columns and results; false where it failed',
    examples: ["salt '*' mysql.file_query mydb file_name=salt://sqlfile.sql"],
    run: async (ctx, { database, file_name }, _rest, kwargs) => {
      const path = FROM_ELSEWHERE.test(file_name) ? await cachedFile(ctx, [file_name]) : file_name;
      if (path === undefined || !isFile(path)) {
        ctx.log.error(`File "${file_name}" does not exist`);
        return false;
      }
      const script = readBytes(path).toString('utf8');
      return withServer<Value>(ctx, inDatabase(kwargs, database), false, (server) =>
        runScript(ctx, server, script),
      );
    },
  }),
};
