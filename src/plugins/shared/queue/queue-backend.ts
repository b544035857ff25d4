/**
 * What a backend of queues is (salt/queues, 3006.16): named queues of items, which are taken out by whoever works on
 * them.
 */
import type { ErrorCode } from '../../../errors/codes.ts';
import { BrineError } from '../../../errors/errors.ts';
import type { Clock } from '../../../host/clock.ts';
import type { Logger } from '../../../host/log.ts';
import type { Dict, Value } from '../../../python/values/value.ts';

/** What a backend is opened with. */
export interface QueueSettings {
  /** The master's options by Salt's names. */
  readonly opts: Dict;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A kind of backend. */
export interface QueueKind {
  /** As `backend=` names it. */
  readonly name: string;
  open(settings: QueueSettings): QueueBackend;
}

/** How many items are taken. */
export type Quantity = number | 'all';

/** What is taken out of a queue. */
export interface Taking {
  readonly quantity: Quantity;
  /** The items are calls of runners, which become mappings again where the backend keeps texts. */
  readonly isRunner: boolean;
}

/** A backend of queues while it is open. */
export interface QueueBackend {
  /** The names of the queues, sorted. */
  queues(): Promise<string[]>;
  items(queue: string): Promise<Value[]>;
  length(queue: string): Promise<number>;
  /**
   * Puts one item or a list of them into a queue.
   * @returns true, or Salt's sentence about an item that is there already
   */
  insert(queue: string, items: Value): Promise<Value>;
  /**
   * Removes one item or a list of them; what is not there is passed over.
   * @returns how many were removed; undefined where that is not known
   */
  delete(queue: string, items: Value): Promise<number | undefined>;
  /**
   * Takes items out for good once `use` has come to its end; until then nobody else gets them, and they are back when
   * it throws or when the process dies.
   * @returns what `use` returns
   */
  take<T>(queue: string, taking: Taking, use: (items: Value[]) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A queue cannot be used as asked: its name, an item, its file or its table. */
export class QueueError extends BrineError {
  static override readonly errorCode: ErrorCode = 'queue-failed';
  override readonly name = 'QueueError';
}
