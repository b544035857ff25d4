/**
 * `grafana4_datasource` and `grafana_datasource`: data sources of Grafana (3006.16 salt/states/grafana4_datasource.py,
 * salt/states/grafana_datasource.py).
 */
import { deepDiff } from '../../formats/data/deep-diff.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { PROFILE, profileOf, send } from './module/server.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { foretell, grafana, isAs, sameFields, stepwise, withDefaults } from './state/parts.ts';

/** Fields that Grafana takes and does not give back. */
const SECRETS = ['password', 'basicAuthPassword'];
/** Fields that Grafana does not keep: the picture is that of the kind of data source. */
const NOT_KEPT = ['tlsAuth', 'typeLogoUrl'];
const OK = 200;

const NAME = { name: param.text({ doc: 'The data source.' }) } as const;
const KIND = {
  type: param.value({ type: 'str', doc: 'What it is: graphite, prometheus, influxdb …' }),
  url: param.value({ type: 'str', doc: 'Its address.' }),
} as const;
const ORG = {
  orgname: param.textIfGiven({ default: null, doc: 'The organisation that has it.' }),
} as const;
const optional = (type: string, doc: string) => param.value({ default: null, type, doc });

interface Wanted {
  readonly name: string;
  readonly fields: Readonly<Record<string, Value>>;
  readonly orgname: string | undefined;
  readonly profile: Dict;
}

/** The same without what must not be seen. */
function shown(data: Dict): Dict {
  return new Map(
    [...data].map(([key, value]) => [key, SECRETS.includes(pyStr(key)) && truthy(value) ? '***' : value]),
  );
}

/**
 * What of the wanted fields can be compared: not the secrets that Grafana keeps to itself, nor what it does not keep at
 * all.
 */
const comparable = (wanted: Dict, current: Dict): Dict =>
  new Map(
    [...wanted].filter(
      ([key]) => !NOT_KEPT.includes(pyStr(key)) && (!SECRETS.includes(pyStr(key)) || current.has(key)),
    ),
  );

/**
 * A data source with what is wanted of it, as far as Grafana tells it.
 *
 * Salt compat: Salt goes by the list of all, from which Grafana 5 and newer leave out basicAuthUser and
 * withCredentials, and so changes them at each run.
 */
async function inFull(ctx: StateContext, listed: Dict, { fields, profile }: Wanted): Promise<Dict> {
  const isLeftOut = ([key, value]: [string, Value]): boolean =>
    value !== null && !listed.has(key) && ![...SECRETS, ...NOT_KEPT].includes(key);
  if (!Object.entries(fields).some(isLeftOut)) return listed;
  const path = ['datasources', listed.get('id') ?? null];
  const { status, data } = await send(ctx, profile, { method: 'GET', path });
  return status === OK && isDict(data) ? new Map([...listed, ...data]) : listed;
}

async function present(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, fields, orgname, profile } = wanted;
  const found = await grafana(ctx, 'get_datasource', [name, orgname ?? null, profile], {});
  const current = isDict(found) ? await inFull(ctx, found, wanted) : dict();
  const data = withDefaults({ name, ...fields }, current);
  const given: Dict = new Map([['profile', profile], ...data]);
  if (!isDict(found)) {
    foretell(ctx, `Datasource ${name} will be created`);
    await ctx.functions.call('grafana4.create_datasource', [], given);
    return outcome(name, true, `New data source ${name} added`, shown(data));
  }
  const compared = comparable(data, current);
  // Salt compat: fields that Grafana adds by itself make each run a change in Salt, and the result of a run without one
  // None
  if (isAs(current, compared)) return outcome(name, true, `Data source ${name} already up-to-date`);
  foretell(ctx, `Datasource ${name} will be updated`);
  await ctx.functions.call('grafana4.update_datasource', [current.get('id') ?? null], given);
  const changes = deepDiff(shown(sameFields(current, compared)), shown(compared), [
    'id',
    'orgId',
    'readOnly',
  ]);
  return outcome(name, true, `Data source ${name} updated`, changes);
}

async function absent(
  ctx: StateContext,
  { name, orgname, profile }: Omit<Wanted, 'fields'>,
): Promise<StateResult> {
  const found = await grafana(ctx, 'get_datasource', [name, orgname ?? null, profile], {});
  if (!isDict(found)) return outcome(name, true, `Data source ${name} already absent`);
  foretell(ctx, `Datasource ${name} will be deleted`);
  await grafana(ctx, 'delete_datasource', [found.get('id') ?? null], { profile });
  return outcome(name, true, `Data source ${name} was deleted`, dict().set(name, 'Absent'));
}

/** The states of `grafana4_datasource`. */
export const grafana4DatasourceStates = defineModule({
  name: 'grafana4_datasource',
  file: 'grafana4_datasource',
  doc: 'Data sources of Grafana.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a data source. Passwords that Grafana does not give back are not compared.',
      params: {
        ...NAME,
        ...KIND,
        access: optional('str', 'proxy or direct.'),
        user: optional('str', 'The user of the database.'),
        password: optional('str', 'His password.'),
        database: optional('str', 'The database.'),
        basic_auth: optional('bool', 'Log in over HTTP.'),
        basic_auth_user: optional('str', 'As whom.'),
        basic_auth_password: optional('str', 'With which password.'),
        tls_auth: optional('bool', 'Show a certificate.'),
        json_data: optional('dict', 'Further settings.'),
        is_default: optional('bool', 'It is the default one.'),
        with_credentials: optional('bool', 'Send cookies with cross-site requests.'),
        type_logo_url: optional('str', 'The address of a picture.'),
        ...ORG,
        ...PROFILE,
      },
      run: (ctx, { name, orgname, profile, ...given }) =>
        stepwise(name, async () =>
          present(ctx, {
            name,
            fields: {
              type: given.type,
              url: given.url,
              access: given.access,
              user: given.user,
              password: given.password,
              database: given.database,
              basicAuth: given.basic_auth,
              basicAuthUser: given.basic_auth_user,
              basicAuthPassword: given.basic_auth_password,
              tlsAuth: given.tls_auth,
              jsonData: given.json_data,
              isDefault: given.is_default,
              withCredentials: given.with_credentials,
              typeLogoUrl: given.type_logo_url,
            },
            orgname,
            profile: await profileOf(ctx, profile),
          }),
        ),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such data source.',
      params: { ...NAME, ...ORG, ...PROFILE },
      run: (ctx, { name, orgname, profile }) =>
        stepwise(name, async () => absent(ctx, { name, orgname, profile: await profileOf(ctx, profile) })),
    }),
  },
});

/** The states of `grafana_datasource`. */
export const grafanaDatasourceStates = defineModule({
  name: 'grafana_datasource',
  file: 'grafana_datasource',
  doc: 'Data sources of Grafana 2 and later.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a data source. Passwords that Grafana does not give back are not compared.',
      params: {
        ...NAME,
        ...KIND,
        access: param.value({ default: 'proxy', type: 'str', doc: 'proxy or direct.' }),
        user: param.value({ default: '', type: 'str', doc: 'The user of the database.' }),
        password: param.value({ default: '', type: 'str', doc: 'His password.' }),
        database: param.value({ default: '', type: 'str', doc: 'The database.' }),
        basic_auth: param.value({ default: false, type: 'bool', doc: 'Log in over HTTP.' }),
        basic_auth_user: param.value({ default: '', type: 'str', doc: 'As whom.' }),
        basic_auth_password: param.value({ default: '', type: 'str', doc: 'With which password.' }),
        is_default: param.value({ default: false, type: 'bool', doc: 'It is the default one.' }),
        json_data: optional('dict', 'Further settings.'),
        ...PROFILE,
      },
      run: (ctx, { name, profile, ...given }) =>
        stepwise(name, async () =>
          present(ctx, {
            name,
            fields: {
              type: given.type,
              url: given.url,
              access: given.access,
              user: given.user,
              password: given.password,
              database: given.database,
              basicAuth: given.basic_auth,
              basicAuthUser: given.basic_auth_user,
              basicAuthPassword: given.basic_auth_password,
              isDefault: given.is_default,
              jsonData: given.json_data,
            },
            orgname: undefined,
            profile: await profileOf(ctx, profile),
          }),
        ),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such data source.',
      params: { ...NAME, ...PROFILE },
      run: (ctx, { name, profile }) =>
        stepwise(name, async () =>
          absent(ctx, { name, orgname: undefined, profile: await profileOf(ctx, profile) }),
        ),
    }),
  },
});
