/**
 * The shape of high data: `{id: {module: [function, {argument: value}, …], __sls__, __env__}}`, with lists of what is
 * still to be done under `__extend__` and `__exclude__`.
 */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, valuesEqual, type Dict, type Value } from '../../python/values/value.ts';
import type { SlsIncludes } from './sls-includes.ts';

/** Where extensions wait to be put into their ids. */
export const EXTEND = '__extend__';
/** Where it waits what is to be left out. */
export const EXCLUDE = '__exclude__';

/** True for a key that is no id and no module. */
export function isPrivate(key: Value): boolean {
  return typeof key === 'string' && key.startsWith('__');
}

/** The modules in the body of an id. */
export function modulesOf(body: Value | undefined): string[] {
  if (!isDict(body)) return [];
  return [...body.keys()].filter((key): key is string => typeof key === 'string' && !isPrivate(key));
}

/** The name of an argument in the list of a module: the first key of a mapping. */
export function argumentName(item: Value | undefined): Value | undefined {
  return isDict(item) ? item.keys().next().value : undefined;
}

/** A name out of the body of an id, as messages show it. */
export function nameIn(body: Dict, key: '__sls__' | '__env__', fallback: Value = null): string {
  return pyStr(body.get(key) ?? fallback);
}

/** A value as messages about SLS show it: mappings of YAML are Python's ordered ones. */
export function shownValue(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(shownItem).join(', ')}]`;
  if (!isDict(value)) return pyStr(value);
  if (value.size === 0) return 'OrderedDict()';
  const pairs = [...value].map(([key, item]) => `(${shownItem(key)}, ${shownItem(item)})`);
  return `OrderedDict([${pairs.join(', ')}])`;
}

function shownItem(value: Value): string {
  return Array.isArray(value) || isDict(value) ? shownValue(value) : pyRepr(value);
}

/** The list under a key, made when there is none. */
export function listAt(at: Dict, key: Value): Value[] {
  const known = at.get(key);
  if (Array.isArray(known)) return known;
  const made: Value[] = [];
  at.set(key, made);
  return made;
}

/** The mapping under a key, made when there is none. */
export function dictAt(at: Dict, key: Value): Dict {
  const known = at.get(key);
  if (isDict(known)) return known;
  const made: Dict = new Map();
  at.set(key, made);
  return made;
}

/** An id and one of its modules. */
export type IdAndModule = readonly [id: Value, module: string];

/**
 * The ids that a name means (3006.16 salt/state.py `find_name`): the id itself, all ids of an SLS, or those whose
 * module has an argument of that value.
 * @param isStrict the id counts only when it has the module
 */
export function findName(name: Value, module: string, high: Dict, isStrict = false): IdAndModule[] {
  const body = high.get(name);
  if (body !== undefined && (!isStrict || (isDict(body) && body.has(module)))) return [[name, module]];
  const found: IdAndModule[] = [];
  for (const [id, other] of high) {
    if (!isDict(other)) continue;
    if (module === 'sls') {
      if (other.get('__sls__') === name) found.push([id, pyStr(other.keys().next().value ?? null)]);
      continue;
    }
    const list = other.get(module);
    if (!Array.isArray(list)) continue;
    for (const item of list) if (isDict(item) && isOnlyValue(item, name)) found.push([id, module]);
  }
  return found;
}

function isOnlyValue(item: Dict, value: Value): boolean {
  const [only] = item.values();
  return item.size === 1 && only !== undefined && valuesEqual(only, value);
}

/**
 * The ids and modules of an SLS (3006.16 salt/state.py `find_sls_ids`); of what it includes when it has none itself.
 * @returns undefined when no such SLS is part of the run
 */
export function idsOfSls(sls: Value, high: Dict, includes: SlsIncludes): IdAndModule[] | undefined {
  const own = idsOf((other) => other === sls, high);
  if (own.length > 0 || typeof sls !== 'string') return own;
  if (!includes.knows(sls)) return undefined;
  const within = includes.within(sls);
  return idsOf((other) => typeof other === 'string' && within.has(other), high);
}

function idsOf(isMeant: (sls: Value) => boolean, high: Dict): IdAndModule[] {
  const found: IdAndModule[] = [];
  for (const [id, body] of high) {
    if (isDict(body) && isMeant(body.get('__sls__') ?? null))
      for (const module of modulesOf(body)) found.push([id, module]);
  }
  return found;
}
