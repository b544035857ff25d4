/**
 * A job as a minion takes it from a publication, and as its return goes back
 * (docs/internals/wire-protocol.md#publications, docs/internals/a-jobs-life.md#the-return).
 */
import { START_EVENT_FIELD } from '../../network/events/tags.ts';
import { isSafeJid } from '../../storage/jobs/jid.ts';
import { TRACE_FIELD } from '../../runtime/tracing/context.ts';
import { isDict, truthy, type Dict, type Value } from '../../python/values/value.ts';

/** A published job. */
export interface Job {
  readonly jid: string;
  /** One name, or several that run one after the other. */
  readonly funs: readonly string[];
  readonly isMultiple: boolean;
  /** The argument list of each function. */
  readonly args: readonly (readonly Value[])[];
  readonly tgt: Value;
  readonly tgtType: string;
  readonly delimiter: string | undefined;
  readonly executors: readonly string[] | undefined;
  /** The publication as it came, without its serial and `trace`. */
  readonly pub: Dict;
  /** True when the master is to hear that the job begins. */
  readonly tellsStart?: boolean;
  /** The span of whoever published it; what is no such text counts as none when it is used. */
  readonly trace?: string;
}

/** Reads a publication. @returns undefined when it lacks what Salt demands or names no usable job */
export function readJob(given: Dict): Job | undefined {
  const trace = given.get(TRACE_FIELD);
  const tellsStart = truthy(given.get(START_EVENT_FIELD) ?? null);
  const pub: Dict = trace === undefined && !given.has(START_EVENT_FIELD) ? given : new Map(given);
  // functions with keywords would see them as `__pub_traceparent` and `__pub_start_event`
  pub.delete(TRACE_FIELD);
  pub.delete(START_EVENT_FIELD);
  const fun = pub.get('fun');
  const arg = pub.get('arg');
  const tgt = pub.get('tgt');
  const jid = pub.get('jid');
  const tgtType = pub.get('tgt_type') ?? 'glob';
  if (tgt === undefined || !isSafeJid(jid) || !Array.isArray(arg) || typeof tgtType !== 'string')
    return undefined;
  const funs = Array.isArray(fun) ? fun : [fun];
  if (!funs.every((name): name is string => typeof name === 'string' && name !== '') || funs.length === 0)
    return undefined;
  const isMultiple = Array.isArray(fun);
  const delimiter = pub.get('delimiter');
  const executors = pub.get('module_executors');
  return {
    jid,
    funs,
    isMultiple,
    args: isMultiple ? funs.map((_, index) => listOf(arg[index])) : [arg],
    tgt,
    tgtType,
    delimiter: typeof delimiter === 'string' ? delimiter : undefined,
    executors: Array.isArray(executors) ? executors.map(String) : undefined,
    pub,
    tellsStart,
    ...(typeof trace === 'string' ? { trace } : {}),
  };
}

function listOf(value: Value | undefined): readonly Value[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** How a job ended, for one or several functions. */
export interface JobResult {
  readonly return: Value;
  readonly retcode: Value;
  readonly success: Value;
  readonly out?: string;
}

/** The `_return` request of a finished job. */
export function returnLoad(job: Pick<Job, 'jid' | 'pub'>, id: string, result: JobResult): Dict {
  const { pub } = job;
  const load: Dict = new Map<Value, Value>([
    ['cmd', '_return'],
    ['id', id],
    ['jid', job.jid],
    ['fun', pub.get('fun') ?? ''],
    ['fun_args', pub.get('arg') ?? []],
    ['return', result.return],
    ['retcode', result.retcode],
    ['success', result.success],
  ]);
  if (result.out !== undefined) load.set('out', result.out);
  for (const field of ['user', 'master_id']) {
    const value = pub.get(field);
    if (value !== undefined) load.set(field, value);
  }
  const metadata = pub.get('metadata');
  if (metadata !== undefined && isDict(metadata)) load.set('metadata', metadata);
  return load;
}
