/**
 * Runners that are run for others: each is a `salt-run` of its own, so that it cannot harm the master, and goes on when
 * the master is restarted (salt/client/mixins.py `asynchronous`, 3006.16).
 */
import { dirname } from 'node:path';
import type { MasterOptions } from '../../config/master-options.ts';
import { messageOf } from '../../errors/errors.ts';
import type { Logger } from '../../host/log.ts';
import { ownProgram } from '../../host/own-program.ts';
import { ownEnvironment, runProcess } from '../../host/process.ts';
import { dict, type Dict } from '../../python/values/value.ts';
import { CallPool } from '../reactor/call-pool.ts';
import { encodeOrder, ORDER_MARK, type RunOrder } from '../runner/run-order.ts';

/** Processes at a time for each worker, and orders that wait for one. */
const RUNNING_MAX = 10;
const WAITING_MAX = 1000;
const OUTPUT_BYTES_MAX = 64 * 1024;
const SAID_CHARS_MAX = 1000;

/** What starting needs. */
export interface RunnerProcessesDeps {
  readonly opts: MasterOptions;
  readonly fireEvent: (tag: string, data: Dict) => void;
  readonly log: Logger;
}

/** Starts them, so many at a time. */
export class RunnerProcesses {
  /** Orders that were turned away, because too many waited. */
  refused = 0;
  readonly #deps: RunnerProcessesDeps;
  readonly #pool = new CallPool(RUNNING_MAX, WAITING_MAX);

  constructor(deps: RunnerProcessesDeps) {
    this.#deps = deps;
  }

  /** Takes an order; how it ends is told by events. @returns false when too many wait */
  take(order: RunOrder): boolean {
    if (this.#pool.waiting >= WAITING_MAX) {
      this.refused++;
      return false;
    }
    this.#pool.add(() => this.#run(order));
    return true;
  }

  async #run(order: RunOrder): Promise<void> {
    const { opts, log } = this.#deps;
    const options = ['-c', dirname(opts.get('conf_file')), '--log-level=warning'];
    try {
      const { retcode, stderr } = await runProcess([...ownProgram('salt-run'), ...options], {
        stdin: encodeOrder(order),
        env: ownEnvironment().set(ORDER_MARK, '1'),
        outputLimitBytes: OUTPUT_BYTES_MAX,
      });
      const said = stderr.toString().trim().slice(0, SAID_CHARS_MAX);
      if (retcode !== 0) this.#failed(order, `it ended with ${retcode}: ${said}`);
      else if (said !== '') log.warning(`The runner ${order.fun} (${order.jid}) says: ${said}`);
    } catch (error) {
      this.#failed(order, messageOf(error));
    }
  }

  /** Who waits is told: nobody else does. */
  #failed({ fun, jid, user }: RunOrder, reason: string): void {
    const { log, fireEvent } = this.#deps;
    const text = `The runner ${fun} (${jid}) could not be run to its end: ${reason}`;
    log.error(text);
    const data = { fun: `runner.${fun}`, jid, user, return: text, success: false, retcode: 1 };
    fireEvent(`salt/run/${jid}/ret`, dict(data));
  }
}
