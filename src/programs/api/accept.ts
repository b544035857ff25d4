/** Which of several media types a client wants (`cherrypy.lib.cptools.accept`, RFC 9110 12.5.1). */

interface Range {
  readonly type: string;
  readonly q: number;
  readonly at: number;
}

/**
 * The first of `media` that the client takes, by its preference.
 * @param header `Accept`; without one everything is taken
 * @returns undefined when none is
 */
export function bestOf(header: string | undefined, media: readonly string[]): string | undefined {
  const ranges = readRanges(header ?? '');
  if (ranges.length === 0) return media[0];
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

/** The ranges, the most wanted first; of equal ones those that say more (CherryPy sorts them by their texts). */
function readRanges(header: string): Range[] {
  const ranges = header.split(',').flatMap((part, at): Range[] => {
    const [type = '', ...params] = part.split(';').map((text) => text.trim());
    if (type === '') return [];
    const q = params.find((param) => param.startsWith('q='));
    const value = q === undefined ? 1 : Number(q.slice(2));
    return [{ type: type.toLowerCase(), q: Number.isFinite(value) ? value : 1, at }];
  });
  return ranges.sort((a, b) => b.q - a.q || compare(b.type, a.type) || a.at - b.at);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
