/** What a subscriber says of itself: headers of its request that begin with `x-brine-`, their values in base64. */
import type { IncomingHttpHeaders } from 'node:http';

const PREFIX = 'x-brine-';

/** The headers that say it. */
export function propertyHeaders(properties: ReadonlyMap<string, Buffer>): Record<string, string> {
  return Object.fromEntries(
    [...properties].map(([name, value]) => [name.toLowerCase(), value.toString('base64')]),
  );
}

/** The properties in a request's headers, by lower-case name. */
export function propertiesIn(headers: IncomingHttpHeaders): ReadonlyMap<string, Buffer> {
  const out = new Map<string, Buffer>();
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(PREFIX) && typeof value === 'string') out.set(name, Buffer.from(value, 'base64'));
  }
  return out;
}
