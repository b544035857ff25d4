/**
 * What is written and fired about every decision against somebody: who, from where, what he wanted, and why not. Never
 * how he tried to show it.
 */
import { tags } from '../../../network/events/tags.ts';
import { BoundedMap } from '../../../host/bounded-map.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { AccessClient } from '../../../runtime/access/question.ts';
import { visibleName } from '../../../python/values/visible.ts';
import { dict, type Dict } from '../../../python/values/value.ts';
import { countedLines } from '../counted-log.ts';

/** A decision against somebody. */
export interface AuditedRefusal {
  /** The name he gave, or was known by. */
  readonly user: string;
  /** By what he showed, or tried to show, who he is: `user`, `eauth`, `token`. */
  readonly type: string;
  /** The authentication system, where one was named. */
  readonly eauth?: string;
  /** What he wanted: `local`, `runner`, `wheel`, or `token` for the making of one. */
  readonly client: AccessClient | 'token';
  readonly funs: readonly string[];
  /** His address. */
  readonly from: string;
  readonly reason: string;
}

/** A sender without its port. */
export function addressOf(from: string): string {
  return from.replace(/:\d*$/, '');
}

/** Longer names are cut: they come from strangers. */
const TEXT_MAX = 128;
const FUNS_MAX = 16;
/**
 * Events about refusals of one address within a second; what comes beyond is counted, and told of by the next event.
 */
export const EVENTS_A_SECOND = 200;
const SECOND_MS = 1000;
/** Addresses that are counted. */
const ADDRESSES_MAX = 10_000;

/** The events about one address within one second. */
interface Second {
  readonly sinceMs: number;
  fired: number;
  leftOut: number;
}

/**
 * Writes the audit lines. A flood about one name from one address is counted, not written, and has a bounded number of
 * events.
 */
export class Audit {
  readonly #fireEvent: (tag: string, data: Dict) => void;
  readonly #line: (name: string, text: string) => void;
  readonly #clock: Clock;
  readonly #seconds = new BoundedMap<string, Second>(ADDRESSES_MAX);
  /** Refusals so far, and those of which no event was fired. */
  refusals = 0;
  leftOut = 0;

  constructor(fireEvent: (tag: string, data: Dict) => void, log: Logger, clock: Clock) {
    this.#fireEvent = fireEvent;
    this.#clock = clock;
    this.#line = countedLines(log, 'warning');
  }

  /** One line in the log, one event `salt/auth/refused`. */
  refused({ user, type, eauth, client, funs, from, reason }: AuditedRefusal): void {
    this.refusals++;
    const who = cut(user);
    const named = funs.slice(0, FUNS_MAX).map(cut);
    const how = eauth === undefined ? type : `${type} ${cut(eauth)}`;
    const what = named.length === 0 ? client : `${client} ${named.join(', ')}`;
    this.#line(`${who} ${addressOf(from)}`, `Refused: ${who} (${how}) from ${from} to ${what}: ${reason}`);
    const leftOut = this.#countEvent(addressOf(from));
    if (leftOut === undefined) return;
    const data = dict({
      user: who,
      type,
      eauth: eauth === undefined ? null : cut(eauth),
      client,
      fun: named,
      from,
      reason,
    });
    if (leftOut > 0) data.set('left_out', leftOut);
    this.#fireEvent(tags.authRefused, data);
  }

  /** @returns how many refusals of the address had no event since the last; undefined when this one has none either */
  #countEvent(address: string): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#seconds.get(address);
    if (before === undefined || nowMs - before.sinceMs >= SECOND_MS) {
      this.#seconds.set(address, { sinceMs: nowMs, fired: 1, leftOut: 0 });
      return before?.leftOut ?? 0;
    }
    if (before.fired < EVENTS_A_SECOND) {
      before.fired++;
      return 0;
    }
    before.leftOut++;
    this.leftOut++;
    return undefined;
  }
}

function cut(text: string): string {
  return visibleName(text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
}
