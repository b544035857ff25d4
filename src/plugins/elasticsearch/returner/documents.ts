/** What Elasticsearch gets of returns (salt/returners/elasticsearch_return.py, 3006.16). */
import { pyStr } from '../../../python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import { digestOf } from '../../shared/returner/content-digest.ts';
import { flagOption, type StoreOptions } from '../../shared/returner/store-options.ts';

const STATE_FUNCTIONS: ReadonlyMap<string, string> = new Map(
  ['state.apply', 'state.highstate', 'state.sls'].map((fun) => [fun, 'state_apply']),
);
/** Elasticsearch takes names of 255 bytes; `-ordered`, a date and `-v1` still come. */
const INDEX_LENGTH_MAX = 200;
/** Elasticsearch takes ids of 512 bytes. */
const ID_LENGTH_MAX = 500;

/** A document on its way. */
export interface IndexedDocument {
  /** The alias; the index itself is `<alias>-v1`. */
  readonly index: string;
  readonly id: string;
  readonly body: Dict;
}

/**
 * The document of a return; undefined for those that Salt leaves out: of functions on the list, and without a value.
 */
export function returnDocument(
  ret: Dict,
  options: StoreOptions,
  date: string,
  timestamp: string,
): IndexedDocument | undefined {
  const fun = functionName(ret.get('fun'));
  const value = ret.get('return') ?? null;
  const ignored = options.get('functions_blacklist');
  if (Array.isArray(ignored) && ignored.includes(fun)) return undefined;
  if (value === null && (ret.get('data') ?? null) === null) return undefined;
  const states = STATE_FUNCTIONS.get(fun);
  const isOrdered = states !== undefined && flagOption(options, 'states_order_output') && isDict(value);
  const single = flagOption(options, 'states_single_index') ? states : undefined;
  const index = [
    `salt-${single ?? indexName(fun)}`,
    flagOption(options, 'index_date') ? `-${date}` : '',
    isOrdered ? '-ordered' : '',
  ].join('');
  const data =
    states === undefined
      ? value
      : isOrdered
        ? orderStates(value)
        : isDict(value)
          ? value
          : dict({ return: value });
  const counts =
    states !== undefined && flagOption(options, 'states_count') ? countStates(data) : new Map<Value, Value>();
  const retcode = ret.get('retcode') ?? 1;
  return {
    index,
    id: documentId(`${pyStr(ret.get('jid') ?? null)}:${pyStr(ret.get('id') ?? null)}`),
    body: new Map<Value, Value>([
      ['@timestamp', timestamp],
      ['success', !truthy(retcode)],
      ['retcode', retcode],
      ['minion', ret.get('id') ?? null],
      ['fun', fun],
      ['jid', ret.get('jid') ?? null],
      ['counts', counts],
      ['data', convertKeys(data)],
    ]),
  };
}

/** A function's name; those of several functions in one job are joined, which Salt's returner fails at. */
export function functionName(fun: Value | undefined): string {
  return Array.isArray(fun) ? fun.map(pyStr).join(',') : pyStr(fun ?? null);
}

/** A name as a part of an index's: Salt's, and without what Elasticsearch refuses. */
export function indexName(fun: string): string {
  const name = fun
    .replaceAll('.', '_')
    .toLowerCase()
    .replace(/[^a-z0-9_+-]/g, '_');
  return name.length <= INDEX_LENGTH_MAX ? name : `${name.slice(0, INDEX_LENGTH_MAX - 33)}-${digestOf(name)}`;
}

/** An id that the same return, job or event always has, so that it can be written twice. */
export function documentId(text: string): string {
  return Buffer.byteLength(text) <= ID_LENGTH_MAX ? text : digestOf(text);
}

/** Keys without dots, which would be paths. */
export function convertKeys(value: Value): Value {
  if (Array.isArray(value)) return value.map(convertKeys);
  if (!isDict(value)) return value;
  const out: Dict = new Map();
  for (const [key, item] of value) {
    const name = typeof key === 'string' ? key : pyStr(key);
    if (name.includes('.')) out.set('_orig_key', name);
    out.set(name.replaceAll('.', '_'), convertKeys(item));
  }
  return out;
}

/** States by the order in which they ran: `003_|-file_|-…`. */
function orderStates(states: Dict): Dict {
  const width = String(states.size).length;
  const out: Dict = new Map();
  for (const [key, data] of states) {
    const uid = pyStr(key);
    if (/^\d/.test(uid) || !isDict(data)) {
      out.set(uid, data);
      continue;
    }
    const words = uid.split('_|-');
    const number = pyStr(data.get('__run_num__') ?? null).padStart(width, '0');
    out.set(`${number}_|-${uid}`, new Map([...data, ['_func', `${words[0]}.${words.at(-1)}`]]));
  }
  return out;
}

function countStates(states: Value): Dict {
  const all = isDict(states) ? [...states.values()].filter(isDict) : [];
  const failed = all.filter((state) => state.get('result') === false).length;
  return dict({ succeeded: all.length - failed, failed });
}
