/** What the running master knows of minions' connections; nothing when none runs, or its socket is not ours to use. */
import { masterSockets } from '../config/master-sockets.ts';
import type { MasterOptions } from '../config/master-options.ts';
import type { PresenceNote } from '../jobs/ledger.ts';
import { connectRpc } from '../transport/ipc/rpc-client.ts';
import { isDict } from '../values/value.ts';
import { decode, encode } from '../wire/msgpack.ts';

/** @returns by id; minions that have never identified themselves are missing; undefined when nobody can be asked */
export async function readPresence(
  opts: MasterOptions,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PresenceNote> | undefined> {
  try {
    const peer = await connectRpc(masterSockets(opts).publishPull, {});
    try {
      const answer = decode(await peer.call(encode([null, null, ids], 'local')), 'local');
      return isDict(answer) ? readNotes(answer) : undefined;
    } finally {
      peer.close();
    }
  } catch {
    return undefined;
  }
}

function readNotes(answer: ReadonlyMap<unknown, unknown>): Map<string, PresenceNote> {
  const notes = new Map<string, PresenceNote>();
  for (const [id, note] of answer) {
    const [isConnected, since] = Array.isArray(note) ? (note as unknown[]) : [];
    const lostSince = typeof since === 'string' ? { lostSince: since } : {};
    notes.set(String(id), { isConnected: isConnected === true, ...lostSince });
  }
  return notes;
}
