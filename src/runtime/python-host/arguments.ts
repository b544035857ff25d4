/** Parameters of functions in Python as the loader knows them, and its arguments as a call there takes them. */
import type { PythonKind, PythonParameter } from '../../network/ipc/contracts/python-host.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { ParamSpec } from '../loader/module.ts';

/** A default that only Python knows; the parameter is left out of the call. */
const OPAQUE = Symbol('opaque');

/** A parameter as the loader describes it. */
export function paramSpec({ how, fallback, byNameOnly }: PythonParameter): ParamSpec {
  const spec: ParamSpec = byNameOnly ? { keywordOnly: true } : {};
  if (how === 'required') return spec;
  return how === 'default'
    ? { ...spec, default: fallback }
    : { ...spec, default: null, defaultFrom: String(fallback) };
}

/** The arguments as Python's call takes them: by position as far as what follows needs it, else by name. */
export function callArguments(
  params: readonly PythonParameter[],
  given: Readonly<Record<string, Value>>,
  rest: readonly Value[],
  keywords: Dict,
): { args: Value[]; kwargs: Dict } {
  const kwargs: Dict = new Map(keywords);
  const args: Value[] = [];
  for (const { name, how, byNameOnly } of params) {
    const value = how === 'opaque' && given[name] === null ? OPAQUE : (given[name] ?? null);
    if (value === OPAQUE) continue;
    if (rest.length > 0 && !byNameOnly) args.push(value);
    else kwargs.set(name, value);
  }
  return { args: [...args, ...rest], kwargs };
}

/**
 * Functions of state modules that change the chunks they are handed, which are those of the run (salt/state.py,
 * 3006.16).
 */
const CHANGES_CHUNKS: ReadonlySet<string> = new Set(['mod_aggregate', 'mod_init']);

/** Whether what a function changes in its arguments holds for whoever calls it. */
export function changesArguments(kind: PythonKind, fun: string): boolean {
  return kind === 'states' && CHANGES_CHUNKS.has(fun);
}

/**
 * Changes chunks as Python has changed its copies of them. The results of the run, which follow them, stay as they are.
 * @param given the arguments of the call: a chunk, a list of all
 * @param left the same arguments as Python has left them
 */
export function takeChanges(given: readonly Value[], left: readonly Value[]): void {
  const [chunk, chunks] = given;
  if (chunk !== undefined) takeOver(chunk, left[0]);
  const changed = left[1];
  if (!Array.isArray(chunks) || !Array.isArray(changed) || chunks.length !== changed.length) return;
  for (const [at, one] of chunks.entries()) if (one !== chunk) takeOver(one, changed[at]);
}

function takeOver(given: Value, left: Value | undefined): void {
  if (!isDict(given) || left === undefined || !isDict(left)) return;
  for (const key of given.keys()) if (!left.has(key)) given.delete(key);
  for (const [key, value] of left) given.set(key, value);
}
