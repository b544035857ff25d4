/** Which minions are connected, with `con_cache`: as their connections say, each of which has told whose it is. */

/** What is known of the connection of a minion that has once told who it is. */
export interface KnownConnection {
  readonly isConnected: boolean;
}

/**
 * Tells whether a minion is connected.
 *
 * Salt compat: Salt finds connected minions by the addresses in their cached grains (salt/utils/minions.py
 * `connected_ids`, 3006.16), so that one minion counts for all behind its address, and one whose grains are not cached
 * for none. Here that is left to minions that do not tell who they are, as Salt's own.
 * @param connections by id; without `con_cache` undefined
 * @param byAddress what the addresses say
 */
export function isConnected(
  id: string,
  connections: ReadonlyMap<string, KnownConnection> | undefined,
  byAddress: (id: string) => boolean,
): boolean {
  return connections?.get(id)?.isConnected ?? byAddress(id);
}
