/**
 * `_return`: a minion hands in what a job gave (salt/utils/job.py `store_job`, 3006.16;
 * docs/internals/a-jobs-life.md#the-return).
 */
import type { AesHandler } from '../../../network/channel/door.ts';
import { handsJobsOn } from '../../../config/job-caches.ts';
import type { MasterOptions } from '../../../config/master-options.ts';
import { tags } from '../../../network/events/tags.ts';
import { BrineError, messageOf } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import {
  isJid,
  isSafeJid,
  jidTimeMs,
  PROPOSED_JID,
  REQUEST_JID,
  type JidSource,
} from '../../../storage/jobs/jid.ts';
import { OWNER_FIELD } from '../../../storage/jobs/job-owner.ts';
import { dayOf, isImpossibleJid, type DayWindow } from '../../../storage/jobs/job-days.ts';
import type { JobReader, JobWriter } from '../../../storage/jobs/job-store.ts';
import type { StoredReturn } from '../../../storage/jobs/stored-return.ts';
import { funText } from '../../../storage/jobs/job-rows.ts';
import { countedLines } from '../counted-log.ts';
import type { JobPart, JobTargets } from '../job-targets.ts';
import type { UnaskedReturns } from '../unasked-returns.ts';
import type { ReturnOutcome } from '../worker-figures.ts';
import { TRACE_FIELD } from '../../../runtime/tracing/context.ts';
import type { ReturnTraces } from '../return-traces.ts';
import { encode } from '../../../formats/wire/msgpack.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';

/** What taking returns needs. */
export interface ReturnHandlerDeps {
  readonly opts: MasterOptions;
  readonly jobs: Pick<JobReader, 'job'> & Pick<JobWriter, 'saveJob' | 'saveReturn'>;
  readonly jids: JidSource;
  readonly fireEvent: (tag: string, data: Dict) => void;
  readonly targets: Pick<JobTargets, 'partOf'>;
  /** How much a minion may leave that nobody asked for. */
  readonly unasked: Pick<UnaskedReturns, 'mayKeep'>;
  /** The days of which the job cache keeps jobs. */
  readonly days: Pick<DayWindow, 'holds'>;
  /** Told of each return what became of it. */
  readonly counted?: ((outcome: ReturnOutcome, load: Dict, receivedMs: number) => void) | undefined;
  /** Undefined when nobody wants to know. */
  readonly traces?: ReturnTraces | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Returns that the job cache does not keep. */
const NOT_KEPT = 'nocache';

/** Serves `_return`. The reply is sent when the return is in the job cache, never before. */
export function returnHandler(deps: ReturnHandlerDeps): AesHandler {
  const repeated = countedLines(deps.log, 'error');
  const apart = countedLines(deps.log, 'warning');
  const unusable = countedLines(deps.log, 'warning');
  return async ({ id, load }) => {
    await takeReturn(deps, id, load, { repeated, apart, unusable });
    return { value: null };
  };
}

interface TakeOptions {
  readonly once?: boolean;
  /** Write what a minion does wrong again and again a few times only. */
  readonly repeated?: (name: string, text: string) => void;
  readonly apart?: (name: string, text: string) => void;
  readonly unusable?: (name: string, text: string) => void;
}

/**
 * Takes one return: the event first, so that whoever waits hears of it at once, then the job cache.
 * @param options `once`: of a return that may come again, from a syndic that was cut off, the event is fired the first
 *   time only, and so after the job cache has it
 * @returns when it is kept
 */
export async function takeReturn(
  deps: ReturnHandlerDeps,
  id: string,
  load: Dict,
  options: TakeOptions = {},
): Promise<void> {
  // who listens to events is not to see it: Salt's returns have no such field
  const parent = load.get(TRACE_FIELD);
  load.delete(TRACE_FIELD);
  if (deps.traces === undefined) return take(deps, id, load, options);
  const done = deps.traces.began(id, load, parent);
  try {
    await take(deps, id, load, options);
    done(false);
  } catch (error) {
    done(true);
    throw error;
  }
}

async function take(
  deps: ReturnHandlerDeps,
  id: string,
  load: Dict,
  { once = false, repeated, apart, unusable }: TakeOptions,
): Promise<void> {
  const value = load.get('return');
  if (value === undefined || !load.has('jid')) return;
  const opened = load.get('jid') === REQUEST_JID ? await openRequestedJob(deps, id, load) : undefined;
  const jid = opened?.jid ?? load.get('jid');
  const count = (outcome: ReturnOutcome): void => deps.counted?.(outcome, load, deps.clock.nowMs());
  if (!isSafeJid(jid)) {
    count('refused');
    const text = `A return of ${id} names an unusable jid; it was dropped.`;
    return unusable === undefined ? deps.log.warning(text) : unusable(id, text);
  }
  deps.log.info(`Got return from ${id} for job ${jid}`);
  load.delete('__peer_id');
  const isKept = jid !== NOT_KEPT && deps.opts.get('job_cache') && deps.opts.get('ext_job_cache') === '';
  const part = isKept && opened === undefined ? await deps.targets.partOf(jid, id) : undefined;
  const stranger = part === undefined ? undefined : whyApart(deps, jid, part);
  if (stranger !== undefined) {
    count('apart');
    deps.fireEvent(tags.jobApart(jid, id), load);
    const text = `${id} has returned for job ${jid}, ${stranger}: it is no return of that job.`;
    return apart === undefined ? deps.log.warning(text) : apart(id, text);
  }
  const tell = (): void => {
    deps.fireEvent(tags.jobReturn(jid, id), load);
    fireStateErrors(deps, jid, id, load);
  };
  const isTooMany =
    isKept &&
    (opened?.isTooMany === true ||
      (part === 'unknown job' && !deps.unasked.mayKeep(id, 'unknown', jid, sizeOf(value))));
  const isJobKept = isKept && !isTooMany;
  if (!once || !isJobKept) tell();
  if (!isJobKept) return count(isTooMany ? 'too many' : 'not kept');
  const isNew = await keep(deps, jid, id, load, value);
  count(isNew ? 'kept' : 'repeated');
  if (once && isNew) tell();
  if (once || isNew) return;
  repeated?.(id, `${id} has returned job ${jid} before; the first return stays. This may be a replay.`);
}

/** Why a return has no part in the job that it names; undefined for one that has. */
function whyApart(deps: ReturnHandlerDeps, jid: string, part: JobPart): string | undefined {
  if (part === 'not meant') return 'which was not meant for it';
  // one that is forgotten here, or a moment later known from another master of a cluster, is kept with the others
  // without a job
  if (part === 'unknown job' && isImpossibleJid(jid, deps.clock)) return 'which nobody can have begun';
  return undefined;
}

/** @returns false when the job cache has this return already */
async function keep(
  deps: ReturnHandlerDeps,
  jid: string,
  id: string,
  load: Dict,
  value: Value,
): Promise<boolean> {
  try {
    return await deps.jobs.saveReturn({
      ...returnToStore(jid, id, load, value),
      atMs: deps.clock.nowMs(),
      ...(handsJobsOn(deps.opts) ? { more: otherFields(load) } : {}),
    });
  } catch (error) {
    throw new BrineError(
      `the return of job ${jid} is not kept, and ${id} is to send it again: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

/** A return as the job cache keeps it. @param value its field `return` */
export function returnToStore(jid: string, id: string, load: Dict, value: Value): StoredReturn {
  const out = load.get('out');
  return {
    jid,
    id,
    fun: funText(load.get('fun')),
    return: value,
    retcode: worstCode(load.get('retcode')),
    success: isSuccess(load),
    ...(typeof out === 'string' ? { out } : {}),
  };
}

/** What databases keep besides: a whole return. */
function otherFields(load: Dict): Dict {
  return new Map([...load].filter(([name]) => name !== 'return' && name !== 'sig'));
}

/** A job that began on the minion. */
interface OpenedJob {
  readonly jid: string;
  /** It is beyond what the minion may leave, and is not kept. */
  readonly isTooMany: boolean;
}

/**
 * A job that began on the minion (`salt-call`, a schedule): it gets a jid and a load here. The jid that our minions
 * propose is taken when it is free; when it is this job's already, the return has been sent again because its
 * acknowledgement was lost.
 */
async function openRequestedJob(deps: ReturnHandlerDeps, id: string, load: Dict): Promise<OpenedJob> {
  const proposed = load.get(PROPOSED_JID);
  load.delete(PROPOSED_JID);
  // whose a job is the master says
  load.delete(OWNER_FIELD);
  if (!load.has('arg')) load.set('arg', load.get('fun_args') ?? []);
  load.set('tgt_type', 'glob');
  load.set('tgt', id);
  const isKept = deps.opts.get('job_cache');
  const isOurs = isPast(proposed, deps.clock) && deps.days.holds(dayOf(proposed));
  // what it returned stands in the job, too, as with Salt
  const isTooMany =
    isKept &&
    !deps.unasked.mayKeep(id, 'own', isOurs ? proposed : 'without an id', 2 * sizeOf(load.get('return')));
  if (isOurs && isKept && !isTooMany) {
    load.set('jid', proposed);
    if (await deps.jobs.saveJob(proposed, load, [id])) return { jid: proposed, isTooMany };
    const known = await deps.jobs.job(proposed);
    if (known?.get('tgt') === id && known.get('id') === id) return { jid: proposed, isTooMany };
  }
  const jid = deps.jids.next();
  load.set('jid', jid);
  if (isKept && !isTooMany) await deps.jobs.saveJob(jid, load, [id]);
  return { jid, isTooMany };
}

/** What a return takes that is kept without anybody having asked for it. */
function sizeOf(value: Value | undefined): number {
  return encode(value ?? null, 'local').length;
}

/** A jid of the future could be that of a job that is published then; clocks may differ by a little all the same. */
const CLOCK_SKEW_MS = 60_000;

function isPast(jid: Value | undefined, clock: Clock): jid is string {
  if (!isJid(jid)) return false;
  const atMs = jidTimeMs(jid);
  return atMs !== undefined && atMs <= clock.nowMs() + CLOCK_SKEW_MS;
}

/** What is no number that a program can end with stands for a failure. */
const NO_CODE = 1;

/** The highest code of a return, which may be a map or a list for several functions. */
function worstCode(retcode: Value | undefined): number {
  if (typeof retcode === 'number') return Number.isSafeInteger(retcode) ? retcode : NO_CODE;
  if (typeof retcode === 'bigint') return NO_CODE;
  if (typeof retcode === 'boolean') return Number(retcode);
  const codes =
    retcode === undefined || retcode === null ? [] : isDict(retcode) ? [...retcode.values()] : retcode;
  return Array.isArray(codes)
    ? codes.reduce<number>((worst, code) => Math.max(worst, worstCode(code)), 0)
    : 0;
}

function isSuccess(load: Dict): boolean {
  const success = load.get('success');
  if (success === undefined) return worstCode(load.get('retcode')) === 0;
  if (isDict(success)) return [...success.values()].every((each) => each === true);
  return Array.isArray(success) ? success.every((each) => each === true) : success === true;
}

const STATE_NAME = /^[A-Za-z_]\w{0,99}$/;

/**
 * One event for each failed state of a state run, under its old and its new tag (salt/utils/event.py `fire_ret_load`).
 */
function fireStateErrors(deps: ReturnHandlerDeps, jid: string, id: string, load: Dict): void {
  const fun = load.get('fun');
  const states = load.get('return');
  if ((fun !== 'state.sls' && fun !== 'state.highstate') || worstCode(load.get('retcode')) === 0) return;
  if (states === undefined || !isDict(states) || !isJid(jid)) return;
  for (const [name, state] of states) {
    if (!isDict(state) || state.get('result') !== false || typeof name !== 'string') continue;
    const [module = '', , , action = ''] = name.split('_|-');
    // a minion chooses these names, and must not choose the tag of another event
    if (!STATE_NAME.test(module) || !STATE_NAME.test(action)) continue;
    const data: Dict = new Map(state);
    const label = `${module}.${action}`;
    for (const [key, value] of [
      ['retcode', load.get('retcode') ?? null],
      ['jid', jid],
      ['id', id],
      ['success', false],
      ['return', `Error: ${label}`],
      ['fun', fun],
    ] as [string, Value][]) {
      data.set(key, value);
    }
    const user = load.get('user');
    if (user !== undefined) data.set('user', user);
    deps.fireEvent(label, data);
    deps.fireEvent(tags.jobStateError(jid, id, fun), data);
  }
}
