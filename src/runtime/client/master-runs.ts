/**
 * Functions of the master that it has been asked to run: how they end, heard on the event bus (salt/client/mixins.py
 * `cmd_sync`, 3006.16).
 */
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import { NotAuthorisedError } from './errors.ts';

/** Events kept until the job id is known. */
const EARLY_EVENTS_MAX = 10_000;

/** The tags of what {@link ReturnsOfRuns} is given. */
export function isRunReturn(tag: string): boolean {
  return /^salt\/run\/\d+(?:_\d+)?\/ret$/.test(tag);
}

/** Why the master has not begun to run a function. */
export function refusalIn(reply: Value): NotAuthorisedError {
  const error = isDict(reply) ? reply.get('error') : undefined;
  const message = isDict(error) ? error.get('message') : undefined;
  return new NotAuthorisedError(typeof message === 'string' ? message : 'The master refused the function.');
}

/** The ends of runs, kept until it is known which is ours. */
export class ReturnsOfRuns {
  readonly #found = new Map<string, Dict>();
  #waiting: { tag: string; resolve: (data: Dict) => void } | undefined;
  #isOver = false;

  add({ tag, data }: BusEvent): void {
    if (this.#waiting?.tag === tag) this.#waiting.resolve(data);
    else if (this.#waiting === undefined && this.#found.size < EARLY_EVENTS_MAX) this.#found.set(tag, data);
  }

  /** The bus has gone away; what is waited for may never be heard. */
  end(): void {
    this.#isOver = true;
    this.#waiting?.resolve(LOST);
  }

  /** The data of the event with this tag. */
  of(tag: string): Promise<Dict> {
    const early = this.#found.get(tag);
    if (early !== undefined) return Promise.resolve(early);
    if (this.#isOver) return Promise.resolve(LOST);
    this.#found.clear();
    return new Promise((resolve) => (this.#waiting = { tag, resolve }));
  }
}

const LOST: Dict = new Map<Value, Value>([
  [
    'return',
    'The connection to the master was lost; the function may go on. Its result is in the job cache.',
  ],
  ['success', false],
  ['retcode', 1],
]);
