/** Python's `re.subn` with a replacement text (3.11): its references, escapes and error messages. */
import { PythonError } from '../exceptions.ts';
import { PatternError, type PyMatch, type PyPattern, type StepAllowance } from './pattern.ts';

/** A replacement text taken apart: texts, and groups by number. */
type Template = readonly (string | number)[];

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
]);

/** What was replaced. */
export interface Substitution {
  readonly text: string;
  readonly count: number;
}

/**
 * @param replacement with `\1`, `\g<name>` and escapes; a function gets each match instead
 * @param limit how many matches at most; 0 for all
 * @throws PatternError for a replacement that refers to no group, or holds an unknown escape; PythonError IndexError
 *   for an unknown name
 */
export function substitute(
  pattern: PyPattern,
  replacement: string | ((match: PyMatch) => string),
  text: string,
  limit = 0,
  allowance?: StepAllowance,
): Substitution {
  const template = typeof replacement === 'string' ? parseTemplate(replacement, pattern) : undefined;
  const fill = (match: PyMatch): string =>
    template === undefined
      ? (replacement as (match: PyMatch) => string)(match)
      : template.map((part) => (typeof part === 'string' ? part : (match.group(part) ?? ''))).join('');
  const parts: string[] = [];
  let [end, count] = [0, 0];
  for (const match of pattern.findAll(text, allowance)) {
    parts.push(text.slice(end, match.start), fill(match));
    end = match.end;
    if (++count === limit) break;
  }
  return count === 0 ? { text, count } : { text: parts.join('') + text.slice(end), count };
}

/** Reads a replacement text. @throws PatternError */
function parseTemplate(source: string, pattern: PyPattern): Template {
  if (!source.includes('\\')) return [source];
  const out: (string | number)[] = [];
  let at = 0;
  const literal = (text: string): void => {
    if (typeof out.at(-1) === 'string') out[out.length - 1] += text;
    else out.push(text);
  };
  while (at < source.length) {
    const next = source.indexOf('\\', at);
    if (next < 0) break;
    literal(source.slice(at, next));
    const escape = readEscape(source, next, pattern);
    if (typeof escape.part === 'string') literal(escape.part);
    else out.push(escape.part);
    at = escape.end;
  }
  literal(source.slice(at));
  return out;
}

interface Escape {
  readonly part: string | number;
  readonly end: number;
}

function readEscape(source: string, at: number, pattern: PyPattern): Escape {
  const char = source.charAt(at + 1);
  if (char === '') throw new PatternError(source, 'bad escape (end of pattern)', at);
  if (char === 'g') return readNamed(source, at + 2, pattern);
  if (char >= '0' && char <= '9') return readDigits(source, at, pattern);
  const known = ESCAPES.get(char);
  if (known !== undefined) return { part: known, end: at + 2 };
  if (/[A-Za-z]/.test(char)) throw new PatternError(source, `bad escape \\${char}`, at);
  return { part: `\\${char}`, end: at + 2 };
}

function readDigits(source: string, at: number, pattern: PyPattern): Escape {
  const rest = source.slice(at + 1);
  const zero = /^0[0-7]{0,2}/.exec(rest)?.[0];
  if (zero !== undefined) return octal(zero, at);
  const code = /^[0-3][0-7]{2}/.exec(rest)?.[0];
  if (code !== undefined) return octal(code, at);
  const high = /^[4-7][0-7]{2}/.exec(rest)?.[0];
  if (high !== undefined)
    throw new PatternError(source, `octal escape value \\${high} outside of range 0-0o377`, at);
  const digits = /^\d{1,2}/.exec(rest)?.[0] ?? '';
  return { part: checked(source, Number(digits), at + 1, pattern), end: at + 1 + digits.length };
}

function octal(digits: string, at: number): Escape {
  return { part: String.fromCharCode(parseInt(digits, 8)), end: at + 1 + digits.length };
}

function readNamed(source: string, at: number, pattern: PyPattern): Escape {
  if (source.charAt(at) !== '<') throw new PatternError(source, 'missing <', at);
  const close = source.indexOf('>', at);
  if (close === at + 1) throw new PatternError(source, 'missing group name', at + 1);
  if (close < 0) throw new PatternError(source, 'missing >, unterminated name', at + 1);
  const name = source.slice(at + 1, close);
  if (/^\d+$/.test(name)) return { part: checked(source, Number(name), at + 1, pattern), end: close + 1 };
  const index = pattern.groupNames.get(name);
  if (index !== undefined) return { part: index, end: close + 1 };
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name))
    throw new PatternError(source, `bad character in group name '${name}'`, at + 1);
  throw new PythonError('IndexError', `unknown group name '${name}'`);
}

function checked(source: string, group: number, position: number, pattern: PyPattern): number {
  if (group <= pattern.groupCount) return group;
  throw new PatternError(source, `invalid group reference ${group}`, position);
}
