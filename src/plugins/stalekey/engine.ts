/** `stalekey`: deletes the keys of minions that have been away for long (salt/engines/stalekey.py, 3006.16). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../errors/errors.ts';
import { decode, encode } from '../../formats/wire/msgpack.ts';
import { writeFileAtomic } from '../../host/files.ts';
import { float, isDict, toNumber, truthy, type Value } from '../../python/values/value.ts';
import { param } from '../../runtime/loader/params.ts';
import {
  defineEngine,
  EngineRefusal,
  type EngineContext,
  type MasterForEngines,
} from '../shared/engine/engine.ts';

/** The engine. */
export const stalekeyEngine = defineEngine({
  name: 'stalekey',
  doc: 'Deletes the keys of minions that have not been connected for a while. It remembers when it saw each in `<cachedir>/presence.p`.',
  runsOn: 'master',
  params: {
    interval: param.count({ default: 3600, doc: 'Seconds between two looks.' }),
    expire: param.count({
      default: 604_800,
      doc: 'Seconds that a minion may be away before its key is deleted.',
    }),
  },
  start: async (ctx, { interval, expire }) => {
    if (!truthy(ctx.opts.get('minion_data_cache') ?? true))
      throw new EngineRefusal('stalekey engine requires minion_data_cache to be enabled');
    if (interval < 1 || expire < 1) throw new EngineRefusal('interval and expire are at least one second');
    while (!ctx.signal.aborted) {
      await look(ctx, ctx.master as MasterForEngines, expire);
      await ctx.clock.sleep(interval * 1000, ctx.signal);
    }
  },
});

async function look(ctx: EngineContext, master: MasterForEngines, expireSeconds: number): Promise<void> {
  const { opts, clock, log } = ctx;
  const path = join(String(opts.get('cachedir')), 'presence.p');
  log.debug('Checking for present minions');
  const seen = readPresence(path);
  // without the memory every minion would be young again, and with a wrong one keys would be deleted: Salt looks again
  // later, too
  if (seen === undefined) return log.error(`Could not read the presence file ${path}; no key is deleted.`);
  const now = clock.nowMs() / 1000;
  const [accepted, present] = [master.acceptedIds(), await master.connectedIds()];
  for (const id of accepted) if (!seen.has(id) || present.has(id)) seen.set(id, now);
  // Salt compat: Salt goes on deleting the keys of minions that have none any longer
  const known = new Set(accepted);
  for (const id of [...seen.keys()]) if (!known.has(id)) seen.delete(id);
  const stale = [...seen].filter(([, at]) => now - expireSeconds > at).map(([id]) => id);
  for (const id of stale) log.info(`Removing stale key for ${id}`);
  if (stale.length > 0) await master.deleteKeys(stale);
  for (const id of stale) seen.delete(id);
  const times = [...seen].map(([id, at]): [Value, Value] => [id, float(at)]);
  writeFileAtomic(path, encode(new Map(times), 'local'), { mode: 0o600 });
}

/** When each minion was seen, in seconds; undefined when the file cannot be read. */
function readPresence(path: string): Map<string, number> | undefined {
  if (!existsSync(path)) return new Map();
  try {
    const kept = decode(readFileSync(path), 'local');
    if (!isDict(kept)) return undefined;
    return new Map([...kept].map(([id, at]) => [String(id), toNumber(at) ?? 0]));
  } catch (error) {
    messageOf(error);
    return undefined;
  }
}
