/** What a worker counts of the requests that it serves. */
import { pyStr } from '../../python/values/repr.ts';
import type { FewAtATime } from './commands/few-at-a-time.ts';
import { isDict, toNumber, type Dict, type Value } from '../../python/values/value.ts';
import { sample, samplesOf, type Sample } from '../../runtime/metrics/sample.ts';
import { Tally, Timings } from '../../runtime/metrics/tally.ts';
import { jidTimeMs } from '../../storage/jobs/jid.ts';

/**
 * What became of a return; `apart` is one of a minion that its job was not meant for, `too many` one that nobody asked
 * for and that is beyond what its minion may leave.
 */
export type ReturnOutcome = 'kept' | 'repeated' | 'not kept' | 'refused' | 'apart' | 'too many';

/** Outcomes of returns that say nothing of a job. */
const NO_PART: ReadonlySet<ReturnOutcome> = new Set(['repeated', 'refused', 'apart', 'too many']);

/** The counters of a door, as a worker shows them. */
export interface DoorCounters {
  readonly counters: ReadonlyMap<string, number>;
  readonly served: ReadonlyMap<string, number>;
}

const HANDLER_FAILED = 'handler failed';
const STATE_FUNCTIONS = /^state\./;
/** What a state run names its results by: module, id, name and function. */
const STATE_KEY_PARTS = 4;

/** Counts what minions bring to one worker. */
export class WorkerFigures {
  readonly #authentications = new Tally('brine_authentications_total');
  readonly #returns = new Tally('brine_returns_total');
  readonly #failed = new Tally('brine_returns_failed_total');
  readonly #returnTimes = new Timings('brine_job_return_seconds');
  readonly #states = new Tally('brine_states_total');
  readonly #stateTimes = new Timings('brine_state_seconds');

  #pillars: Readonly<FewAtATime['counters']> = { atOnce: 0, waited: 0 };

  /** Has the counters of requests for pillar shown. */
  countPillars(counters: Readonly<FewAtATime['counters']>): void {
    this.#pillars = counters;
  }

  /** @param outcome what was answered: accepted, pending, rejected, denied, full, refused */
  authenticated(outcome: string): void {
    this.#authentications.add(outcome);
  }

  /** Counts a return. @param receivedMs when it came, since 1970 */
  returned(outcome: ReturnOutcome, load: Dict, receivedMs: number): void {
    this.#returns.add(outcome);
    if (NO_PART.has(outcome)) return;
    const fun = pyStr(load.get('fun') ?? '');
    const retcode = load.get('retcode');
    if (typeof retcode === 'number' && retcode !== 0) this.#failed.add(fun);
    const jid = load.get('jid');
    const publishedMs = typeof jid === 'string' ? jidTimeMs(jid) : undefined;
    if (publishedMs !== undefined) this.#returnTimes.add((receivedMs - publishedMs) / 1000, fun);
    if (STATE_FUNCTIONS.test(fun)) this.#countStates(load.get('return'));
  }

  #countStates(states: Value | undefined): void {
    if (states === undefined || !isDict(states)) return;
    for (const [key, state] of states) {
      const parts = typeof key === 'string' ? key.split('_|-') : [];
      if (parts.length !== STATE_KEY_PARTS || !isDict(state)) continue;
      const name = `${parts[0] ?? ''}.${parts[3] ?? ''}`;
      this.#states.add(name, resultText(state.get('result')));
      const duration = toNumber(state.get('duration'));
      if (duration !== undefined) this.#stateTimes.add(duration / 1000, name);
    }
  }

  /** @param door of this worker */
  samples({ counters, served }: DoorCounters): Sample[] {
    const refused = [...counters].filter(([reason]) => reason !== HANDLER_FAILED);
    const { atOnce, waited } = this.#pillars;
    const pillars = new Map([
      ['no', atOnce],
      ['yes', waited],
    ]);
    return [
      ...samplesOf('brine_requests_total', served),
      ...samplesOf('brine_pillar_requests_total', pillars),
      ...samplesOf('brine_requests_refused_total', refused),
      sample('brine_request_handlers_failed_total', counters.get(HANDLER_FAILED) ?? 0),
      ...[this.#authentications, this.#returns, this.#failed, this.#states].flatMap((each) => each.samples()),
      ...[this.#returnTimes, this.#stateTimes].flatMap((each) => each.samples()),
    ];
  }
}

function resultText(result: Value | undefined): string {
  if (result === true) return 'true';
  return result === false ? 'false' : 'none';
}
