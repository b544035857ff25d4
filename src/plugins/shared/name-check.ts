/** Names and words of states that can never be right; refused before a state does anything. */
import { pyRepr } from '../../python/values/repr.ts';
import type { Value } from '../../python/values/value.ts';

/** Why a name is none: it is empty, or no text. @param what `A chain` */
export function emptyRefusal(what: string, name: Value): string | undefined {
  if (typeof name === 'number') return undefined;
  return typeof name === 'string' && name.trim() !== ''
    ? undefined
    : `${what} needs a name: ${pyRepr(name)} is none`;
}

/** Why a word is none of a few. @param what `iptables has no table` @param plural `the tables` */
export function otherThan(
  known: readonly string[],
  value: Value,
  { what, plural }: { readonly what: string; readonly plural: string },
): string | undefined {
  return typeof value === 'string' && known.includes(value)
    ? undefined
    : `${what} ${pyRepr(value)}; ${plural} are ${known.join(', ')}.`;
}
