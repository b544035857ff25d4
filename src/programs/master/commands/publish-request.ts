/** Reading a request to publish: its fields, checked, and nothing decided yet. */
import { isListenerDigest } from '../../../network/events/event-door.ts';
import { isSafeJid } from '../../../storage/jobs/jid.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';

/** What is to be run, and where. */
export interface JobOrder {
  readonly funs: readonly string[];
  /** The function, or the list of them; `arg` then has a list for each. */
  readonly fun: Value;
  readonly arg: readonly Value[];
  readonly tgt: Value;
  readonly tgtType: string;
  readonly ret: string;
}

/** A publish request, read. */
export interface PublishRequest extends JobOrder {
  readonly jid: string;
  readonly user: string | undefined;
  /** What has vouched for that name: see `OWNER_FIELD`. */
  readonly eauth?: string | undefined;
  /** Without `auth_list`. */
  readonly kwargs: Dict;
  /** `auth_list`, which only syndics send. */
  readonly authList: readonly Value[] | undefined;
  readonly to: number | undefined;
  /** The minion on whose behalf the master publishes. */
  readonly publisher?: string;
  /** The digest by which the program that asks is known at the door for events. */
  readonly listener?: string;
}

/** Log-ins and tokens win over a key, as in Salt: one that does not hold is refused, whatever key stands beside it. */
export function usesUserKey(kwargs: Dict): boolean {
  return !kwargs.has('token') && !kwargs.has('eauth');
}

export function readRequest(load: Dict): PublishRequest | undefined {
  const { fun, arg, tgt, tgtType, ret, jid, user, kwargs, to } = {
    fun: load.get('fun'),
    arg: load.get('arg') ?? [],
    tgt: load.get('tgt'),
    tgtType: load.get('tgt_type'),
    ret: load.get('ret'),
    jid: load.get('jid') ?? '',
    user: load.get('user'),
    kwargs: load.get('kwargs') ?? new Map(),
    to: load.get('to'),
  };
  const funs = typeof fun === 'string' ? [fun] : Array.isArray(fun) ? fun : [];
  if (funs.length === 0 || !funs.every((name) => typeof name === 'string' && name !== '')) return undefined;
  if (!Array.isArray(arg) || !isDict(kwargs) || typeof tgtType !== 'string' || typeof ret !== 'string')
    return undefined;
  if (typeof tgt !== 'string' && !Array.isArray(tgt)) return undefined;
  if (jid !== '' && !isSafeJid(jid)) return undefined;
  const passed: Dict = new Map(kwargs);
  const authList = passed.get('auth_list');
  passed.delete('auth_list');
  if (authList !== undefined && !Array.isArray(authList)) return undefined;
  const listener = load.get('listener');
  return {
    ...(isListenerDigest(listener) ? { listener } : {}),
    funs: funs as string[],
    fun: fun as Value,
    arg,
    tgt,
    tgtType,
    ret,
    jid: String(jid),
    user: typeof user === 'string' ? user : undefined,
    kwargs: passed,
    authList,
    to: typeof to === 'number' ? to : undefined,
  };
}
