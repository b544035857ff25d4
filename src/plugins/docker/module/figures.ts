/** Sizes and times as people read them (3006.16 salt/modules/dockermod.py). */
import { localTimeMs, strftime } from '../../../python/text/strftime.ts';
import { toNumber, type Dict, type Value } from '../../../python/values/value.ts';

/** A number of bytes with its unit. */
export function shownSize(size: Value): string {
  let number = toNumber(size);
  if (number === undefined) return 'unknown';
  if (number < 1024) return `${number} bytes`;
  for (const unit of ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']) {
    number /= 1024;
    if (number < 1024) return `${number.toFixed(1)} ${unit}`;
  }
  return 'unknown';
}

/** A time in seconds in the zone of this machine. */
function shownTime(seconds: Value): string {
  const ms = (toNumber(seconds) ?? 0) * 1000;
  const date = new Date(ms);
  const zone =
    new Intl.DateTimeFormat('en', { timeZoneName: 'short' })
      .formatToParts(date)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${strftime(localTimeMs(ms), '%Y-%m-%d %H:%M:%S')} ${zone}`;
}

/** Puts what people read behind the numbers of `names`. */
function withShownSizes(facts: Dict, names: readonly string[]): Dict {
  for (const name of names) {
    const size = facts.get(name);
    if (size !== undefined) facts.set(`${name}_Human`, shownSize(size));
  }
  return facts;
}

/** Facts with `Created` under its name here, and readable times and sizes. */
export function renamedFacts(given: Dict, sizes: readonly string[]): Dict {
  const facts = new Map(
    [...given].map(([key, value]) => [key === 'Created' ? 'Time_Created_Epoch' : key, value]),
  );
  const created = facts.get('Time_Created_Epoch');
  if (created !== undefined) facts.set('Time_Created_Local', shownTime(created));
  return withShownSizes(facts, sizes);
}
