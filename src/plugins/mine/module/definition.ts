/** How a function of the mine is written in configuration and pillar (salt/utils/mine.py, 3006.16). */
import { isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';

/** A definition. */
export interface MineDefinition {
  /** The function behind an alias. */
  readonly fun: string | undefined;
  readonly args: readonly Value[];
  readonly kwargs: Dict;
  /** `allow_tgt`, `allow_tgt_type`: who may read it; empty for everybody. */
  readonly access: Dict;
}

/** Reads a definition: a list of arguments (mappings inside are keywords), or a mapping of keywords. */
export function readDefinition(definition: Value): MineDefinition {
  const args: Value[] = [];
  const kwargs: Dict = new Map();
  for (const item of Array.isArray(definition) ? definition : [definition]) {
    if (isDict(item)) for (const [key, value] of item) kwargs.set(key, value);
    else if (Array.isArray(definition)) args.push(item);
  }
  const fun = kwargs.get('mine_function');
  kwargs.delete('mine_function');
  const access: Dict = new Map();
  for (const key of ['allow_tgt', 'allow_tgt_type']) {
    const value = kwargs.get(key);
    kwargs.delete(key);
    if (value !== undefined && truthy(value)) access.set(key, value);
  }
  return { fun: typeof fun === 'string' ? fun : undefined, args, kwargs, access };
}

/** A value as it is kept: with who may read it, when that is limited. */
export function withAccess(value: Value, access: Dict): Value {
  if (!truthy(access.get('allow_tgt') ?? null)) return value;
  return new Map<Value, Value>([['__data__', value], ['__saltmine_acl__', 1], ...access]);
}
