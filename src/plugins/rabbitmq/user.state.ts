/** `rabbitmq_user`: users of RabbitMQ (3006.16 salt/states/rabbitmq_user.py). */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { dict, isDict, truthy, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { oneLine } from '../../runtime/loader/words.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcomeChangesLast as outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';
import { nameOf, orFailure, rabbit, RUNAS, switched, withoutRabbitmq } from './state/parts.ts';

/** What a user is to be. */
interface WantedUser {
  readonly name: string;
  readonly password: Value;
  readonly force: boolean;
  readonly tags: Value;
  readonly perms: Value | undefined;
  readonly runas: Value;
}

/** The permissions of one virtual host. */
interface Permission {
  readonly vhost: Value;
  readonly rights: readonly [configure: Value, write: Value, read: Value];
}

const keywordsOf = ({ runas }: WantedUser): Dict => dict({ runas });

/** Why arguments can never be right. Salt compat: there it is a traceback, or what cannot be read is passed over. */
function refuses({
  password,
  tags,
  perms,
}: Pick<WantedUser, 'password' | 'tags' | 'perms'>): string | undefined {
  if (typeof password === 'string') oneLine(password, 'password');
  if (isDict(tags)) return `tags must be a list, or a text with blanks between them, not ${pyRepr(tags)}`;
  if (perms === undefined) return undefined;
  const list = Array.isArray(perms) ? perms : [perms];
  const isThree = (rights: Value): boolean => Array.isArray(rights) && rights.length === 3;
  return list.every((item) => isDict(item) && [...item.values()].every(isThree))
    ? undefined
    : `perms must be a list of mappings of a virtual host to [configure, write, read], not ${pyRepr(perms)}`;
}

/** `[{vhost: [configure, write, read]}]` in one list. */
function permissionsOf(perms: Value | undefined): Permission[] {
  const list = Array.isArray(perms) ? perms : isDict(perms) ? [perms] : [];
  return list.filter(isDict).flatMap((item) =>
    [...item].map(([vhost, given]): Permission => {
      const [configure = null, write = null, read = null] = Array.isArray(given) ? given : [...pyStr(given)];
      return { vhost, rights: [configure, write, read] };
    }),
  );
}

const rightsDict = ({ rights: [configure, write, read] }: Permission): Dict =>
  dict({ configure, write, read });

const isAsWanted = (existing: Value | undefined, wanted: Permission): boolean =>
  isDict(existing) && valuesEqual(existing, rightsDict(wanted));

/** Does something, unless nothing may be changed. */
async function apply(
  ctx: StateContext,
  fun: string,
  args: readonly Value[],
  wanted: WantedUser,
): Promise<void> {
  if (!ctx.state.test) await rabbit(ctx, fun, args, keywordsOf(wanted));
}

async function setPassword(ctx: StateContext, wanted: WantedUser, changes: Dict): Promise<void> {
  const { name, password } = wanted;
  if (password === null) {
    await apply(ctx, 'clear_password', [name], wanted);
    changes.set('password', dict({ old: 'Removed password.', new: '' }));
  } else {
    await apply(ctx, 'change_password', [name, password], wanted);
    changes.set('password', dict({ old: '', new: 'Set password.' }));
  }
}

/** The tags that a user has; none where they cannot be had. */
async function currentTags(ctx: StateContext, wanted: WantedUser): Promise<Value[]> {
  const users = await rabbit(ctx, 'list_users', [], keywordsOf(wanted));
  const tags = isDict(users) ? users.get(wanted.name) : undefined;
  return Array.isArray(tags) ? tags : [];
}

async function setTags(ctx: StateContext, wanted: WantedUser, changes: Dict): Promise<void> {
  if (wanted.tags === null) return;
  const tags =
    typeof wanted.tags === 'string'
      ? wanted.tags.split(/\s+/).filter((tag) => tag !== '')
      : Array.isArray(wanted.tags)
        ? wanted.tags
        : [pyStr(wanted.tags)];
  const current = await currentTags(ctx, wanted);
  const isSame = (a: readonly Value[], b: readonly Value[]): boolean =>
    a.every((tag) => b.some((other) => valuesEqual(tag, other)));
  // Salt compat: a user without tags has the tag '' in what Salt reads, so that `tags: []` changes each time.
  const present = current.filter((tag) => tag !== '');
  if (isSame(tags, present) && isSame(present, tags)) return;
  await apply(ctx, 'set_user_tags', [wanted.name, tags], wanted);
  changes.set('tags', dict({ old: current, new: tags }));
}

async function setPermissions(ctx: StateContext, wanted: WantedUser, changes: Dict): Promise<void> {
  const listed = await rabbit(ctx, 'list_user_permissions', [wanted.name], keywordsOf(wanted));
  const existing: Dict = isDict(listed) ? listed : dict();
  const all = permissionsOf(wanted.perms);
  if (all.every((one) => isAsWanted(existing.get(one.vhost), one))) return;
  const [before, after] = [dict(), dict()];
  let hasOld = false;
  for (const one of all) {
    const old = existing.get(one.vhost);
    if (isAsWanted(old, one)) continue;
    // Salt compat: Salt sets all permissions again as soon as one differs; ours sets those that do.
    await apply(ctx, 'set_permissions', [one.vhost, wanted.name, ...one.rights], wanted);
    after.set(one.vhost, rightsDict(one));
    if (!isDict(old)) continue;
    hasOld = true;
    for (const [key, value] of old) before.set(key, value);
  }
  changes.set('perms', dict({ ...(hasOld ? { old: before } : {}), new: after }));
}

async function isPasswordOther(ctx: StateContext, wanted: WantedUser): Promise<boolean> {
  if (wanted.password === null) return false;
  const args = [wanted.name, wanted.password];
  return !truthy(await rabbit(ctx, 'check_password', args, keywordsOf(wanted)));
}

async function present(ctx: StateContext, wanted: WantedUser): Promise<StateResult> {
  const { name, force, tags, perms } = wanted;
  const isThere = truthy(await rabbit(ctx, 'user_exists', [name], keywordsOf(wanted)));
  const isOther = isThere && (await isPasswordOther(ctx, wanted));
  // Salt compat: Salt leaves the tags of a user alone where `tags: []` is all that is said of him.
  if (isThere && !force && !isOther && perms === undefined && tags === null)
    return outcome(name, true, `User '${name}' is already present.`);
  const changes = dict();
  if (!isThere) {
    changes.set('user', dict({ old: '', new: name }));
    if (ctx.state.test) return outcome(name, null, `User '${name}' is set to be created.`, changes);
    await apply(ctx, 'add_user', [name, wanted.password], wanted);
  } else if (force || isOther) await setPassword(ctx, wanted, changes);
  await setTags(ctx, wanted, changes);
  await setPermissions(ctx, wanted, changes);
  if (changes.size === 0) return outcome(name, true, `'${name}' is already in the desired state.`);
  return ctx.state.test
    ? outcome(name, null, `Configuration for '${name}' will change.`, changes)
    : outcome(name, true, `'${name}' was configured.`, changes);
}

/** The states of `rabbitmq_user`. */
export const rabbitmqUserStates = defineModule({
  name: 'rabbitmq_user',
  file: 'rabbitmq_user',
  doc: 'Users of RabbitMQ.',
  unavailable: withoutRabbitmq,
  words: { lines: ['password'], dashes: ['password', 'perms'] },
  functions: {
    present: defineState({
      doc: 'Makes sure that there is a user, with his password, tags and permissions.',
      params: {
        ...nameOf('user'),
        password: param.value({ default: null, type: 'str', takes: 'text', doc: 'The password.' }),
        force: param.flag({ default: false, doc: 'Set the password even where it is right.' }),
        tags: param.value({ default: null, type: 'list or str', doc: 'The tags.' }),
        perms: param.valueIfGiven({
          default: [],
          type: 'list',
          doc: 'Mappings of virtual host to [configure, write, read].',
        }),
        ...RUNAS,
      },
      refuses,
      run: (ctx, wanted) => orFailure(wanted.name, () => present(ctx, wanted)),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such user.',
      params: { ...nameOf('user'), ...RUNAS },
      run: (ctx, { name, runas }) =>
        orFailure(name, async () =>
          switched(ctx, {
            name,
            isRight: !truthy(await rabbit(ctx, 'user_exists', [name], dict({ runas }))),
            changes: dict({ name: dict({ old: name, new: '' }) }),
            right: `The user '${name}' is not present.`,
            foretold: `The user '${name}' will be removed.`,
            done: () => `The user '${name}' was removed.`,
            run: () => rabbit(ctx, 'delete_user', [name], dict({ runas })),
          }),
        ),
    }),
  },
});
