/** `grafana4_user`: users of Grafana (3006.16 salt/states/grafana4_user.py). */
import { updateDict } from '../../formats/data/dict-merge.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { carriedOut, PROFILE, profileOf, send } from './module/server.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { addDiff, asDict, foretell, grafana, isAs, stepwise, withDefaults } from './state/parts.ts';

const NOT_FOUND = 404;
const NAME = { name: param.text({ doc: 'The login.' }) } as const;

interface Wanted {
  readonly name: string;
  readonly password: Value;
  readonly email: Value;
  readonly is_admin: boolean;
  readonly fullname: Value;
  readonly theme: Value;
  readonly profile: Dict;
}

const userNamed = (ctx: StateContext, name: string, profile: Dict): Promise<Value> =>
  grafana(ctx, 'get_user', [name, profile], {});

async function present(ctx: StateContext, wanted: Wanted): Promise<StateResult> {
  const { name, password, email, is_admin, fullname, theme, profile } = wanted;
  let user = await userNamed(ctx, name, profile);
  const isNew = !isDict(user);
  const changes = dict();
  if (isNew) {
    foretell(ctx, `User ${name} will be created`);
    await grafana(ctx, 'create_user', [], { login: name, password, email, name: fullname, profile });
    user = await userNamed(ctx, name, profile);
    changes.set('new', user);
  }
  const known = asDict(user);
  const id = known.get('id') ?? null;
  const before = asDict(await grafana(ctx, 'get_user_data', [id], { profile }));
  const data = withDefaults({ login: name, email, name: fullname, theme }, before);
  if (!isAs(before, data)) {
    foretell(ctx, `User ${name} will be updated`);
    await ctx.functions.call('grafana4.update_user', [id], new Map([['profile', profile], ...data]));
    addDiff(changes, before, await grafana(ctx, 'get_user_data', [id], { profile }));
  }
  if ((known.get('isAdmin') ?? false) !== is_admin) {
    foretell(ctx, `User ${name} isAdmin status will be updated`);
    await grafana(ctx, 'update_user_permissions', [id], { isGrafanaAdmin: is_admin, profile });
    addDiff(changes, known, await userNamed(ctx, name, profile));
  }
  if (isNew)
    return outcome(name, true, `New user ${name} added`, updateDict(dict(), asDict(changes.get('new'))));
  return outcome(
    name,
    true,
    changes.size > 0 ? `User ${name} updated` : `User ${name} already up-to-date`,
    changes,
  );
}

/** What Grafana does not have any more is as well as removed. */
async function removed(ctx: StateContext, profile: Dict, path: readonly Value[]): Promise<void> {
  const reply = await send(ctx, profile, { method: 'DELETE', path });
  if (reply.status !== NOT_FOUND) carriedOut(reply);
}

async function absent(ctx: StateContext, name: string, profile: Dict): Promise<StateResult> {
  const user = await userNamed(ctx, name, profile);
  if (!isDict(user)) return outcome(name, true, `User ${name} already absent`);
  foretell(ctx, `User ${name} will be deleted`);
  const id = user.get('id') ?? null;
  const orgs = await grafana(ctx, 'get_user_orgs', [id], { profile });
  await grafana(ctx, 'delete_user', [id], { profile });
  for (const org of (Array.isArray(orgs) ? orgs : []).filter(isDict)) {
    const orgId = org.get('orgId') ?? null;
    // an organisation that Grafana has made for this user alone has his address as its name
    const isOwn = org.get('name') === user.get('email');
    await removed(ctx, profile, isOwn ? ['orgs', orgId] : ['orgs', orgId, 'users', id]);
  }
  return outcome(name, true, `User ${name} was deleted`, dict().set(name, 'Absent'));
}

/** The states of `grafana4_user`. */
export const grafana4UserStates = defineModule({
  name: 'grafana4_user',
  file: 'grafana4_user',
  doc: 'Users of Grafana.',
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a user. The password of one who is there stays as it is.',
      params: {
        ...NAME,
        password: param.value({ type: 'str', doc: 'The password of a new user.' }),
        email: param.value({ type: 'str', doc: 'The address.' }),
        is_admin: param.flag({ default: false, doc: 'He administers Grafana.' }),
        fullname: param.value({ default: null, type: 'str', doc: 'The full name.' }),
        theme: param.value({ default: null, type: 'str', doc: 'dark or light.' }),
        ...PROFILE,
      },
      run: (ctx, { profile, ...wanted }) =>
        stepwise(wanted.name, async () =>
          present(ctx, { ...wanted, profile: await profileOf(ctx, profile) }),
        ),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such user, nor the organisation that Grafana has made for him.',
      params: { ...NAME, ...PROFILE },
      run: (ctx, { name, profile }) =>
        stepwise(name, async () => absent(ctx, name, await profileOf(ctx, profile))),
    }),
  },
});
