/** Commands that say themselves what they have changed (3006.16 salt/states/cmd.py `_reinterpreted_state`). */
import { SaltInvocationError } from '../../../errors/errors.ts';
import { splitWords } from '../../../python/shell-words.ts';
import { PythonError } from '../../../python/exceptions.ts';
import { JsonSyntaxError, parseJson } from '../../../formats/json/text.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { rstrip } from '../../../python/values/text.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { StateResult } from '../../shared/state-function.ts';

/** The argument `stateful`: whether the output is read, and the command for test mode. */
export interface Stateful {
  readonly isOn: boolean;
  readonly testName: Value | undefined;
}

/** Reads the argument `stateful`: true, or a list of one mapping with `test_name`. */
export function statefulOf(value: Value): Stateful {
  if (!Array.isArray(value)) return { isOn: value === true, testName: undefined };
  const [first] = value;
  return { isOn: value.length > 0, testName: isDict(first) ? first.get('test_name') : undefined };
}

/** What a command said about itself, and what is left of its output. */
interface Report {
  readonly data: Dict;
  readonly restOfOutput: string;
}

/**
 * The result of a command whose output tells what it has changed: a JSON mapping, or `name=value` words in the last
 * line.
 * @param state the result as of any command: its changes are what `cmd.run_all` gave
 * @throws PythonError when `changed` is neither yes nor no
 */
export function reinterpreted(state: StateResult): StateResult {
  const ran = state.changes;
  const output = ran.get('stdout');
  if (!truthy(output)) return { ...state, changes: dict(), comment: ran.get('stderr') || '' };
  const report = reportIn(pyStr(output as Value));
  if (report === 'no mapping')
    return {
      ...state,
      changes: dict(),
      comment: 'script JSON output must be a JSON object (e.g., {})!',
      result: false,
    };
  if (report === 'unreadable')
    return {
      ...state,
      changes: new Map(ran),
      comment: 'Failed parsing script output! Stdout must be JSON or a line of name=value pairs.',
      result: false,
    };
  const { data, restOfOutput } = report;
  const hasChanged = isTrueWord(data.get('changed') ?? 'no');
  const comment = data.get('comment') ?? '';
  data.delete('comment');
  if (!hasChanged) return { ...state, changes: dict(), comment };
  for (const [key, value] of ran) if (!data.has(key)) data.set(key, value);
  return { ...state, changes: data.set('stdout', restOfOutput), comment };
}

function reportIn(output: string): Report | 'no mapping' | 'unreadable' {
  const json = jsonIn(output);
  if (json !== undefined) return isDict(json) ? { data: json, restOfOutput: '' } : 'no mapping';
  const at = rstrip(output).lastIndexOf('\n');
  const data = pairsIn(at < 0 ? output : output.slice(at + 1));
  if (data === undefined) return 'unreadable';
  const own = data.get('stdout');
  // Salt compat: without a line before the last one, Salt cuts only the last character off.
  return { data, restOfOutput: (typeof own === 'string' ? own : output).slice(0, at) };
}

function jsonIn(text: string): Value | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function pairsIn(line: string): Dict | undefined {
  try {
    const pairs = splitWords(line).map((word): Value[] => word.split('='));
    return pairs.every(({ length }) => length === 2) ? new Map(pairs as [Value, Value][]) : undefined;
  } catch (error) {
    if (error instanceof SaltInvocationError) return undefined; // an open quotation mark
    throw error;
  }
}

function isTrueWord(value: Value): boolean {
  const word = pyStr(value).toLowerCase();
  if (['true', 'yes', '1'].includes(word)) return true;
  if (['false', 'no', '0'].includes(word)) return false;
  throw new PythonError('ValueError', `Failed parsing boolean value: ${pyStr(value)}`);
}
