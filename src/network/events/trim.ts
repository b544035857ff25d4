/**
 * Events that are too large for the bus lose their largest values, never their shape (salt/utils/dicttrim.py 3006.16).
 */
import { isDict, type Dict, type Value } from '../../python/values/value.ts';
import { encode } from '../../formats/wire/msgpack.ts';

/** What stands in the place of a value that was taken out. */
const TRIMMED = 'VALUE_TRIMMED';

/**
 * Replaces the largest leaf values until the mapping fits.
 * @param sizeBytesMax of the encoded mapping
 */
export function trimLargest(data: Dict, sizeBytesMax: number): Dict {
  const leaves: { holder: Dict | Value[]; key: Value; sizeBytes: number }[] = [];
  const out = copyTree(data, leaves) as Dict;
  leaves.sort((a, b) => b.sizeBytes - a.sizeBytes);
  let sizeBytes = encode(out, 'local').length;
  for (const leaf of leaves) {
    if (sizeBytes <= sizeBytesMax) break;
    if (Array.isArray(leaf.holder)) leaf.holder[leaf.key as number] = TRIMMED;
    else leaf.holder.set(leaf.key, TRIMMED);
    sizeBytes -= leaf.sizeBytes - TRIMMED.length - 1;
  }
  return out;
}

function copyTree(value: Value, leaves: { holder: Dict | Value[]; key: Value; sizeBytes: number }[]): Value {
  if (isDict(value)) {
    const out: Dict = new Map();
    for (const [key, item] of value) {
      out.set(key, copyTree(item, leaves));
      if (isLeaf(item)) leaves.push({ holder: out, key, sizeBytes: encode(item, 'local').length });
    }
    return out;
  }
  if (Array.isArray(value)) {
    const out: Value[] = value.map((item) => copyTree(item, leaves));
    value.forEach((item, index) => {
      if (isLeaf(item)) leaves.push({ holder: out, key: index, sizeBytes: encode(item, 'local').length });
    });
    return out;
  }
  return value;
}

function isLeaf(value: Value): boolean {
  return !isDict(value) && !Array.isArray(value);
}
