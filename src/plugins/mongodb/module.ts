/** `mongodb`: databases, users and documents of MongoDB. Follows 3006.16 salt/modules/mongodb.py. */
import type { Document } from 'mongodb';
import { messageOf } from '../../errors/errors.ts';
import { fromBson, toBsonValue } from '../../formats/data/bson.ts';
import { parseJson } from '../../formats/json/text.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineFunction, defineModule, type ModuleContext } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  AUTHDB,
  DATABASE,
  LOGIN,
  onServer,
  type Connected,
  type MongoLogin,
  type Trouble,
} from './module/server.ts';

const UNCONNECTED = 'Failed to connect to mongo database';
const BAD_ROLES = 'Roles provided in wrong format';
const USER = { name: param.text({ doc: 'The user.' }) } as const;
const ROLES = {
  roles: param.by(readData, {
    type: 'list',
    doc: 'Names of roles, or mappings of role and db; a text is read as JSON.',
  }),
} as const;
const OF_DATABASE = { database: param.text({ doc: 'The database that has the user.' }) } as const;
const COLLECTION = { collection: param.text({ doc: 'The collection.' }) } as const;
const OBJECTS = {
  objects: param.by(readData, { type: 'list', doc: 'Mappings; a text is read as JSON.' }),
} as const;

const said = ({ isLogin, text }: Trouble): Value => (isLogin ? UNCONNECTED : text);
const saidOrFalse = ({ isLogin }: Trouble): Value => (isLogin ? UNCONNECTED : false);
const pairOf = ({ isLogin, text, place }: Trouble): Value => [
  false,
  isLogin ? `Failed to connect to MongoDB database ${place}` : text,
];

/** Names of roles. */
const rolesOf = (value: Value): Value[] =>
  Array.isArray(value) ? value : truthy(value) ? [...pyStr(value)] : [];

/** Salt's `_to_dict`: texts are JSON. @throws JsonSyntaxError */
const asData = (value: Value): Value => (typeof value === 'string' ? parseJson(value) : value);

/** What JSON says, or what is wrong with it. */
type Read = { readonly data: Value } | { readonly problem: string };

/** The value itself, of a text the data that it is the JSON of. */
function readData(value: Value): Read {
  try {
    return { data: asData(value) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** The two mappings of JSON in one text, or however many there are. */
const partsOf = (value: Value): string[] => (isDict(value) ? '' : pyStr(value)).split(/\}\s+\{/);

const documentOf = (value: Value, { types }: Connected): Document =>
  (isDict(value) ? toBsonValue(value, types) : {}) as Document;

async function versionOf({ db }: Connected): Promise<string> {
  return String((await db('admin').command({ buildInfo: 1 }))['version']);
}

/** Before 2.6 users were documents like others. */
const hasUserCommands = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return major > 2 || (major === 2 && minor >= 6);
};

async function users(connected: Connected, database: string): Promise<Value> {
  const db = connected.db(database);
  if (!hasUserCommands(await versionOf(connected))) {
    const found = await db.collection('system.users').find().toArray();
    return found.map((each) =>
      dict({ user: fromBson(each['user']), readOnly: fromBson(each['readOnly'] ?? 'None') }),
    );
  }
  const { users: found } = await db.command({ usersInfo: 1 });
  return (found as Document[]).map((each) =>
    dict({ user: fromBson(each['user']), roles: fromBson(each['roles']) }),
  );
}

const userList = (ctx: ModuleContext, login: MongoLogin, database: string): Promise<Value> =>
  onServer<Value>(ctx, login, (connected) => users(connected, database), said);

const named = (list: readonly Value[], name: string): Dict | undefined =>
  list.filter(isDict).find((each) => each.get('user') === name);

async function hasRoles(
  ctx: ModuleContext,
  login: MongoLogin,
  { name, roles: wanted, database }: { name: string; roles: Read; database: string },
): Promise<Value> {
  if ('problem' in wanted) return BAD_ROLES;
  const found = await userList(ctx, login, database);
  if (!Array.isArray(found)) return UNCONNECTED;
  const user = named(found, name);
  if (user === undefined) return false;
  const held = user.get('roles') ?? [];
  return (Array.isArray(wanted.data) ? wanted.data : [wanted.data]).every((role) => {
    const full = isDict(role) ? role : dict({ role, db: database });
    return Array.isArray(held) && held.some((each) => valuesEqual(each, full));
  });
}

interface RolesOfUser {
  readonly name: string;
  readonly roles: Read;
  readonly database: string;
}

async function changeRoles(
  ctx: ModuleContext,
  login: MongoLogin,
  { name, roles: wanted, database }: RolesOfUser,
  command: 'grantRolesToUser' | 'revokeRolesFromUser',
): Promise<Value> {
  if ('problem' in wanted) return BAD_ROLES;
  return onServer<Value>(
    ctx,
    login,
    async ({ db, types }) => {
      await db(database).command({ [command]: name, roles: toBsonValue(wanted.data, types) });
      return true;
    },
    said,
  );
}

/** Where documents are. */
interface Place {
  readonly login: MongoLogin;
  readonly database: string;
  readonly collection: string;
}

async function findDocuments(
  ctx: ModuleContext,
  { login, database, collection }: Place,
  wanted: Read,
): Promise<Value> {
  if ('problem' in wanted) return wanted.problem;
  return onServer<Value>(
    ctx,
    login,
    async (connected) => {
      const found: Value[] = [];
      for (const one of Array.isArray(wanted.data) ? wanted.data : [wanted.data]) {
        const cursor = connected.db(database).collection(collection).find(documentOf(one, connected));
        for await (const document of cursor) found.push(fromBson(document));
      }
      return found;
    },
    said,
  );
}

async function updateOne(ctx: ModuleContext, place: Place, parts: readonly string[]): Promise<Value> {
  if (parts.length !== 2)
    return 'Your request does not contain a valid \'{_"id": "my_id"} {"my_doc": "my_val"}\'';
  const [id, update] = [readData(`${parts[0] ?? ''}}`), readData(`{${parts[1] ?? ''}`)];
  if ('problem' in id) return id.problem;
  if ('problem' in update) return update.problem;
  const found = await findDocuments(ctx, place, id);
  if (!Array.isArray(found)) return 'The find result is not well formatted. An error appears; cannot update.';
  if (found.length === 0) return 'Did not find any result. You should try an insert before.';
  if (found.length > 1) return 'Too many results. Please try to be more specific.';
  return onServer<Value>(
    ctx,
    place.login,
    async (connected) => {
      const { modifiedCount } = await connected
        .db(place.database)
        .collection(place.collection)
        .updateOne(documentOf(id.data, connected), { $set: documentOf(update.data, connected) });
      return `${modifiedCount} objects updated`;
    },
    said,
  );
}

async function removeDocuments(
  ctx: ModuleContext,
  { login, database, collection }: Place,
  wanted: Read,
  times: number,
): Promise<Value> {
  if ('problem' in wanted) return wanted.problem;
  // Salt compat: Salt's driver refuses None, of which ours would make a filter that everything meets.
  const list = Array.isArray(wanted.data) ? wanted.data : [wanted.data];
  if (!list.every(isDict)) return 'filter must be an instance of dict: give {} to remove any document';
  return onServer<Value>(
    ctx,
    login,
    async (connected) => {
      let count = 0;
      for (const one of list)
        for (let i = 0; i < times; i++) {
          const { deletedCount } = await connected
            .db(database)
            .collection(collection)
            .deleteOne(documentOf(one, connected));
          if (deletedCount === 0) break;
          count += deletedCount;
        }
      return `${count} objects removed`;
    },
    said,
  );
}

/** The module. */
export const mongodbModule = defineModule({
  name: 'mongodb',
  file: 'mongodb',
  doc: 'Databases, users and documents of MongoDB 4.2 and newer.',
  failsWith: {
    text: [
      'collection_create',
      'collection_drop',
      'db_exists',
      'db_list',
      'db_remove',
      'insert',
      'user_create',
      'user_exists',
      'user_find',
      'user_grant_roles',
      'user_list',
      'user_remove',
      'user_revoke_roles',
      'user_roles_exists',
      'find',
      'update_one',
      'remove',
    ],
    false: ['user_create', 'user_find', 'user_remove'],
  },
  functions: {
    db_list: defineFunction({
      doc: 'Lists the databases.',
      params: { ...LOGIN, ...AUTHDB },
      returns: 'list of names, or a text about what went wrong',
      examples: ["salt '*' mongodb.db_list <user> <password> <host> <port>"],
      run: (ctx, login) => databases(ctx, login),
    }),
    db_exists: defineFunction({
      doc: 'Returns whether there is a database.',
      params: { name: param.text({ doc: 'The database.' }), ...LOGIN, ...AUTHDB },
      returns: 'true or false; false as well where it cannot be found out',
      examples: ["salt '*' mongodb.db_exists <name> <user> <password> <host> <port>"],
      run: async (ctx, { name, ...login }) => {
        const found = await databases(ctx, login);
        return Array.isArray(found) && found.includes(name);
      },
    }),
    db_remove: defineFunction({
      doc: 'Removes a database with all it has.',
      params: { name: param.text({ doc: 'The database.' }), ...LOGIN, ...AUTHDB },
      returns: 'true, or a text about what went wrong',
      examples: ["salt '*' mongodb.db_remove <name> <user> <password> <host> <port>"],
      run: (ctx, { name, ...login }) =>
        onServer<Value>(ctx, login, ({ db }) => db(name).dropDatabase(), said),
    }),
    version: defineFunction({
      doc: 'Returns the version of the server.',
      params: { ...LOGIN, ...DATABASE, ...AUTHDB },
      returns: 'text',
      examples: ["salt '*' mongodb.version <user> <password> <host> <port> <database>"],
      run: (ctx, login) =>
        onServer<Value>(ctx, login, versionOf, (trouble) =>
          trouble.isLogin ? pairOf(trouble) : trouble.text,
        ),
    }),
    user_find: defineFunction({
      doc: 'Returns what a database knows of a user.',
      params: { ...USER, ...LOGIN, ...DATABASE, ...AUTHDB },
      returns:
        'list of mappings, empty where there is no such user; [False, reason] where it cannot be found out',
      examples: ["salt '*' mongodb.user_find <name> <user> <password> <host> <port> <database> <authdb>"],
      run: (ctx, { name, database, ...login }) =>
        onServer<Value>(
          ctx,
          login,
          async ({ db }) => fromBson((await db(database).command({ usersInfo: name }))['users']),
          pairOf,
        ),
    }),
    user_list: defineFunction({
      doc: 'Lists the users of a database with their roles.',
      params: { ...LOGIN, ...DATABASE, ...AUTHDB },
      returns: 'list of mappings of user and roles, or a text about what went wrong',
      examples: ["salt '*' mongodb.user_list <user> <password> <host> <port> <database>"],
      run: (ctx, { database, ...login }) => userList(ctx, login, database),
    }),
    user_exists: defineFunction({
      doc: 'Returns whether a database knows a user.',
      params: { ...USER, ...LOGIN, ...DATABASE, ...AUTHDB },
      returns: 'true or false, or a text where it cannot be found out',
      examples: ["salt '*' mongodb.user_exists <name> <user> <password> <host> <port> <database>"],
      run: async (ctx, { name, database, ...login }) => {
        const found = await userList(ctx, login, database);
        return Array.isArray(found) ? named(found, name) !== undefined : UNCONNECTED;
      },
    }),
    user_create: defineFunction({
      doc: 'Adds a user to a database.',
      params: {
        ...USER,
        passwd: param.text({ doc: 'The password of the new user.' }),
        ...LOGIN,
        ...DATABASE,
        ...AUTHDB,
        roles: param.by(rolesOf, {
          default: null,
          type: 'list of str',
          doc: 'His roles in this database.',
        }),
      },
      returns: 'true; false where it failed',
      examples: [
        "salt '*' mongodb.user_create <user_name> <user_password> <user> <password> <host> <port> <database>",
      ],
      run: (ctx, { name, passwd, database, roles, ...login }) =>
        onServer<Value>(
          ctx,
          login,
          async ({ db, types }) => {
            const wanted = roles.map((role) => dict({ role, db: database }));
            await db(database).command({ createUser: name, pwd: passwd, roles: toBsonValue(wanted, types) });
            return true;
          },
          saidOrFalse,
        ),
    }),
    user_remove: defineFunction({
      doc: 'Removes a user of a database.',
      params: { ...USER, ...LOGIN, ...DATABASE, ...AUTHDB },
      returns: 'true; false where it failed',
      examples: ["salt '*' mongodb.user_remove <name> <user> <password> <host> <port> <database>"],
      run: (ctx, { name, database, ...login }) =>
        onServer<Value>(
          ctx,
          login,
          async ({ db }) => {
            await db(database).command({ dropUser: name });
            return true;
          },
          saidOrFalse,
        ),
    }),
    user_roles_exists: defineFunction({
      doc: 'Returns whether a user has roles.',
      params: { ...USER, ...ROLES, ...OF_DATABASE, ...LOGIN, ...AUTHDB },
      returns: 'true or false, or a text where it cannot be found out',
      examples: [
        `salt '*' mongodb.user_roles_exists johndoe '["readWrite"]' dbname admin adminpwd localhost 27017`,
      ],
      run: (ctx, { name, roles, database, ...login }) => hasRoles(ctx, login, { name, roles, database }),
    }),
    user_grant_roles: defineFunction({
      doc: 'Gives a user roles.',
      params: { ...USER, ...ROLES, ...OF_DATABASE, ...LOGIN, ...AUTHDB },
      returns: 'true, or a text about what went wrong',
      examples: [
        `salt '*' mongodb.user_grant_roles johndoe '["readWrite"]' dbname admin adminpwd localhost 27017`,
      ],
      run: (ctx, { name, roles, database, ...login }) =>
        changeRoles(ctx, login, { name, roles, database }, 'grantRolesToUser'),
    }),
    user_revoke_roles: defineFunction({
      doc: 'Takes roles from a user.',
      params: { ...USER, ...ROLES, ...OF_DATABASE, ...LOGIN, ...AUTHDB },
      returns: 'true, or a text about what went wrong',
      examples: [
        `salt '*' mongodb.user_revoke_roles johndoe '["readWrite"]' dbname admin adminpwd localhost 27017`,
      ],
      run: (ctx, { name, roles, database, ...login }) =>
        changeRoles(ctx, login, { name, roles, database }, 'revokeRolesFromUser'),
    }),
    collection_create: defineFunction({
      doc: 'Makes a collection.',
      params: { ...COLLECTION, ...LOGIN, ...DATABASE, ...AUTHDB },
      returns: 'true, or a text about what went wrong',
      examples: [
        "salt '*' mongodb.collection_create mycollection <user> <password> <host> <port> <database>",
      ],
      run: (ctx, { collection, database, ...login }) =>
        onServer<Value>(
          ctx,
          inDatabase(login, database),
          async ({ db }) => {
            await db(database).createCollection(collection);
            return true;
          },
          said,
        ),
    }),
    collection_drop: defineFunction({
      doc: 'Removes a collection with all it has.',
      params: { ...COLLECTION, ...LOGIN, ...DATABASE, ...AUTHDB },
      returns: 'true, or a text about what went wrong',
      examples: ["salt '*' mongodb.collection_drop mycollection <user> <password> <host> <port> <database>"],
      run: (ctx, { collection, database, ...login }) =>
        onServer<Value>(
          ctx,
          inDatabase(login, database),
          async ({ db }) => {
            await db(database).dropCollection(collection);
            return true;
          },
          said,
        ),
    }),
    collections_list: defineFunction({
      doc: 'Lists the collections of a database.',
      params: { ...LOGIN, ...DATABASE, ...AUTHDB },
      returns: 'list of names, or a text about what went wrong',
      examples: ["salt '*' mongodb.collections_list <user> <password> <host> <port> <database>"],
      run: (ctx, { database, ...login }) =>
        onServer<Value>(
          ctx,
          inDatabase(login, database),
          async ({ db }) =>
            (await db(database).listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name),
          said,
        ),
    }),
    insert: defineFunction({
      doc: 'Adds documents to a collection.',
      params: { ...OBJECTS, ...COLLECTION, ...LOGIN, ...DATABASE, ...AUTHDB },
      returns: 'true, or a text about what went wrong',
      examples: [`salt '*' mongodb.insert '[{"foo": "FOO", "bar": "BAR"}]' mycollection`],
      run: (ctx, { objects: wanted, collection, database, ...login }) => {
        if ('problem' in wanted) return wanted.problem;
        if (!Array.isArray(wanted.data) || wanted.data.length === 0)
          return 'documents must be a non-empty list';
        const list = wanted.data;
        return onServer<Value>(
          ctx,
          inDatabase(login, database),
          async (connected) =>
            (
              await connected
                .db(database)
                .collection(collection)
                .insertMany(list.map((one) => documentOf(one, connected)))
            ).acknowledged,
          said,
        );
      },
    }),
    update_one: defineFunction({
      doc: 'Changes fields of the one document that is found.',
      params: {
        objects: param.by(partsOf, {
          type: 'str',
          doc: 'Two mappings in JSON: what is looked for, and the new fields.',
        }),
        ...COLLECTION,
        ...LOGIN,
        ...DATABASE,
        ...AUTHDB,
      },
      returns: 'text that says how many were changed, or what went wrong',
      examples: [`salt '*' mongodb.update_one '{"_id": "my_minion"} {"bar": "BAR"}' mycollection`],
      run: (ctx, { objects, collection, database, ...login }) =>
        updateOne(ctx, { login: inDatabase(login, database), database, collection }, objects),
    }),
    find: defineFunction({
      doc: 'Returns the documents of a collection that match.',
      params: {
        ...COLLECTION,
        query: param.by(readData, {
          default: null,
          type: 'dict or list',
          doc: 'What is looked for; a text is read as JSON.',
        }),
        ...LOGIN,
        ...DATABASE,
        ...AUTHDB,
      },
      returns: 'list of mappings, or a text about what went wrong',
      examples: [`salt '*' mongodb.find mycollection '[{"foo": "FOO", "bar": "BAR"}]'`],
      run: (ctx, { collection, query, database, ...login }) =>
        findDocuments(ctx, { login: inDatabase(login, database), database, collection }, query),
    }),
    remove: defineFunction({
      doc: 'Removes documents of a collection that match.',
      params: {
        ...COLLECTION,
        query: param.by(readData, {
          default: null,
          type: 'dict or list',
          doc: 'What is looked for; a text is read as JSON.',
        }),
        ...LOGIN,
        ...DATABASE,
        w: param.count({ default: 1, doc: 'At most how many for each query.' }),
        ...AUTHDB,
      },
      returns: 'text that says how many were removed, or what went wrong',
      examples: [`salt '*' mongodb.remove mycollection '[{"foo": "FOO"}, {"foo": "BAZ"}]'`],
      run: (ctx, { collection, query, database, w, ...login }) =>
        removeDocuments(ctx, { login: inDatabase(login, database), database, collection }, query, w),
    }),
  },
});

const databases = (ctx: ModuleContext, login: MongoLogin): Promise<Value> =>
  onServer<Value>(
    ctx,
    login,
    async ({ db }) => {
      const { databases: found } = await db('admin').admin().listDatabases({ nameOnly: true });
      return found.map(({ name }) => name);
    },
    said,
  );

/** The login of functions about documents: without a word about it, their own database knows the user. */
const inDatabase = (login: MongoLogin, database: string): MongoLogin => ({
  ...login,
  authdb: login.authdb ?? database,
});
