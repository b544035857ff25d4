/** Named time zones for tests, from the tables that Node carries. */
import type { Zone } from '../../src/runtime/scheduler/zone.ts';

const QUARTER_MS = 900_000;

/** A zone by its name (`Europe/Berlin`). */
export function zoneNamed(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const known = new Map<number, number>();
  return {
    offsetMs: (atMs) => {
      // clocks change at full quarters of an hour only
      const quarter = Math.floor(atMs / QUARTER_MS) * QUARTER_MS;
      let offset = known.get(quarter);
      if (offset === undefined) {
        const part = new Map(format.formatToParts(quarter).map(({ type, value }) => [type, Number(value)]));
        const get = (type: Intl.DateTimeFormatPartTypes): number => part.get(type) ?? 0;
        offset = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute')) - quarter;
        known.set(quarter, offset);
      }
      return offset;
    },
  };
}
