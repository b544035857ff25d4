/** The lines around an error, as Salt prints them (3006.16 salt/utils/stringutils.py `get_context`). */
import { splitLines } from '../../python/values/text.ts';

const MARKER = '    <======================';
const LINES_AROUND = 5;

/** Five lines before and after one, which is marked; the whole text when it has no such line. */
export function excerpt(text: string, line: number): string {
  const lines = splitLines(text);
  if (line > lines.length) return text;
  const start = Math.max(0, line - LINES_AROUND - 1);
  const end = Math.min(lines.length, line + LINES_AROUND);
  const shown = lines.slice(start, end).map((one, i) => (start + i === line - 1 ? one + MARKER : one));
  const out = [...(start > 0 ? ['[...]'] : []), ...shown, ...(end < lines.length ? ['[...]'] : [])];
  return `---\n${out.join('\n')}\n---`;
}
