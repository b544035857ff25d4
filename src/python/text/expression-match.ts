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
