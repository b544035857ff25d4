/**
 * Authorisation lists, such as those of `publisher_acl` and `peer`: which functions, with which arguments, on which
 * minions (docs/internals/a-jobs-life.md#publishing; salt/utils/minions.py `auth_check`, 3006.16). Stricter than Salt
 * where marked: of several functions every one must be allowed, and a prediction without minions allows nothing.
 */
import { compilePattern } from '../../python/regex/pattern.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { splitKeyword } from '../../formats/yaml/split-keyword.ts';
import type { Decision, GivenRule, LocalQuestion } from './question.ts';
import { embeddedCalls, type EmbeddedCall, type GivenArguments } from './embedded-calls.ts';

/** Salt always allows looking for a running job. */
const ALWAYS_ALLOWED = 'saltutil.find_job';
/** Calls inside calls inside calls: deeper ones nobody needs. */
const DEPTH_MAX = 4;

/** What every list allows. */
const ALWAYS: GivenRule = { rule: ALWAYS_ALLOWED, source: 'always allowed' };

/** Whether every function of a job is allowed, and every function that these call by name. */
export function decideLocal(rules: readonly GivenRule[], question: LocalQuestion): Decision {
  const found: GivenRule[] = [];
  for (const [index, fun] of question.funs.entries()) {
    const decision = decideCall(rules, fun, question.args[index] ?? [], question, 0);
    if (!decision.allowed) return decision;
    found.push(...decision.rules);
  }
  return { allowed: true, rules: found };
}

function decideCall(
  rules: readonly GivenRule[],
  fun: string,
  args: Value,
  question: LocalQuestion,
  depth: number,
): Decision {
  if (fun === ALWAYS_ALLOWED) return { allowed: true, rules: [ALWAYS] };
  const rule = rules.find((each) => allows(each.rule, fun, args, question));
  if (rule === undefined)
    return refused(`no rule allows ${fun} with these arguments on all minions of the target`);
  const inside = callsInside(fun, args);
  if (inside === undefined || depth >= DEPTH_MAX)
    return refused(`${fun} calls a function that cannot be told, or that no rule can allow`);
  const found = [rule];
  for (const inner of inside) {
    const decision = decideCall(rules, inner.fun, inner.args, question, depth + 1);
    if (!decision.allowed) return refused(`${fun} calls another function: ${decision.reason}`);
    found.push(...decision.rules);
  }
  return { allowed: true, rules: found };
}

function refused(reason: string): Decision {
  return { allowed: false, reason };
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

function allows(perm: Value, fun: string, args: Value, request: LocalQuestion): boolean {
  if (typeof perm === 'string') return startMatches(perm, fun);
  if (!isDict(perm) || perm.size !== 1) return false;
  const [target, functions] = [...perm][0] as [Value, Value];
  // rules that begin with @ are for functions of the master
  if (typeof target !== 'string' || target.startsWith('@')) return false;
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

/** Whether an entry of a rule's list of functions fits a call (salt/utils/minions.py `__fun_check`, 3006.16). */
export function functionAllowed(
  entry: Value,
  fun: string,
  positional: readonly Value[],
  keywords: Dict,
): boolean {
  if (typeof entry === 'string') return startMatches(entry, fun);
  if (!isDict(entry) || entry.size !== 1) return false;
  const [pattern, constraints] = [...entry][0] as [Value, Value];
  if (typeof pattern !== 'string' || !startMatches(pattern, fun)) return false;
  return [constraints].flat().some((each) => argumentsAllowed(each, positional, keywords));
}

function argumentsAllowed(constraint: Value, positional: readonly Value[], keywords: Dict): boolean {
  if (!isDict(constraint)) return false;
  const args = constraint.get('args') ?? [];
  const kwargs = constraint.get('kwargs') ?? new Map();
  if (!Array.isArray(args) || !isDict(kwargs)) return false;
  return (
    args.every((pattern, index) => valueAllowed(pattern, positional[index])) &&
    [...kwargs].every(([name, pattern]) => valueAllowed(pattern, keywords.get(name)))
  );
}

/**
 * A pattern that is null takes any value, but there must be one. Salt compat: one that is no text (`test: true`) stands
 * for itself; in Salt it is no regular expression, and allows nothing.
 */
function valueAllowed(pattern: Value, value: Value | undefined): boolean {
  if (value === undefined) return false;
  if (pattern === null) return true;
  if (typeof pattern === 'string') return startMatches(pattern, pyStr(value));
  return !isDict(pattern) && !Array.isArray(pattern) && pyStr(pattern) === pyStr(value);
}

/** Salt compat: patterns are anchored at the start only. A pattern that is no regular expression allows nothing. */
export function startMatches(pattern: string, text: string): boolean {
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
export function readings(args: Value): GivenArguments[] {
  return [splitArguments(args), readKeywords(args)];
}

/**
 * The arguments as masters and minions may read them: texts `name=value` are keywords, wherever they stand. Salt does
 * not look at them like this: with a rule for the first argument of `cmd.run`, `uptime=1` lets anything behind it be
 * the first argument.
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
