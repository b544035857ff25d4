/** Values as MongoDB keeps them: Salt's documents (salt/returners/mongo_future_return.py, 3006.16), and back. */
import {
  INT64_MAX,
  keyText,
  toBson,
  toBsonValue,
  fromBson,
  type BsonDocument,
  type BsonTypes,
} from '../../../formats/data/bson.ts';
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, PyDatetime, PyFloat, type Dict, type Value } from '../../../python/values/value.ts';
import { storeJson } from '../../shared/returner/store-json.ts';

/** MongoDB takes documents of 16 MiB; the rest is for the fields around a value. */
const VALUE_BYTES_MAX = 7 * 1024 * 1024;
/** It takes 100 levels. */
const DEPTH_MAX = 80;
/** Our field beside Salt's: the return as JSON, where its document is not quite the same. */
export const EXACT = 'json';

/** The document of a return. */
export function returnDocument(ret: Dict, types: BsonTypes): BsonDocument {
  const json = storeJson(ret);
  const fits = json.length <= VALUE_BYTES_MAX && depthOf(ret) <= DEPTH_MAX;
  const kept = fits ? ret : new Map([...ret, ['return', shortened(storeJson(ret.get('return') ?? null))]]);
  const full = toBson(withoutDots(kept), types);
  const out: BsonDocument = new Map<string, unknown>([
    ['_id', `${pyStr(ret.get('jid') ?? null)}:${pyStr(ret.get('id') ?? null)}`],
    ['minion', pyStr(ret.get('id') ?? null)],
    ['jid', pyStr(ret.get('jid') ?? null)],
    ['return', full.get('return') ?? null],
    ['fun', toBsonValue(ret.get('fun') ?? null, types)],
    ['full_ret', full],
  ]);
  if (ret.has('out')) out.set('out', toBsonValue(ret.get('out') ?? null, types));
  if (fits && !isExact(ret)) out.set(EXACT, json);
  return out;
}

/** The document of a job: its load, the keys as Salt escapes them. */
export function loadDocument(jid: string, load: Dict, types: BsonTypes): BsonDocument {
  const json = storeJson(load);
  const fits = json.length <= VALUE_BYTES_MAX && depthOf(load) <= DEPTH_MAX;
  const kept = fits ? load : new Map([...load, ['arg', [shortened(storeJson(load.get('arg') ?? null))]]]);
  const out = toBson(escapeKeys(kept) as Dict, types);
  out.delete('_id');
  return new Map<string, unknown>([['_id', jid], ...out, ['jid', jid]]);
}

/** The document of an event. */
export function eventDocument(
  id: string,
  tag: string,
  data: Dict,
  masterId: string,
  types: BsonTypes,
): BsonDocument {
  const json = storeJson(data);
  const fits = json.length <= VALUE_BYTES_MAX && depthOf(data) <= DEPTH_MAX;
  const kept = fits ? data : dict({ _stamp: data.get('_stamp') ?? null, json: shortened(json) });
  return new Map<string, unknown>([
    ['_id', id],
    ['tag', tag],
    ['data', toBson(escapeKeys(kept) as Dict, types)],
    ['master_id', masterId],
  ]);
}

/** A load as it was, out of its document. */
export function loadOf(document: Record<string, unknown>): Dict {
  const load = fromBson(document) as Dict;
  load.delete('_id');
  return unescapeKeys(load) as Dict;
}

/**
 * Salt's `_remove_dots`: dots in keys become dashes, in mappings within mappings. A `$` at the start is no name there
 * either.
 */
function withoutDots(map: Dict): Dict {
  const out: Dict = new Map();
  for (const [key, item] of map)
    out.set(keyText(key).replaceAll('.', '-').replace(/^\$/, '%24'), isDict(item) ? withoutDots(item) : item);
  return out;
}

/** Salt's `_safe_copy`. */
function escapeKeys(value: Value): Value {
  if (Array.isArray(value)) return value.map(escapeKeys);
  if (!isDict(value)) return value;
  const escape = (key: Value): string =>
    keyText(key).replaceAll('%', '%25').replaceAll('\\', '%5c').replaceAll('$', '%24').replaceAll('.', '%2e');
  return new Map([...value].map(([key, item]) => [escape(key), escapeKeys(item)]));
}

function unescapeKeys(value: Value): Value {
  if (Array.isArray(value)) return value.map(unescapeKeys);
  if (!isDict(value)) return value;
  const unescape = (key: Value): string =>
    pyStr(key).replace(/%(2e|24|5c|25)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return new Map([...value].map(([key, item]) => [unescape(key), unescapeKeys(item)]));
}

/** Whether a value comes back as it was. */
function isExact(value: Value): boolean {
  if (Array.isArray(value)) return value.every(isExact);
  if (isDict(value))
    return [...value].every(
      ([key, item]) => typeof key === 'string' && !/[.\0]|^\$/.test(key) && isExact(item),
    );
  if (value instanceof PyFloat || value instanceof PyDatetime) return false;
  return typeof value !== 'bigint' || (value <= INT64_MAX && value >= -INT64_MAX);
}

function depthOf(value: Value): number {
  if (Array.isArray(value)) return 1 + value.reduce((most: number, item) => Math.max(most, depthOf(item)), 0);
  if (!isDict(value)) return 0;
  let most = 0;
  for (const item of value.values()) most = Math.max(most, depthOf(item));
  return 1 + most;
}

function shortened(json: string): string {
  if (json.length <= VALUE_BYTES_MAX / 2) return json;
  return `${json.slice(0, VALUE_BYTES_MAX / 4)}… (shortened: ${json.length} characters are too many for MongoDB)`;
}
