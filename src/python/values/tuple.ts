/** Python's tuples, where a list is told apart from them: in templates, and between them and code in Python. */

/** A tuple: a list for whoever does not care. */
export class PyTuple<Item> extends Array<Item> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** Makes a tuple of some items. */
export function tupleOf<Item>(items: Iterable<Item>): PyTuple<Item> {
  const out = new PyTuple<Item>();
  for (const item of items) out.push(item);
  return out;
}
