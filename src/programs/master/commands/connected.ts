/** Which minions are connected now: those whose cached addresses include one that a subscriber comes from (as Salt finds it). */
import type { MinionFacts } from '../../../storage/cache/minion-facts.ts';
import type { KeyStore } from '../../../storage/keys/store.ts';
import type { PublisherClient } from '../../../network/ipc/contracts/publisher.ts';
import type { Value } from '../../../python/values/value.ts';

/** The grains with a minion's addresses, which are kept in memory: with `max_minions` they are asked for at each authentication. */
const WANTED = { grains: new Set(['ipv4', 'ipv6']), pillar: new Set<string>() };

/** @returns ids of accepted minions (salt/utils/minions.py `connected_ids`, 3006.16) */
export async function connectedIds(
  keys: KeyStore,
  facts: MinionFacts,
  publisher: Pick<PublisherClient, 'addresses'>,
): Promise<ReadonlySet<string>> {
  const addresses = new Set(await publisher.addresses());
  const factsOf = facts.select(WANTED);
  const out = new Set<string>();
  for (const id of keys.list('accepted')) {
    const grains = factsOf(id)?.grains;
    if (grains === undefined) continue;
    const own: Value[] = [grains.get('ipv4') ?? [], grains.get('ipv6') ?? []].flat();
    if (own.some((address) => addresses.has(String(address)))) out.add(id);
  }
  return out;
}
