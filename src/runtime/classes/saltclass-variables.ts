/** References `${a:b}` in saltclass' pillars (3006.16 salt/utils/saltclass.py `expand_variables`). */
import { CommandExecutionError } from '../../errors/errors.ts';
import { pyTypeName, isDict, type Dict, type Value } from '../../python/values/value.ts';

/** A reference with the character before it, which may be the backslash that takes its meaning. */
const REFERENCE = /(^|.)\$\{.*?\}/g;

/**
 * The pillars with their references replaced; what a reference does not find stays as it is. The mapping is changed.
 */
export function expandVariables(pillars: Dict): Dict {
  const all = new Map(pillars);
  expandIn(pillars, all);
  return all;
}

function expandIn(data: Dict, all: Dict): void {
  for (const value of data.values()) {
    if (isDict(value)) expandIn(value, all);
    else if (typeof value === 'string') expandText(value, all);
    else if (Array.isArray(value))
      for (const item of value) {
        if (isDict(item)) expandIn(item, all);
        else if (typeof item === 'string') expandText(item, all);
      }
  }
}

/** Salt compat: a text is replaced wherever it stands, not only where it was found. */
function expandText(text: string, all: Dict): void {
  let current = text;
  for (const [found] of text.matchAll(REFERENCE)) {
    if (found.startsWith('\\')) {
      replaceEverywhere(
        all,
        current,
        current.replaceAll(found, () => found.replace(/^\\+/, '')),
      );
      continue;
    }
    const reference = found.startsWith('$') ? found : found.slice(1);
    const value = valueOf(reference, all);
    if (typeof value !== 'string')
      throw new CommandExecutionError(
        `${reference} in '${text}' is of type ${pyTypeName(value)}, and only text can be put into text`,
      );
    const next = current.replaceAll(reference, () => value);
    replaceEverywhere(all, current, next);
    current = next;
  }
}

function valueOf(reference: string, all: Dict): Value {
  let value: Value = all;
  for (const name of reference.slice(2, -1).split(':')) {
    if (!isDict(value) || !value.has(name)) return reference;
    value = value.get(name) ?? null;
  }
  return value;
}

function replaceEverywhere(data: Dict, before: string, after: string): void {
  for (const [key, value] of data) {
    if (isDict(value)) replaceEverywhere(value, before, after);
    else if (Array.isArray(value))
      value.forEach((item, at) => {
        if (isDict(item)) replaceEverywhere(item, before, after);
        else if (item === before) value[at] = after;
      });
    else if (value === before) data.set(key, after);
  }
}
