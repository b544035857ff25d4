/** Python's `textwrap.wrap`, as Jinja's wordwrap filter calls it: white space is kept. */
import { textLength } from '../../python/values/text.ts';

const CHUNKS = /\s+|[^\s-]*[\p{L}\p{N}]-(?=[\p{L}])|[^\s]+/gu;
const WORDS = /\s+|[^\s]+/g;

/** The lines of a text without line ends, none longer than `width`. */
export function wrapText(
  text: string,
  width: number,
  options: { readonly breakLong: boolean; readonly onHyphens: boolean },
): string[] {
  const chunks: string[] = text.match(options.onHyphens ? CHUNKS : WORDS) ?? [];
  const lines: string[] = [];
  while (chunks.length > 0) {
    if (lines.length > 0 && /^\s+$/.test(chunks[0] as string)) chunks.shift();
    let line = '';
    while (chunks.length > 0 && textLength(line) + textLength(chunks[0] as string) <= width)
      line += chunks.shift();
    const next = chunks[0];
    if (next !== undefined && textLength(next) > width) {
      const room = width - textLength(line);
      if (options.breakLong && room > 0) {
        line += next.slice(0, room);
        chunks[0] = next.slice(room);
      } else if (line === '') line = chunks.shift() ?? '';
    }
    const shown = line.replace(/\s+$/, '');
    if (shown !== '') lines.push(shown);
    else if (line === '' && chunks.length === 0) break;
  }
  return lines;
}
