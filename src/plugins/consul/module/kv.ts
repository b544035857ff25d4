/** `consul`: keys and their values (3006.16 salt/modules/consul.py). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import {
  dict,
  isDict,
  toNumber,
  truthy,
  valuesEqual,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import { defineFunction } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { PLACE, refused, required, TOKEN_PARAM, URL_PARAM, withConsul, type Ask } from './server.ts';

const FLAGS_MAX = 2n ** 64n;

const KEY = { key: param.textIfGiven({ default: null, doc: 'The key.' }) } as const;
const EXCLUSIVE = ['cas', 'release', 'acquire'];

/** The value of an item, which Consul gives in base64, as it is. */
function decodedItem(item: Value): Value {
  if (!isDict(item)) return item;
  const value = item.get('Value') ?? null;
  const bytes = Buffer.from(value === null ? '' : pyStr(value), 'base64');
  return new Map([...item, ['Value', decodeUtf8(bytes) ?? new Uint8Array(bytes)]]);
}

/** What of the keywords goes into the address of a PUT; a mapping with `message` where that cannot be. */
async function conditions(ask: Ask, key: string, given: Dict): Promise<Dict | { readonly refusal: Dict }> {
  const params = dict();
  const flags = toNumber(given.get('flags'));
  if (flags !== undefined && flags >= 0 && flags <= FLAGS_MAX)
    params.set('flags', given.get('flags') ?? null);
  const entry = async (): Promise<Dict | undefined> => {
    const { isGood, data } = await ask({ path: ['kv', key] });
    const [first] = isGood && Array.isArray(data) ? data : [];
    return isDict(first) ? first : undefined;
  };
  const refusal = (text: string): { readonly refusal: Dict } => ({ refusal: refused(text) });
  if (given.has('cas')) {
    const [cas, current] = [given.get('cas') ?? null, await entry()];
    if (current === undefined) return refusal(`Key ${key} does not exists, CAS argument can not be used.`);
    if (cas === 0) return refusal(`Key ${key} exists, index must be non-zero.`);
    // Salt compat: Salt looks for the index in the list around the key, and ends with a traceback
    if (!valuesEqual(cas, current.get('ModifyIndex') ?? null))
      return refusal(`Key ${key} exists, but indexes do not match.`);
    params.set('cas', cas);
  }
  if (given.has('acquire')) {
    const acquire = given.get('acquire') ?? null;
    const { data } = await ask({ path: ['session', 'list'] });
    const sessions = (Array.isArray(data) ? data : []).filter(isDict).map((one) => one.get('ID') ?? null);
    if (!sessions.includes(acquire)) return refusal(`${pyStr(acquire)} is not a valid session.`);
    params.set('acquire', acquire);
  }
  if (given.has('release')) {
    const [release, current] = [given.get('release') ?? null, await entry()];
    const session = current?.get('Session');
    if (current !== undefined && session === undefined)
      return refusal(`${pyStr(release)} is not a valid session.`);
    if (current !== undefined && session !== release) return refusal(`${key} locked by another session.`);
    if (current !== undefined) params.set('release', release);
  }
  return params;
}

/** Functions for keys. */
export const kvFunctions = {
  list: defineFunction({
    doc: 'Lists keys; `recurse` with those below.',
    params: { ...PLACE, key: param.textIfGiven({ default: null, doc: 'What they begin with.' }) },
    kwargs: 'kwargs',
    pythonName: 'list_',
    returns: '{data: list of keys, res}',
    examples: ["salt '*' consul.list", "salt '*' consul.list key='web'"],
    run: (ctx, { key, ...place }, _rest, given) =>
      withConsul(ctx, place, async (ask) => {
        const isAll = given.has('recurse') || key === undefined;
        const params = dict({ ...(isAll ? { recurse: 'True' } : {}), keys: 'True', separator: '/' });
        return (await ask({ path: ['kv', key ?? ''], params })).whole;
      }),
  }),
  get: defineFunction({
    doc: 'Returns a key.',
    params: {
      ...URL_PARAM,
      ...KEY,
      ...TOKEN_PARAM,
      recurse: param.flag({ default: false, doc: 'With all keys that begin with it.' }),
      decode: param.flag({ default: false, doc: 'Values as they are, and not in base64.' }),
      raw: param.flag({ default: false, doc: 'Nothing but the value.' }),
    },
    returns: '{data: list of mappings, res}',
    examples: [
      "salt '*' consul.get key='web/key1'",
      "salt '*' consul.get key='web' recurse=True decode=True",
    ],
    run: (ctx, { key, recurse, decode, raw, ...place }) =>
      withConsul(ctx, place, async (ask) => {
        const params = dict({ ...(recurse ? { recurse: 'True' } : {}), ...(raw ? { raw: true } : {}) });
        const { isGood, data, whole } = await ask({ path: ['kv', required(key, 'key')], params });
        if (isGood && decode && Array.isArray(data)) whole.set('data', data.map(decodedItem));
        return whole;
      }),
  }),
  put: defineFunction({
    doc: 'Sets a key. Further keywords: flags, and one of cas, acquire and release.',
    params: {
      ...PLACE,
      ...KEY,
      value: param.by((value: Value) => ({ data: value, text: pyStr(value) }), {
        default: null,
        type: 'str',
        doc: 'The value; what is no text goes as JSON.',
      }),
    },
    kwargs: 'kwargs',
    returns: '{data: what was done, res}',
    examples: [
      `salt '*' consul.put key='web/key1' value="Hello there"`,
      `salt '*' consul.put key='web/key1' value="Hello there" acquire='d5d371f4-c380-5280-12fd-8810be175592'`,
    ],
    run: (ctx, { key: given, value, ...place }, _rest, keywords) =>
      withConsul(ctx, place, async (ask) => {
        const key = required(given, 'key');
        const [first, second] = EXCLUSIVE.filter((name) => keywords.has(name));
        if (first !== undefined && second !== undefined)
          throw new SaltInvocationError(
            `Using arguments \`${first}\` and \`${second}\` together is invalid.`,
          );
        const params = await conditions(ask, key, keywords);
        if ('refusal' in params) return params.refusal;
        const { isGood, whole } = await ask({ path: ['kv', key], method: 'PUT', params, data: value.data });
        const said = isGood
          ? `Added key ${key} with value ${value.text}.`
          : `Unable to add key ${key} with value ${value.text}.`;
        const error = whole.get('error');
        return dict({ res: isGood, data: said, ...(error === undefined ? {} : { error }) });
      }),
  }),
  delete: defineFunction({
    doc: 'Removes a key; `recurse` with all that begin with it, `cas` where its index is this one.',
    params: { ...PLACE, ...KEY },
    kwargs: 'kwargs',
    returns: '{message: what was done, res}',
    examples: ["salt '*' consul.delete key='web'", "salt '*' consul.delete key='web' recurse='True'"],
    run: (ctx, { key: given, ...place }, _rest, keywords) =>
      withConsul(ctx, place, async (ask) => {
        const key = required(given, 'key');
        const params = dict(keywords.has('recurse') ? { recurse: true } : {});
        const cas = keywords.get('cas');
        if (cas !== undefined && !((toNumber(cas) ?? 0) > 0))
          return refused(['Check and Set Operation ', 'value must be greater than 0.']);
        if (cas !== undefined) params.set('cas', cas);
        const { isGood, whole } = await ask({ path: ['kv', key], method: 'DELETE', params });
        const error = whole.get('error');
        return dict({
          res: isGood,
          message: isGood ? `Deleted key ${key}.` : `Unable to delete key ${key}.`,
          ...(truthy(error) ? { error: error ?? null } : {}),
        });
      }),
  }),
} as const;
