/** What the running master knows of minions' connections; nothing when none runs, or its socket is not ours to use. */
import { masterSockets } from '../../config/master-sockets.ts';
import type { MasterOptions } from '../../config/master-options.ts';
import type { PresenceNote } from '../../storage/jobs/ledger.ts';
import { clientOf } from '../../network/ipc/contract.ts';
import { publisher } from '../../network/ipc/contracts/publisher.ts';
import { connectRpc } from '../../network/ipc/rpc-client.ts';

/** @returns by id; minions that have never identified themselves are missing; undefined when nobody can be asked */
export async function readPresence(
  opts: MasterOptions,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PresenceNote> | undefined> {
  try {
    const peer = await connectRpc(masterSockets(opts).publishPull, {});
    try {
      return await clientOf(publisher, peer).connections({ ids });
    } finally {
      peer.close();
    }
  } catch {
    return undefined;
  }
}
