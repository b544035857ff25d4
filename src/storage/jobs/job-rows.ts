/** The rows of the job cache's tables, and what they say. */
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { decode } from '../../formats/wire/msgpack.ts';
import type { ReturnCode, StoredReturn } from './stored-return.ts';
import type { LedgerEntry, OutcomeKind } from './ledger.ts';
import { blobBytes, type Blob } from './sqlite.ts';

/** A row of `returns`. */
export interface ReturnRow {
  readonly jid: string;
  readonly id: string;
  readonly fun: string;
  readonly retcode: number;
  readonly success: number;
  readonly out: string | null;
  readonly ret: Blob;
  readonly at?: number | null;
}

/** What such a row says without its return. */
export type CodeRow = Pick<ReturnRow, 'id' | 'retcode' | 'success' | 'at'>;

/** A row of `ledger`. */
export interface LedgerRow {
  readonly id: string;
  readonly received: number | null;
  readonly absent: string | null;
  readonly kind: string | null;
  readonly judged: number | null;
  readonly detail: string | null;
}

/** A job's row; without its minions where nobody asks for them. */
export interface LoadRow {
  readonly load: Blob;
  readonly minions?: Blob;
}

/** The return of a row. */
export function returnOf(row: ReturnRow): StoredReturn {
  const { jid, id, fun, retcode, success, ret, out, at = null } = row;
  return {
    jid,
    id,
    fun,
    retcode: Number(retcode),
    success: Number(success) !== 0,
    return: decode(blobBytes(ret), 'local'),
    ...(out === null ? {} : { out }),
    ...(at === null ? {} : { atMs: Number(at) }),
  };
}

/** How a minion returned, by its row. */
export function codeOf({ id, retcode, success, at = null }: CodeRow): ReturnCode {
  return {
    id,
    retcode: Number(retcode),
    success: Number(success) !== 0,
    ...(at === null ? {} : { atMs: Number(at) }),
  };
}

/** What a row says of a minion. */
export function entryOf({ id, received, absent, kind, judged, detail }: LedgerRow): LedgerEntry {
  const more = detail === null ? {} : { detail };
  return {
    id,
    ...(received === null ? {} : { receivedMs: Number(received) }),
    ...(absent === null ? {} : { absentSince: absent }),
    ...(kind === null ? {} : { verdict: { kind: kind as OutcomeKind, atMs: Number(judged), ...more } }),
  };
}

/** The load of a job, with its minions where they were asked for. */
export function loadOf(row: LoadRow): Dict {
  const load = decode(blobBytes(row.load), 'local');
  const lists = row.minions === undefined ? null : decode(blobBytes(row.minions), 'local');
  const minions = new Set<string>();
  if (isDict(lists))
    for (const list of lists.values())
      if (Array.isArray(list)) for (const id of list) minions.add(String(id));
  const out: Dict = isDict(load) ? load : new Map();
  if (minions.size > 0) out.set('Minions', [...minions].sort());
  return out;
}

/** A function name, or the names of a multi-function job, as the index keeps them. */
export function funText(fun: Value | undefined): string {
  return Array.isArray(fun) ? fun.map(String).join(',') : typeof fun === 'string' ? fun : '';
}
