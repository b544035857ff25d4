/** Waiting for one event of the bus, listened for before whatever brings it about is begun. */
import type { LocalPlace } from '../../host/local-place.ts';
import type { Clock } from '../../host/clock.ts';
import { EventBusReader } from './bus-client.ts';
import type { BusEvent } from './framing.ts';

/** What is waited for. */
export interface EventWait {
  readonly bus: LocalPlace;
  readonly isWanted: (tag: string) => boolean;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Listens, then begins, then waits.
 * @param begin is called when the bus is listened to
 * @returns the first event with a wanted tag; undefined when none came in time
 * @throws UnreachableError when there is no bus
 */
export async function eventAfter(
  begin: () => Promise<unknown>,
  { bus, isWanted, timeoutMs, clock, signal }: EventWait,
): Promise<BusEvent | undefined> {
  const ended = new AbortController();
  const stop = (): void => ended.abort();
  let found: BusEvent | undefined;
  const reader = await EventBusReader.connect(
    bus,
    isWanted,
    (event) => {
      found ??= event;
      stop();
    },
    stop,
  );
  signal.addEventListener('abort', stop);
  try {
    await begin();
    await clock.sleep(timeoutMs, ended.signal);
    return found;
  } finally {
    signal.removeEventListener('abort', stop);
    reader.close();
  }
}
