/**
 * Slots: arguments of states that are the return of a function, called when the state runs (salt/state.py
 * `format_slots`, 3006.16).
 */
import { CommandExecutionError } from '../../errors/errors.ts';
import { traverse } from '../../formats/data/traverse.ts';
import type { Logger } from '../../host/log.ts';
import type { FunctionCaller } from '../loader/module.ts';
import { pyRepr } from '../../python/values/repr.ts';
import { strip } from '../../python/values/text.ts';
import { copyValue, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { readFunctionText } from './function-text.ts';

const SLOT = '__slot__:';

/** What evaluating needs. */
export interface SlotDeps {
  readonly functions: FunctionCaller;
  readonly log: Logger;
}

/** A value without slots: texts, the texts in lists and mappings, and those in mappings in lists are looked at. */
export async function fillSlots(value: Value, deps: SlotDeps, depth = 0): Promise<Value> {
  if (typeof value === 'string') return value.startsWith(SLOT) ? evaluate(value, deps) : value;
  if (Array.isArray(value) && depth === 0 && hasSlot(value))
    return Promise.all(value.map(async (item) => (Array.isArray(item) ? item : fillSlots(item, deps, 1))));
  if (isDict(value) && hasSlot([...value.values()])) return fillDict(value, deps);
  return value;
}

async function fillDict(value: Dict, deps: SlotDeps): Promise<Dict> {
  const out: Dict = new Map();
  for (const [key, item] of value)
    out.set(key, typeof item === 'string' ? await fillSlots(item, deps, 1) : item);
  return out;
}

function hasSlot(values: readonly Value[]): boolean {
  return values.some((value) =>
    isDict(value) ? hasSlot([...value.values()]) : typeof value === 'string' && value.startsWith(SLOT),
  );
}

/** @throws whatever the function throws */
async function evaluate(slot: string, { functions, log }: SlotDeps): Promise<Value> {
  const [, kind, ...rest] = slot.split(':');
  const call = rest.join(':');
  if (rest.length === 0) {
    log.warning(`Malformed slot: ${slot}`);
    return slot;
  }
  if (kind !== 'salt') {
    log.warning(`Malformed slot: ${slot}`);
    log.warning(
      'Only execution modules are currently supported in slots. This means slot should start with "__slot__:salt:"',
    );
    return slot;
  }
  const read = readFunctionText(call);
  if (read === undefined || !(await functions.has(read.fun))) {
    log.warning(`Malformed slot: ${slot}`);
    log.warning(
      `Execution module should be specified in a function call format: test.arg('arg', kw='kwarg')`,
    );
    return slot;
  }
  // a state may change its arguments, and the pillar stays what it is
  const value = copyValue(await functions.call(read.fun, [...read.args], new Map(read.kwargs)), 'shared');
  return appended(picked(value, call), call, log);
}

/**
 * The part of the return that the words behind the call name. Salt compat: the blank before `~`, as Salt's own
 * documents have it, is no path; in Salt it is an IndexError.
 */
function picked(value: Value, call: string): Value {
  const head = call.split('~')[0] as string;
  const tail = head.includes(')') ? strip(head.slice(head.lastIndexOf(')') + 1)) : '';
  if (tail === '') return value;
  const dot = tail.indexOf('.');
  if (dot < 0)
    throw new CommandExecutionError(
      `Malformed slot: behind the call in ${call} stands ${pyRepr(tail)}; a path begins with a point, a text to append with ~`,
    );
  return traverse(value, strip(tail.slice(dot + 1)), { fallback: null, delimiter: '.' });
}

/** The text behind `~` stands behind the value. */
function appended(value: Value, call: string, log: Logger): Value {
  const at = call.indexOf('~');
  if (at < 0) return value;
  if (typeof value === 'string') return value + strip(call.slice(at + 1));
  log.error('Ignoring slot append, slot result is not a string');
  return value;
}
