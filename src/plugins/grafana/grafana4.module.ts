/**
 * `grafana4`: users, organisations, data sources and dashboards of Grafana. Follows 3006.16 salt/modules/grafana4.py.
 */
import { dict, isDict, type Value } from '../../python/values/value.ts';
import {
  defineFunction,
  defineModule,
  type FunctionSpec,
  type ModuleContext,
} from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { ask, carriedOut, fieldsOf, pick, PROFILE, send, switchOrg, type Question } from './module/server.ts';

const USER = { userid: param.value({ type: 'int', doc: 'The id of the user.' }) } as const;
const ORG_ID = { orgid: param.value({ type: 'int', doc: 'The id of the organisation.' }) } as const;
const ORG_NAME = { name: param.text({ doc: 'The organisation.' }) } as const;
const ORG = {
  orgname: param.textIfGiven({
    default: null,
    doc: 'The organisation; it becomes the one that the user works in.',
  }),
} as const;
const SOURCE_ID = { datasourceid: param.value({ type: 'int', doc: 'The id of the data source.' }) } as const;
const SLUG = { slug: param.text({ doc: 'The dashboard, as addresses name it.' }) } as const;
const NOT_FOUND = 404;

/** A request within an organisation, where one is named. */
async function within(
  ctx: ModuleContext,
  orgname: string | undefined,
  profile: Value,
  question: Question,
): Promise<Value> {
  if (orgname !== undefined) await switchOrg(ctx, orgname, profile);
  return ask(ctx, profile, question);
}

/** A function that gets or removes something of the whole Grafana. */
const plain = (
  doc: string,
  name: string,
  method: 'DELETE' | 'GET',
  path: (id: Value) => readonly Value[],
  id?: 'orgid' | 'userid',
): FunctionSpec => {
  const examples = [`salt '*' grafana4.${name}${id === undefined ? '' : ` <${id}>`}`];
  const returns = method === 'GET' ? 'list or mapping' : 'mapping with message';
  if (id === undefined)
    return defineFunction({
      doc,
      params: PROFILE,
      returns,
      examples,
      run: (ctx, { profile }) => ask(ctx, profile, { method, path: path(null) }),
    });
  const params = id === 'orgid' ? { ...ORG_ID, ...PROFILE } : { ...USER, ...PROFILE };
  return defineFunction({
    doc,
    params,
    returns,
    examples,
    run: (ctx, args) => {
      const { profile, ...named } = args as Readonly<Record<string, Value>>;
      return ask(ctx, profile ?? null, { method, path: path(named[id] ?? null) });
    },
  });
};

/** A function that changes a user; what it is to be stands in the keywords. */
const changingUser = (doc: string, name: string, path: (id: Value) => readonly Value[]): FunctionSpec =>
  defineFunction({
    doc,
    params: { ...USER, ...PROFILE },
    kwargs: 'kwargs',
    returns: 'mapping with message',
    examples: [`salt '*' grafana4.${name} <user_id> …`],
    run: (ctx, { userid, profile }, _rest, given) =>
      ask(ctx, profile, { method: 'PUT', path: path(userid), json: fieldsOf(given) }),
  });

/** A function of an organisation that gets something. */
const gettingOfOrg = (doc: string, name: string, path: readonly string[]): FunctionSpec =>
  defineFunction({
    doc,
    params: { ...ORG, ...PROFILE },
    returns: 'list or mapping',
    examples: [`salt '*' grafana4.${name} <orgname>`],
    run: (ctx, { orgname, profile }) => within(ctx, orgname, profile, { method: 'GET', path }),
  });

/** A function of an organisation that sends what stands in the keywords. */
const sendingOfOrg = (
  doc: string,
  name: string,
  method: 'POST' | 'PUT',
  path: readonly string[],
): FunctionSpec =>
  defineFunction({
    doc,
    params: { ...ORG, ...PROFILE },
    kwargs: 'kwargs',
    returns: 'mapping with message',
    examples: [`salt '*' grafana4.${name} <orgname> …`],
    run: (ctx, { orgname, profile }, _rest, given) =>
      within(ctx, orgname, profile, { method, path, json: fieldsOf(given) }),
  });

const datasources = (ctx: ModuleContext, orgname: string | undefined, profile: Value): Promise<Value> =>
  within(ctx, orgname, profile, { method: 'GET', path: ['datasources'] });

/** The module. */
export const grafana4Module = defineModule({
  name: 'grafana4',
  file: 'grafana4',
  doc: 'Users, organisations, data sources and dashboards of Grafana. Where it is says the option grafana, or another that profile names.',
  functions: {
    get_users: plain('Lists the users.', 'get_users', 'GET', () => ['users']),
    get_user: defineFunction({
      doc: 'Returns a user by his login.',
      params: { login: param.text({ doc: 'The login.' }), ...PROFILE },
      returns: 'mapping; None where there is none',
      examples: ["salt '*' grafana4.get_user <login>"],
      run: async (ctx, { login, profile }) =>
        pick(await ask(ctx, profile, { method: 'GET', path: ['users'] }), 'login', login),
    }),
    get_user_data: plain(
      'Returns what is known of a user.',
      'get_user_data',
      'GET',
      (id) => ['users', id],
      'userid',
    ),
    create_user: defineFunction({
      doc: 'Adds a user: `login`, `password`, `email`, `name`.',
      params: PROFILE,
      kwargs: 'kwargs',
      returns: 'mapping with message',
      examples: ["salt '*' grafana4.create_user login=<login> password=<password> email=<email>"],
      run: (ctx, { profile }, _rest, given) =>
        ask(ctx, profile, { method: 'POST', path: ['admin', 'users'], json: fieldsOf(given) }),
    }),
    update_user: changingUser('Changes a user: `login`, `email`, `name`, `theme`.', 'update_user', (id) => [
      'users',
      id,
    ]),
    update_user_password: changingUser('Changes the `password` of a user.', 'update_user_password', (id) => [
      'admin',
      'users',
      id,
      'password',
    ]),
    update_user_permissions: changingUser(
      'Makes a user administrator of Grafana, or takes that from him: `isGrafanaAdmin`.',
      'update_user_permissions',
      (id) => ['admin', 'users', id, 'permissions'],
    ),
    delete_user: plain('Removes a user.', 'delete_user', 'DELETE', (id) => ['admin', 'users', id], 'userid'),
    get_user_orgs: plain(
      'Lists the organisations of a user.',
      'get_user_orgs',
      'GET',
      (id) => ['users', id, 'orgs'],
      'userid',
    ),
    delete_user_org: defineFunction({
      doc: 'Takes a user out of an organisation.',
      params: { ...USER, ...ORG_ID, ...PROFILE },
      returns: 'mapping with message',
      examples: ["salt '*' grafana4.delete_user_org <user_id> <org_id>"],
      run: (ctx, { userid, orgid, profile }) =>
        ask(ctx, profile, { method: 'DELETE', path: ['orgs', orgid, 'users', userid] }),
    }),
    get_orgs: plain('Lists the organisations.', 'get_orgs', 'GET', () => ['orgs']),
    get_org: defineFunction({
      doc: 'Returns an organisation by its name.',
      params: { ...ORG_NAME, ...PROFILE },
      returns: 'mapping',
      examples: ["salt '*' grafana4.get_org <name>"],
      run: (ctx, { name, profile }) => ask(ctx, profile, { method: 'GET', path: ['orgs', 'name', name] }),
    }),
    switch_org: defineFunction({
      doc: 'Makes an organisation the one that the user works in.',
      params: { orgname: param.text({ doc: 'The organisation.' }), ...PROFILE },
      returns: 'mapping of the organisation',
      examples: ["salt '*' grafana4.switch_org <name>"],
      run: (ctx, { orgname, profile }) => switchOrg(ctx, orgname, profile),
    }),
    get_org_users: gettingOfOrg('Lists the users of an organisation.', 'get_org_users', ['org', 'users']),
    create_org_user: sendingOfOrg(
      'Adds a user to an organisation: `loginOrEmail`, `role`.',
      'create_org_user',
      'POST',
      ['org', 'users'],
    ),
    update_org_user: defineFunction({
      doc: 'Changes the `role` of a user in an organisation.',
      params: { ...USER, ...ORG, ...PROFILE },
      kwargs: 'kwargs',
      returns: 'mapping with message',
      examples: ["salt '*' grafana4.update_org_user <user_id> <orgname> loginOrEmail=<login> role=<role>"],
      run: (ctx, { userid, orgname, profile }, _rest, given) =>
        within(ctx, orgname, profile, {
          method: 'PATCH',
          path: ['org', 'users', userid],
          json: fieldsOf(given),
        }),
    }),
    delete_org_user: defineFunction({
      doc: 'Takes a user out of an organisation.',
      params: { ...USER, ...ORG, ...PROFILE },
      returns: 'mapping with message',
      examples: ["salt '*' grafana4.delete_org_user <user_id> <orgname>"],
      run: (ctx, { userid, orgname, profile }) =>
        within(ctx, orgname, profile, { method: 'DELETE', path: ['org', 'users', userid] }),
    }),
    get_org_address: gettingOfOrg('Returns the address of an organisation.', 'get_org_address', [
      'org',
      'address',
    ]),
    update_org_address: sendingOfOrg(
      'Changes the address of an organisation: `address1`, `address2`, `city`, `zipCode`, `state`, `country`.',
      'update_org_address',
      'PUT',
      ['org', 'address'],
    ),
    get_org_prefs: gettingOfOrg('Returns the preferences of an organisation.', 'get_org_prefs', [
      'org',
      'preferences',
    ]),
    update_org_prefs: sendingOfOrg(
      'Changes the preferences of an organisation: `theme`, `homeDashboardId`, `timezone`.',
      'update_org_prefs',
      'PUT',
      ['org', 'preferences'],
    ),
    create_org: defineFunction({
      doc: 'Makes an organisation: `name`.',
      params: PROFILE,
      kwargs: 'kwargs',
      returns: 'mapping with message',
      examples: ["salt '*' grafana4.create_org name=<name>"],
      run: (ctx, { profile }, _rest, given) =>
        ask(ctx, profile, { method: 'POST', path: ['orgs'], json: fieldsOf(given) }),
    }),
    update_org: defineFunction({
      doc: 'Changes the `name` of an organisation.',
      params: { ...ORG_ID, ...PROFILE },
      kwargs: 'kwargs',
      returns: 'mapping with message',
      examples: ["salt '*' grafana4.update_org <org_id> name=<name>"],
      run: (ctx, { orgid, profile }, _rest, given) =>
        ask(ctx, profile, { method: 'PUT', path: ['orgs', orgid], json: fieldsOf(given) }),
    }),
    delete_org: plain('Removes an organisation.', 'delete_org', 'DELETE', (id) => ['orgs', id], 'orgid'),
    get_datasources: gettingOfOrg('Lists the data sources.', 'get_datasources', ['datasources']),
    get_datasource: defineFunction({
      doc: 'Returns a data source by its name.',
      params: { name: param.text({ doc: 'The data source.' }), ...ORG, ...PROFILE },
      returns: 'mapping; None where there is none',
      examples: ["salt '*' grafana4.get_datasource <name> <orgname>"],
      run: async (ctx, { name, orgname, profile }) =>
        pick(await datasources(ctx, orgname, profile), 'name', name),
    }),
    create_datasource: sendingOfOrg(
      'Adds a data source: `name`, `type`, `url`, `access`, `user`, `password`, `database`, `basicAuth`, `basicAuthUser`, `basicAuthPassword`, `jsonData`, `isDefault`, `withCredentials`.',
      'create_datasource',
      'POST',
      ['datasources'],
    ),
    update_datasource: defineFunction({
      doc: 'Changes a data source; the keywords are those of create_datasource.',
      params: { ...SOURCE_ID, ...ORG, ...PROFILE },
      kwargs: 'kwargs',
      returns: 'an empty mapping',
      examples: ["salt '*' grafana4.update_datasource <datasource_id> …"],
      run: async (ctx, { datasourceid, profile }, _rest, given) => {
        const path = ['datasources', datasourceid];
        await ask(ctx, profile, { method: 'PUT', path, json: fieldsOf(given) });
        return dict();
      },
    }),
    delete_datasource: defineFunction({
      doc: 'Removes a data source.',
      params: { ...SOURCE_ID, ...ORG, ...PROFILE },
      returns: 'mapping with message',
      examples: ["salt '*' grafana4.delete_datasource <datasource_id>"],
      run: (ctx, { datasourceid, profile }) =>
        ask(ctx, profile, { method: 'DELETE', path: ['datasources', datasourceid] }),
    }),
    get_dashboard: defineFunction({
      doc: 'Returns a dashboard.',
      params: { ...SLUG, ...ORG, ...PROFILE },
      returns: 'mapping; None where there is none',
      examples: ["salt '*' grafana4.get_dashboard <slug>"],
      run: async (ctx, { slug, orgname, profile }) => {
        if (orgname !== undefined) await switchOrg(ctx, orgname, profile);
        const reply = await send(ctx, profile, { method: 'GET', path: ['dashboards', 'db', slug] });
        if (reply.status === NOT_FOUND) return null;
        const found = carriedOut(reply);
        return isDict(found) ? (found.get('dashboard') ?? null) : null;
      },
    }),
    delete_dashboard: defineFunction({
      doc: 'Removes a dashboard.',
      params: { ...SLUG, ...ORG, ...PROFILE },
      returns: 'mapping with title',
      examples: ["salt '*' grafana4.delete_dashboard <slug>"],
      run: (ctx, { slug, orgname, profile }) =>
        within(ctx, orgname, profile, { method: 'DELETE', path: ['dashboards', 'db', slug] }),
    }),
    create_update_dashboard: sendingOfOrg(
      'Makes or changes a dashboard: `dashboard`, `overwrite`.',
      'create_update_dashboard',
      'POST',
      ['dashboards', 'db'],
    ),
  },
});
