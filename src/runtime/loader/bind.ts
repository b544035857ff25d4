/**
 * Arguments, from what was published to what a function's parameters are bound to. Follows Salt's
 * `load_args_and_kwargs` (3006.16 salt/minion.py) and CPython's own checks, whose words users know.
 */
import { ArgumentError, SaltInvocationError } from '../../errors/errors.ts';
import { pyStr } from '../../python/values/repr.ts';
import { copyValue, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { parseKeyword } from '../../formats/yaml/keyword.ts';
import type { FunctionDescription } from './module.ts';

/** Positional arguments and keywords, before they meet a function's parameters. */
export interface CallArguments {
  readonly positional: readonly Value[];
  readonly keywords: Dict;
}

/** What the `run` of a function is called with. */
export interface BoundArguments {
  /** Every parameter by name, defaults filled in. Has no prototype. */
  readonly args: Readonly<Record<string, Value>>;
  readonly rest: readonly Value[];
  readonly kwargs: Dict;
}

/** The published marker that turns a mapping into keywords. */
const KWARG_MARKER = '__kwarg__';

/**
 * Refuses keywords that a function with `**kwargs` does not know (3006.16 salt/utils/args.py `invalid_kwargs`); those
 * of the publication (`__pub_…`) pass.
 * @throws SaltInvocationError `The following keyword arguments are not valid: a=1, b=2`
 */
export function refuseKeywords(kwargs: Dict, known: readonly string[]): void {
  const refused = [...kwargs]
    .map(([key, value]) => [pyStr(key), value] as const)
    .filter(([key]) => !key.startsWith('__') && !known.includes(key))
    .map(([key, value]) => `${key}=${pyStr(value)}`);
  if (refused.length > 0) throw invalidKeywords(refused);
}

function invalidKeywords(refused: readonly string[]): SaltInvocationError {
  return new SaltInvocationError(`The following keyword arguments are not valid: ${refused.join(', ')}`);
}

/**
 * Sorts a published argument list into positional arguments and keywords: the `__kwarg__` mapping, `k=v` texts, and
 * for functions with keywords the publish fields as `__pub_<field>`.
 * @param arg the `arg` of the publish
 * @param pub the publish fields, see {@link JobContext.pub}
 * @throws SaltInvocationError `The following keyword arguments are not valid: a=1, b=2`
 */
export function parsePublished(
  spec: FunctionDescription,
  arg: readonly Value[],
  pub: Dict = new Map(),
): CallArguments {
  const positional: Value[] = [];
  const keywords: Dict = new Map();
  const refused: string[] = [];
  const take = (key: Value, value: Value): void => {
    if (acceptsKeyword(spec, key)) keywords.set(key, value);
    else refused.push(`${pyStr(key)}=${pyStr(value)}`);
  };
  for (const item of arg) {
    if (isDict(item) && item.get(KWARG_MARKER) === true) {
      for (const [key, value] of item) if (key !== KWARG_MARKER) take(key, value);
      continue;
    }
    const keyword = typeof item === 'string' ? parseKeyword(item) : undefined;
    if (keyword) take(keyword.name, keyword.value);
    else positional.push(item);
  }
  if (refused.length > 0) throw invalidKeywords(refused);
  if (spec.kwargs !== undefined) for (const [key, value] of pub) keywords.set(`__pub_${pyStr(key)}`, value);
  return { positional, keywords };
}

// Salt compat: Salt refuses keyword-only parameters here (`match.ifelse … minion_id=x`), although its own
// documentation shows them; they are taken.
function acceptsKeyword(spec: FunctionDescription, key: Value): boolean {
  return spec.kwargs !== undefined || (typeof key === 'string' && Object.hasOwn(spec.params ?? {}, key));
}

/**
 * Binds a call to a function's parameters the way CPython does, in the same order of checks.
 * @param name the function's name in error texts, without its module (`echo`)
 * @throws ArgumentError in Python's words: `echo() missing 1 required positional argument: 'text'`
 */
export function bindCall(name: string, spec: FunctionDescription, call: CallArguments): BoundArguments {
  const label = `${spec.pythonName ?? name}()`;
  const params = Object.entries(spec.params ?? {});
  const ordered = params.filter(([, param]) => !param.keywordOnly).map(([key]) => key);
  const args = Object.create(null) as Record<string, Value>;
  ordered.slice(0, call.positional.length).forEach((key, i) => (args[key] = call.positional[i] as Value));
  const kwargs: Dict = new Map();
  for (const [key, value] of call.keywords) {
    if (typeof key === 'string' && Object.hasOwn(spec.params ?? {}, key)) {
      if (key in args) throw new ArgumentError(`${label} got multiple values for argument '${key}'`);
      args[key] = value;
    } else if (spec.kwargs !== undefined) {
      kwargs.set(key, value);
    } else {
      throw new ArgumentError(`${label} got an unexpected keyword argument '${pyStr(key)}'`);
    }
  }
  const rest = call.positional.slice(ordered.length);
  if (rest.length > 0 && spec.varargs === undefined) {
    throw new ArgumentError(tooMany(label, spec, ordered, call.positional.length));
  }
  fillDefaults(label, spec, args);
  return { args, rest, kwargs };
}

function tooMany(
  label: string,
  spec: FunctionDescription,
  ordered: readonly string[],
  given: number,
): string {
  const required = ordered.filter((key) => spec.params?.[key]?.default === undefined).length;
  const range = required === ordered.length ? String(required) : `from ${required} to ${ordered.length}`;
  const plural = ordered.length === 1 && required === 1 ? '' : 's';
  return `${label} takes ${range} positional argument${plural} but ${given} ${given === 1 ? 'was' : 'were'} given`;
}

function fillDefaults(label: string, spec: FunctionDescription, args: Record<string, Value>): void {
  const missing = { positional: [] as string[], 'keyword-only': [] as string[] };
  for (const [key, param] of Object.entries(spec.params ?? {})) {
    if (key in args) continue;
    if (param.default === undefined) missing[param.keywordOnly ? 'keyword-only' : 'positional'].push(key);
    else args[key] = copyValue(param.default);
  }
  for (const [kind, names] of Object.entries(missing)) {
    if (names.length === 0) continue;
    const s = names.length === 1 ? '' : 's';
    throw new ArgumentError(
      `${label} missing ${names.length} required ${kind} argument${s}: ${enumerate(names)}`,
    );
  }
}

/** Python's enumeration: `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'`. */
function enumerate(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  if (quoted.length < 3) return quoted.join(' and ');
  return `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1) ?? ''}`;
}
