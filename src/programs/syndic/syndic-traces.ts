/** The spans of jobs at a syndic: handing them down, and bringing their returns up. */
import { BoundedMap } from '../../host/bounded-map.ts';
import { pyStr } from '../../python/values/repr.ts';
import type { Dict, Value } from '../../python/values/value.ts';
import { TRACE_FIELD } from '../../runtime/tracing/context.ts';
import type { Span, Tracer } from '../../runtime/tracing/tracer.ts';

/** Jobs of which is remembered by which span they were handed down. */
const JOBS_MAX = 2_000;

/** Tells of jobs from above and of their returns. */
export class SyndicTraces {
  readonly #tracer: Tracer;
  readonly #down = new BoundedMap<string, string>(JOBS_MAX);

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** A job is handed down. @param load as the master above sent it */
  handDown(jid: string, fun: string, load: Dict): Span {
    const span = this.#tracer.start(`hand down ${fun}`, {
      kind: 'consumer',
      parent: load.get(TRACE_FIELD),
      facts: { 'salt.jid': jid, 'salt.fun': fun },
    });
    this.#down.set(jid, span.traceparent);
    return span;
  }

  /**
   * A return is brought up.
   * @returns its span; undefined for a job that did not come from above while this process runs
   */
  bringUp({
    jid,
    id,
    fun,
  }: {
    readonly jid: string;
    readonly id: string;
    readonly fun: Value;
  }): Span | undefined {
    const parent = this.#down.get(jid);
    if (parent === undefined) return undefined;
    return this.#tracer.start(`bring up ${pyStr(fun)}`, {
      kind: 'producer',
      parent,
      facts: { 'salt.jid': jid, 'salt.fun': pyStr(fun), 'salt.minion': id },
    });
  }
}
