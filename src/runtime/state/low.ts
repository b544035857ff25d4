/**
 * From high data to low chunks: one mapping for each call, in their order (3006.16 salt/state.py `compile_high_data`).
 */
import { compareText } from '../../python/values/order.ts';
import { pyStr } from '../../python/values/repr.ts';
import {
  copyValue,
  float,
  isDict,
  isFloat,
  isInt,
  toNumber,
  valuesEqual,
  type Dict,
  type Value,
} from '../../python/values/value.ts';
import { isPrivate } from './high-data.ts';

/** What `order: last` is behind the highest order. */
const LAST = 1_000_000;
/** What a chunk without an order is behind the highest one. */
const GAP = 100;
/** Parts of one order number that the entries of `names` take. */
const NAMES_PARTS = 10_000;

/** @param orchestrationJid the job of the orchestration that all chunks belong to */
export function compileChunks(high: Dict, orchestrationJid?: string): Dict[] {
  const chunks: Dict[] = [];
  for (const [id, body] of high) {
    if (isPrivate(id) || !isDict(body)) continue;
    for (const [module, list] of body) {
      if (isPrivate(module) || !Array.isArray(list)) continue;
      const chunk = startChunk(id, module, body, orchestrationJid);
      const { functions, names } = fillChunk(chunk, id, list);
      for (const live of nameChunks(chunk, names))
        for (const fun of functions) chunks.push(live.set('fun', fun));
    }
  }
  return orderChunks(chunks);
}

function startChunk(id: Value, module: Value, body: Dict, orchestrationJid: string | undefined): Dict {
  const chunk: Dict = new Map<Value, Value>([
    ['state', module],
    ['name', id],
  ]);
  if (orchestrationJid !== undefined) chunk.set('__orchestration_jid__', orchestrationJid);
  for (const key of ['__sls__', '__env__']) {
    const value = body.get(key);
    if (value !== undefined) chunk.set(key, value);
  }
  return chunk.set('__id__', id);
}

function fillChunk(
  chunk: Dict,
  id: Value,
  list: readonly Value[],
): { functions: ReadonlySet<string>; names: Value[] } {
  const functions = new Set<string>();
  const names: Value[] = [];
  for (const item of list) {
    if (typeof item === 'string') functions.add(item);
    if (!isDict(item)) continue;
    for (const [key, value] of item) {
      if (key === 'names') addNames(names, value);
      else if (key === 'name' && typeof value !== 'string') chunk.set(key, id);
      else if (key !== 'state') chunk.set(key, value);
    }
  }
  return { functions, names };
}

function addNames(names: Value[], given: Value): void {
  for (const name of Array.isArray(given) ? given : [])
    if (!names.some((known) => valuesEqual(known, name))) names.push(name);
}

function nameChunks(chunk: Dict, names: readonly Value[]): Dict[] {
  if (names.length === 0) return [copyValue(chunk)];
  return names.map((entry, index) => {
    const live = copyValue(chunk);
    if (isDict(entry)) {
      const [first] = entry;
      live.set('name', first?.[0] ?? null);
      const further = first?.[1] ?? null;
      for (const item of Array.isArray(further) ? further : [])
        if (isDict(item)) for (const [key, value] of item) live.set(key, value);
    } else live.set('name', entry);
    return live.set('name_order', index + 1);
  });
}

/** Resolves the orders and sorts by them, in place (`order_chunks`). */
function orderChunks(chunks: Dict[]): Dict[] {
  const cap = highestOrder(chunks);
  for (const chunk of chunks) resolveOrder(chunk, cap);
  const keyed = chunks.map((chunk) => ({
    chunk,
    order: toNumber(chunk.get('order')) ?? Number(chunk.get('order') === true),
    text: ['state', 'name', 'fun'].map((key) => pyStr(chunk.get(key) ?? null)).join(''),
  }));
  keyed.sort((a, b) => a.order - b.order || compareText(a.text, b.text));
  return keyed.map(({ chunk }) => chunk);
}

function highestOrder(chunks: readonly Dict[]): number {
  let cap = 1;
  for (const chunk of chunks) {
    const order = chunk.get('order');
    const number = order === true ? 1 : order !== undefined && isInt(order) ? Number(order) : 0;
    if (number > cap - 1 && number > 0) cap = number + GAP;
  }
  return cap;
}

function resolveOrder(chunk: Dict, cap: number): void {
  const given = chunk.get('order');
  if (given === undefined) {
    chunk.set('order', cap);
    return;
  }
  let order: Value = given;
  if (typeof given !== 'boolean' && toNumber(given) === undefined)
    order = given === 'last' ? cap + LAST : given === 'first' ? 0 : cap;
  const place = chunk.get('name_order');
  chunk.delete('name_order');
  if (place !== undefined) order = float(asNumber(order) + asNumber(place) / NAMES_PARTS);
  if (asNumber(order) < 0) {
    const moved = cap + LAST + asNumber(order);
    order = isFloat(order) ? float(moved) : moved;
  }
  chunk.set('order', order);
}

function asNumber(value: Value): number {
  return typeof value === 'boolean' ? Number(value) : (toNumber(value) ?? 0);
}
