/** What is written and fired about every decision against somebody: who, from where, what he wanted, and why not. Never how he tried to show it. */
import { tags } from '../../../network/events/tags.ts';
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

/** Writes the audit lines. A flood about one name from one address is counted, not written. */
export class Audit {
  readonly #fireEvent: (tag: string, data: Dict) => void;
  readonly #line: (name: string, text: string) => void;
  /** Refusals so far. */
  refusals = 0;

  constructor(fireEvent: (tag: string, data: Dict) => void, log: Logger) {
    this.#fireEvent = fireEvent;
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
    this.#fireEvent(
      tags.authRefused,
      dict({
        user: who,
        type,
        eauth: eauth === undefined ? null : cut(eauth),
        client,
        fun: named,
        from,
        reason,
      }),
    );
  }
}

function cut(text: string): string {
  return visibleName(text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text);
}
