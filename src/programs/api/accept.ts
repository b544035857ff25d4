/** Which of several media types a client wants, as `cherrypy.lib.cptools.accept` of 18.8 finds it (RFC 9110 12.5.1). */
import { HttpFault } from './http-fault.ts';

interface Range {
  readonly type: string;
  readonly q: number;
  readonly at: number;
}

/**
 * The first of `media` that the client takes, by its preference.
 * @param header `Accept`; without one everything is taken
 * @returns undefined when none is
 * @throws HttpFault 400 for a preference that is no number
 */
export function bestOf(header: string | undefined, media: readonly string[]): string | undefined {
  if (header === undefined || header === '') return media[0];
  const ranges = readRanges(header);
  for (const { type, q } of ranges) {
    if (q <= 0) continue;
    if (type === '*/*') return media[0];
    const found = type.endsWith('/*')
      ? media.find((each) => each.startsWith(type.slice(0, -1)))
      : media.find((each) => each === type);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a client takes gzip. @param header `Accept-Encoding` */
export function wantsGzip(header: string | undefined): boolean {
  return /\bgzip\b(?!;q=0(\.0*)?(,|$))/.test(header ?? '');
}

/** The ranges, the most wanted first; of equal ones those that say more (CherryPy sorts them by their texts). */
function readRanges(header: string): Range[] {
  const ranges = header.split(',').map((part, at): Range => {
    const [type = '', ...params] = part.split(';').map((text) => text.trim());
    const q = params.find((param) => param.startsWith('q='))?.slice(2);
    const value = q === undefined ? 1 : Number(q === '' ? 'none' : q);
    if (Number.isNaN(value)) throw new HttpFault(400, `Malformed HTTP header: \`${part.trim()}\``);
    return { type, q: value, at };
  });
  return ranges.sort((a, b) => b.q - a.q || compare(b.type, a.type) || a.at - b.at);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
