/**
 * Authorisation lists, such as those of `publisher_acl` and `peer`: which functions, with which arguments, on which minions (docs/internals/a-jobs-life.md#publishing;
 * salt/utils/minions.py `auth_check`, 3006.16). Stricter than Salt where marked: of several functions every one must be
 * allowed, and a prediction without minions allows nothing.
 */
import { compilePattern } from '../../../python/regex/pattern.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../python/values/value.ts';
import { splitKeyword } from '../../../formats/yaml/split-keyword.ts';
import { embeddedCalls, type EmbeddedCall, type GivenArguments } from './embedded-calls.ts';

/** What is to be authorised. */
export interface AuthorisationRequest {
  readonly funs: readonly string[];
  /** The argument list of each function. */
  readonly args: readonly Value[];
  /** The minions that the target is predicted to reach. */
  readonly minions: readonly string[];
  /** The minions that a target expression of the list reaches. */
  readonly minionsOf: (expression: string) => ReadonlySet<string>;
  /** The list goes down with the job: a prediction without minions is left to the masters below (`order_masters`). */
  readonly isDecidedBelow?: boolean;
}

/** Salt always allows looking for a running job. */
const ALWAYS_ALLOWED = 'saltutil.find_job';
/** Calls inside calls inside calls: deeper ones nobody needs. */
const DEPTH_MAX = 4;

/** True when every function of the request is allowed by the list, and every function that these call by name. */
export function isAuthorised(perms: readonly Value[], request: AuthorisationRequest): boolean {
  return request.funs.every((fun, index) => callAllowed(perms, fun, request.args[index] ?? [], request, 0));
}

function callAllowed(
  perms: readonly Value[],
  fun: string,
  args: Value,
  request: AuthorisationRequest,
  depth: number,
): boolean {
  if (fun === ALWAYS_ALLOWED) return true;
  if (depth > DEPTH_MAX || !perms.some((perm) => allows(perm, fun, args, request))) return false;
  const inside = callsInside(fun, args);
  return inside?.every((inner) => callAllowed(perms, inner.fun, inner.args, request, depth + 1)) ?? false;
}

/**
 * The calls inside a call, in all readings of its arguments.
 * @returns undefined where no reading names a function, or one may not be
 */
function callsInside(fun: string, args: Value): EmbeddedCall[] | undefined {
  const found = readings(args).map((given) => embeddedCalls(fun, given));
  if (found.includes('refused') || found.every((inside) => inside === 'unnamed')) return undefined;
  return found.flatMap((inside) => (typeof inside === 'string' ? [] : inside));
}

function allows(perm: Value, fun: string, args: Value, request: AuthorisationRequest): boolean {
  if (typeof perm === 'string') return startMatches(perm, fun);
  if (!isDict(perm) || perm.size !== 1) return false;
  const [target, functions] = [...perm][0] as [Value, Value];
  if (typeof target !== 'string') return false;
  if (request.minions.length === 0 && request.isDecidedBelow !== true) return false;
  if (request.minions.length > 0) {
    const allowed = request.minionsOf(target);
    if (!request.minions.every((id) => allowed.has(id))) return false;
  }
  return [functions]
    .flat()
    .some((entry) =>
      readings(args).every(({ positional, keywords }) => functionAllowed(entry, fun, positional, keywords)),
    );
}

function functionAllowed(entry: Value, fun: string, positional: readonly Value[], keywords: Dict): boolean {
  if (typeof entry === 'string') return startMatches(entry, fun);
  if (!isDict(entry)) return false;
  for (const [pattern, constraints] of entry) {
    if (typeof pattern !== 'string' || !startMatches(pattern, fun)) continue;
    const list = [constraints].flat();
    if (list.length === 0 || list.some((each) => argumentsAllowed(each, positional, keywords))) return true;
  }
  return false;
}

function argumentsAllowed(constraint: Value, positional: readonly Value[], keywords: Dict): boolean {
  if (!isDict(constraint)) return constraint === null;
  const args = constraint.get('args') ?? [];
  const kwargs = constraint.get('kwargs') ?? new Map();
  if (!Array.isArray(args) || !isDict(kwargs)) return false;
  return (
    args.every((pattern, index) => valueAllowed(pattern, positional[index])) &&
    [...kwargs].every(([name, pattern]) => valueAllowed(pattern, keywords.get(name)))
  );
}

function valueAllowed(pattern: Value, value: Value | undefined): boolean {
  if (pattern === null) return true;
  return value !== undefined && startMatches(pyStr(pattern), pyStr(value));
}

/** Salt compat: patterns are anchored at the start only. A pattern that is no regular expression allows nothing. */
function startMatches(pattern: string, text: string): boolean {
  try {
    return compilePattern(pattern).matchStart(text) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The functions that a call runs: itself, and what it calls by name, however deep.
 * @returns undefined when that cannot be told
 */
export function functionsOf(fun: string, args: Value, depth = 0): string[] | undefined {
  if (depth > DEPTH_MAX) return undefined;
  const inside = callsInside(fun, args)?.map((inner) => functionsOf(inner.fun, inner.args, depth + 1));
  if (inside === undefined || inside.includes(undefined)) return undefined;
  return [fun, ...inside.flatMap((names) => names ?? [])];
}

/** The arguments in both ways in which they may be read. */
function readings(args: Value): GivenArguments[] {
  return [splitArguments(args), readKeywords(args)];
}

/**
 * The arguments as masters and minions may read them: texts `name=value` are keywords, wherever they stand. Salt does not look at
 * them like this: with a rule for the first argument of `cmd.run`, `uptime=1` lets anything behind it be the first argument.
 */
function readKeywords(args: Value): GivenArguments {
  const positional: Value[] = [];
  const keywords: Dict = new Map();
  for (const item of Array.isArray(args) ? args : []) {
    const keyword = typeof item === 'string' ? splitKeyword(item) : undefined;
    if (keyword !== undefined) keywords.set(keyword.name, keyword.text);
    else if (isDict(item) && item.has('__kwarg__'))
      for (const [name, value] of item) keywords.set(name, value);
    else positional.push(item);
  }
  return { positional, keywords };
}

function splitArguments(args: Value): GivenArguments {
  const list = Array.isArray(args) ? args : [];
  const last = list[list.length - 1];
  if (last !== undefined && isDict(last) && last.has('__kwarg__'))
    return { positional: list.slice(0, -1), keywords: last };
  return { positional: list, keywords: new Map() };
}
