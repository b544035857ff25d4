/** Salt's `expr_match`: a line that is a glob, or a regular expression that fits the whole text. */
import { fnmatch } from './fnmatch.ts';
import { compilePattern } from '../regex/pattern.ts';

/** True when `expression` is the text, a glob that fits it, or a regular expression that fits all of it. */
export function expressionMatch(text: string, expression: string): boolean {
  if (text === expression || fnmatch(text, expression)) return true;
  try {
    return compilePattern(expression).fullMatch(text) !== undefined;
  } catch {
    return false; // no regular expression: it was meant as a glob
  }
}

/**
 * True for what a list lets through: not on the blacklist, and, when there is a whitelist, on that
 * (`check_whitelist_blacklist`).
 */
export function isListed(
  text: string,
  { whitelist, blacklist }: { readonly whitelist: readonly string[]; readonly blacklist: readonly string[] },
): boolean {
  const matches = (expression: string): boolean => expressionMatch(text, expression);
  return !blacklist.some(matches) && (whitelist.length === 0 || whitelist.some(matches));
}
