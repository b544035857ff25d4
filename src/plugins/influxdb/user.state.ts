/** `influxdb_user`: users of InfluxDB (3006.16 salt/states/influxdb_user.py). */
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { CLIENT } from './module/server.ts';
import { failure, outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { influx, whole } from './state/parts.ts';

interface WantedUser {
  readonly name: string;
  readonly passwd: Value;
  readonly admin: boolean;
  readonly grants: Dict;
}

const isAdmin = async (ctx: StateContext, name: string, client: Dict): Promise<boolean> => {
  const user = await influx(ctx, 'user_info', [name], client);
  return isDict(user) && user.get('admin') === true;
};

/** Gives and takes privileges on databases, or foretells it, and notes the changes. */
async function setGrants(
  ctx: StateContext,
  { name, grants }: WantedUser,
  client: Dict,
  changes: Dict,
): Promise<void> {
  const listed = await influx(ctx, 'list_privileges', [name], client);
  const held: Dict = isDict(listed) ? listed : dict();
  for (const [database, given] of grants) {
    // Salt compat: InfluxDB calls it ALL PRIVILEGES, which to Salt is another than all, so that it is granted each time
    const [privilege = ''] = pyStr(given).toLowerCase().split(' ');
    const before = held.get(database);
    if (before === privilege) continue;
    changes.set(`Grant on database ${pyStr(database)} to user ${name}`, privilege);
    if (ctx.state.test) continue;
    if (before !== undefined) await influx(ctx, 'revoke_privilege', [database, 'all', name], client);
    await influx(ctx, 'grant_privilege', [database, privilege, name], client);
  }
}

async function setAdmin(ctx: StateContext, { name, admin }: WantedUser, client: Dict): Promise<boolean> {
  if (ctx.state.test) return true;
  await influx(ctx, admin ? 'grant_admin_privileges' : 'revoke_admin_privileges', [name], client);
  return (await isAdmin(ctx, name, client)) === admin;
}

function foretold(name: string, changes: Dict): StateResult {
  const lines = [...changes].map(([what, value]) => `\n${pyStr(what)} => ${pyStr(value)}`);
  return outcome(name, null, `User ${name} will be updated with the following changes:${lines.join('')}`);
}

async function present(ctx: StateContext, wanted: WantedUser, client: Dict): Promise<StateResult> {
  const { name, passwd, admin, grants } = wanted;
  const isThere = (await influx(ctx, 'user_exists', [name], client)) === true;
  const changes = dict();
  if (!isThere) {
    if (ctx.state.test) return outcome(name, null, `User ${name} will be created`);
    const isMade = await influx(ctx, 'create_user', [name, passwd], new Map([...client, ['admin', admin]]));
    if (isMade !== true) return failure(name, `Failed to create user ${name}`);
  } else if ((await isAdmin(ctx, name, client)) !== admin) {
    if (!(await setAdmin(ctx, wanted, client)))
      return failure(name, `Failed to set admin privilege to user ${name}`);
    changes.set('Admin privileges', admin);
  }
  if (grants.size > 0) await setGrants(ctx, wanted, client, changes);
  // Salt compat: Salt says of a new user without grants that he is present and up to date, without changes.
  if (!isThere) return outcome(name, true, `Created user ${name}`, changes.set(name, 'User created'));
  if (changes.size === 0) return outcome(name, true, `User ${name} is present and up to date`);
  return ctx.state.test ? foretold(name, changes) : outcome(name, true, `Updated user ${name}`, changes);
}

const NAME = { name: param.text({ doc: 'The user.' }) } as const;

/** The states of `influxdb_user`. */
export const influxdbUserStates = defineModule({
  name: 'influxdb_user',
  file: 'influxdb_user',
  doc: 'Users of InfluxDB 1.x. Further keywords are those of the module influxdb.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a user who may do this. The password of a user who is there stays as it is.',
      params: {
        ...NAME,
        passwd: param.value({ type: 'str', doc: 'The password of a new user.' }),
        admin: param.flag({ default: false, doc: 'He may do everything.' }),
        grants: param.mapping({ default: null, doc: 'Mapping of database to read, write or all.' }),
      },
      kwargs: CLIENT,
      run: (ctx, wanted, client) => present(ctx, wanted, client),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such user.',
      params: NAME,
      kwargs: CLIENT,
      run: async (ctx, { name }, client) =>
        whole(ctx, {
          name,
          isRight: (await influx(ctx, 'user_exists', [name], client)) !== true,
          comments: {
            right: `User ${name} is not present`,
            foretold: `User ${name} will be removed`,
            done: `Removed user ${name}`,
            failed: `Failed to remove user ${name}`,
          },
          word: 'removed',
          run: () => influx(ctx, 'remove_user', [name], client),
        }),
    }),
  },
});
