/** `redis`: keys and settings of a Redis server. Follows 3006.16 salt/modules/redismod.py. */
import { BrineError, CommandExecutionError, messageOf, SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import {
  defineFunction,
  defineModule,
  type FunctionSpec,
  type ModuleContext,
} from '../../runtime/loader/module.ts';
import {
  param,
  readArguments,
  readOptions,
  type Params,
  type TypedArguments,
} from '../../runtime/loader/params.ts';
import {
  factsOf,
  floatOf,
  onSentinel,
  onServer,
  pairsOf,
  PLACE,
  valueOf,
  wordOf,
  type Answer,
  type Ask,
  type Place,
  type Word,
} from './module/server.ts';

const KEY = { key: param.by(wordOf, { type: 'str', doc: 'The key.' }) } as const;
const FIELD = { field: param.by(wordOf, { type: 'str', doc: 'The field of the hash.' }) } as const;
const VALUE = { value: param.by(wordOf, { type: 'str', doc: 'The value.' }) } as const;
const RANGE = {
  start: param.by(wordOf, { type: 'int', doc: 'The first place, from 0; negative ones count from the end.' }),
  stop: param.by(wordOf, { type: 'int', doc: 'The last place, itself included.' }),
} as const;
const SENTINEL = {
  host: param.textOrNone({
    default: null,
    doc: 'The Sentinel; without it the option redis_sentinel.host.',
  }),
  port: param.textOrNone({
    default: null,
    type: 'int',
    doc: 'Its port; without it the option redis_sentinel.port.',
  }),
  password: param.textOrNone({
    default: null,
    doc: 'Its password; without it redis_sentinel.password.',
  }),
} as const;
const { host: HOST, port: PORT, password: PASSWORD } = PLACE;

const DEFAULT_PORT = '6379';

/** A word that may be left out. */
const wordOrNone = (value: Value): Word | undefined => (value === null ? undefined : wordOf(value));

/** A port, the usual one for what is false; undefined where none is named. */
const portOrNone = (value: Value): Word | undefined =>
  value === null || truthy(value) ? wordOrNone(value) : DEFAULT_PORT;

const isOk = (answer: Answer): boolean => valueOf(answer) === 'OK';
const isOne = (answer: Answer): boolean => truthy(valueOf(answer));
const isDone = (): boolean => true;
const SALT = "salt '*' redis.";

/** A function that is one command. */
interface Command<P extends Params> {
  readonly doc: string;
  readonly returns: string;
  readonly example: string;
  /** What the command does not need to be handed. */
  readonly params?: P;
  readonly words: (args: TypedArguments<P>) => readonly [string, ...Word[]];
  readonly read?: (answer: Answer) => Value;
}

/** The function of one command. */
function command<const P extends Params>(described: Command<P>): FunctionSpec {
  const { doc, returns, example, params, words, read = valueOf } = described;
  return {
    doc,
    params: { ...params, ...PLACE },
    returns,
    examples: [SALT + example],
    run: (ctx, args) => {
      const sent = words(readArguments(params, args));
      return onServer(ctx, readArguments(PLACE, args), async (ask) => read(await ask(...sent)));
    },
  };
}

const one =
  <K extends string = never>(name: string, ...params: readonly K[]) =>
  (args: Readonly<Record<K, Word>>): readonly [string, ...Word[]] => [
    name,
    ...params.map((param) => args[param]),
  ];

async function isThere(ctx: ModuleContext, place: Place): Promise<boolean> {
  try {
    return await onServer(ctx, place, async (ask) => valueOf(await ask('PING')) === 'PONG');
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    ctx.log.info(messageOf(error));
    return false;
  }
}

async function shutDown(ctx: ModuleContext, place: Place): Promise<boolean> {
  if (!(await isThere(ctx, place))) return false;
  try {
    await onServer(ctx, place, (ask) => ask('SHUTDOWN'));
  } catch (error) {
    // a server that ends does not answer; whether it has ended is asked below
    ctx.log.debug(messageOf(error));
  }
  return !(await isThere(ctx, place));
}

async function masterOf(ask: Ask): Promise<Dict> {
  const facts = factsOf(await ask('INFO'));
  return dict({
    master_host: facts.get('master_host') ?? '',
    master_port: facts.get('master_port') ?? '',
  });
}

function sentinelsMaster(name: Word, answer: Answer): Dict {
  const found = valueOf(answer);
  if (!Array.isArray(found))
    throw new CommandExecutionError(`The Sentinel knows no master named ${pyStr(name)}.`);
  return dict({ master_host: found[0] ?? null, master_port: Number(found[1]) });
}

/** The module. */
export const redisModule = defineModule({
  name: 'redis',
  file: 'redismod',
  doc: 'Keys and settings of a Redis server.',
  failsWith: {
    false: [
      'config_set',
      'flushall',
      'flushdb',
      'hmset',
      'save',
      'set_key',
      'shutdown',
      'slaveof',
      'bgsave',
      'bgrewriteaof',
    ],
  },
  functions: {
    bgrewriteaof: command({
      doc: 'Has the server write its append-only file anew, in the background.',
      returns: 'true',
      example: 'bgrewriteaof',
      words: one('BGREWRITEAOF'),
      read: isDone,
    }),
    bgsave: command({
      doc: 'Has the server save its data, in the background.',
      returns: 'true',
      example: 'bgsave',
      words: one('BGSAVE'),
      read: isDone,
    }),
    config_get: command({
      doc: 'Returns the settings whose names match a pattern.',
      params: {
        pattern: param.by(wordOf, { default: '*', type: 'str', doc: 'The pattern, with `*` and `?`.' }),
      },
      returns: 'mapping of name to value',
      example: 'config_get port',
      words: ({ pattern }) => ['CONFIG', 'GET', pattern],
      read: pairsOf,
    }),
    config_set: command({
      doc: 'Changes a setting of the running server.',
      params: { name: param.by(wordOf, { type: 'str', doc: 'The setting.' }), ...VALUE },
      returns: 'true',
      example: 'config_set masterauth luv_kittens',
      words: ({ name, value }) => ['CONFIG', 'SET', name, value],
      read: isOk,
    }),
    dbsize: command({
      doc: 'Returns how many keys the database has.',
      returns: 'number',
      example: 'dbsize',
      words: one('DBSIZE'),
    }),
    delete: defineFunction({
      doc: 'Removes keys.',
      varargs: 'keys',
      kwargs: 'connection_args',
      returns: 'how many there were',
      examples: [`${SALT}delete foo`],
      run: (ctx, _args, keys, kwargs) =>
        onServer(ctx, readOptions(PLACE, kwargs), async (ask) =>
          valueOf(await ask('DEL', ...keys.map(wordOf))),
        ),
    }),
    exists: command({
      doc: 'Returns whether there is a key.',
      params: KEY,
      returns: '1 or 0',
      example: 'exists foo',
      words: one('EXISTS', 'key'),
    }),
    expire: command({
      doc: 'Has a key go after some seconds.',
      params: { ...KEY, seconds: param.by(wordOf, { type: 'int', doc: 'After how many seconds.' }) },
      returns: 'whether there is such a key',
      example: 'expire foo 300',
      words: one('EXPIRE', 'key', 'seconds'),
      read: isOne,
    }),
    expireat: command({
      doc: 'Has a key go at a time.',
      params: {
        ...KEY,
        timestamp: param.by(wordOf, { type: 'int', doc: 'The time in seconds since 1970.' }),
      },
      returns: 'whether there is such a key',
      example: 'expireat foo 1400000000',
      words: one('EXPIREAT', 'key', 'timestamp'),
      read: isOne,
    }),
    flushall: command({
      doc: 'Removes all keys of all databases.',
      returns: 'true',
      example: 'flushall',
      words: one('FLUSHALL'),
      read: isOk,
    }),
    flushdb: command({
      doc: 'Removes all keys of the database.',
      returns: 'true',
      example: 'flushdb',
      words: one('FLUSHDB'),
      read: isOk,
    }),
    get_key: command({
      doc: 'Returns the value of a key.',
      params: KEY,
      returns: 'text, None where there is none',
      example: 'get_key foo',
      words: one('GET', 'key'),
    }),
    hdel: defineFunction({
      doc: 'Removes fields of a hash.',
      params: KEY,
      varargs: 'fields',
      kwargs: 'options',
      returns: 'how many there were',
      examples: [`${SALT}hdel foo_hash bar_field1 bar_field2`],
      run: (ctx, { key }, fields, kwargs) =>
        onServer(ctx, readOptions(PLACE, kwargs), async (ask) =>
          valueOf(await ask('HDEL', key, ...fields.map(wordOf))),
        ),
    }),
    hexists: command({
      doc: 'Returns whether a hash has a field.',
      params: { ...KEY, ...FIELD },
      returns: 'true or false',
      example: 'hexists foo_hash bar_field',
      words: one('HEXISTS', 'key', 'field'),
      read: isOne,
    }),
    hget: command({
      doc: 'Returns a field of a hash.',
      params: { ...KEY, ...FIELD },
      returns: 'text, None where there is none',
      example: 'hget foo_hash bar_field',
      words: one('HGET', 'key', 'field'),
    }),
    hgetall: command({
      doc: 'Returns a whole hash.',
      params: KEY,
      returns: 'mapping of field to value',
      example: 'hgetall foo_hash',
      words: one('HGETALL', 'key'),
      read: pairsOf,
    }),
    hincrby: command({
      doc: 'Adds a whole number to a field of a hash.',
      params: {
        ...KEY,
        ...FIELD,
        increment: param.by(wordOf, { default: 1, type: 'int', doc: 'The number.' }),
      },
      returns: 'the sum',
      example: 'hincrby foo_hash bar_field 5',
      words: one('HINCRBY', 'key', 'field', 'increment'),
    }),
    hincrbyfloat: command({
      doc: 'Adds a number to a field of a hash.',
      params: {
        ...KEY,
        ...FIELD,
        increment: param.by(wordOf, { default: 1, type: 'float', doc: 'The number.' }),
      },
      returns: 'the sum',
      example: 'hincrbyfloat foo_hash bar_field 5.17',
      words: one('HINCRBYFLOAT', 'key', 'field', 'increment'),
      read: floatOf,
    }),
    hlen: command({
      doc: 'Returns how many fields a hash has.',
      params: KEY,
      returns: 'number',
      example: 'hlen foo_hash',
      words: one('HLEN', 'key'),
    }),
    hmget: defineFunction({
      doc: 'Returns several fields of a hash.',
      params: KEY,
      varargs: 'fields',
      kwargs: 'options',
      returns: 'list of texts, None for a field that is not there',
      examples: [`${SALT}hmget foo_hash bar_field1 bar_field2`],
      run: (ctx, { key }, fields, kwargs) =>
        onServer(ctx, readOptions(PLACE, kwargs), async (ask) =>
          valueOf(await ask('HMGET', key, ...fields.map(wordOf))),
        ),
    }),
    hmset: defineFunction({
      doc: 'Sets several fields of a hash.',
      params: KEY,
      kwargs: 'fieldsvals',
      returns: 'true',
      examples: [`${SALT}hmset foo_hash bar_field1=bar_value1 bar_field2=bar_value2`],
      run: (ctx, { key }, _rest, kwargs) => {
        const place = new Set(Object.keys(PLACE));
        const fields = [...kwargs].filter(
          ([name]) => !place.has(pyStr(name)) && !pyStr(name).startsWith('__'),
        );
        if (fields.length === 0) throw new SaltInvocationError("'hmset' with 'mapping' of length 0");
        return onServer(ctx, readOptions(PLACE, kwargs), async (ask) =>
          isOk(await ask('HMSET', key, ...fields.flat().map(wordOf))),
        );
      },
    }),
    hset: command({
      doc: 'Sets a field of a hash.',
      params: { ...KEY, ...FIELD, ...VALUE },
      returns: '1 where the field is new, else 0',
      example: 'hset foo_hash bar_field bar_value',
      words: one('HSET', 'key', 'field', 'value'),
    }),
    hsetnx: command({
      doc: 'Sets a field of a hash that does not have it.',
      params: { ...KEY, ...FIELD, ...VALUE },
      returns: '1 where it was set, else 0',
      example: 'hsetnx foo_hash bar_field bar_value',
      words: one('HSETNX', 'key', 'field', 'value'),
    }),
    hvals: command({
      doc: 'Returns the values of a hash.',
      params: KEY,
      returns: 'list of texts',
      example: 'hvals foo_hash',
      words: one('HVALS', 'key'),
    }),
    hscan: command({
      doc: 'Goes through the fields of a hash, some at each call.',
      params: {
        ...KEY,
        cursor: param.by(wordOf, {
          default: 0,
          type: 'int',
          doc: 'Where to go on: what the call before returned first.',
        }),
        match: param.by(wordOrNone, { default: null, type: 'str', doc: 'A pattern of fields.' }),
        count: param.by(wordOrNone, { default: null, type: 'int', doc: 'About how many at once.' }),
      },
      returns: 'list of the next cursor, 0 at the end, and a mapping of field to value',
      example: "hscan foo_hash match='field_prefix_*' count=1",
      words: ({ key, cursor, match, count }) => [
        'HSCAN',
        key,
        cursor,
        ...(match === undefined ? [] : ['MATCH', match]),
        ...(count === undefined ? [] : ['COUNT', count]),
      ],
      read: (answer) => {
        const [cursor = '0', pairs = []] = answer as readonly Answer[];
        return [Number(valueOf(cursor)), pairsOf(pairs)];
      },
    }),
    info: command({
      doc: 'Returns what the server says of itself.',
      returns: 'mapping',
      example: 'info',
      words: one('INFO'),
      read: factsOf,
    }),
    keys: command({
      doc: 'Returns the keys that match a pattern.',
      params: {
        pattern: param.by(wordOf, { default: '*', type: 'str', doc: 'The pattern, with `*` and `?`.' }),
      },
      returns: 'list of keys',
      example: 'keys test*',
      words: one('KEYS', 'pattern'),
    }),
    key_type: command({
      doc: 'Returns of which type a key is.',
      params: KEY,
      returns: 'string, list, set, zset, hash, stream or none',
      example: 'type foo',
      words: one('TYPE', 'key'),
    }),
    lastsave: command({
      doc: 'Returns when the data were last saved.',
      returns: 'seconds since 1970',
      example: 'lastsave',
      words: one('LASTSAVE'),
    }),
    llen: command({
      doc: 'Returns how long a list is.',
      params: KEY,
      returns: 'number',
      example: 'llen foo_list',
      words: one('LLEN', 'key'),
    }),
    lrange: command({
      doc: 'Returns a part of a list.',
      params: { ...KEY, ...RANGE },
      returns: 'list of texts',
      example: 'lrange foo_list 0 10',
      words: one('LRANGE', 'key', 'start', 'stop'),
    }),
    ping: defineFunction({
      doc: 'Returns whether the server answers.',
      params: PLACE,
      returns: 'true or false',
      examples: [`${SALT}ping`],
      run: (ctx, place) => isThere(ctx, place),
    }),
    save: command({
      doc: 'Has the server save its data; it does nothing else meanwhile.',
      returns: 'true',
      example: 'save',
      words: one('SAVE'),
      read: isOk,
    }),
    set_key: command({
      doc: 'Sets a key.',
      params: { ...KEY, ...VALUE },
      returns: 'true',
      example: 'set_key foo bar',
      words: one('SET', 'key', 'value'),
      read: isOk,
    }),
    shutdown: defineFunction({
      doc: 'Has the server save its data and end.',
      params: PLACE,
      returns: 'true, false where it was not there or is there still',
      examples: [`${SALT}shutdown`],
      run: (ctx, place) => shutDown(ctx, place),
    }),
    slaveof: command({
      doc: 'Makes the server a replica of another, or its own master.',
      params: {
        master_host: param.by(wordOrNone, {
          default: null,
          type: 'str',
          doc: 'The master; without it the server becomes one.',
        }),
        master_port: param.by(portOrNone, { default: null, type: 'int', doc: 'Its port; default: 6379.' }),
      },
      returns: 'true',
      example: 'slaveof redis-n01.example.com 6379',
      words: ({ master_host, master_port }) =>
        master_host === undefined && master_port === undefined
          ? ['SLAVEOF', 'NO', 'ONE']
          : ['SLAVEOF', master_host ?? wordOf(null), master_port ?? DEFAULT_PORT],
      read: isOk,
    }),
    smembers: command({
      doc: 'Returns the members of a set.',
      params: KEY,
      returns: 'list of texts',
      example: 'smembers foo_set',
      words: one('SMEMBERS', 'key'),
    }),
    time: command({
      doc: 'Returns the time of the server.',
      returns: 'seconds since 1970',
      example: 'time',
      words: one('TIME'),
      read: (answer) => toNumber(Number((answer as readonly Answer[])[0])) ?? null,
    }),
    zcard: command({
      doc: 'Returns how many members a sorted set has.',
      params: KEY,
      returns: 'number',
      example: 'zcard foo_sorted',
      words: one('ZCARD', 'key'),
    }),
    zrange: command({
      doc: 'Returns a part of a sorted set.',
      params: { ...KEY, ...RANGE },
      returns: 'list of texts',
      example: 'zrange foo_sorted 0 10',
      words: one('ZRANGE', 'key', 'start', 'stop'),
    }),
    sentinel_get_master_ip: defineFunction({
      doc: 'Asks a Sentinel where a master is.',
      params: { master: param.by(wordOf, { type: 'str', doc: 'The name of the master.' }), ...SENTINEL },
      returns: 'mapping with master_host and master_port',
      examples: [`${SALT}sentinel_get_master_ip 'mymaster'`],
      run: (ctx, { master, ...place }) =>
        onSentinel(ctx, place, async (ask) =>
          sentinelsMaster(master, await ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master)),
        ),
    }),
    get_master_ip: defineFunction({
      doc: 'Returns whose replica the server is.',
      params: { host: HOST, port: PORT, password: PASSWORD },
      returns: 'mapping with master_host and master_port; empty texts where it is a master',
      examples: [`${SALT}get_master_ip`],
      // Salt compat: Salt hands the password on as the number of the database.
      run: (ctx, place) => onServer(ctx, { ...place, db: undefined }, masterOf),
    }),
  },
});
