/**
 * What the master's workers, `salt` and `salt-run` ask of the process that owns the job cache, over `job_cache.ipc`.
 */
import { contract } from '../contract.ts';
import {
  anything,
  count,
  fields,
  flag,
  list,
  mapping,
  nothing,
  oneOf,
  optional,
  record,
  single,
  text,
} from '../fields.ts';

/** One minion's return, as `storage/jobs/stored-return.ts` has it. */
const storedReturn = {
  jid: text,
  id: text,
  fun: text,
  return: anything,
  retcode: count,
  success: flag,
  out: optional(text),
  atMs: optional(count),
  more: optional(mapping),
};

/** One minion's line in the ledger of a job, as `storage/jobs/ledger.ts` has it. */
const entry = record({
  id: text,
  receivedMs: optional(count),
  absentSince: optional(text),
  verdict: optional(
    record({
      kind: oneOf(
        'returned',
        'failed',
        'returned late',
        'published',
        'still running',
        'never received',
        'connection lost',
        'key not accepted',
        'not known',
        'not here yet',
        'refused',
        'no response',
      ),
      atMs: count,
      detail: optional(text),
    }),
  ),
});

/** The contract. A write that is sent twice, because the process died under it, is made once. */
export const jobStore = contract('the job cache', {
  /** False when the jid is taken. */
  saveJob: { asks: fields({ jid: text, load: mapping, minions: list(text) }), answers: single(flag) },
  addMinions: { asks: fields({ jid: text, minions: list(text), syndicId: text }), answers: nothing },
  /** False when this minion's return is there already. */
  saveReturn: { asks: fields(storedReturn), answers: single(flag) },
  job: { asks: fields({ jid: text }), answers: single(optional(mapping)) },
  returns: { asks: fields({ jid: text }), answers: single(list(record(storedReturn))) },
  note: { asks: fields({ jid: text, entries: list(entry) }), answers: nothing },
  ledger: { asks: fields({ jid: text }), answers: single(list(entry)) },
});
