/**
 * Which minions are connected now: those whose cached addresses include one that a subscriber comes from (as Salt finds
 * it), or with `con_cache` those whose connections say so.
 */
import type { MinionFacts } from '../../../storage/cache/minion-facts.ts';
import type { KeyStore } from '../../../storage/keys/store.ts';
import type { PublisherClient } from '../../../network/ipc/contracts/publisher.ts';
import type { Value } from '../../../python/values/value.ts';
import { isConnected } from '../../../runtime/targeting/connected.ts';

/**
 * The grains with a minion's addresses, which are kept in memory: with `max_minions` they are asked for at each
 * authentication.
 */
const WANTED = { grains: new Set(['ipv4', 'ipv6']), pillar: new Set<string>() };

/**
 * @param conCache the option `con_cache`
 * @returns ids of accepted minions (salt/utils/minions.py `connected_ids`, 3006.16)
 */
export async function connectedIds(
  keys: KeyStore,
  facts: MinionFacts,
  publisher: Pick<PublisherClient, 'addresses' | 'connections'>,
  conCache: boolean,
): Promise<ReadonlySet<string>> {
  const addresses = new Set(await publisher.addresses());
  const factsOf = facts.select(WANTED);
  const accepted = keys.list('accepted');
  const connections = conCache ? await publisher.connections({ ids: accepted }) : undefined;
  const byAddress = (id: string): boolean => {
    const grains = factsOf(id)?.grains;
    const own: Value[] = [grains?.get('ipv4') ?? [], grains?.get('ipv6') ?? []].flat();
    return own.some((address) => addresses.has(String(address)));
  };
  return new Set(accepted.filter((id) => isConnected(id, connections, byAddress)));
}
