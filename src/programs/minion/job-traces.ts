/** The spans of jobs on a minion: the run of the function, and bringing its return to the master. */
import { toNumber, type Dict } from '../../python/values/value.ts';
import { handedOn, TRACE_FIELD } from '../../runtime/tracing/context.ts';
import type { Tracer } from '../../runtime/tracing/tracer.ts';
import type { Job, JobResult } from './job.ts';

/** The spans of one job. */
export interface JobSpans {
  /** Its function has ended. */
  ended(result: JobResult): void;
  /** Sends its return. @param send resolves when the master has it, or when it waits on the disk */
  returned(load: Dict, send: (load: Dict) => Promise<void>): Promise<void>;
}

/** Tells of jobs. */
export class JobTraces {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** A job begins. */
  run({ jid, funs, trace }: Job, id: string): JobSpans {
    const fun = funs.join(',');
    const facts = { 'salt.jid': jid, 'salt.fun': fun, 'salt.minion': id };
    const run = this.#tracer.start(`run ${fun}`, { kind: 'consumer', parent: trace, facts });
    return {
      ended: ({ retcode, success }) => {
        const code = toNumber(retcode);
        run.end({
          facts: { 'salt.retcode': code },
          isError: code === undefined ? success === false : code !== 0,
        });
      },
      returned: async (load, send) => {
        const back = this.#tracer.start(`return ${fun}`, {
          kind: 'producer',
          parent: run.traceparent,
          facts,
        });
        try {
          await send(new Map([...load, [TRACE_FIELD, back.traceparent]]));
        } finally {
          back.end();
        }
      },
    };
  }
}

/** The return of a minion that does not trace names the span that came with its job. */
export function withTrace(load: Dict, { trace }: Job): Dict {
  const goes = handedOn(trace);
  return goes === undefined ? load : new Map([...load, [TRACE_FIELD, goes]]);
}
