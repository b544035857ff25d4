/** The functions of `postgres` about extensions (3006.16 salt/modules/postgres.py). */
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { defineFunction, type ModuleContext } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { compareLoose } from '../../shared/loose-versions.ts';
import { CONNECTION, connectionOf, execute, rowsOf, type Connection } from './connection.ts';
import { identifier, literal, withoutQuotes } from './sql-words.ts';

/** What is to be said of an extension; states go by these words. */
export const EXTENSION = {
  missing: 'EXTENSION NOT INSTALLED',
  installed: 'EXTENSION INSTALLED',
  toUpgrade: 'EXTENSION TO UPGRADE',
  toMove: 'EXTENSION TO MOVE',
} as const;

const NAME = { name: param.text({ doc: 'The extension.' }) } as const;
const ifSaid = (doc: string): ReturnType<typeof param.flagIfGiven> =>
  param.flagIfGiven({ default: null, doc });
const WANTED = {
  ext_version: param.by((value) => (truthy(value) ? withoutQuotes(String(value)) : undefined), {
    default: null,
    type: 'str',
    doc: 'The version.',
  }),
  schema: param.textIfGiven({ default: null, doc: 'The schema that its things are in.' }),
} as const;

async function byName(
  ctx: ModuleContext,
  connection: Connection,
  query: string,
  columns: readonly [name: string, version: string],
): Promise<Dict> {
  const rows = await rowsOf(ctx, connection, query);
  return new Map(
    rows
      .filter((row) => columns.every((column) => row.has(column)))
      .map((row): [Value, Value] => [row.get(columns[0]) ?? '', new Map<Value, Value>(row)]),
  );
}

const available = (ctx: ModuleContext, connection: Connection): Promise<Dict> =>
  byName(ctx, connection, 'select * from pg_available_extensions();', ['name', 'default_version']);

const installed = (ctx: ModuleContext, connection: Connection): Promise<Dict> =>
  byName(
    ctx,
    connection,
    'select a.*, b.nspname as schema_name from pg_extension a,  pg_namespace b where a.extnamespace = b.oid;',
    ['extname', 'extversion'],
  );

const isInstalled = async (ctx: ModuleContext, connection: Connection, name: string): Promise<boolean> =>
  (await installed(ctx, connection)).has(name);

const isAvailable = async (ctx: ModuleContext, connection: Connection, name: string): Promise<boolean> =>
  [...(await available(ctx, connection)).keys()].some(
    (each) => String(each).toLowerCase() === name.toLowerCase(),
  );

/** What an extension is to be like. */
interface WantedExtension {
  readonly name: string;
  readonly ext_version: string | undefined;
  readonly schema: string | undefined;
}

/** What is to be done about an extension. */
async function metadata(
  ctx: ModuleContext,
  connection: Connection,
  { name, ext_version, schema }: WantedExtension,
): Promise<string[]> {
  const found = (await installed(ctx, connection)).get(name);
  if (!isDict(found)) return [EXTENSION.missing];
  const text = (column: string): string => String(found.get(column) ?? '');
  const isOlder = ext_version !== undefined && compareLoose(text('extversion'), ext_version) < 0;
  const isElsewhere =
    schema !== undefined && text('extrelocatable') === 't' && text('schema_name') !== schema;
  return [
    EXTENSION.installed,
    ...(isOlder ? [EXTENSION.toUpgrade] : []),
    ...(isElsewhere ? [EXTENSION.toMove] : []),
  ];
}

/** How a missing extension is made. */
interface Making {
  readonly if_not_exists: boolean;
  readonly from_version: string | undefined;
}

function creation({ name, ext_version, schema }: WantedExtension, making: Making): string {
  const { from_version } = making;
  const settings = [
    ...(schema === undefined ? [] : [`SCHEMA ${identifier(schema)}`]),
    ...(ext_version === undefined ? [] : [`VERSION ${literal(ext_version)}`]),
    ...(from_version === undefined ? [] : [`FROM ${literal(withoutQuotes(from_version))}`]),
  ];
  return [
    `CREATE EXTENSION${making.if_not_exists ? ' IF NOT EXISTS' : ''} ${identifier(name)}`,
    ...(settings.length === 0 ? [] : ['WITH', ...settings]),
  ].join(' ');
}

async function create(
  ctx: ModuleContext,
  connection: Connection,
  { wanted, making }: { readonly wanted: WantedExtension; readonly making: Making },
): Promise<boolean> {
  const { name, ext_version, schema } = wanted;
  const before = await metadata(ctx, connection, wanted);
  const statements = before.includes(EXTENSION.missing)
    ? [creation(wanted, making)]
    : [
        ...(schema !== undefined && before.includes(EXTENSION.toMove)
          ? [`ALTER EXTENSION ${identifier(name)} SET SCHEMA ${identifier(schema)}`]
          : []),
        ...(ext_version !== undefined && before.includes(EXTENSION.toUpgrade)
          ? [`ALTER EXTENSION ${identifier(name)} UPDATE TO ${literal(ext_version)}`]
          : []),
      ];
  if (statements.length > 0 && (await isAvailable(ctx, connection, name)))
    await execute(ctx, connection, statements.join('; '));
  const after = await metadata(ctx, connection, wanted);
  const isRight = after.length === 1 && after[0] === EXTENSION.installed;
  if (!isRight) ctx.log.info(`Failed to create ext: ${name}`);
  return isRight;
}

async function drop(
  ctx: ModuleContext,
  connection: Connection,
  name: string,
  how: { readonly if_exists: boolean; readonly restrict: boolean; readonly cascade: boolean },
): Promise<boolean> {
  const words = ['DROP EXTENSION', ...(how.if_exists ? ['IF EXISTS'] : []), identifier(name)];
  // Salt compat: Salt says CASCADE RESTRICT then, which is no statement.
  words.push(...(how.restrict ? ['RESTRICT'] : how.cascade ? ['CASCADE'] : []));
  if (await isInstalled(ctx, connection, name)) await execute(ctx, connection, words.join(' '));
  const isGone = !(await isInstalled(ctx, connection, name));
  if (!isGone) ctx.log.info(`Failed to drop ext: ${name}`);
  return isGone;
}

/** The functions about extensions. */
export const extensionFunctions = {
  available_extensions: defineFunction({
    doc: 'Lists the extensions that can be installed.',
    params: CONNECTION,
    returns: 'mapping of name to version and comment',
    examples: ["salt '*' postgres.available_extensions"],
    run: (ctx, args) => available(ctx, connectionOf(args)),
  }),
  installed_extensions: defineFunction({
    doc: 'Lists the extensions of a database.',
    params: CONNECTION,
    returns: 'mapping of name to version, schema and more',
    examples: ["salt '*' postgres.installed_extensions"],
    run: (ctx, args) => installed(ctx, connectionOf(args)),
  }),
  get_available_extension: defineFunction({
    doc: 'Returns what is known of an extension that can be installed.',
    params: { ...NAME, ...CONNECTION },
    returns: 'mapping; None when there is none',
    examples: ["salt '*' postgres.get_available_extension plpgsql"],
    run: async (ctx, { name, ...args }) => (await available(ctx, connectionOf(args))).get(name) ?? null,
  }),
  get_installed_extension: defineFunction({
    doc: 'Returns what is known of an extension of a database.',
    params: { ...NAME, ...CONNECTION },
    returns: 'mapping; None when it is not installed',
    examples: ["salt '*' postgres.get_installed_extension plpgsql"],
    run: async (ctx, { name, ...args }) => (await installed(ctx, connectionOf(args))).get(name) ?? null,
  }),
  is_available_extension: defineFunction({
    doc: 'Returns whether an extension can be installed.',
    params: { ...NAME, ...CONNECTION },
    returns: 'true or false',
    examples: ["salt '*' postgres.is_available_extension plpgsql"],
    run: (ctx, { name, ...args }) => isAvailable(ctx, connectionOf(args), name),
  }),
  is_installed_extension: defineFunction({
    doc: 'Returns whether an extension is in a database.',
    params: { ...NAME, ...CONNECTION },
    returns: 'true or false',
    examples: ["salt '*' postgres.is_installed_extension plpgsql"],
    run: (ctx, { name, ...args }) => isInstalled(ctx, connectionOf(args), name),
  }),
  create_metadata: defineFunction({
    doc: 'Returns what is to be done about an extension.',
    params: { ...NAME, ...WANTED, ...CONNECTION },
    returns: `list of ${Object.values(EXTENSION).join(', ')}`,
    examples: ["salt '*' postgres.create_metadata adminpack"],
    run: (ctx, { name, ext_version, schema, ...args }) =>
      metadata(ctx, connectionOf(args), { name, ext_version, schema }),
  }),
  drop_extension: defineFunction({
    doc: 'Removes an extension from a database.',
    params: {
      ...NAME,
      if_exists: ifSaid('No error where it is not there.'),
      restrict: ifSaid('Not where something else needs it.'),
      cascade: ifSaid('With what needs it; the default, unless restrict is true.'),
      ...CONNECTION,
    },
    returns: 'true when it is not there any more',
    examples: ["salt '*' postgres.drop_extension 'adminpack'"],
    run: (ctx, { name, if_exists = false, restrict = false, cascade = true, ...args }) =>
      drop(ctx, connectionOf(args), name, { if_exists, restrict, cascade }),
  }),
  create_extension: defineFunction({
    doc: 'Installs an extension into a database, brings it to a version, or moves it to a schema.',
    params: {
      ...NAME,
      if_not_exists: ifSaid('No error where it is there already; default: true.'),
      schema: WANTED.schema,
      ext_version: WANTED.ext_version,
      from_version: param.textIfGiven({
        default: null,
        doc: 'The version of what is there without being an extension.',
      }),
      ...CONNECTION,
    },
    returns: 'true when it is there as it is to be',
    examples: ["salt '*' postgres.create_extension 'adminpack'"],
    run: (ctx, { name, if_not_exists = true, schema, ext_version, from_version, ...args }) =>
      create(ctx, connectionOf(args), {
        wanted: { name, ext_version, schema },
        making: { if_not_exists, from_version },
      }),
  }),
};
