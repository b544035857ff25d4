/** Walking over high data as stateconf does: ids, states, and arguments that are mappings of one name. */
import { pyStr } from '../../../../python/values/repr.ts';
import { isDict, type Dict, type Value } from '../../../../python/values/value.ts';
import type { RenderContext } from '../../renderer.ts';

/** What stands beside the ids of states. */
export const NO_IDS: ReadonlySet<string> = new Set(['include', 'exclude']);

/** The names by which stateconf goes, which options may change. */
export interface StateconfNames {
  /** Of the generated state before all others. */
  readonly start: string;
  /** Of the generated state behind all others. */
  readonly goal: string;
  /** The state whose arguments are settings. */
  readonly settings: string;
}

/** The names by the options. */
export function namesOf(opt: RenderContext['opt']): StateconfNames {
  const text = (name: string, usual: string): string => {
    const value = opt(name);
    return typeof value === 'string' ? value : usual;
  };
  return {
    start: text('stateconf_start_state', '.start'),
    goal: text('stateconf_goal_state', '.goal'),
    settings: text('stateconf_state_func', 'stateconf.set'),
  };
}

/** One state of an id. */
export interface StateEntry {
  readonly id: string;
  /** All states of the id. */
  readonly states: Dict;
  /** `file`, `file.managed`. */
  readonly name: string;
  /** The arguments; what is no list has none. */
  readonly args: Value[];
}

/** The states of high data, those without the double underscore in front, in order. */
export function* statesOf(high: Dict, without: ReadonlySet<string> = NO_IDS): Generator<StateEntry, void> {
  for (const [key, states] of high) {
    const id = pyStr(key);
    if (id.startsWith('__') || without.has(id) || !isDict(states)) continue;
    for (const [name, args] of states)
      if (!pyStr(name).startsWith('__'))
        yield { id, states, name: pyStr(name), args: Array.isArray(args) ? args : [] };
  }
}

/** The items of a list that are mappings, each with its first name and value. */
export function* named(
  list: Value | undefined,
  names?: ReadonlySet<string>,
): Generator<readonly [item: Dict, name: string, value: Value], void> {
  if (!Array.isArray(list)) return;
  for (const item of list) {
    if (!isDict(item)) continue;
    const first = item.entries().next().value;
    if (first === undefined) continue;
    const name = pyStr(first[0]);
    if (names === undefined || names.has(name)) yield [item, name, first[1]];
  }
}

/** The requisites under the names, each as the mapping it stands in, the state and the id. */
export function* requisites(
  args: readonly Value[],
  names: ReadonlySet<string>,
): Generator<readonly [item: Dict, state: string, id: string], void> {
  for (const [, , value] of named([...args], names))
    for (const [item, state, id] of named(value)) if (typeof id === 'string') yield [item, state, id];
}

/** The module of a state: `file` of `file.managed`. */
export function moduleOf(state: string): string {
  return state.split('.', 1)[0] ?? '';
}
