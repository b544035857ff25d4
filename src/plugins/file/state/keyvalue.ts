/** `file.keyvalue`: keys and their values in a file. Follows 3006.16 salt/states/file.py `keyvalue`. */
import { endForeseen } from './checks.ts';
import { isToBeMade } from '../../shared/made-earlier.ts';
import { writeInPlace } from '../../../host/file-operations.ts';
import { isOsError } from '../../../python/os-errors.ts';
import { param } from '../../../runtime/loader/params.ts';
import { oneLine } from '../../../runtime/loader/words.ts';
import { opt } from '../../shared/file-params.ts';
import { linesOf, readText } from '../../shared/file-text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, pyTypeName, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { lstrip, rstrip, strip } from '../../../python/values/text.ts';
import { defineState, type StateContext } from '../../shared/state-function.ts';
import { FileOutcome } from './outcome.ts';
import { S, type ArgsOf } from './params.ts';

const KEYVALUE_PARAMS = {
  name: S.file_name,
  key: opt(param.textOrNone({ doc: 'The key.' }), null),
  value: opt(param.value({ type: 'str', doc: 'Its value.' }), null),
  key_values: opt(param.value({ type: 'dict', doc: 'Several keys and values.' }), null),
  separator: opt(param.text({ doc: 'What stands between key and value.' }), '='),
  append_if_not_found: opt(S.append_if_not_found, false),
  prepend_if_not_found: opt(S.prepend_if_not_found, false),
  search_only: opt(param.flag({ doc: 'Without effect, as in Salt, and warned about.' }), false),
  show_changes: opt(S.show_changes, true),
  ignore_if_missing: opt(S.ignore_if_missing, false),
  count: opt(
    param.count({ doc: 'How many lines of a key stay, later ones are removed; below 0 all are changed.' }),
    1,
  ),
  uncomment: opt(param.textOrNone({ doc: 'Characters that are taken off the start of a line.' }), null),
  key_ignore_case: opt(param.flag({ doc: 'Keys match in large and small letters.' }), false),
  value_ignore_case: opt(param.flag({ doc: 'Values match in large and small letters.' }), false),
} as const;

/** The arguments, read. */
interface Wish {
  readonly values: ReadonlyMap<string, Value>;
  readonly separator: string;
  readonly uncomment: string | undefined;
  readonly foldKey: (text: string) => string;
  readonly foldValue: (text: string) => string;
}

/** The lines as they are to be, and what was done. */
class Editing {
  readonly wish: Wish;
  /** How many more lines of each key may stand; below 0 without limit. */
  readonly left: Map<string, number>;
  readonly diff: string[] = [];
  readonly content: string[] = [];
  changes = 0;

  constructor(wish: Wish, count: number) {
    this.wish = wish;
    this.left = new Map([...wish.values.keys()].map((key) => [key, count]));
  }

  take(given: string): void {
    const { wish } = this;
    const bare = stripStart(given, wish.uncomment);
    const wasCommented = bare.length < given.length;
    let line = given;
    for (const [key, value] of wish.values) {
      if (!wish.foldKey(bare).startsWith(wish.foldKey(key))) continue;
      const working = wasCommented ? stripStart(line, wish.uncomment) : line;
      const at = working.indexOf(wish.separator);
      const [found, old] = [working.slice(0, at), working.slice(at + wish.separator.length)];
      if (at < 0 || wish.foldKey(found) !== wish.foldKey(key)) continue;
      line = this.#changed(line, { key, found, value, isEqual: this.#isEqual(old, value), wasCommented });
    }
    this.content.push(line);
  }

  #isEqual(old: string, value: Value): boolean {
    const fold = this.wish.foldValue;
    return fold(strip(old)) === fold(strip(pyStr(value)));
  }

  #changed(
    line: string,
    {
      key,
      found,
      value,
      isEqual,
      wasCommented,
    }: { key: string; found: string; value: Value; isEqual: boolean; wasCommented: boolean },
  ): string {
    const left = this.left.get(key) ?? 0;
    if (left > 0) this.left.set(key, left - 1);
    const changes = wasCommented ? left > 0 : left === 0 || !isEqual;
    if (!changes) return line;
    this.changes++;
    this.diff.push(`- ${line}`);
    if (left === 0) return '';
    const fresh = lineFor(found, this.wish.separator, value);
    this.diff.push(
      typeof value === 'string' ? `+ ${fresh}` : `+ ${rstrip(fresh)} (from ${pyTypeName(value)} type)\n`,
    );
    return fresh;
  }

  /** Lines for the keys that were not found. */
  #missing(): string[] {
    return [...this.wish.values]
      .filter(([key]) => (this.left.get(key) ?? 0) > 0)
      .map(([key, value]) => lineFor(key, this.wish.separator, value));
  }

  append(): void {
    const lines = this.#missing();
    this.changes += lines.length;
    // a last line without an end would become one with the new one. Salt compat: in Salt it does, so a key is added at
    // each run
    const last = this.content.at(-1);
    if (lines.length > 0 && last !== undefined && last !== '' && !last.endsWith('\n'))
      this.content.push('\n');
    this.content.push(...lines);
    if (lines.length > 0) this.diff.push('- <EOF>\n', ...lines.map((line) => `+ ${line}`), '+ <EOF>\n');
  }

  prepend(): void {
    const lines = this.#missing().reverse();
    this.changes += lines.length;
    this.content.unshift(...lines);
    if (lines.length > 0) this.diff.unshift('  <SOF>\n', ...lines.map((line) => `+ ${line}`));
  }
}

const lineFor = (key: string, separator: string, value: Value): string =>
  `${key}${separator}${pyStr(value)}\n`;

/** Python's `lstrip`: white space, or all of some characters. */
function stripStart(text: string, characters: string | undefined): string {
  if (characters === undefined) return lstrip(text);
  let at = 0;
  while (at < text.length && characters.includes(text.charAt(at))) at++;
  return text.slice(at);
}

/** The keys and values, or Salt's sentence about what is wrong with them. */
function wantedValues(args: ArgsOf<typeof KEYVALUE_PARAMS>): ReadonlyMap<string, Value> | string {
  const { key, value, key_values: several } = args;
  if (key !== undefined && value !== null) return new Map([[key, value]]);
  if (isDict(several) && several.size > 0)
    return new Map([...several].map(([name, item]) => [pyStr(name), item]));
  const what = truthy(several) ? 'is not a dictionary' : 'is empty';
  return `file.keyvalue key and value not supplied and key_values ${what}`;
}

/**
 * Salt compat: Salt writes a value with a line end as it is, and what follows becomes a line of its own, with a key
 * that nobody named.
 * @throws SaltInvocationError
 */
function requireOneLine(values: ReadonlyMap<string, Value>, separator: string): void {
  oneLine(separator, 'the separator');
  for (const [key, value] of values) {
    oneLine(key, 'a key');
    oneLine(pyStr(value), `the value of ${key}`);
  }
}

function readLines(name: string): string[] | undefined {
  try {
    return linesOf(readText(name));
  } catch (error) {
    if (isOsError(error)) return undefined;
    throw error;
  }
}

function keyvalue(ctx: StateContext, args: ArgsOf<typeof KEYVALUE_PARAMS>): Dict {
  const { name } = args;
  const outcome = new FileOutcome(name, { result: null });
  if (name === '') return outcome.fail('Must provide name to file.keyvalue');
  if (isToBeMade(ctx, name)) return endForeseen(outcome, name);
  const values = wantedValues(args);
  if (typeof values === 'string') return outcome.fail(values);
  requireOneLine(values, args.separator);
  // Salt compat: Salt says nothing of it, and changes the file
  if (args.search_only)
    outcome.warn(
      "'search_only' has no effect on file.keyvalue: the file is changed. Use test=True to look only.",
    );
  const lines = readLines(name);
  if (lines === undefined) return outcome.end(args.ignore_if_missing, `unable to open ${name}`);
  const lower = (text: string): string => text.toLowerCase();
  const same = (text: string): string => text;
  const wish = {
    values,
    separator: args.separator,
    uncomment: args.uncomment,
    foldKey: args.key_ignore_case ? lower : same,
    foldValue: args.value_ignore_case ? lower : same,
  };
  const editing = new Editing(wish, args.count);
  for (const line of lines) editing.take(line);
  if (args.append_if_not_found) editing.append();
  else if (args.prepend_if_not_found) editing.prepend();
  return finish(ctx, { name, editing, showChanges: args.show_changes }, outcome);
}

function finish(
  ctx: StateContext,
  { name, editing, showChanges }: { name: string; editing: Editing; showChanges: boolean },
  outcome: FileOutcome,
): Dict {
  const { changes, diff, content } = editing;
  if (changes === 0) return outcome.end(true, '');
  // Salt compat: Salt tells no changes then, so that nobody who watches the file hears of it
  outcome.changes.set('diff', showChanges ? diff.join('') : '<show_changes=False>');
  if (ctx.state.test) {
    const predicted = showChanges ? `\nPredicted diff:\n\r\t\t${diff.join('\r\t\t')}` : '';
    return outcome.end(null, `File ${name} is set to be changed (${changes} lines)${predicted}`);
  }
  try {
    writeInPlace(name, content.join(''));
  } catch (error) {
    if (!isOsError(error)) throw error;
    return outcome.fail(`${name} not writable`);
  }
  return outcome.end(true, `Changed ${changes} lines`);
}

/** The state `keyvalue`. */
export const keyvalueStates = {
  keyvalue: defineState({
    doc: 'Makes sure that keys have values, in a file with lines such as `key=value`.',
    params: KEYVALUE_PARAMS,
    run: (ctx, args) => keyvalue(ctx, args),
  }),
};
