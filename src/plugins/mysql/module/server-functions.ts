/** The functions of `mysql` about the server itself (3006.16 salt/modules/mysql.py). */
import { CommandExecutionError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { connectionKeywords, quoteName, rowDict, withServer } from './connection.ts';
import { pluginStatus } from './users.ts';

const NOT_CONNECTED = -3;
const BROKEN = -2;
const NO_REPLICA = -1;

/**
 * A function that returns the rows of one statement.
 * @param isFirst only the first; an empty list where there is none
 */
const rowsOf = (
  name: string,
  sql: string,
  { doc, isFirst }: { doc: string; isFirst: boolean },
): ReturnType<typeof defineFunction> =>
  defineFunction({
    doc,
    kwargs: 'connection_args',
    returns: isFirst ? 'mapping; an empty list where there is nothing to tell' : 'list of mappings',
    examples: [`salt '*' mysql.${name}`],
    run: (ctx, _args, _rest, kwargs) =>
      withServer<Value>(ctx, connectionKeywords(kwargs), [], async (server) => {
        const rows = (await server.rows(sql)).map(rowDict);
        return isFirst ? (rows[0] ?? []) : rows;
      }),
  });

const PLUGIN = { name: param.textOrEmpty({ doc: 'The plugin.' }) } as const;

/** Says that a name is missing. @returns false */
function unnamed(ctx: ModuleContext): false {
  ctx.log.error('Plugin name is required.');
  return false;
}

/** The functions about the server. */
export const serverFunctions = {
  status: defineFunction({
    doc: 'Returns what the server counts (SHOW STATUS).',
    kwargs: 'connection_args',
    returns: 'mapping of name to text',
    examples: ["salt '*' mysql.status"],
    run: (ctx, _args, _rest, kwargs) =>
      withServer(ctx, connectionKeywords(kwargs), dict(), async (server) => {
        const { rows } = await server.run('SHOW STATUS');
        return new Map<Value, Value>(
          rows.map(([name, value]): [Value, Value] => [name ?? null, value ?? null]),
        );
      }),
  }),
  version: defineFunction({
    doc: 'Returns the version of the server.',
    kwargs: 'connection_args',
    returns: 'the version; an empty text where it failed',
    examples: ["salt '*' mysql.version"],
    run: (ctx, _args, _rest, kwargs) =>
      withServer(ctx, connectionKeywords(kwargs), '', (server) => server.version()),
  }),
  slave_lag: defineFunction({
    doc: 'Returns by how many seconds a replica is behind.',
    kwargs: 'connection_args',
    returns:
      'seconds; -1 where the server is no replica, -2 where it does not replicate, -3 where it cannot be asked',
    examples: ["salt '*' mysql.slave_lag"],
    run: (ctx, _args, _rest, kwargs) =>
      withServer<Value>(ctx, connectionKeywords(kwargs), NOT_CONNECTED, async (server) => {
        const [row] = await server.rows('SHOW SLAVE STATUS');
        if (row === undefined) return NO_REPLICA;
        return row.get('Slave_IO_Running') === 'Yes' ? (row.get('Seconds_Behind_Master') ?? null) : BROKEN;
      }),
  }),
  free_slave: defineFunction({
    doc: 'Is refused: what Salt does here ends in the middle, with the replica stopped and its logs gone.',
    kwargs: 'connection_args',
    returns: 'an error',
    examples: ["salt '*' mysql.free_slave"],
    run: () => {
      throw new CommandExecutionError(
        "mysql.free_slave is not done here, since Salt's own stops in the middle; promote a replica with mysql.query: STOP SLAVE, then RESET SLAVE ALL.",
      );
    },
  }),
  processlist: rowsOf('processlist', 'SHOW FULL PROCESSLIST', {
    doc: 'Lists the sessions and what they do.',
    isFirst: false,
  }),
  get_master_status: rowsOf('get_master_status', 'SHOW MASTER STATUS', {
    doc: 'Returns where the log of a server with replicas is.',
    isFirst: true,
  }),
  get_slave_status: rowsOf('get_slave_status', 'SHOW SLAVE STATUS', {
    doc: 'Returns the state of a replica.',
    isFirst: true,
  }),
  showvariables: rowsOf('showvariables', 'SHOW VARIABLES', {
    doc: "Lists the session's settings.",
    isFirst: false,
  }),
  showglobal: rowsOf('showglobal', 'SHOW GLOBAL VARIABLES', {
    doc: "Lists the server's settings.",
    isFirst: false,
  }),
  plugins_list: defineFunction({
    doc: 'Lists the plugins.',
    kwargs: 'connection_args',
    returns: 'list of mappings with name and status',
    examples: ["salt '*' mysql.plugins_list"],
    run: (ctx, _args, _rest, kwargs) =>
      withServer(ctx, connectionKeywords(kwargs), [] as Value[], async (server) =>
        (await server.run('SHOW PLUGINS')).rows.map(([name = null, status = null]) => dict({ name, status })),
      ),
  }),
  plugin_add: defineFunction({
    doc: 'Installs a plugin.',
    params: {
      ...PLUGIN,
      soname: param.textIfGiven({ default: null, doc: 'Its file; default: its name with .so.' }),
    },
    kwargs: 'connection_args',
    returns: 'true or false',
    examples: ["salt '*' mysql.plugin_add auth_socket"],
    run: (ctx, { name, soname }, _rest, kwargs) =>
      name === ''
        ? unnamed(ctx)
        : withServer(ctx, connectionKeywords(kwargs), false, async (server) => {
            if ((await pluginStatus(server, name)) !== '') {
              ctx.log.error(`Plugin ${name} is already installed.`);
              return true;
            }
            await server.run(`INSTALL PLUGIN ${quoteName(name)} SONAME ?`, [soname ?? `${name}.so`]);
            return true;
          }),
  }),
  plugin_remove: defineFunction({
    doc: 'Removes a plugin.',
    params: PLUGIN,
    kwargs: 'connection_args',
    returns: 'true or false',
    examples: ["salt '*' mysql.plugin_remove auth_socket"],
    run: (ctx, { name }, _rest, kwargs) =>
      name === ''
        ? unnamed(ctx)
        : withServer(ctx, connectionKeywords(kwargs), false, async (server) => {
            if ((await pluginStatus(server, name)) === '') {
              ctx.log.error(`Plugin ${name} is not installed.`);
              return true;
            }
            await server.run(`UNINSTALL PLUGIN ${quoteName(name)}`);
            return true;
          }),
  }),
  plugin_status: defineFunction({
    doc: 'Returns the status of a plugin.',
    params: PLUGIN,
    kwargs: 'connection_args',
    returns: 'ACTIVE and its like; an empty text where there is no such plugin',
    examples: ["salt '*' mysql.plugin_status auth_socket"],
    run: (ctx, { name }, _rest, kwargs): Value | Promise<Value> =>
      name === ''
        ? unnamed(ctx)
        : withServer<Value>(ctx, connectionKeywords(kwargs), '', async (server) =>
            pyStr(await pluginStatus(server, name)),
          ),
  }),
};
