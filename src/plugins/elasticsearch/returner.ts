/**
 * `elasticsearch`: returns, jobs and events as documents in the indexes of Salt's returner
 * (salt/returners/elasticsearch_return.py, 3006.16). Each has an id that follows from what it is, so that writing it
 * again is no second document.
 */
import { systemClock } from '../../host/clock.ts';
import { formatTime } from '../../host/log-time.ts';
import { jidAt } from '../../storage/jobs/jid.ts';
import { dict, isDict, type Dict, type Value } from '../../python/values/value.ts';
import { digestOf } from '../shared/returner/content-digest.ts';
import { ElasticsearchClient } from './returner/client.ts';
import {
  convertKeys,
  documentId,
  functionName,
  indexName,
  returnDocument,
  type IndexedDocument,
} from './returner/documents.ts';
import type {
  JidReturns,
  ReturnStore,
  SavedEvent,
  SavedLoad,
  StoreKind,
  StoreSettings,
} from '../shared/returner/return-store.ts';
import { storeJson } from '../shared/returner/store-json.ts';
import { parseJson } from '../../formats/json/text.ts';
import { flagOption, textOption } from '../shared/returner/store-options.ts';

/** Where the value is that does not fit the type which the index has for `data`. */
const DATA_TEXT = 'data_text';

/** Elasticsearch and OpenSearch. */
export const elasticsearchKind: StoreKind = {
  name: 'elasticsearch',
  file: 'elasticsearch_return',
  optionPrefix: 'elasticsearch',
  defaults: new Map<string, Value | undefined>([
    ...['host', 'hosts', 'use_ssl', 'ca_certs', 'username', 'password', 'timeout', 'proxies'].map(
      (name) => [name, undefined] as const,
    ),
    ['verify_certs', true],
    ['debug_returner_payload', false],
    ['doc_type', 'default'],
    ['functions_blacklist', []],
    ['index_date', false],
    ['master_event_index', 'salt-master-event-cache'],
    ['master_event_doc_type', 'default'],
    ['master_job_cache_index', 'salt-master-job-cache'],
    ['master_job_cache_doc_type', 'default'],
    ['number_of_shards', 1],
    ['number_of_replicas', 0],
    ['states_order_output', false],
    ['states_count', false],
    ['states_single_index', false],
  ]),
  open: (settings) => new ElasticsearchStore(settings),
};

class ElasticsearchStore implements ReturnStore {
  readonly #settings: StoreSettings;
  readonly #client: ElasticsearchClient;
  readonly #jobs: string;
  readonly #events: string;

  constructor(settings: StoreSettings) {
    this.#settings = settings;
    this.#client = new ElasticsearchClient(settings);
    this.#jobs = textOption(settings.options, 'master_job_cache_index') ?? 'salt-master-job-cache';
    this.#events = textOption(settings.options, 'master_event_index') ?? 'salt-master-event-cache';
  }

  /** Makes the indexes of jobs and events; those of returns are made for each function when one comes. */
  async createSchema(): Promise<string[]> {
    const made: string[] = [];
    for (const alias of [this.#jobs, this.#dated(this.#events)])
      if (await this.#client.ensureIndex(alias)) made.push(`index ${alias}-v1`);
    return made;
  }

  async saveReturns(rets: readonly Dict[]): Promise<void> {
    const nowMs = this.#nowMs();
    const [date, timestamp] = [today(nowMs), `${new Date(nowMs).toISOString().slice(0, -1)}000+00:00`];
    const documents = rets.flatMap(
      (ret) => returnDocument(ret, this.#settings.options, date, timestamp) ?? [],
    );
    // the first return of a function says what type the index has for `data`: the others are kept as text
    const asText = ({ index, id, body }: IndexedDocument): IndexedDocument => {
      const other = new Map(body);
      other.delete('data');
      return { index, id, body: other.set(DATA_TEXT, storeJson(body.get('data') ?? null)) };
    };
    if (documents.length > 0) await this.#client.write(documents, 'index', 'doc_type', asText);
  }

  async saveLoads(loads: readonly SavedLoad[]): Promise<void> {
    if (loads.length === 0) return;
    const documents = loads.map(({ jid, load }) => ({
      index: this.#jobs,
      id: documentId(jid),
      body: dict({ jid, load }),
    }));
    const asText = ({ index, id, body }: IndexedDocument): IndexedDocument => {
      const text = storeJson(body.get('load') ?? null);
      return { index, id, body: dict({ jid: body.get('jid') ?? null, load_text: text }) };
    };
    await this.#client.write(documents, 'create', 'master_job_cache_doc_type', asText);
  }

  async saveEvents(events: readonly SavedEvent[], masterId: string): Promise<void> {
    if (events.length === 0) return;
    const index = this.#dated(this.#events);
    const documents = events.map(({ tag, data }) => ({
      index,
      id: digestOf(storeJson([masterId, tag, data])),
      body: dict({ tag, data: convertKeys(data) }),
    }));
    const asText = (document: IndexedDocument): IndexedDocument => {
      const data = document.body.get('data');
      const stamp = (isDict(data) ? data.get('_stamp') : undefined) ?? null;
      const body = dict({ tag: document.body.get('tag') ?? '', data: { _stamp: stamp } });
      return { ...document, body: body.set(DATA_TEXT, storeJson(data ?? null)) };
    };
    await this.#client.write(documents, 'create', 'master_event_doc_type', asText);
  }

  async load(jid: string): Promise<Dict | undefined> {
    const body = await this.#client.get(this.#jobs, documentId(jid), 'master_job_cache_doc_type');
    return body && loadIn(body);
  }

  /** Salt's returner cannot do this. */
  async returns(jid: string): Promise<JidReturns> {
    const out = new Map<string, Dict>();
    for await (const body of this.#find(RETURNS, match('jid', jid))) {
      // jobs have a jid, too, and their index may match
      if (body.get('jid') !== jid || !body.has('minion')) continue;
      const ret: Dict = new Map([['return', valueIn(body)]]);
      for (const field of ['success', 'retcode', 'fun']) ret.set(field, body.get(field) ?? null);
      out.set(String(body.get('minion')), ret);
    }
    return out;
  }

  async lastReturns(fun: string): Promise<ReadonlyMap<string, Value>> {
    const last = new Map<string, Dict>();
    for await (const body of this.#find(`${indexPattern(fun)},salt-state_apply*`, match('fun', fun))) {
      if (body.get('fun') !== functionName(fun)) continue;
      const minion = String(body.get('minion'));
      const known = last.get(minion);
      if (known === undefined || String(known.get('jid')) < String(body.get('jid'))) last.set(minion, body);
    }
    return new Map([...last].map(([minion, body]) => [minion, valueIn(body)]));
  }

  async loads(): Promise<ReadonlyMap<string, Dict>> {
    const out = new Map<string, Dict>();
    for await (const body of this.#find(this.#jobs, ALL)) {
      const load = loadIn(body);
      if (load !== undefined) out.set(String(body.get('jid')), load);
    }
    return out;
  }

  async minions(): Promise<string[]> {
    const out = new Set<string>();
    for await (const body of this.#find(RETURNS, exists('minion'), ['minion']))
      out.add(String(body.get('minion')));
    return [...out];
  }

  async removeOlderThan(atMs: number): Promise<void> {
    const before = (field: string, value: string): Dict => dict({ range: { [field]: { lt: value } } });
    const date = new Date(atMs).toISOString();
    await this.#client.remove(`${this.#jobs}*`, before('jid', jidAt(atMs)));
    await this.#client.remove(RETURNS, before('@timestamp', date));
    await this.#client.remove(`${this.#events}*`, before('data._stamp', date.slice(0, -1)));
  }

  async close(): Promise<void> {
    // nothing is open between requests
  }

  /** What is found, including what was written a moment ago. */
  async *#find(pattern: string, query: Dict, fields?: readonly string[]): AsyncGenerator<Dict> {
    await this.#client.refresh(pattern);
    for await (const hits of this.#client.search(pattern, query, fields)) yield* hits.map(({ body }) => body);
  }

  #dated(index: string): string {
    return flagOption(this.#settings.options, 'index_date') ? `${index}-${today(this.#nowMs())}` : index;
  }

  #nowMs(): number {
    return (this.#settings.clock ?? systemClock).nowMs();
  }
}

/** The indexes of returns, and of jobs and events unless they are called otherwise. */
const RETURNS = 'salt-*';
const ALL = dict({ match_all: {} });

/** Documents whose field has this value, whether it is indexed as a text or as a keyword. */
function match(field: string, value: string): Dict {
  return dict({ match: { [field]: { query: value, operator: 'and' } } });
}

function exists(field: string): Dict {
  return dict({ exists: { field } });
}

function indexPattern(fun: string): string {
  return `salt-${indexName(fun)}*`;
}

function valueIn(body: Dict): Value {
  const text = body.get(DATA_TEXT);
  return typeof text === 'string' ? parseJson(text) : (body.get('data') ?? null);
}

function loadIn(body: Dict): Dict | undefined {
  const text = body.get('load_text');
  const load = typeof text === 'string' ? parseJson(text) : body.get('load');
  return isDict(load) ? load : undefined;
}

function today(nowMs: number): string {
  return formatTime('%Y.%m.%d', nowMs);
}
