/**
 * The job cache across processes: the master's workers write through the one process that owns the files. A write that
 * was under way when that process died is sent again to its successor; the store ignores what it already has.
 */
import type { Clock } from '../host/clock.ts';
import { RpcClient } from '../transport/ipc/rpc-client.ts';
import { isDict, type Dict, type Value } from '../values/value.ts';
import { decode, encode } from '../wire/msgpack.ts';
import type { JobFilter, JobLimitsKept, JobStore, JobSummary, StoredReturn } from './job-store.ts';
import type { LedgerEntry, OutcomeKind } from './ledger.ts';

/** Time for the owning process to come back before a write is given up. */
const GIVE_UP_MS = 30_000;
const SAVE_JOB = 0;
const ADD_MINIONS = 1;
const SAVE_RETURN = 2;
const GET_JOB = 3;
const GET_RETURNS = 4;
const NOTE = 5;
const GET_LEDGER = 6;

/** Answers calls of {@link RemoteJobStore} from a store that this process owns. */
export async function answerStoreCall(store: JobStore, body: Buffer): Promise<Buffer> {
  const message = decode(body, 'local') as Value[];
  return encode(await dispatch(store, message), 'local');
}

async function dispatch(store: JobStore, [operation, ...rest]: Value[]): Promise<Value> {
  const jid = String(rest[0]);
  switch (operation) {
    case SAVE_JOB:
      return store.saveJob(jid, rest[1] as Dict, rest[2] as string[]);
    case ADD_MINIONS:
      await store.addMinions(jid, rest[1] as string[], String(rest[2]));
      return true;
    case SAVE_RETURN:
      return store.saveReturn(returnFromRow(rest));
    case GET_JOB:
      return (await store.job(jid)) ?? null;
    case GET_RETURNS:
      return (await store.returns(jid)).map(rowFromReturn);
    case NOTE:
      await store.note(jid, (rest[1] as Value[][]).map(entryFromRow));
      return true;
    case GET_LEDGER:
      return (await store.ledger(jid)).map(rowFromEntry);
    default:
      throw new Error('unknown job cache operation');
  }
}

function rowFromReturn(ret: StoredReturn): Value[] {
  const { jid, id, fun, retcode, success, out = null, atMs = null, more } = ret;
  const row = [jid, id, fun, ret.return, retcode, success, out, atMs];
  return more === undefined ? row : [...row, more];
}

function returnFromRow(row: Value[]): StoredReturn {
  const [jid, id, fun, value, retcode, success, out, atMs, more] = row;
  return {
    jid: String(jid),
    id: String(id),
    fun: String(fun),
    return: value as Value,
    retcode: Number(retcode),
    success: success === true,
    ...(typeof out === 'string' ? { out } : {}),
    ...(isSet(atMs) ? { atMs: Number(atMs) } : {}),
    ...(isDict(more) ? { more } : {}),
  };
}

function rowFromEntry({ id, receivedMs, absentSince, verdict }: LedgerEntry): Value[] {
  const judged = verdict === undefined ? null : [verdict.kind, verdict.atMs, verdict.detail ?? null];
  return [id, receivedMs ?? null, absentSince ?? null, judged];
}

function entryFromRow([id, receivedMs, absentSince, judged]: Value[]): LedgerEntry {
  const [kind, atMs, detail] = Array.isArray(judged) ? judged : [];
  const more = typeof detail === 'string' ? { detail } : {};
  return {
    id: String(id),
    ...(isSet(receivedMs) ? { receivedMs: Number(receivedMs) } : {}),
    ...(isSet(absentSince) ? { absentSince: String(absentSince) } : {}),
    ...(isSet(kind) ? { verdict: { kind: kind as OutcomeKind, atMs: Number(atMs), ...more } } : {}),
  };
}

function isSet(value: Value | undefined): boolean {
  return value !== undefined && value !== null;
}

/** The store as the master's other processes see it. */
export class RemoteJobStore implements JobStore {
  readonly #rpc: RpcClient;

  /**
   * @param path of the socket on which the owning process answers
   * @param giveUpMs time for that process to come back before a call fails
   */
  constructor(path: string, clock: Clock, giveUpMs = GIVE_UP_MS) {
    this.#rpc = new RpcClient({ path, clock, purpose: 'job cache', giveUpMs });
  }

  /** Connects before there is anything to store. */
  open(): void {
    this.#rpc.open();
  }

  async saveJob(jid: string, load: Dict, minions: readonly string[]): Promise<boolean> {
    return (await this.#call([SAVE_JOB, jid, load, [...minions]])) === true;
  }

  async addMinions(jid: string, minions: readonly string[], syndicId: string): Promise<void> {
    await this.#call([ADD_MINIONS, jid, [...minions], syndicId]);
  }

  async saveReturn(ret: StoredReturn): Promise<boolean> {
    return (await this.#call([SAVE_RETURN, ...rowFromReturn(ret)])) === true;
  }

  async job(jid: string): Promise<Dict | undefined> {
    const load = await this.#call([GET_JOB, jid]);
    return isDict(load) ? load : undefined;
  }

  async returns(jid: string): Promise<StoredReturn[]> {
    return ((await this.#call([GET_RETURNS, jid])) as Value[][]).map(returnFromRow);
  }

  async note(jid: string, entries: readonly LedgerEntry[]): Promise<void> {
    await this.#call([NOTE, jid, entries.map(rowFromEntry)]);
  }

  async ledger(jid: string): Promise<LedgerEntry[]> {
    return ((await this.#call([GET_LEDGER, jid])) as Value[][]).map(entryFromRow);
  }

  jobs(_filter: JobFilter): Promise<JobSummary[]> {
    return Promise.reject(new Error('lists of jobs are read from the files'));
  }

  removeOlderThan(): Promise<void> {
    return Promise.reject(new Error('only the owner of the job cache cleans it'));
  }

  removeBeyond(): Promise<JobLimitsKept> {
    return Promise.reject(new Error('only the owner of the job cache cleans it'));
  }

  close(): Promise<void> {
    return this.#rpc.close();
  }

  async #call(message: Value[]): Promise<Value> {
    return decode(await this.#rpc.call(encode(message, 'local')), 'local');
  }
}
