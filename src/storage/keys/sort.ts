/** The order of ids in lists. */
import { compareText } from '../../python/values/order.ts';

/** Texts sorted without regard to case, as Salt lists ids (salt/utils/data.py sorted_ignorecase); equals by case. */
export function sortedIgnoringCase(texts: readonly string[]): string[] {
  return texts
    .map((text) => [text.toLowerCase(), text] as const)
    .sort((a, b) => compareText(a[0], b[0]) || compareText(a[1], b[1]))
    .map(([, text]) => text);
}
