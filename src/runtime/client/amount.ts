/** Numbers of minions as operators write them: `3`, `25%` (salt/cli/batch.py `get_bnum`, 3006.16). */

/** A number of minions, or a share of them in percent. */
export type Amount = { readonly kind: 'count' | 'percent'; readonly value: number };

/** Reads `3`, `10%` or `%10`; undefined for anything else, and for nothing or less. */
export function parseAmount(text: string): Amount | undefined {
  const trimmed = text.trim();
  const number = trimmed.replace(/^%|%$/, '');
  if (!/^\d+(\.\d+)?$/.test(number)) return undefined;
  const value = Number(number);
  if (number !== trimmed) return value > 0 ? { kind: 'percent', value } : undefined;
  return value >= 1 && Number.isInteger(value) ? { kind: 'count', value } : undefined;
}

/** How many of `total` that is. Salt compat: less than one minion is one, other fractions are cut off. */
export function amountOf({ kind, value }: Amount, total: number): number {
  if (kind === 'count') return Math.min(value, total);
  const share = (value / 100) * total;
  return Math.min(share < 1 ? Math.ceil(share) : Math.floor(share), total);
}
