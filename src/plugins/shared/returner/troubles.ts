/** Returners that fail: told once when it begins and once when it is over, however many returns come meanwhile. */
import { messageOf } from '../../../errors/errors.ts';
import type { Logger } from '../../../host/log.ts';

/** How many returners are remembered; their names come from whoever publishes. */
const KNOWN_MAX = 100;

/** What is told of one return. */
export function failureText(name: string, jid: string, error: unknown): string {
  return `The return failed for job ${jid}: ${name}: ${messageOf(error).replace(/\.$/, '')}`;
}

/** What one program knows of its returners. */
export class ReturnerTroubles {
  /** Returns that each failing returner did not take. */
  readonly #failed = new Map<string, number>();

  failed(name: string, jid: string, error: unknown, log: Logger): void {
    const before = this.#failed.get(name) ?? 0;
    const text = failureText(name, jid, error);
    if (before > 0) log.debug(text, error);
    else
      log.error(
        `${text}. Until ${name} takes a return again, others that it does not take are only counted.`,
        error,
      );
    if (before > 0 || this.#failed.size < KNOWN_MAX) this.#failed.set(name, before + 1);
  }

  /** A returner that is not there: said once, until it is there. @param text what is said */
  missing(name: string, text: string, log: Logger): void {
    const before = this.#failed.get(name) ?? 0;
    if (before > 0) log.debug(text);
    else
      log.error(
        `${text} Correct the name, or bring the returner with saltutil.sync_returners; this is said once.`,
      );
    if (before > 0 || this.#failed.size < KNOWN_MAX) this.#failed.set(name, before + 1);
  }

  succeeded(name: string, log: Logger): void {
    const count = this.#failed.get(name);
    if (count === undefined) return;
    this.#failed.delete(name);
    log.warning(`The returner ${name} takes returns again; ${count} did not get there.`);
  }
}
