/** `redis`: keys of a Redis server, and whose replica it is (3006.16 salt/states/redismod.py). */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import {
  dict,
  isDict,
  PyFloat,
  toNumber,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../python/values/value.ts';
import { defineModule } from '../../runtime/loader/module.ts';
import { param } from '../../runtime/loader/params.ts';
import { outcome } from '../shared/outcome.ts';
import { defineState, type StateContext, type StateResult } from '../shared/state-function.ts';

const PLACE = 'connection_args';

interface WantedKey {
  readonly name: string;
  readonly value: Value;
  readonly expire: Value | undefined;
  readonly expireat: Value | undefined;
}

async function string(ctx: StateContext, wanted: WantedKey, place: Dict): Promise<StateResult> {
  const { name, value, expire, expireat } = wanted;
  const call = async (fun: string, args: readonly Value[]): Promise<void> => {
    if (!ctx.state.test) await ctx.functions.call(`redis.${fun}`, args, place);
  };
  const old = await ctx.functions.call('redis.get_key', [name], place);
  const changes = dict();
  // Salt compat: a number never equals the text that the server has, so that Salt sets it each time.
  const isOther = old === null || old !== pyStr(value);
  if (isOther) {
    await call('set_key', [name, value]);
    changes.set(name, 'Value updated');
  }
  if (expireat !== undefined) {
    await call('expireat', [name, expireat]);
    changes.set('expireat', `Key expires at ${pyStr(expireat)}`);
  } else if (expire !== undefined) {
    await call('expire', [name, expire]);
    changes.set('expire', `TTL set to ${pyStr(expire)} seconds`);
  }
  if (!ctx.state.test || changes.size === 0)
    return outcome(
      name,
      true,
      isOther ? 'Key updated to new value' : 'Key already set to defined value',
      changes,
    );
  const foretold = isOther ? 'Key will be updated to new value' : 'The expiry of the key will be set';
  return outcome(name, null, foretold, changes);
}

async function absent(
  ctx: StateContext,
  name: string,
  keys: Value | undefined,
  place: Dict,
): Promise<StateResult> {
  if (keys !== undefined && !Array.isArray(keys))
    return outcome(name, false, '`keys` not formed as a list type');
  const isList = Array.isArray(keys) && keys.length > 0;
  const found: Value[] = [];
  for (const key of isList ? keys : [name])
    if (truthy(await ctx.functions.call('redis.exists', [key], place))) found.push(key);
  if (found.length === 0) return outcome(name, true, 'Key(s) specified already absent');
  const changes = dict({ deleted: found });
  const noun = isList ? 'Keys' : 'Key';
  if (ctx.state.test) return outcome(name, null, `${noun} will be deleted`, changes);
  await ctx.functions.call('redis.delete', found, place);
  return outcome(name, true, `${noun} deleted`, changes);
}

async function slaveof(
  ctx: StateContext,
  name: string,
  sentinel: readonly Value[],
  place: Dict,
): Promise<StateResult> {
  const wanted = await ctx.functions.call('redis.sentinel_get_master_ip', [name, ...sentinel]);
  const master: Dict = isDict(wanted) ? wanted : dict();
  const host = master.get('master_host') ?? null;
  const own = await ctx.functions.call('network.ip_addrs');
  if (Array.isArray(own) && own.includes(host)) return outcome(name, true, `Minion is the master: ${name}`);
  const current = (): Promise<Value> => {
    const {
      host: at = null,
      port = null,
      password = null,
    } = Object.fromEntries(place) as Record<string, Value>;
    return ctx.functions.call('redis.get_master_ip', [at, port, password]);
  };
  const before = await current();
  if (valuesEqual(before, master)) return outcome(name, true, `Minion already slave of master: ${name}`);
  // Salt compat: Salt looks for a key that is not there, and ends with a traceback.
  if (ctx.state.test) return outcome(name, null, `Minion will be made a slave of ${name}: ${pyStr(host)}`);
  await ctx.functions.call('redis.slaveof', [], new Map([...place, ...master]));
  const after = await current();
  return valuesEqual(after, master)
    ? outcome(
        name,
        true,
        `Minion successfully connected to master: ${name}`,
        dict({ old: before, new: after }),
      )
    : outcome(name, false, 'Failed to setup slave');
}

/** Why a key cannot be like this. Salt compat: there, test mode promises it, and the run ends with a traceback. */
function keyRefusal({ value, expire, expireat }: WantedKey): string | undefined {
  if (
    typeof value !== 'string' &&
    (value === null || typeof value === 'boolean' || typeof value === 'object') &&
    !(value instanceof PyFloat)
  )
    return `value must be a text or a number, not ${pyRepr(value)}`;
  for (const [key, time] of Object.entries({ expire, expireat }))
    if (time !== undefined && (typeof time === 'boolean' || toNumber(time) === undefined))
      return `${key} must be a number of seconds, not ${pyRepr(time)}`;
  return undefined;
}

const KEY = { name: param.text({ doc: 'The key.' }) } as const;

/** The states of `redis`. */
export const redisStates = defineModule({
  name: 'redis',
  file: 'redismod',
  doc: 'Keys of a Redis server. Further keywords (host, port, db, password) say which.',
  functions: {
    string: defineState({
      doc: 'Makes sure that a key has this value.',
      params: {
        ...KEY,
        value: param.value({ type: 'str', doc: 'The value.' }),
        expire: param.valueIfGiven({
          default: null,
          type: 'int',
          doc: 'After how many seconds the key goes; set at each run.',
        }),
        expireat: param.valueIfGiven({
          default: null,
          type: 'int',
          doc: 'When it goes, in seconds since 1970; goes before expire.',
        }),
      },
      kwargs: PLACE,
      refuses: keyRefusal,
      run: (ctx, wanted, place) => string(ctx, wanted, place),
    }),
    absent: defineState({
      doc: 'Makes sure that there is no such key.',
      params: {
        ...KEY,
        keys: param.valueIfGiven({ default: null, type: 'list', doc: 'Several keys, in place of the name.' }),
      },
      kwargs: PLACE,
      run: (ctx, { name, keys }, place) => absent(ctx, name, keys, place),
    }),
    slaveof: defineState({
      doc: 'Makes the server a replica of the master that a Sentinel names.',
      params: {
        name: param.text({ doc: 'The name of the master.' }),
        sentinel_host: param.value({ default: null, type: 'str', doc: 'The Sentinel.' }),
        sentinel_port: param.value({ default: null, type: 'int', doc: 'Its port.' }),
        sentinel_password: param.value({ default: null, type: 'str', doc: 'Its password.' }),
      },
      kwargs: PLACE,
      run: (ctx, { name, sentinel_host, sentinel_port, sentinel_password }, place) =>
        slaveof(ctx, name, [sentinel_host, sentinel_port, sentinel_password], place),
    }),
  },
});
