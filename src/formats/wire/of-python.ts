/** What only Python has, in the dialect `python` of msgpack: extensions that `brine_guest/pack.py` writes and reads. */
import { tupleOf } from '../../python/values/tuple.ts';
import { OrderedDict, PyObject, type Dict, type Value } from '../../python/values/value.ts';
import { MsgpackError } from './msgpack-error.ts';

export const EXT_OBJECT = 80;
export const EXT_TUPLE = 81;
const EXT_ORDERED = 82;
export const EXT_INTEGER = 83;

/** @param value what an extension has in it @throws MsgpackError for what is none of these */
export function ofPython(type: number, value: Value): Value {
  if (type === EXT_TUPLE && Array.isArray(value)) return tupleOf(value);
  if (type === EXT_ORDERED && Array.isArray(value)) return new OrderedDict(value as [Value, Value][]);
  if (type === EXT_INTEGER && typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  if (type === EXT_OBJECT && value instanceof Map) return objectOf(value);
  throw new MsgpackError(`extension ${type} is malformed`);
}

/** Our own process has written it. */
function objectOf(facts: Dict): PyObject {
  const fact = <T extends Value | undefined>(name: string): T => facts.get(name) as T;
  return new PyObject({
    place: fact<Value[]>('place') as unknown as readonly [number, number],
    type: fact<string>('type'),
    title: fact<string>('title'),
    str: fact<string>('str'),
    repr: fact<string>('repr'),
    isTrue: fact<boolean>('is_true'),
    isCallable: fact<boolean>('is_callable'),
    attributes: fact<Dict>('attributes'),
    tooMany: fact<boolean>('too_many'),
    items: fact<Value[] | null>('items') ?? undefined,
    length: fact<number | null>('length') ?? undefined,
    isNumber: fact<boolean>('is_number'),
    isSequence: fact<boolean>('is_sequence'),
    changes: fact<boolean>('changes'),
    data: fact<Value | undefined>('data'),
  });
}
