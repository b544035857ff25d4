/** `state_compress_ids`: states that share id, file and result become one (3006.16 salt/output/highstate.py). */
import { lessThan, UnorderableError } from '../../python/values/order.ts';
import { roundTo } from '../../python/values/number-format.ts';
import { pyStr } from '../../python/values/repr.ts';
import { float, isDict, isInt, toNumber, truthy, type Dict, type Value } from '../../python/values/value.ts';
import { asDict, entry, unsuited, UnsuitedDataError } from './outputter.ts';

/** Merges the states of every host. Data that is not as expected comes back as it was. */
export function compressIds(data: Dict): Dict {
  try {
    return new Map([...data].map(([host, states]): [Value, Value] => [host, compressHost(asDict(states))]));
  } catch (error) {
    if (error instanceof UnsuitedDataError || error instanceof UnorderableError) return data;
    throw error;
  }
}

function compressHost(states: Dict): Dict {
  const counts = new Map<string, number>();
  for (const [id, info] of states) {
    const group = groupOf(id, info);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const out: Dict = new Map();
  for (const [id, info] of states) {
    const count = counts.get(groupOf(id, info)) ?? 1;
    if (count === 1) {
      out.set(id, info);
      continue;
    }
    const name = mergedName(pyStr(id), asDict(info), count);
    const first = out.get(name);
    if (first === undefined) out.set(name, new Map(asDict(info)));
    else merge(asDict(first), asDict(info));
  }
  return out;
}

/** States of one group are merged. */
function groupOf(id: Value, info: Value): string {
  const state = asDict(info);
  const module = typeof id === 'string' ? id.split('_|-')[0] : unsuited('a state without a name');
  return [module, ...idFields(state)].join('_');
}

function idFields(state: Dict): string[] {
  return ['__id__', '__sls__', 'result'].map((key) => pyStr(entry(state, key)));
}

function mergedName(id: string, state: Dict, count: number): string {
  const parts = id.split('_|-');
  if (parts.length < 3) return unsuited('a state whose name has less than three parts');
  const [stateId = '', sls = '', result = ''] = idFields(state);
  parts[1] = `${stateId} (${count})`;
  parts[2] = ['state_compressed', sls, stateId, result].join('_');
  return parts.join('_|-');
}

/** The lowest order, the summed time, the earliest start, the changes by name. */
function merge(first: Dict, state: Dict): void {
  const smaller = (key: string): Value => {
    const [a, b] = [entry(first, key), entry(state, key)];
    return lessThan(b, a) ? b : a;
  };
  first.set('__run_num__', smaller('__run_num__'));
  first.set('duration', addDurations(entry(state, 'duration'), entry(first, 'duration')));
  first.set('start_time', smaller('start_time'));
  const changes = state.get('changes') ?? null;
  if (!truthy(changes)) return;
  const before = first.get('changes') ?? null;
  const name = entry(state, 'name');
  if (!truthy(before)) {
    first.set('changes', changesByName([[name, changes]]));
    return;
  }
  const known = asDict(before).get('compressed changes');
  const merged =
    isDict(known) && known.size > 0 ? [...known] : [[entry(first, 'name'), before] as [Value, Value]];
  first.set('changes', changesByName([...merged, [name, changes]]));
}

function changesByName(changes: [Value, Value][]): Dict {
  return new Map([['compressed changes', new Map(changes)]]);
}

function addDurations(a: Value, b: Value): Value {
  const [x, y] = [toNumber(a), toNumber(b)];
  if (x === undefined || y === undefined) return unsuited('a duration that is not a number');
  return isInt(a) && isInt(b) ? x + y : float(roundTo(x + y, 3));
}
