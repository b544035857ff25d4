/** Which Redis the functions of `redis` speak with, and what its answers are in Salt's values. */
import type { Redis } from 'ioredis';
import { SaltInvocationError } from '../../../errors/errors.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { decodeUtf8 } from '../../../python/values/text.ts';
import {
  dict,
  float,
  isBytes,
  isFloat,
  isInt,
  pyTypeName,
  type Dict,
  type Value,
} from '../../../python/values/value.ts';
import type { ModuleContext, TypedArguments } from '../../../runtime/loader/module.ts';
import { param } from '../../../runtime/loader/params.ts';
import { withRedis } from '../sdb/connection.ts';

/** The connection as parameters of functions. */
export const PLACE = {
  host: param.textIfGiven({ default: null, doc: 'The host; without it the option redis.host.' }),
  port: param.textIfGiven({ default: null, type: 'int', doc: 'The port; without it the option redis.port.' }),
  db: param.textIfGiven({
    default: null,
    type: 'int',
    doc: 'The number of the database; without it the option redis.db.',
  }),
  password: param.textIfGiven({ default: null, doc: 'The password; without it the option redis.password.' }),
} as const;

/** A connection as a call names it. */
export type Place = TypedArguments<typeof PLACE>;

/** What a server answers to one command. */
export type Answer = string | number | Buffer | null | readonly Answer[];

/** A word of a command as it is sent. */
export type Word = string | Buffer;

/** Sends commands: the name, and its words. */
export type Ask = (command: string, ...words: readonly Word[]) => Promise<Answer>;

/** Does something with the server that a call names, or that the options name. */
export async function onServer<T>(
  ctx: ModuleContext,
  place: Place,
  run: (ask: Ask) => Promise<T>,
): Promise<T> {
  const option = async (name: keyof Place): Promise<Value> =>
    place[name] ?? ctx.functions.call('config.option', [`redis.${name}`]);
  return onRedis(
    dict({
      host: await option('host'),
      port: await option('port'),
      db: (await option('db')) || 0,
      password: (await option('password')) || null,
    }),
    run,
  );
}

/** The same with a Sentinel. */
export async function onSentinel<T>(
  ctx: ModuleContext,
  place: Omit<Place, 'db'>,
  run: (ask: Ask) => Promise<T>,
): Promise<T> {
  const option = async (name: keyof typeof place, fallback: Value): Promise<Value> =>
    place[name] ?? (await ctx.functions.call('config.option', [`redis_sentinel.${name}`, fallback]));
  return onRedis(
    dict({
      host: await option('host', 'localhost'),
      port: await option('port', 26379),
      password: (await option('password', '')) || null,
    }),
    run,
  );
}

function onRedis<T>(options: Dict, run: (ask: Ask) => Promise<T>): Promise<T> {
  return withRedis(options, 'salt-minion', (redis: Redis) =>
    run(async (command, ...words) => (await redis.callBuffer(command, ...words)) as Answer),
  );
}

/** A value as a word of a command. @throws SaltInvocationError for what Python's client does not take either */
export function wordOf(value: Value): string | Buffer {
  if (isBytes(value)) return Buffer.from(value);
  if (typeof value === 'string' || isInt(value) || isFloat(value)) return pyStr(value);
  throw new SaltInvocationError(
    `Invalid input of type: '${pyTypeName(value)}'. Convert to a bytes, string, int or float first.`,
  );
}

/** An answer as a value: texts that are UTF-8, else bytes. */
export function valueOf(answer: Answer): Value {
  if (answer === null || typeof answer === 'number' || typeof answer === 'string') return answer;
  if (Buffer.isBuffer(answer)) return decodeUtf8(answer) ?? new Uint8Array(answer);
  return answer.map(valueOf);
}

/** A list of names and values as a mapping. */
export function pairsOf(answer: Answer): Dict {
  const list = valueOf(answer);
  const out: Dict = new Map();
  if (Array.isArray(list))
    for (let i = 0; i + 1 < list.length; i += 2) out.set(list[i] ?? null, list[i + 1] ?? null);
  return out;
}

/** A number that came as a text: `10.5`. */
export function floatOf(answer: Answer): Value {
  return float(Number(valueOf(answer)));
}

/** What INFO says, as a mapping. Follows redis-py's `parse_info`. */
export function factsOf(answer: Answer): Dict {
  const facts: Dict = new Map();
  for (const line of pyStr(valueOf(answer)).split(/\r?\n/)) {
    if (line === '' || line.startsWith('#')) continue;
    const at = line.startsWith('cmdstat_host') ? line.lastIndexOf(':') : line.indexOf(':');
    const [key, value] = at < 0 ? ['__raw__', line] : [line.slice(0, at), factOf(line.slice(at + 1))];
    if (key !== '__raw__' && key !== 'module') facts.set(key, value);
    else {
      const known = facts.get(key === 'module' ? 'modules' : key);
      facts.set(key === 'module' ? 'modules' : key, [...(Array.isArray(known) ? known : []), value]);
    }
  }
  return facts;
}

function factOf(text: string): Value {
  if (text.includes(',') && text.includes('=')) {
    const parts = text.split(',').map((part): [Value, Value] => {
      const at = part.lastIndexOf('=');
      return [part.slice(0, at), factOf(part.slice(at + 1))];
    });
    return new Map(parts);
  }
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  return /^-?\d*\.\d+$|^-?\d+\.$/.test(text) ? float(Number(text)) : text;
}
