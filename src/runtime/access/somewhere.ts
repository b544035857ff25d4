/**
 * Whether a function may be run at all, on whatever target and with whatever arguments: for what is offered, never for
 * what is done.
 */
import { isDict, type Value } from '../../python/values/value.ts';
import { startMatches } from './local-rules.ts';
import type { Rights } from './question.ts';

/** @param fun an execution function */
export function isAllowedSomewhere(rights: Rights, fun: string): boolean {
  return rights.kind === 'full' || rights.rules.some(({ rule }) => mayAllow(rule, fun));
}

function mayAllow(rule: Value, fun: string): boolean {
  if (typeof rule === 'string') return startMatches(rule, fun);
  if (!isDict(rule) || rule.size !== 1) return false;
  const [target, functions] = [...rule][0] as [Value, Value];
  if (typeof target !== 'string' || target.startsWith('@')) return false;
  return [functions].flat().some((entry) => {
    const pattern = isDict(entry) && entry.size === 1 ? [...entry.keys()][0] : entry;
    return typeof pattern === 'string' && startMatches(pattern, fun);
  });
}
