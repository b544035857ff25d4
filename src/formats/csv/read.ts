/**
 * Tables of texts between separators, as Python's `csv` reads them with its dialects `excel`, `excel-tab` and `unix`.
 */

/** The rows of a table. An empty line is a row without fields. @param delimiter one character */
export function parseCsv(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let at = 0;
  while (at < text.length) {
    const row: string[] = [];
    let isEnd = false;
    while (!isEnd) {
      const field = readField(text, at, delimiter);
      row.push(field.value);
      at = field.end;
      isEnd = text[at] !== delimiter;
      if (!isEnd) at++;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    rows.push(row.length === 1 && row[0] === '' ? [] : row);
  }
  return rows;
}

/** One field; quotes stand at its beginning, and what follows the closing one belongs to it. */
function readField(text: string, from: number, delimiter: string): { value: string; end: number } {
  let value = '';
  let at = from;
  if (text[at] === '"') {
    for (at++; at < text.length; at++) {
      if (text[at] !== '"') value += text[at] ?? '';
      else if (text[at + 1] === '"') value += text[at++] ?? '';
      else break;
    }
    at++;
  }
  const start = at;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at++;
  return { value: value + text.slice(start, at), end: at };
}
