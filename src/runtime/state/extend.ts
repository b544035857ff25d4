/** Putting extensions into the ids they name (3006.16 salt/state.py `State.reconcile_extend`). */
import type { Logger } from '../../host/log.ts';
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { REQUISITES } from './keywords.ts';
import { argumentName, EXCLUDE, EXTEND, findName, isPrivate, modulesOf, nameIn } from './high-data.ts';

/**
 * Works `__extend__` into the ids, in place.
 * @param isStrict an id counts only when it has the module that is extended
 * @returns what is wrong
 */
export function applyExtend(high: Dict, log: Logger, isStrict = false): string[] {
  const extensions = high.get(EXTEND);
  high.delete(EXTEND);
  if (!Array.isArray(extensions)) return [];
  const errors: string[] = [];
  const excluded = excludedSls(high.get(EXCLUDE));
  for (const extension of extensions.filter(isDict)) {
    for (const [name, body] of extension) {
      if (!isDict(body)) continue;
      const id = extendedId(high, name, body, isStrict);
      const sls = body.get('__sls__');
      if (id === undefined) errors.push(cannotExtend(name, body));
      else if (excluded.has(sls ?? null))
        log.debug(`ID '${pyStr(id)}' is not extended by '${pyStr(sls ?? null)}', which is excluded`);
      else extendId(high.get(id), body);
    }
  }
  return errors;
}

function excludedSls(exclude: Value | undefined): ReadonlySet<Value> {
  const items = Array.isArray(exclude) ? exclude : [];
  return new Set(items.flatMap((item) => (isDict(item) ? (item.get('sls') ?? []) : item)));
}

/** The id that is meant: by its own name, or by the only one with an argument of that value. */
function extendedId(high: Dict, name: Value, body: Dict, isStrict: boolean): Value | undefined {
  const [module] = modulesOf(body);
  const known = high.get(name);
  if (module === undefined || (isDict(known) && known.has(module))) return isDict(known) ? name : undefined;
  const found = findName(name, module, high, isStrict);
  return found.length === 1 ? found[0]?.[0] : undefined;
}

function cannotExtend(name: Value, body: Dict): string {
  const [id, env, sls] = [pyStr(name), nameIn(body, '__env__', 'base'), nameIn(body, '__sls__', 'base')];
  return (
    `Cannot extend ID '${id}' in '${env}:${sls}'. It is not part of the high state.\n` +
    'This is likely due to a missing include statement or an incorrectly typed ID.\n' +
    `Ensure that a state with an ID of '${id}' is available\nin environment '${env}' and to SLS '${sls}'`
  );
}

function extendId(target: Value | undefined, body: Dict): void {
  if (!isDict(target)) return;
  for (const [module, list] of body) {
    if (isPrivate(module)) continue;
    const known = target.get(module);
    if (known === undefined) target.set(module, list);
    else if (Array.isArray(known) && Array.isArray(list)) for (const item of list) extendList(known, item);
  }
}

/** Puts a function or an argument in the place of the one that is there, or behind all. */
function extendList(known: Value[], item: Value): void {
  let isPlaced = false;
  const argument = argumentName(item);
  known.forEach((present, index) => {
    if (typeof item === 'string' && typeof present === 'string') {
      known[index] = item;
      isPlaced = true;
    }
    if (!isDict(item) || !isDict(present)) return;
    const name = argumentName(present);
    if (argument === name) {
      if (isRequisite(argument)) appendRequisites(present, item, argument as Value);
      else known[index] = item;
      isPlaced = true;
    }
    if (argument === 'name' && name === 'names') known[index] = item;
  });
  if (!isPlaced) known.push(item);
}

function appendRequisites(present: Dict, item: Dict, argument: Value): void {
  const before = present.get(argument);
  const added = item.get(argument);
  if (Array.isArray(before) && Array.isArray(added)) before.push(...added);
}

/** An extension adds to the lists of requisites, and replaces every other argument. */
function isRequisite(argument: Value | undefined): boolean {
  return typeof argument === 'string' && REQUISITES.includes(argument);
}
