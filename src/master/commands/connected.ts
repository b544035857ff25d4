/** Which minions are connected now: those whose cached addresses include one that a subscriber comes from (as Salt finds it). */
import type { MinionDataCache } from '../../cache/minion-data.ts';
import type { KeyStore } from '../../keys/store.ts';
import type { RpcClient } from '../../transport/ipc/rpc-client.ts';
import { isDict, type Value } from '../../values/value.ts';
import { decode, encode } from '../../wire/msgpack.ts';

/** Asks the publisher which addresses its subscribers come from. */
export const ASK_ADDRESSES = encode(null, 'local');

/** @returns ids of accepted minions (salt/utils/minions.py `connected_ids`, 3006.16) */
export async function connectedIds(
  keys: KeyStore,
  cache: MinionDataCache,
  publisher: RpcClient,
): Promise<ReadonlySet<string>> {
  const addresses = new Set(decode(await publisher.call(ASK_ADDRESSES), 'local') as string[]);
  const out = new Set<string>();
  for (const id of keys.list('accepted')) {
    const grains = cache.read(id, 'data')?.get('grains');
    if (grains === undefined || !isDict(grains)) continue;
    const own: Value[] = [grains.get('ipv4') ?? [], grains.get('ipv6') ?? []].flat();
    if (own.some((address) => addresses.has(String(address)))) out.add(id);
  }
  return out;
}
