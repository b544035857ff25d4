/** `redis`: jobs and returns in Redis, under the keys of Salt's returner (salt/returners/redis_return.py, 3006.16). */
import { systemClock } from '../../host/clock.ts';
import { jidTimeMs } from '../../storage/jobs/jid.ts';
import { parseJson } from '../../formats/json/text.ts';
import type { RedisClient } from '../../network/databases/redis.ts';
import { pyStr } from '../../python/values/repr.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { RedisConnection } from './returner/client.ts';
import {
  KEEP_JOBS_SECONDS,
  type JidReturns,
  type ReturnStore,
  type SavedEvent,
  type SavedLoad,
  type StoreKind,
  type StoreSettings,
} from '../shared/returner/return-store.ts';
import { storeJson } from '../shared/returner/store-json.ts';

/** Keys looked at in one step of SCAN, and values read at once. */
const SCAN_COUNT = 1000;
/** Fields or members in one command: a longer one would hold up Redis, which does one thing at a time. */
const FIELDS_MAX = 500;

/** Where events are; not a key of Salt's. */
const EVENTS_KEY = 'salt_events';

/** Redis, or a cluster of it. */
export const redisKind: StoreKind = {
  name: 'redis',
  file: 'redis_return',
  optionPrefix: 'redis',
  defaults: new Map<string, Value | undefined>([
    ['host', 'salt'],
    ['port', 6379],
    ['unix_socket_path', undefined],
    ['db', '0'],
    ['username', undefined],
    ['password', undefined],
    // ours: Salt's returner speaks no TLS
    ['ssl', undefined],
    ['ssl_ca', undefined],
    ['ssl_cert', undefined],
    ['ssl_key', undefined],
    ['ssl_any_host', undefined],
    ['cluster_mode', undefined],
    ['cluster.startup_nodes', undefined],
    ['cluster.skip_full_coverage_check', undefined],
  ]),
  open: (settings) => new RedisStore(settings),
};

class RedisStore implements ReturnStore {
  readonly #settings: StoreSettings;
  readonly #ttlSeconds: number;
  readonly #connection: RedisConnection;

  constructor(settings: StoreSettings) {
    this.#settings = settings;
    this.#ttlSeconds = settings.keepJobsSeconds ?? KEEP_JOBS_SECONDS;
    this.#connection = new RedisConnection({ ...settings, prefix: 'redis', connectionName: 'salt-returner' });
  }

  /** Redis has no tables; this only asks whether it is there. */
  createSchema(): Promise<string[]> {
    return this.#connection.use(async (redis) => {
      await redis.ping();
      return [];
    });
  }

  saveReturns(rets: readonly Dict[]): Promise<void> {
    const byJid = new Map<string, (readonly [minion: string, json: string])[]>();
    const last = new Map<string, string>();
    const minions = new Set<string>();
    for (const ret of rets) {
      const [jid, minion] = [String(ret.get('jid')), String(ret.get('id'))];
      const fields = byJid.get(jid) ?? [];
      byJid.set(jid, fields);
      fields.push([minion, storeJson(ret)]);
      last.set(`${minion}:${pyStr(ret.get('fun') ?? null)}`, jid);
      minions.add(minion);
    }
    return this.#connection.use(async (redis) => {
      const sent: Promise<unknown>[] = [];
      for (const [jid, fields] of byJid) {
        for (const some of chunks(fields, FIELDS_MAX))
          sent.push(redis.hset(`ret:${jid}`, ...(some.flat() as [string, string])));
        if (this.#ttlSeconds > 0) sent.push(redis.expire(`ret:${jid}`, this.#ttlSeconds));
      }
      for (const [key, jid] of last) sent.push(redis.set(key, jid));
      for (const some of chunks([...minions], FIELDS_MAX)) sent.push(redis.sadd('minions', ...some));
      await Promise.all(sent);
    });
  }

  saveLoads(loads: readonly SavedLoad[]): Promise<void> {
    const texts = loads.map(({ jid, load }) => [`load:${jid}`, storeJson(load)] as const);
    return this.#connection.use(async (redis) => {
      // NX: the first load of a jid stays, whoever else writes it
      const ttl = this.#ttlSeconds;
      await Promise.all(
        texts.map(([key, json]) =>
          ttl > 0 ? redis.set(key, json, 'EX', ttl, 'NX') : redis.set(key, json, 'NX'),
        ),
      );
    });
  }

  /**
   * Salt's redis returner takes no events. Ours keeps them in a sorted set, scored by their time in milliseconds: an
   * event that is sent twice is one member, and the old ones are cut off by their score.
   */
  saveEvents(events: readonly SavedEvent[], masterId: string): Promise<void> {
    const nowMs = (this.#settings.clock ?? systemClock).nowMs();
    const entries = events.map(({ tag, data }) => [
      Math.floor(stampMs(data) ?? nowMs),
      storeJson(dict({ tag, data, master_id: masterId })),
    ]);
    return this.#connection.use(async (redis) => {
      const sent: Promise<unknown>[] = [];
      for (const some of chunks(entries, FIELDS_MAX)) sent.push(redis.zadd(EVENTS_KEY, ...some.flat()));
      if (this.#ttlSeconds > 0) sent.push(dropEvents(redis, nowMs - this.#ttlSeconds * 1000));
      await Promise.all(sent);
    });
  }

  load(jid: string): Promise<Dict | undefined> {
    return this.#connection.use(async (redis) => readDict(await redis.get(`load:${jid}`)));
  }

  returns(jid: string): Promise<JidReturns> {
    return this.#connection.use(async (redis) => {
      const out = new Map<string, Dict>();
      for (const [minion, json] of await hashEntries(redis, `ret:${jid}`)) {
        const ret = readDict(json);
        if (ret !== undefined) out.set(minion, ret);
      }
      return out;
    });
  }

  /** Salt's `get_fun` reads keys that its returner has not written for years; this follows those that it writes. */
  lastReturns(fun: string): Promise<ReadonlyMap<string, Value>> {
    return this.#connection.use(async (redis) => {
      const out = new Map<string, Value>();
      for (const some of chunks(await redis.smembers('minions'), FIELDS_MAX)) {
        const jids = await Promise.all(some.map((minion) => redis.get(`${minion}:${fun}`)));
        await Promise.all(
          some.map(async (minion, index) => {
            const jid = jids[index];
            const ret = jid && readDict(await redis.hget(`ret:${jid}`, minion));
            if (ret) out.set(minion, ret.get('return') ?? null);
          }),
        );
      }
      return out;
    });
  }

  loads(): Promise<ReadonlyMap<string, Dict>> {
    return this.#connection.use(async (redis) => {
      const out = new Map<string, Dict>();
      for await (const keys of keysOf(redis, 'load:*')) {
        const values = await Promise.all(keys.map((key) => redis.get(key)));
        for (const [index, key] of keys.entries()) {
          const load = readDict(values[index]);
          if (load !== undefined) out.set(key.slice('load:'.length), load);
        }
      }
      return out;
    });
  }

  minions(): Promise<string[]> {
    return this.#connection.use((redis) => redis.smembers('minions'));
  }

  /**
   * Redis forgets by itself, after `keep_jobs_seconds`. What is removed here is older than that by the time in its jid,
   * and, as Salt does it, returns without a time in their jid whose load has gone.
   */
  removeOlderThan(atMs: number): Promise<void> {
    return this.#connection.use(async (redis) => {
      await dropEvents(redis, atMs);
      for (const kind of ['ret:', 'load:']) {
        for await (const keys of keysOf(redis, `${kind}*`)) {
          const old = await Promise.all(
            keys.map(async (key) => {
              const jid = key.slice(kind.length);
              const startedMs = jidTimeMs(jid);
              if (startedMs !== undefined) return startedMs < atMs;
              return kind === 'ret:' && (await redis.exists(`load:${jid}`)) === 0;
            }),
          );
          await Promise.all(keys.filter((_, index) => old[index]).map((key) => redis.del(key)));
        }
      }
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

/** The keys that match, in portions, from every node that holds any. */
async function* keysOf(redis: RedisClient, match: string): AsyncGenerator<string[]> {
  const nodes = 'nodes' in redis ? redis.nodes('master') : [redis];
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await node.scan(cursor, 'MATCH', match, 'COUNT', SCAN_COUNT);
      if (keys.length > 0) yield keys;
      cursor = next;
    } while (cursor !== '0');
  }
}

/** The fields of a hash, in portions, so that a great job does not hold up Redis. */
async function hashEntries(redis: RedisClient, key: string): Promise<Map<string, string>> {
  const out = new Map<string, string>();
  let cursor = '0';
  do {
    const [next, pairs] = await redis.hscan(key, cursor, 'COUNT', SCAN_COUNT);
    for (let at = 0; at + 1 < pairs.length; at += 2) out.set(pairs[at] as string, pairs[at + 1] as string);
    cursor = next;
  } while (cursor !== '0');
  return out;
}

/** The mapping in a JSON text; undefined for anything else. */
function readDict(json: string | null | undefined): Dict | undefined {
  if (!json) return undefined;
  const value = parseJson(json);
  return isDict(value) ? value : undefined;
}

/** The time of an event, `_stamp` in UTC as the bus writes it; undefined where there is none. */
function stampMs(data: Dict): number | undefined {
  const atMs = Date.parse(`${String(data.get('_stamp'))}Z`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function dropEvents(redis: RedisClient, beforeMs: number): Promise<number> {
  return redis.zremrangebyscore(EVENTS_KEY, '-inf', `(${Math.floor(beforeMs)}`);
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const out: T[][] = [];
  for (let at = 0; at < items.length; at += size) out.push(items.slice(at, at + size));
  return out;
}
