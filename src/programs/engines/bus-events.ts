/** The events of a daemon's bus as a stream for an engine: bounded, and without end while the hub comes and goes. */
import type { Clock } from '../../host/clock.ts';
import type { LocalPlace } from '../../host/local-place.ts';
import type { Logger } from '../../host/log.ts';
import { EventBusReader } from '../../network/events/bus-client.ts';
import type { BusEvent } from '../../network/events/framing.ts';
import type { EngineEvent } from '../../plugins/shared/engine/engine.ts';

/** Events that wait for an engine which is slower than they come. */
const WAITING_MAX = 10_000;
const RECONNECT_MS = 100;

/** What is needed. */
export interface BusEventsDeps {
  readonly path: LocalPlace;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Listens from the moment of the call on; what comes before the first event is read waits.
 *
 * @param wanted decides by the tag alone
 */
export function busEvents(
  { path, clock, log, signal }: BusEventsDeps,
  wanted: (tag: string) => boolean,
): AsyncGenerator<EngineEvent> {
  const queue = new EventQueue(log);
  let reader: EventBusReader | undefined;
  let isLeft = false;
  const connect = async (): Promise<void> => {
    while (!signal.aborted && !isLeft)
      try {
        reader = await EventBusReader.connect(
          path,
          wanted,
          (event) => queue.push(event),
          () => void connect(),
        );
        return;
      } catch {
        await clock.sleep(RECONNECT_MS, signal);
      }
  };
  const stop = (): void => queue.end();
  signal.addEventListener('abort', stop, { once: true });
  const connected = connect();
  return (async function* () {
    try {
      await connected;
      for (let event = await queue.next(); event !== undefined; event = await queue.next()) yield event;
    } finally {
      isLeft = true;
      reader?.close();
      signal.removeEventListener('abort', stop);
    }
  })();
}

class EventQueue {
  readonly #log: Logger;
  #waiting: EngineEvent[] = [];
  #wake: (() => void) | undefined;
  #leftOut = 0;
  #isEnded = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  push(event: BusEvent): void {
    if (this.#waiting.length >= WAITING_MAX) {
      if (this.#leftOut++ === 0)
        this.#log.error(
          `The engine does not take events as fast as they come: ${WAITING_MAX} wait for it, and more are left out until there is room.`,
        );
      return;
    }
    try {
      this.#waiting.push({ tag: event.tag, data: event.data });
    } catch {
      return; // malformed data
    }
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async next(): Promise<EngineEvent | undefined> {
    while (this.#waiting.length === 0 && !this.#isEnded)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#isEnded) return undefined;
    const event = this.#waiting.shift();
    if (this.#leftOut > 0 && this.#waiting.length < WAITING_MAX / 2) {
      this.#log.warning(`${this.#leftOut} events were left out for the engine.`);
      this.#leftOut = 0;
    }
    return event;
  }
}
