/**
 * Reading the mine: what minions have left for others, and who may see it (salt/daemons/masterapi.py `_mine_get`,
 * salt/utils/mine.py, 3006.16).
 */
import { BrineError } from '../../errors/errors.ts';
import { compilePattern } from '../../python/regex/pattern.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { forecast } from './forecast.ts';
import { parseTarget } from './parse-target.ts';
import type { Fleet } from './target.ts';

/** A value that only some may read is kept in a mapping with these keys. */
const MARKER = '__saltmine_acl__';
const VALUE = '__data__';

/** Who asks for what. */
export interface MineQuery {
  /** The minion that asks. */
  readonly id: string;
  readonly tgt: Value;
  readonly tgtType: string;
  /** One name, several with commas between, or a list. */
  readonly fun: Value;
}

/** What reading needs. */
export interface MineAccessDeps {
  readonly fleet: Fleet;
  readonly nodegroups: Dict;
  /**
   * The master's option `mine_get`: regular expressions of minions to lists of those of functions; undefined allows
   * all.
   */
  readonly allowed: Value | undefined;
  readonly read: (id: string) => Dict | undefined;
}

/** The value of an entry, without who may read it. */
function mineValue(entry: Value): Value {
  return isDict(entry) && entry.has(MARKER) ? (entry.get(VALUE) ?? null) : entry;
}

/** @returns minion to value; for several functions function to that; empty when nothing may be read */
export function readMine(query: MineQuery, deps: MineAccessDeps): Dict {
  const names = functionNames(query.fun);
  if (names === undefined) return new Map();
  const isList = Array.isArray(query.fun) || names.length > 1;
  const allowed = names.filter((name) => mayRead(query.id, name, deps.allowed));
  const out: Dict = new Map();
  for (const id of allowed.length === 0 ? [] : minionsOf(query.tgt, query.tgtType, deps)) {
    const mine = deps.read(id);
    for (const name of allowed) {
      const entry = mine?.get(name);
      if (entry === undefined || !isOpenTo(query.id, entry, deps)) continue;
      if (!isList) out.set(id, mineValue(entry));
      else {
        const values = (out.get(name) as Dict | undefined) ?? new Map<Value, Value>();
        out.set(name, values.set(id, mineValue(entry)));
      }
    }
  }
  return out;
}

/**
 * Why {@link readMine} gave nothing, where it was refused.
 * @returns undefined when nobody has left anything, or no minion is meant
 */
export function mineRefusal(query: MineQuery, deps: MineAccessDeps): string | undefined {
  const names = functionNames(query.fun);
  if (names === undefined) return 'mine.get takes the name of a function, or a list of names.';
  const allowed = names.filter((name) => mayRead(query.id, name, deps.allowed));
  if (allowed.length === 0)
    return (
      `The master does not let ${query.id} read ${names.join(', ')} of the mine: its option mine_get does not allow it. ` +
      'Add the function there, below a pattern that fits this minion.'
    );
  try {
    parseTarget(query.tgt, query.tgtType, undefined, deps.nodegroups);
  } catch (error) {
    if (!(error instanceof BrineError)) throw error;
    return `The target of mine.get cannot be understood: ${error.message}`;
  }
  const ids = minionsOf(query.tgt, query.tgtType, deps);
  const isThere = ids.some((id) => {
    const mine = deps.read(id);
    return allowed.some((name) => mine?.has(name) === true);
  });
  return isThere
    ? `What is in the mine under ${allowed.join(', ')} is not for ${query.id}: the allow_tgt with which it was left names others.`
    : undefined;
}

function functionNames(fun: Value): string[] | undefined {
  if (typeof fun === 'string') return [...new Set(fun.split(','))];
  return Array.isArray(fun) ? fun.filter((name) => typeof name === 'string') : undefined;
}

/** `mine_get` on the master. An expression that is wrong allows nothing. */
function mayRead(id: string, fun: string, allowed: Value | undefined): boolean {
  if (allowed === undefined) return true;
  if (!isDict(allowed)) return false;
  return [...allowed].some(
    ([minions, functions]) =>
      Array.isArray(functions) && matches(minions, id) && functions.some((each) => matches(each, fun)),
  );
}

function matches(pattern: Value, text: string): boolean {
  if (typeof pattern !== 'string') return false;
  try {
    return compilePattern(pattern).matchStart(text) !== undefined;
  } catch (error) {
    if (error instanceof BrineError) return false;
    throw error;
  }
}

/** Salt compat: pillar values are compared as they are, so that globs do not tell one minion of another's pillar. */
function minionsOf(tgt: Value, tgtType: string, { fleet, nodegroups }: MineAccessDeps): readonly string[] {
  const type = tgtType.toLowerCase();
  const exact = type === 'pillar' ? 'pillar_exact' : type === 'compound' ? 'compound_pillar_exact' : tgtType;
  try {
    const target = parseTarget(tgt, exact, undefined, nodegroups);
    return [...forecast(target, fleet, { greedy: false }).minions].sort();
  } catch (error) {
    if (error instanceof BrineError) return [];
    throw error;
  }
}

/**
 * `allow_tgt` of the entry. Salt compat: minions of which the master has no data count as not meant; Salt lets them in.
 */
function isOpenTo(id: string, entry: Value, { fleet, nodegroups }: MineAccessDeps): boolean {
  if (!isDict(entry) || !entry.has(MARKER) || !entry.has('allow_tgt')) return true;
  const type = entry.get('allow_tgt_type') ?? 'glob';
  try {
    const target = parseTarget(entry.get('allow_tgt') ?? null, String(type), undefined, nodegroups);
    return forecast(target, fleet, { greedy: false, forRights: true }).minions.includes(id);
  } catch (error) {
    if (error instanceof BrineError) return false;
    throw error;
  }
}
