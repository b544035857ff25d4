/**
 * Events of a run on the master's bus: `fire_event` of a state, and each result with `state_events` (salt/state.py
 * `event`, 3006.16).
 */
import { messageOf } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { copyValue, dict, truthy, type Dict, type Value } from '../../python/values/value.ts';
import type { RunEnvironment } from './run-environment.ts';

/** Events that wait for the master at the same time; the run goes on when there is room again. */
const WAITING_MAX = 1000;

/** Sends events one after the other, beside the run. */
export class RunEvents {
  /** Events that no master took. */
  lost = 0;
  readonly #environment: RunEnvironment;
  readonly #jid: string | undefined;
  #sending: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(environment: RunEnvironment, jid: string | undefined) {
    this.#environment = environment;
    this.#jid = jid;
  }

  /**
   * Tells of a result.
   * @param length how many chunks the run has
   * @param fireEvent the option `fire_event` of the state
   */
  async tell(result: Dict, length: number, fireEvent: Value): Promise<void> {
    const { opts } = this.#environment;
    if (truthy(opts.get('local'))) return;
    if (!truthy(opts.get('state_events')) && !truthy(fireEvent)) return;
    if (this.#waiting >= WAITING_MAX) await this.#sending;
    const [tag, data] = this.#eventOf(copyValue(result), length, fireEvent);
    this.#waiting++;
    this.#sending = this.#sending.then(() => this.#send(tag, data));
  }

  /** Waits until all is sent. */
  async flush(): Promise<void> {
    await this.#sending;
    if (this.lost > 0)
      this.#environment.job.log.warning(`No master took ${this.lost} events of this state run.`);
  }

  #eventOf(result: Dict, length: number, fireEvent: Value): [tag: string, data: Dict] {
    const id = this.#environment.job.id;
    const data = dict({ ret: result });
    const tagOf = (...parts: (string | undefined)[]): string =>
      ['salt', ...parts].filter((part) => part !== undefined && part !== '').join('/');
    if (fireEvent === true)
      return [tagOf('state_result', this.#jid, id, pyStr(result.get('name') ?? null)), data];
    if (typeof fireEvent === 'string') return [tagOf('state_result', this.#jid, id, fireEvent), data];
    const number = pyStr(result.get('__run_num__') ?? '');
    return [tagOf('job', this.#jid, 'prog', id, number), data.set('len', length)];
  }

  /** After one that no master took, the others of the run are not tried: each would wait for the master again. */
  async #send(tag: string, data: Dict): Promise<void> {
    try {
      if (this.lost > 0 || !(await this.#fire(tag, data))) this.lost++;
    } catch (error) {
      this.lost++;
      this.#environment.job.log.debug(`The event ${tag} was not sent: ${messageOf(error)}`, error);
    } finally {
      this.#waiting--;
    }
  }

  /** On a master its own bus takes the event. */
  async #fire(tag: string, data: Dict): Promise<boolean> {
    const { functions, master } = this.#environment.context;
    if (master !== undefined) return master.fire(tag, data);
    const kwargs = dict({ preload: { jid: this.#jid ?? null } });
    return truthy(await functions.call('event.fire_master', [data, tag], kwargs));
  }
}
