/** What functions of `schedule.*` return: whether it was done, and the minion's own words. */
import type { Return } from './contract.ts';
import { isMapping } from './json.ts';

/** An answer. */
export interface Answer {
  readonly isGood: boolean;
  readonly text: string;
}

/** Reads `{comment, result}`; what is none of that, such as the text of an error, is shown as it is. */
export function summaryOfAnswer({ return: value, success }: Return): Answer {
  if (!isMapping(value)) return { isGood: success && typeof value !== 'string', text: plain(value) };
  const { comment, result } = value;
  const lines = Array.isArray(comment) ? comment : [comment];
  const text = lines
    .filter((each) => each !== undefined && each !== '')
    .map(plain)
    .join(' ');
  return { isGood: success && result === true, text: text === '' ? plain(value) : text };
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
