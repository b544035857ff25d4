/** Key texts: how Salt normalises them before it sends, stores or compares them. */

/**
 * The text of a key as Salt sends and compares it: trimmed, every line end `\n`, no trailing newline
 * (`clean_key`, salt/crypt.py 3006.16).
 */
export function cleanKeyText(text: string): string {
  return text
    .trim()
    .split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/)
    .join('\n');
}
