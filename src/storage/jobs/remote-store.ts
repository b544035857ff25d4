/**
 * The job cache across processes: the master's workers write through the one process that owns the files. A write that
 * was under way when that process died is sent again to its successor; the store ignores what it already has.
 */
import type { Clock } from '../../host/clock.ts';
import { clientOf, handlersOf, type Client } from '../../network/ipc/contract.ts';
import { jobStore } from '../../network/ipc/contracts/job-store.ts';
import type { RpcHandlers } from '../../network/ipc/rpc.ts';
import { RpcClient } from '../../network/ipc/rpc-client.ts';
import type { Dict } from '../../python/values/value.ts';
import type { JobReader, JobWriter } from './job-store.ts';
import type { StoredReturn } from './stored-return.ts';
import type { LedgerEntry } from './ledger.ts';

/** Time for the owning process to come back before a write is given up. */
const GIVE_UP_MS = 30_000;

/** Answers the calls of {@link RemoteJobStore} from a store that this process owns. */
export function storeHandlers(store: JobReader & JobWriter): RpcHandlers {
  return handlersOf(jobStore, {
    saveJob: ({ jid, load, minions }) => store.saveJob(jid, load, minions),
    addMinions: ({ jid, minions, syndicId }) => store.addMinions(jid, minions, syndicId),
    saveReturn: (ret) => store.saveReturn(ret),
    job: ({ jid }) => store.job(jid),
    returns: ({ jid }) => store.returns(jid),
    note: ({ jid, entries }) => store.note(jid, entries),
    ledger: ({ jid }) => store.ledger(jid),
  });
}

/** The store as the master's other processes see it. */
export class RemoteJobStore implements JobReader, JobWriter {
  readonly #rpc: RpcClient;
  readonly #owner: Client<typeof jobStore>;

  /**
   * @param path of the socket on which the owning process answers
   * @param giveUpMs time for that process to come back before a call fails
   */
  constructor(path: string, clock: Clock, giveUpMs = GIVE_UP_MS) {
    this.#rpc = new RpcClient({ path, clock, purpose: 'job cache', giveUpMs });
    this.#owner = clientOf(jobStore, this.#rpc);
  }

  /** Connects before there is anything to store. */
  open(): void {
    this.#rpc.open();
  }

  saveJob(jid: string, load: Dict, minions: readonly string[]): Promise<boolean> {
    return this.#owner.saveJob({ jid, load, minions });
  }

  addMinions(jid: string, minions: readonly string[], syndicId: string): Promise<void> {
    return this.#owner.addMinions({ jid, minions, syndicId });
  }

  saveReturn(ret: StoredReturn): Promise<boolean> {
    return this.#owner.saveReturn(ret);
  }

  job(jid: string): Promise<Dict | undefined> {
    return this.#owner.job({ jid });
  }

  returns(jid: string): Promise<readonly StoredReturn[]> {
    return this.#owner.returns({ jid });
  }

  note(jid: string, entries: readonly LedgerEntry[]): Promise<void> {
    return this.#owner.note({ jid, entries });
  }

  ledger(jid: string): Promise<readonly LedgerEntry[]> {
    return this.#owner.ledger({ jid });
  }

  close(): Promise<void> {
    return this.#rpc.close();
  }
}
