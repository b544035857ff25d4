/** `grafana4_org`: organisations of Grafana (3006.16 salt/states/grafana4_org.py). */
import { updateDict } from '../../formats/data/dict-merge.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { carriedOut, PROFILE, profileOf, send } from './module/server.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import {
  addDiff,
  asDict,
  foretell,
  grafana,
  isAs,
  sameFields,
  stepwise,
  withDefaults,
} from './state/parts.ts';

const NOT_FOUND = 404;
const NAME = { name: param.text({ doc: 'The organisation.' }) } as const;
const text = (doc: string) => param.value({ default: null, type: 'str', doc });

/** An organisation; undefined when there is none. @throws CommandExecutionError */
async function orgNamed(ctx: StateContext, name: string, profile: Value): Promise<Dict | undefined> {
  const reply = await send(ctx, profile, { method: 'GET', path: ['orgs', 'name', name] });
  if (reply.status === NOT_FOUND) return undefined;
  return asDict(carriedOut(reply));
}

/** What users there are, by their logins. */
async function usersOf(ctx: StateContext, name: string, profile: Value): Promise<Dict> {
  const found = await grafana(ctx, 'get_org_users', [name], { profile });
  return new Map(
    (Array.isArray(found) ? found : [])
      .filter(isDict)
      .map((user): [Value, Value] => [
        user.get('login') ?? null,
        dict({ userId: user.get('userId') ?? null, role: user.get('role') ?? null }),
      ]),
  );
}

interface Wanted {
  readonly name: string;
  readonly users: Dict;
  readonly address: Readonly<Record<string, Value>>;
  readonly preferences: Readonly<Record<string, Value>>;
  readonly profile: Dict;
}

/** Adds users, changes their roles, takes them out. */
async function setUsers(ctx: StateContext, { name, users, profile }: Wanted, current: Dict): Promise<void> {
  for (const [username, role] of users) {
    const known = current.get(username);
    const who = `Org ${name} user ${pyStr(username)}`;
    if (isDict(known)) {
      const id = known.get('userId') ?? null;
      if (role === false) {
        foretell(ctx, `${who} will be deleted`);
        await grafana(ctx, 'delete_org_user', [id], { profile });
      } else if (!valuesEqual(role, known.get('role') ?? null)) {
        foretell(ctx, `${who} role will be updated`);
        await grafana(ctx, 'update_org_user', [id], { loginOrEmail: username, role, profile });
      }
    } else if (role !== false && role !== null && role !== '') {
      foretell(ctx, `${who} will be created`);
      await grafana(ctx, 'create_org_user', [], { loginOrEmail: username, role, profile });
    }
  }
}

async function present(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, users, profile } = wanted;
  let org = await orgNamed(ctx, name, profile);
  const isNew = org === undefined;
  let changes = dict();
  if (org === undefined) {
    foretell(ctx, `Org ${name} will be created`);
    await grafana(ctx, 'create_org', [], { profile, name });
    org = asDict(await grafana(ctx, 'get_org', [name, profile], {}));
    changes = org;
  }
  const place = asDict(org.get('address'));
  const address = withDefaults(wanted.address, place);
  if (!isAs(place, address)) {
    foretell(ctx, `Org ${name} address will be updated`);
    await ctx.functions.call(
      'grafana4.update_org_address',
      [name],
      new Map([['profile', profile], ...address]),
    );
    if (isNew) changes.set('address', new Map([...place, ...address]));
    else addDiff(changes, sameFields(place, address), address);
  }
  const current = asDict(await grafana(ctx, 'get_org_prefs', [name], { profile }));
  const preferences = withDefaults(wanted.preferences, current);
  if (!isAs(current, preferences)) {
    foretell(ctx, `Org ${name} prefs will be updated`);
    await ctx.functions.call(
      'grafana4.update_org_prefs',
      [name],
      new Map([['profile', profile], ...preferences]),
    );
    if (isNew) updateDict(changes, preferences);
    else addDiff(changes, sameFields(current, preferences), preferences);
  }
  if (users.size > 0) {
    const before = await usersOf(ctx, name, profile);
    await setUsers(ctx, wanted, before);
    const after = await usersOf(ctx, name, profile);
    if (isNew) updateDict(changes, after);
    else addDiff(changes, before, after);
  }
  if (isNew) return outcome(name, true, `New org ${name} added`, changes);
  return outcome(
    name,
    true,
    changes.size > 0 ? `Org ${name} updated` : `Org ${name} already up-to-date`,
    changes,
  );
}

async function absent(ctx: StateContext, name: string, profile: Dict): Promise<StateResult> {
  // Salt compat: an organisation that there is not ends Salt's state with a traceback
  const org = await orgNamed(ctx, name, profile);
  if (org === undefined) return outcome(name, true, `Org ${name} already absent`);
  foretell(ctx, `Org ${name} will be deleted`);
  await grafana(ctx, 'delete_org', [org.get('id') ?? null], { profile });
  return outcome(name, true, `Org ${name} was deleted`, dict().set(name, 'Absent'));
}

/** The states of `grafana4_org`. */
export const grafana4OrgStates = defineModule({
  name: 'grafana4_org',
  file: 'grafana4_org',
  doc: 'Organisations of Grafana.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is an organisation with these users, address and preferences.',
      params: {
        ...NAME,
        users: param.mapping({
          default: null,
          doc: 'Mapping of logins to roles (Admin, Editor, Viewer); False takes one out.',
        }),
        theme: text('dark or light.'),
        home_dashboard_id: param.value({
          default: null,
          type: 'int',
          doc: 'The dashboard that is seen first.',
        }),
        timezone: text('utc, browser, or nothing.'),
        address1: text('The first line of the address.'),
        address2: text('The second one.'),
        city: text('The city.'),
        zip_code: text('The postal code.'),
        address_state: text('The state.'),
        country: text('The country.'),
        ...PROFILE,
      },
      run: (ctx, { name, users, profile, ...given }) =>
        stepwise(name, async () =>
          present(ctx, {
            name,
            users,
            address: {
              address1: given.address1,
              address2: given.address2,
              city: given.city,
              zipCode: given.zip_code,
              state: given.address_state,
              country: given.country,
            },
            preferences: {
              theme: given.theme,
              homeDashboardId: given.home_dashboard_id,
              timezone: given.timezone,
            },
            profile: await profileOf(ctx, profile),
          }),
        ),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such organisation.',
      params: { ...NAME, ...PROFILE },
      run: (ctx, { name, profile }) =>
        stepwise(name, async () => absent(ctx, name, await profileOf(ctx, profile))),
    }),
  },
});
