/**
 * Arguments that become words: fields of a line in a file such as `/etc/fstab`, and operands of programs such as
 * `useradd`. A line end in one of them would write a second line, a dash at its beginning would be read as an option.
 * Both are refused here, before the function runs, for all functions of a module that says so; what a module exempts it
 * has to handle itself.
 */
import { SaltInvocationError } from '../../errors/errors.ts';
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { pyTypeName, type Dict, type Value } from '../../python/values/value.ts';

/** What the arguments of a module's functions may be, by the names of parameters. */
export interface WordRules {
  /** May have several lines; `any`: all of them. */
  readonly lines?: readonly string[] | 'any';
  /** May begin with a dash: the values of options, which a program takes as they are, and options themselves. */
  readonly dashes?: readonly string[] | 'any';
}

/** The arguments of a call. */
interface Bound {
  readonly args: Readonly<Record<string, Value>>;
  readonly rest: readonly Value[];
  readonly kwargs: Dict;
}

/**
 * Checks the arguments of a call.
 * @param fun the function's full name
 * @throws SaltInvocationError naming the argument
 */
export function checkWords(fun: string, rules: WordRules | undefined, { args, rest, kwargs }: Bound): void {
  if (rules === undefined) return;
  for (const [name, value] of Object.entries(args)) checkValue(fun, rules, name, value);
  for (const value of rest) checkValue(fun, rules, '*', value);
  for (const [name, value] of kwargs) {
    const key = pyStr(name);
    // what the program itself adds, such as `__pub_arg`
    if (!key.startsWith('__')) checkValue(fun, rules, key, value);
  }
}

function checkValue(fun: string, rules: WordRules, name: string, value: Value): void {
  const isExempt = (names: readonly string[] | 'any' = []): boolean =>
    names === 'any' || names.includes(name);
  const [lines, dashes] = [isExempt(rules.lines), isExempt(rules.dashes)];
  if (lines && dashes) return;
  for (const text of textsIn(value)) {
    if (!lines) oneLine(text, `the argument ${name} of ${fun}`);
    // a lone dash is no option
    if (!dashes && text.startsWith('-') && text !== '-')
      throw new SaltInvocationError(
        `The argument ${name} of ${fun} cannot begin with '-', which would make it an option of a program: ${shownUnlessSecret(name, text)}`,
      );
  }
}

/** A field of a line. @param what it is, for the message @throws SaltInvocationError for line ends and NUL */
export function oneLine(text: string, what: string): string {
  if (!/[\n\r\0]/.test(text)) return text;
  throw new SaltInvocationError(
    `${what.charAt(0).toUpperCase()}${what.slice(1)} cannot have a line end or a NUL in it: ${shownUnlessSecret(what, text)}`,
  );
}

/** Names of arguments that hold what no message may show: comments reach the master and its job cache. */
const SECRET = /passw|passphrase|secret|token|connection_pass/i;

/** A value as messages show it; of a password no more than its type. @param name the argument, alone or in words */
export function shownUnlessSecret(name: string, value: Value): string {
  return SECRET.test(name) ? `a ${pyTypeName(value)} that is not shown here` : pyRepr(value);
}

function* textsIn(value: Value): Generator<string, void> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (value instanceof Map)
    for (const [key, item] of value) {
      yield* textsIn(key);
      yield* textsIn(item);
    }
}
