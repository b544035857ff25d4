/** Showing the events of a bus as they come (salt/modules/state.py, salt/runners/state.py `event`, 3006.16). */
import type { LocalPlace } from '../../host/local-place.ts';
import type { Clock } from '../../host/clock.ts';
import { toJson } from '../../formats/json/text.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { EventBusReader } from './bus-client.ts';
import type { BusEvent } from './framing.ts';

/** Time between attempts to find the bus again after it has gone. */
const RECONNECT_MS = 200;
/** Longer than anybody waits. */
const FOR_EVER_MS = 2 ** 31 - 1;

/** Which events, and how they are shown. */
export interface ShownEvents {
  /** The socket of the bus. */
  readonly path: LocalPlace;
  readonly matches: (tag: string) => boolean;
  /** How many; -1 for ever. Salt compat: it is looked at after an event has matched, so 0 is as 1. */
  readonly count: number;
  /** Takes a line for each event; without it they are only waited for. */
  readonly print?: (line: string) => void;
  /** Data over several lines, keys sorted. */
  readonly isPretty: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The error when there is no bus. */
  readonly noBus: (cause: unknown) => Error;
}

/** Shows events until the count is reached or the signal comes. @throws what `noBus` gives */
export async function showEvents(shown: ShownEvents): Promise<void> {
  const { path, matches, print, isPretty, clock } = shown;
  let left = shown.count === 0 ? 1 : shown.count;
  const done = new AbortController();
  const show = (event: BusEvent): void => {
    if (left === 0) return;
    const json = { indent: isPretty ? 4 : null, sortKeys: isPretty, fallback: pyRepr };
    print?.(`${event.tag}\t${toJson(event.data, json)}`);
    if (left > 0) left--;
    if (left === 0) done.abort();
  };
  const over = AbortSignal.any([done.signal, shown.signal]);
  let isFirst = true;
  while (!over.aborted) {
    const closed = new AbortController();
    try {
      const reader = await EventBusReader.connect(path, matches, show, () => closed.abort());
      isFirst = false;
      await clock.sleep(FOR_EVER_MS, AbortSignal.any([over, closed.signal]));
      reader.close();
    } catch (error) {
      if (isFirst) throw shown.noBus(error);
      await clock.sleep(RECONNECT_MS, over);
    }
  }
}
