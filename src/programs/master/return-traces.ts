/**
 * The spans of returns that a master takes. A return of a minion that does not trace, such as a real Salt's, names no
 * span; the publication of its job, which the job cache keeps, is its parent then.
 */
import { BoundedMap } from '../../host/bounded-map.ts';
import type { Clock } from '../../host/clock.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { TRACE_FIELD } from '../../runtime/tracing/context.ts';
import type { Tracer } from '../../runtime/tracing/tracer.ts';
import { isSafeJid } from '../../storage/jobs/jid.ts';
import type { JobReader } from '../../storage/jobs/job-store.ts';

/** The name under which all parts of a master tell of spans. */
export const TRACED_AS = 'salt-master';
/** Jobs whose publication is remembered. */
const JOBS_MAX = 1_000;

/** What is needed. */
export interface ReturnTracesDeps {
  readonly tracer: Tracer;
  readonly jobs: Pick<JobReader, 'job'>;
  readonly clock: Clock;
}

/** Tells of returns. */
export class ReturnTraces {
  readonly #deps: ReturnTracesDeps;
  readonly #publications = new BoundedMap<string, Promise<Value | undefined>>(JOBS_MAX);

  constructor(deps: ReturnTracesDeps) {
    this.#deps = deps;
  }

  /**
   * A return has come.
   * @param parent what it says it is done for
   * @returns is called when it has been taken; returns at once
   */
  began(id: string, load: Dict, parent: Value | undefined): (isError: boolean) => void {
    const { clock } = this.#deps;
    const startMs = clock.nowMs();
    const beganMs = clock.monotonicMs();
    return (isError) =>
      void this.#tell(id, load, parent, { startMs, endMs: startMs + clock.monotonicMs() - beganMs, isError });
  }

  async #tell(
    id: string,
    load: Dict,
    parent: Value | undefined,
    {
      startMs,
      endMs,
      isError,
    }: { readonly startMs: number; readonly endMs: number; readonly isError: boolean },
  ): Promise<void> {
    const jid = load.get('jid');
    const fun = pyStr(load.get('fun') ?? '');
    const above = parent ?? (isSafeJid(jid) ? await this.#publicationOf(jid) : undefined);
    const facts = { 'salt.jid': isSafeJid(jid) ? jid : undefined, 'salt.fun': fun, 'salt.minion': id };
    this.#deps.tracer
      .start(`take return ${fun}`, { kind: 'server', parent: above, facts, startMs, endMs })
      .end({ isError });
  }

  #publicationOf(jid: string): Promise<Value | undefined> {
    const known = this.#publications.get(jid);
    if (known !== undefined) return known;
    const found = this.#deps.jobs.job(jid).then(
      (job) => {
        const kwargs = job?.get('kwargs');
        return kwargs !== undefined && isDict(kwargs) ? kwargs.get(TRACE_FIELD) : undefined;
      },
      () => undefined,
    );
    this.#publications.set(jid, found);
    return found;
  }
}
