/**
 * Odd forms of arguments: of one call that is right, many in which a single argument has another type, is missing, or
 * is one too many. They are made when answers are recorded and are written down with them, so that what is declared of
 * parameters may change later.
 */
import type { FunctionDescription, ParamSpec } from '../../src/runtime/loader/module.ts';
import { isDict, PyFloat, type Dict, type Value } from '../../src/python/values/value.ts';
import { valueToJson } from './module-calls.ts';
import type { MachineCall } from './machine-calls.ts';

/** Most calls that are made of one. */
export const MOST_FORMS = 8;

type Kind = 'flag' | 'number' | 'list' | 'mapping' | 'text';

/** What an argument of each kind is given instead; the first are tried first. */
const FORMS: Readonly<Record<Kind, readonly Value[]>> = {
  flag: ['False', 'yes', 0, null, ['a']],
  number: ['7', 'x', null, true, -1, [1]],
  list: ['a,b', null, [], 'one', new Map<Value, Value>([['k', 'v']]), [1, null]],
  mapping: ['k=v', null, [], [new Map<Value, Value>([['k', 'v']])], 5],
  text: [5, null, ['a', 'b'], true, ''],
};

function kindOf({ type = '', default: preset }: ParamSpec): Kind {
  if (type.startsWith('bool') || typeof preset === 'boolean') return 'flag';
  if (type.startsWith('int') || type.startsWith('float') || typeof preset === 'number') return 'number';
  if (preset instanceof PyFloat) return 'number';
  if (type.includes('list') || Array.isArray(preset)) return 'list';
  return type.includes('dict') || isDict(preset) ? 'mapping' : 'text';
}

/** A call that is right, by its function's own names. */
export interface PlainCall {
  readonly fun: string;
  readonly args: readonly Value[];
  readonly kwargs: Dict;
}

/** Parameters that say how long to wait: what cannot be read there means minutes. */
const WAITING = new Set(['wait_for', 'init_delay', 'timeout', 'interval', 'count']);

/** The odd forms of a call, at most {@link MOST_FORMS}: of every parameter the first, then the second… */
export function oddForms(call: PlainCall, description: FunctionDescription): MachineCall[] {
  const params = Object.entries(description.params ?? {});
  const asNames = new Map<Value, Value>([
    ...call.args.slice(0, params.length).map((value, i): [Value, Value] => [params[i]?.[0] ?? '', value]),
    ...call.kwargs,
  ]);
  const more = call.args.slice(params.length);
  const named = (kwargs: Dict): MachineCall =>
    asCall({ fun: call.fun, args: more.length > 0 ? call.args : [], kwargs });
  const required = params.filter(([, spec]) => !('default' in spec)).map(([name]) => name);
  const wrong: MachineCall[] = [
    ...(required.length > 0 ? [asCall({ fun: call.fun, args: [], kwargs: new Map() })] : []),
    asCall({ ...call, kwargs: new Map([...call.kwargs, ['nosuch_argument', 1]]) }),
    ...(description.varargs === undefined
      ? [asCall({ ...call, args: [...call.args, ...params.map(() => 'more'), 'more'] })]
      : []),
  ];
  const odd: MachineCall[] = [];
  const rank = (spec: ParamSpec): number => (kindOf(spec) === 'text' ? 1 : 0);
  const sorted = params.filter(([name]) => !WAITING.has(name)).sort(([, a], [, b]) => rank(a) - rank(b));
  if (more.length === 0)
    for (let turn = 0; turn < 6; turn++)
      for (const [name, spec] of sorted) {
        const kind = kindOf(spec);
        const form = FORMS[kind][turn];
        if (form === undefined || (kind === 'text' && turn > 2 && !required.includes(name))) continue;
        odd.push(named(new Map([...asNames, [name, form]])));
      }
  return [asCall(call), ...wrong, ...odd].slice(0, MOST_FORMS);
}

/** A call as it is written down. */
export function asCall({ fun, args, kwargs }: PlainCall): MachineCall {
  const named = Object.fromEntries([...kwargs].map(([key, value]) => [String(key), valueToJson(value)]));
  return {
    fun,
    ...(args.length > 0 ? { args: args.map(valueToJson) } : {}),
    ...(kwargs.size > 0 ? { kwargs: named } : {}),
  };
}
