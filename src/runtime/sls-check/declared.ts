/** The states that an SLS declares, with the way to each of their parts in the data. */
import { pyStr } from '../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import type { Step } from './positions.ts';

/** Keys of an SLS that are no ids. */
export const NO_IDS: ReadonlySet<Value> = new Set(['include', 'exclude', 'extend']);

/** One argument of a declared state. */
export interface DeclaredArgument {
  readonly name: string;
  readonly value: Value;
  readonly path: readonly Step[];
}

/** One state. */
export interface Declared {
  readonly id: string;
  readonly module: string;
  readonly fun: string | undefined;
  readonly args: readonly DeclaredArgument[];
  /** The way to what names the state. */
  readonly path: readonly Step[];
}

/** The states of an SLS. @param base the way to `value` */
export function declaredStates(value: Dict, base: readonly Step[] = []): Declared[] {
  const found: Declared[] = [];
  for (const [key, body] of value) {
    if (NO_IDS.has(key)) continue;
    const id = pyStr(key);
    if (typeof body === 'string') found.push(short(id, body, [...base, id]));
    if (!isDict(body)) continue;
    for (const [name, list] of body)
      if (typeof name === 'string' && !name.startsWith('_'))
        found.push(one(id, name, list, [...base, id, name]));
  }
  return found;
}

function short(id: string, text: string, path: readonly Step[]): Declared {
  const [module = '', fun] = text.split('.');
  return { id, module, fun, args: [], path };
}

function one(id: string, name: string, list: Value, path: readonly Step[]): Declared {
  const [module = '', ...rest] = name.split('.');
  let fun = rest.length > 0 ? rest.join('.') : undefined;
  const args: DeclaredArgument[] = [];
  for (const [index, item] of (Array.isArray(list) ? list : []).entries()) {
    if (typeof item === 'string') fun ??= item;
    if (!isDict(item)) continue;
    for (const [key, value] of item)
      args.push({ name: pyStr(key), value, path: [...path, index, pyStr(key)] });
  }
  return { id, module, fun, args, path };
}

/** An argument by its name. */
export function argument({ args }: Declared, name: string): DeclaredArgument | undefined {
  return args.find((one) => one.name === name);
}

/** What requisites may call a state: its id, its name, each of its names. */
export function namesOf(state: Declared): string[] {
  const names = [state.id];
  const name = argument(state, 'name')?.value;
  if (name !== undefined) names.push(pyStr(name));
  const several = argument(state, 'names')?.value;
  for (const item of Array.isArray(several) ? several : [])
    names.push(pyStr(isDict(item) ? (item.keys().next().value ?? '') : item));
  return names;
}
