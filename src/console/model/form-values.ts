/** Arguments of a function as they stand in its form, and the ways there and back. */
import type { FunctionDetail, Param } from './contract.ts';
import { FIELDS_MOST } from './form-fields.ts';
import { readArguments, readValue, writeArguments, writeValue, type CommandWords } from './words.ts';

/** What stands in the fields. */
export interface FormValues {
  /** By name of the parameter. */
  readonly fields: ReadonlyMap<string, string>;
  /** Everything else, as on the command line. */
  readonly line: string;
}

/** An empty form. */
export const NO_VALUES: FormValues = { fields: new Map(), line: '' };

/**
 * The arguments that the form says. Those in their places come first, so a parameter that is left empty has the ones
 * after it sent by name.
 */
export function argumentsOf(values: FormValues, detail: FunctionDetail | undefined): CommandWords {
  const typed = readArguments(values.line);
  if (detail === undefined) return typed;
  const kwarg = new Map<string, unknown>(Object.entries(typed.kwarg));
  const arg: unknown[] = [];
  let isInOrder = true;
  for (const param of detail.params.slice(0, FIELDS_MOST)) {
    const text = values.fields.get(param.name) ?? '';
    if (text === '') isInOrder = false;
    else if (isInOrder && param.required && !param.keyword_only) arg.push(valueOf(param, text));
    else kwarg.set(param.name, valueOf(param, text));
  }
  return { ...typed, arg: [...arg, ...typed.arg], kwarg: Object.fromEntries(kwarg) };
}

function valueOf({ type }: Param, text: string): unknown {
  return type === 'str' && !/^(null|None|~)$/.test(text.trim()) ? text : readValue(text);
}

/**
 * The form that says some arguments: the way back from `argumentsOf`.
 * @returns undefined when no form says just these
 */
export function valuesFor(
  arg: readonly unknown[],
  kwarg: Readonly<Record<string, unknown>>,
  detail: FunctionDetail | undefined,
): FormValues | undefined {
  const inFields = detail === undefined ? NO_VALUES : fieldsFor(arg, kwarg, detail);
  const onLine = { ...NO_VALUES, line: writeArguments(arg, kwarg) };
  return [inFields, onLine].find((values) => {
    const said = argumentsOf(values, detail);
    return said.problem === undefined && isSame([said.arg, said.kwarg], [arg, kwarg]);
  });
}

/** What has a field goes there, all else into the line. */
function fieldsFor(
  arg: readonly unknown[],
  kwarg: Readonly<Record<string, unknown>>,
  { params }: FunctionDetail,
): FormValues {
  const fields = new Map<string, string>();
  const named = new Map(Object.entries(kwarg));
  const shown = params.slice(0, FIELDS_MOST);
  let placed = 0;
  for (const param of shown) {
    if (placed >= arg.length || !param.required || param.keyword_only) break;
    const text = textFor(param, arg[placed]);
    if (text === undefined) break;
    fields.set(param.name, text);
    placed++;
  }
  for (const param of shown) {
    if (fields.has(param.name) || !named.has(param.name)) continue;
    const text = textFor(param, named.get(param.name));
    if (text === undefined) continue;
    fields.set(param.name, text);
    named.delete(param.name);
  }
  return { fields, line: writeArguments(arg.slice(placed), Object.fromEntries(named)) };
}

/** The text of a field that is read as a value; undefined when none is. */
function textFor(param: Param, value: unknown): string | undefined {
  const texts = [...(typeof value === 'string' ? [value, JSON.stringify(value)] : []), writeValue(value)];
  return texts.find((text) => text !== '' && !text.includes('\n') && isSame(valueOf(param, text), value));
}

/** Whether two values are the same JSON, whatever the order of their keys. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return Object.is(one, other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  return (
    left.size === right.size &&
    [...left].every(([key, value]) => right.has(key) && isSame(value, right.get(key)))
  );
}
