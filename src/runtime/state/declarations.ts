/**
 * What the mapping of one SLS says, brought into the form of high data (3006.16 salt/state.py `_handle_state_decls`,
 * `_handle_extend`, `_handle_exclude`, `_handle_iorder`).
 */
import { pyRepr, pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { argumentName, EXCLUDE, EXTEND, listAt } from './high-data.ts';

/** Which SLS it is, and where its faults are told. */
export interface SlsPlace {
  readonly sls: string;
  readonly saltenv: string;
  readonly errors: string[];
}

/** Turns `module.function:` into `module:` with the function as an item, and marks every id with its SLS. */
export function readDeclarations(state: Dict, place: SlsPlace): void {
  for (const [id, body] of state) {
    if (isDict(body)) {
      splitFunctions(id, body, place);
      mark(body, place);
      continue;
    }
    if (id === EXTEND || id === EXCLUDE) continue;
    const [module, fun] = typeof body === 'string' ? body.split('.') : [];
    if (module === undefined || fun === undefined) {
      place.errors.push(`ID ${pyStr(id)} in SLS ${place.sls} is not a dictionary`);
      continue;
    }
    const padded: Dict = new Map();
    mark(padded, place);
    state.set(id, padded.set(module, [fun]));
  }
}

function mark(body: Dict, { sls, saltenv }: SlsPlace): void {
  if (!body.has('__sls__')) body.set('__sls__', sls);
  if (!body.has('__env__')) body.set('__env__', saltenv);
}

function splitFunctions(id: Value, body: Dict, { sls, errors }: SlsPlace): void {
  const seen = new Set<string>();
  for (const key of [...body.keys()]) {
    const list = body.get(key);
    if (typeof key !== 'string' || key.startsWith('_') || !Array.isArray(list)) continue;
    const [module = '', fun] = key.split('.');
    if (fun !== undefined && seen.has(module)) {
      errors.push(`ID '${pyStr(id)}' in SLS '${sls}' contains multiple state declarations of the same type`);
      continue;
    }
    if (fun !== undefined) splitFunction(body, key, list);
    seen.add(module);
  }
}

function splitFunction(body: Dict, key: string, list: Value[]): void {
  const [module = '', fun = ''] = key.split('.');
  body.delete(key);
  list.push(fun);
  body.set(module, list);
}

/** Takes `extend` out of the SLS; what it says waits under `__extend__`. */
export function readExtend(state: Dict, place: SlsPlace): void {
  const { sls, errors } = place;
  const extend = state.get('extend');
  if (extend === undefined) return;
  state.delete('extend');
  if (!isDict(extend)) {
    errors.push(`Extension value in SLS '${sls}' is not a dictionary`);
    return;
  }
  for (const [id, body] of extend) {
    if (!isDict(body)) {
      errors.push(`Extension name '${pyStr(id)}' in SLS '${sls}' is not a dictionary`);
      continue;
    }
    mark(body, place);
    for (const key of [...body.keys()]) {
      const list = body.get(key);
      if (typeof key !== 'string' || key.startsWith('_')) continue;
      if (!Array.isArray(list))
        errors.push(`Extension '${key}' of ID '${pyStr(id)}' in SLS '${sls}' is not formed as a list`);
      else if (key.includes('.')) splitFunction(body, key, list);
    }
  }
  listAt(state, EXTEND).push(extend);
}

/** Takes `exclude` out of the SLS; what it names waits under `__exclude__`. */
export function readExclude(state: Dict, { sls, errors }: SlsPlace): void {
  const exclude = state.get('exclude');
  if (exclude === undefined) return;
  state.delete('exclude');
  if (!Array.isArray(exclude)) errors.push(`Exclude Declaration in SLS ${sls} is not formed as a list`);
  const items = Array.isArray(exclude) ? exclude : [];
  for (const item of items)
    if (!isExclude(item))
      errors.push(
        `Exclude Declaration in SLS ${sls} has ${pyRepr(isDict(item) ? new Map(item) : item)}: write '- name' or '- sls: name' for an SLS, '- id: name' for an ID`,
      );
  listAt(state, EXCLUDE).push(...items);
}

/**
 * The name of an SLS, or one of `{sls: name}` and `{id: name}`; Salt ignores everything else, and runs what should be
 * left out.
 */
function isExclude(item: Value): boolean {
  const [entry] = isDict(item) ? item : [['sls', item] as const];
  const [key, name] = entry ?? [];
  const isOne = !isDict(item) || item.size === 1;
  return isOne && (key === 'id' || key === 'sls') && typeof name === 'string';
}

/** Gives every module without an order of its own the next number. @returns the number after the last one */
export function numberDeclarations(state: Dict, first: number): number {
  let next = first;
  for (const body of state.values()) {
    // Salt compat: an id without a body ends the numbering of its SLS; the run has failed by then.
    if (body === null) return next;
    if (!isDict(body)) continue;
    for (const [module, list] of body) {
      if (typeof module !== 'string' || module.startsWith('_') || !Array.isArray(list)) continue;
      if (!list.some((item) => argumentName(item) === 'order')) list.push(new Map([['order', next++]]));
    }
  }
  return next;
}
