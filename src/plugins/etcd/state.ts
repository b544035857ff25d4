/** `etcd`: keys and directories of etcd (3006.16 salt/states/etcd_mod.py). */
import { BrineError, messageOf } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { CONNECTION, keysOf, PROFILE } from './module/connect.ts';
import type { EtcdKeys } from './module/keys.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

/** What Salt says of a key that it does not find without a profile. */
const NO_PROFILE = 'No profile found, using a profile is always recommended';

/** One key, and what says where it is. */
interface At {
  readonly name: string;
  readonly profile: string | undefined;
  readonly place: Dict;
}

const NAME = { name: param.text({ doc: 'The key, a path.' }) } as const;
const VALUE = { value: param.value({ type: 'str', doc: 'The value.' }) } as const;
const RECURSE = { recurse: param.flag({ default: false, doc: 'With all that lies below.' }) } as const;

/**
 * The etcd of a state. Salt compat: an etcd that cannot be asked, or refuses, is told; Salt takes the key for one that
 * is not there, and a value that was not written for one that is right.
 */
const etcd = (ctx: StateContext, { profile, place }: At): EtcdKeys => keysOf(ctx, profile, place, true);

/** Failed calls as a result of the state. */
async function guarded(name: string, run: () => Promise<StateResult>): Promise<StateResult> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    return outcome(name, false, messageOf(error));
  }
}

const isUnknown = (found: Value, { profile }: At): boolean => found === null && profile === undefined;

/** Makes sure that a key has a value; one with a `ttl` among the keywords is set anew each time. */
function set(ctx: StateContext, at: At, value: Value): Promise<StateResult> {
  const { name, place } = at;
  return guarded(name, async () => {
    const keys = etcd(ctx, at);
    const found = await keys.get(name, false);
    if (isUnknown(found, at)) return outcome(name, false, NO_PROFILE);
    const isRight = found !== null && !keys.isOther(found, value);
    const right = outcome(name, true, 'Key contains correct value');
    const ttl = place.get('ttl') ?? null;
    if (isRight && (ctx.state.test || !truthy(ttl))) return right;
    const isNew = !truthy(found);
    const changes: Dict = new Map([[name, value]]);
    if (ctx.state.test)
      return outcome(name, null, isNew ? 'New key would be created' : 'Key value would be updated', changes);
    await keys.set(name, value, ttl, truthy(place.get('directory')));
    return isRight ? right : outcome(name, true, isNew ? 'New key created' : 'Key value updated', changes);
  });
}

function directory(ctx: StateContext, at: At): Promise<StateResult> {
  const { name } = at;
  return guarded(name, async () => {
    const keys = etcd(ctx, at);
    const found = await keys.get(name, true);
    if (isUnknown(found, at)) return outcome(name, false, NO_PROFILE);
    // Salt compat: an empty directory is an empty mapping, which Salt makes again and calls new
    if (found !== null) return outcome(name, true, 'Directory exists');
    const changes = dict().set(name, 'Created');
    if (ctx.state.test) return outcome(name, null, 'New directory would be created', changes);
    await keys.set(name, null, at.place.get('ttl') ?? null, true);
    return outcome(name, true, 'New directory created', changes);
  });
}

function rm(ctx: StateContext, at: At, isRecursive: boolean): Promise<StateResult> {
  const { name } = at;
  return guarded(name, async () => {
    const keys = etcd(ctx, at);
    const found = await keys.get(name, true);
    if (isUnknown(found, at)) return outcome(name, false, NO_PROFILE);
    if (!truthy(found)) return outcome(name, true, 'Key does not exist');
    const changes = dict().set(name, 'Deleted');
    if (ctx.state.test) return outcome(name, null, 'Key would be removed', changes);
    try {
      if (truthy(await keys.rm(name, isRecursive))) return outcome(name, true, 'Key removed', changes);
    } catch (error) {
      if (!(error instanceof BrineError)) throw error;
      return outcome(name, false, `Unable to remove key: ${error.message}`);
    }
    return outcome(name, false, 'Unable to remove key');
  });
}

const waits = (name: string): StateResult => outcome(name, true, '');

/** What a watched state does (`mod_watch`). @param given its arguments */
function watched(ctx: StateContext, name: string, given: Dict): Promise<StateResult> | StateResult {
  const place: Dict = new Map(
    [...given].filter(([key]) => !['sfun', 'value', 'profile', 'recurse'].includes(pyStr(key))),
  );
  const profile = given.get('profile') ?? null;
  // Salt compat: Salt leaves out all arguments but the value and the profile
  const at = { name, profile: truthy(profile) ? pyStr(profile) : undefined, place };
  const sfun = given.get('sfun') ?? null;
  if (sfun === 'wait_set' || sfun === 'wait_set_key') return set(ctx, at, given.get('value') ?? null);
  if (sfun === 'wait_rm' || sfun === 'wait_rm_key') return rm(ctx, at, truthy(given.get('recurse')));
  return outcome(
    name,
    false,
    `etcd.${pyStr(sfun)} does not work with the watch requisite, please use etcd.wait_set or etcd.wait_rm`,
  );
}

/** The states of `etcd`. */
export const etcdStates = defineModule({
  name: 'etcd',
  file: 'etcd_mod',
  doc: 'Keys and directories of etcd. Further keywords (host, port, username, password, ca, client_key, client_cert) say which.',
  functions: {
    set: defineState({
      doc: 'Makes sure that a key has this value. A key that is not there yet needs a profile.',
      params: { ...NAME, ...VALUE, ...PROFILE },
      kwargs: CONNECTION,
      run: (ctx, { name, value, profile }, place) => set(ctx, { name, profile, place }, value),
    }),
    wait_set: defineState({
      doc: 'Sets a key when what it watches has changed.',
      params: { ...NAME, ...VALUE, ...PROFILE },
      kwargs: CONNECTION,
      run: (_ctx, { name }) => waits(name),
    }),
    directory: defineState({
      doc: 'Makes sure that there is a directory (version 2).',
      params: { ...NAME, ...PROFILE },
      kwargs: CONNECTION,
      run: (ctx, { name, profile }, place) => directory(ctx, { name, profile, place }),
    }),
    rm: defineState({
      doc: 'Makes sure that there is no such key.',
      params: { ...NAME, ...RECURSE, ...PROFILE },
      kwargs: CONNECTION,
      run: (ctx, { name, recurse, profile }, place) => rm(ctx, { name, profile, place }, recurse),
    }),
    wait_rm: defineState({
      doc: 'Removes a key when what it watches has changed.',
      params: { ...NAME, ...RECURSE, ...PROFILE },
      kwargs: CONNECTION,
      run: (_ctx, { name }) => waits(name),
    }),
    mod_watch: defineState({
      doc: 'Does what wait_set and wait_rm are there for.',
      params: NAME,
      kwargs: CONNECTION,
      run: (ctx, { name }, given) => watched(ctx, name, given),
    }),
  },
});
