/**
 * Authorisation lists: which functions, with which arguments, on which minions (wire-protocol.md, 6.4;
 * salt/utils/minions.py `auth_check`, 3006.16). Stricter than Salt where marked: of several functions every one must be
 * allowed, and a prediction without minions allows nothing.
 */
import { compilePattern } from '../../text/pcre.ts';
import { isDict, type Dict, type Value } from '../../values/value.ts';
import { splitKeyword } from '../../yaml/split-keyword.ts';

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

/** True when every function of the request is allowed by the list. */
export function isAuthorised(perms: readonly Value[], request: AuthorisationRequest): boolean {
  return request.funs.every(
    (fun, index) =>
      fun === ALWAYS_ALLOWED || perms.some((perm) => allows(perm, fun, request.args[index] ?? [], request)),
  );
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
  const given = [splitArguments(args), readKeywords(args)];
  return [functions]
    .flat()
    .some((entry) =>
      given.every(({ positional, keywords }) => functionAllowed(entry, fun, positional, keywords)),
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
  return value !== undefined && startMatches(String(pattern), String(value));
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
 * The arguments as masters and minions may read them: texts `name=value` are keywords, wherever they stand. Salt does not look at
 * them like this: with a rule for the first argument of `cmd.run`, `uptime=1` lets anything behind it be the first argument.
 */
function readKeywords(args: Value): { positional: readonly Value[]; keywords: Dict } {
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

function splitArguments(args: Value): { positional: readonly Value[]; keywords: Dict } {
  const list = Array.isArray(args) ? args : [];
  const last = list[list.length - 1];
  if (last !== undefined && isDict(last) && last.has('__kwarg__'))
    return { positional: list.slice(0, -1), keywords: last };
  return { positional: list, keywords: new Map() };
}
