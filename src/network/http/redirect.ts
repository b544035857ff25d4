/**
 * What may go along where an answer leads elsewhere: decided here for every client that follows redirects. Nothing here
 * follows one.
 */

/** The statuses that lead elsewhere. */
export const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** How often a client lets itself be led on. */
export const REDIRECTS_MAX = 5;

/** Headers that say nothing but how to answer, and what a body is. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'content-encoding',
  'content-length',
  'content-type',
  'range',
  'user-agent',
]);

/**
 * Whether an address is another place than the one that was asked: another host, another port, or no longer TLS. From
 * http to https of one host on their usual ports is the same place.
 */
export function leadsElsewhere(from: URL, to: URL): boolean {
  return to.host !== from.host || (from.protocol === 'https:' && to.protocol === 'http:');
}

/**
 * Whether a header of the caller’s may go to another place. One that he has made up himself may be a secret, such as a
 * token.
 */
export function mayGoElsewhere(header: string): boolean {
  return PLAIN_HEADERS.has(header.toLowerCase());
}

/** Where a redirect leads. @returns undefined for what is no address, or neither http nor https */
export function redirectTarget(from: URL, location: string): URL | undefined {
  if (!URL.canParse(location, from.href)) return undefined;
  const url = new URL(location, from);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}
