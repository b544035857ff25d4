/** What `/stats` shows, under the names of CherryPy's statistics, which programs look for (`cherrypy.lib.cpstats`). */
import type { Clock } from '../../host/clock.ts';
import { dict, float, type Dict, type DictInit, type Value } from '../../python/values/value.ts';

/** Counts requests. */
export class Statistics {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #startSeconds: number;
  readonly #byStatus = new Map<number, number>();
  #requests = 0;
  #current = 0;
  #bytesRead = 0;
  #bytesWritten = 0;
  #seconds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
    this.#startSeconds = clock.nowMs() / 1000;
  }

  get requests(): number {
    return this.#requests;
  }

  get current(): number {
    return this.#current;
  }

  /** How many answers there were, by status. */
  get statuses(): [string, number][] {
    return [...this.#byStatus].map(([status, count]) => [String(status), count]);
  }

  /** A request has begun. @returns to be called with its end */
  begin(): (status: number, bytesRead: number, bytesWritten: number) => void {
    const beganMs = this.#clock.monotonicMs();
    this.#requests++;
    this.#current++;
    return (status, bytesRead, bytesWritten) => {
      this.#current--;
      this.#bytesRead += bytesRead;
      this.#bytesWritten += bytesWritten;
      this.#seconds += (this.#clock.monotonicMs() - beganMs) / 1000;
      this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
    };
  }

  /** @param further figures of the API itself */
  describe(further: DictInit): Dict {
    const uptime = Math.max((this.#clock.monotonicMs() - this.#startedMs) / 1000, 0.001);
    const each = Math.max(1, this.#requests);
    const statuses: Dict = new Map(
      [...this.#byStatus].sort().map(([status, count]): [Value, Value] => [String(status), count]),
    );
    return dict({
      'CherryPy Applications': dict({
        Enabled: true,
        'Bytes Read/Request': float(this.#bytesRead / each),
        'Bytes Read/Second': float(this.#bytesRead / uptime),
        'Bytes Written/Request': float(this.#bytesWritten / each),
        'Bytes Written/Second': float(this.#bytesWritten / uptime),
        'Current Time': float(this.#clock.nowMs() / 1000),
        'Current Requests': this.#current,
        'Requests/Second': float(this.#requests / uptime),
        'Start Time': float(this.#startSeconds),
        'Total Bytes Read': this.#bytesRead,
        'Total Bytes Written': this.#bytesWritten,
        'Total Requests': this.#requests,
        'Total Time': float(this.#seconds),
        Uptime: float(uptime),
      }),
      'salt-api': dict({ Answers: statuses, ...further }),
    });
  }
}
