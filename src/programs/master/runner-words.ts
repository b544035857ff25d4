/** Arguments for a `salt-run` of the master's own, as it reads them from standard input with `--args-stdin`. */
import { toJson } from '../../formats/json/text.ts';
import type { Value } from '../../python/values/value.ts';

/** A value as JSON. A text with `#` would be taken for one with a comment, and a negative number for an option. */
export function runnerWord(value: Value): string {
  const text = toJson(value).replaceAll('#', '\\u0023');
  return text.startsWith('-') ? ` ${text}` : text;
}

/** Words by lines. */
export function runnerInput(words: readonly string[]): string {
  return words.map((text) => `${text}\n`).join('');
}
