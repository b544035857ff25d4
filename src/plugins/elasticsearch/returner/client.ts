/**
 * Elasticsearch over plain HTTP: hosts in turn, indexes that are made when they are missing, batches, and searches in
 * portions.
 */
import { CommandExecutionError, ConfigError, UnreachableError } from '../../../errors/errors.ts';
import { systemClock } from '../../../host/clock.ts';
import { JsonSyntaxError, parseJson } from '../../../formats/json/text.ts';
import { dict, isDict, toNumber, truthy, type Dict, type Value } from '../../../python/values/value.ts';
import type { IndexedDocument } from './documents.ts';
import {
  sendHttp,
  urlOption,
  verifyOption,
  type HttpReply,
  type HttpRequest,
} from '../../../network/http/client.ts';
import type { StoreSettings } from '../../shared/returner/return-store.ts';
import { StoreUnavailableError } from '../../../network/databases/errors.ts';
import { storeJson } from '../../shared/returner/store-json.ts';
import {
  flagOption,
  intOption,
  listOption,
  secondsOption,
  textOption,
} from '../../shared/returner/store-options.ts';

const DEFAULT_HOST = '127.0.0.1:9200';
const ANSWER_BYTES_MAX = 256 * 1024 * 1024;
/** Bytes of one `_bulk` request; servers refuse more than 100 MB. */
const BULK_BYTES_MAX = 20 * 1024 * 1024;
const SEARCH_SIZE = 1000;
const SCROLL = '1m';
/** Indexes that are known to be there; one for each function. */
const KNOWN_MAX = 1000;
const CONFLICT = 409;
const TOO_MANY_REQUESTS = 429;

/** What a search found. */
export interface Hit {
  readonly id: string;
  readonly body: Dict;
}

/** Speaks with Elasticsearch, or with OpenSearch, which is the same here. */
export class ElasticsearchClient {
  readonly #settings: StoreSettings;
  readonly #timeoutMs: number;
  readonly #known = new Set<string>();
  #hosts: URL[] | undefined;
  /** Which of the hosts answered last. */
  #host = 0;
  /** Whether documents have a type: before version 7. */
  #hasTypes: boolean | undefined;

  constructor(settings: StoreSettings) {
    this.#settings = settings;
    const { options, timeoutMs } = settings;
    this.#timeoutMs = secondsOption(options, 'timeout', 'elasticsearch.timeout') ?? timeoutMs;
  }

  /** Asks whether it is there, and which version it is. */
  async ping(): Promise<void> {
    if (this.#hasTypes !== undefined) return;
    const version = (await this.ask('GET', '/')).get('version');
    const found = isDict(version) ? version : new Map<Value, Value>();
    const major = Number.parseInt(String(found.get('number')), 10);
    this.#hasTypes = found.get('distribution') !== 'opensearch' && major < 7;
  }

  /**
   * Makes the index `<alias>-v1` and its alias when nothing has that name.
   * @returns whether it was made
   */
  async ensureIndex(alias: string): Promise<boolean> {
    if (this.#known.has(alias)) return false;
    const { options } = this.#settings;
    const path = encodeURIComponent(alias);
    const { status } = await this.#send('HEAD', `/${path}`);
    const isMissing = status === 404;
    if (isMissing) {
      const shards = intOption(options, 'number_of_shards', 'elasticsearch.number_of_shards') ?? 1;
      const replicas = intOption(options, 'number_of_replicas', 'elasticsearch.number_of_replicas') ?? 0;
      const body = dict({ settings: { number_of_shards: shards, number_of_replicas: replicas } });
      const made = await this.#send('PUT', `/${path}-v1`, storeJson(body));
      // another may have been faster
      if (made.status > 299 && !/already_exists/.test(made.text))
        throw this.#error(`the index ${alias}-v1`, made);
      await this.ask('PUT', `/${path}-v1/_alias/${path}`);
    } else if (status > 299) throw this.#error(`a look at the index ${alias}`, { status, text: '' });
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.add(alias);
    return isMissing;
  }

  /**
   * Writes documents.
   * @param how `create` leaves a document that is there alone, `index` replaces it
   * @param otherwise what to write instead of a document that does not fit the index, whose fields have types already
   */
  async write(
    documents: readonly IndexedDocument[],
    how: 'create' | 'index',
    typeOption: string,
    otherwise?: (document: IndexedDocument) => IndexedDocument,
  ): Promise<void> {
    await this.ping();
    for (const alias of new Set(documents.map(({ index }) => index))) await this.ensureIndex(alias);
    const misfits: IndexedDocument[] = [];
    for (const portion of portions(documents, (document) => this.#lines(document, how, typeOption)))
      misfits.push(...(await this.#bulk(portion, otherwise !== undefined)));
    if (otherwise !== undefined && misfits.length > 0)
      await this.write(misfits.map(otherwise), how, typeOption);
  }

  /** One document by its id. */
  async get(alias: string, id: string, typeOption: string): Promise<Dict | undefined> {
    await this.ping();
    const path = `/${encodeURIComponent(alias)}/${this.#type(typeOption) ?? '_doc'}/${encodeURIComponent(id)}`;
    const reply = await this.#send('GET', path);
    if (reply.status === 404) return undefined;
    if (reply.status > 299) throw this.#error('a question for a document', reply);
    const source = this.#read(reply).get('_source');
    return isDict(source) ? source : undefined;
  }

  /** All documents that match, in portions, oldest first where they have a time. @param pattern indexes, with `*` */
  async *search(pattern: string, query: Dict, fields?: readonly string[]): AsyncGenerator<Hit[]> {
    const path = `/${pattern.split(',').map(encodeURIComponent).join(',')}/_search?scroll=${SCROLL}&ignore_unavailable=true&allow_no_indices=true`;
    const body = dict({ size: SEARCH_SIZE, query, sort: ['_doc'] });
    if (fields !== undefined) body.set('_source', [...fields]);
    let answer = await this.ask('POST', path, storeJson(body));
    const scroll = (): string | undefined => {
      const id = answer.get('_scroll_id');
      return typeof id === 'string' ? id : undefined;
    };
    try {
      for (let hits = hitsIn(answer); hits.length > 0; hits = hitsIn(answer)) {
        yield hits;
        const id = scroll();
        if (id === undefined || hits.length < SEARCH_SIZE) return;
        answer = await this.ask(
          'POST',
          '/_search/scroll',
          storeJson(dict({ scroll: SCROLL, scroll_id: id })),
        );
      }
    } finally {
      const id = scroll();
      if (id !== undefined)
        await this.#send('DELETE', '/_search/scroll', storeJson(dict({ scroll_id: [id] }))).catch(
          () => undefined,
        );
    }
  }

  /** Makes what was written visible to searches, and removes what matches. */
  async remove(pattern: string, query: Dict): Promise<void> {
    const end = 'ignore_unavailable=true&allow_no_indices=true';
    await this.ask('POST', `/${pattern}/_refresh?${end}`);
    await this.ask(
      'POST',
      `/${pattern}/_delete_by_query?conflicts=proceed&${end}`,
      storeJson(dict({ query })),
    );
  }

  /** Makes what was written visible to searches. */
  async refresh(pattern: string): Promise<void> {
    await this.ask('POST', `/${pattern}/_refresh?ignore_unavailable=true&allow_no_indices=true`);
  }

  /** A request that must succeed. @throws CommandExecutionError, StoreUnavailableError */
  async ask(method: HttpRequest['method'], path: string, body?: string): Promise<Dict> {
    const reply = await this.#send(method, path, body);
    if (reply.status > 299) throw this.#error(`${method} ${path.split('?')[0]}`, reply);
    return this.#read(reply);
  }

  /** @returns the documents that do not fit their index */
  async #bulk(portion: Portion, mayMisfit: boolean): Promise<IndexedDocument[]> {
    const answer = await this.ask('POST', '/_bulk', portion.text);
    const items = answer.get('items');
    if (!truthy(answer.get('errors')) || !Array.isArray(items)) return [];
    const misfits: IndexedDocument[] = [];
    for (const [index, item] of items.entries()) {
      const [result] = isDict(item) ? item.values() : [];
      const status = isDict(result) ? (toNumber(result.get('status')) ?? 0) : 0;
      if (status < 300 || status === CONFLICT) continue;
      const document = portion.documents[index];
      const text = storeJson(isDict(result) ? (result.get('error') ?? null) : null);
      // what the server has no room or no time for is tried again by whoever holds it
      if (!mayMisfit || document === undefined || status === TOO_MANY_REQUESTS || status >= 500)
        throw this.#error('a document', { status, text: `{"error": ${text}}` });
      misfits.push(document);
    }
    return misfits;
  }

  #lines({ index, id, body }: IndexedDocument, how: string, typeOption: string): string {
    const action = dict({ _index: index, _id: id, _type: this.#type(typeOption) });
    const compact = (value: Value): string => storeJson(value, { strict: true });
    return `${compact(new Map([[how, action]]))}\n${compact(body)}\n`;
  }

  #type(option: string): string | undefined {
    return this.#hasTypes === true ? (textOption(this.#settings.options, option) ?? 'default') : undefined;
  }

  /** Sends to the host that answered last, and to the others when it cannot be reached. */
  async #send(method: HttpRequest['method'], path: string, body?: string): Promise<HttpReply> {
    const { options, clock = systemClock } = this.#settings;
    const hosts = (this.#hosts ??= this.#readHosts());
    const headers = new Map([['accept', 'application/json']]);
    if (body !== undefined)
      headers.set('content-type', path === '/_bulk' ? 'application/x-ndjson' : 'application/json');
    const [username, password] = [textOption(options, 'username'), textOption(options, 'password')];
    if (username !== undefined && password !== undefined)
      headers.set('authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
    let failure: unknown;
    for (let attempt = 0; attempt < hosts.length; attempt++) {
      const host = hosts[this.#host % hosts.length] as URL;
      try {
        return await sendHttp({
          method,
          url: new URL(path, host),
          headers,
          ...(body === undefined ? {} : { body }),
          timeoutMs: this.#timeoutMs,
          verify: verifyOption(
            options.get('verify_certs') === false ? false : (options.get('ca_certs') ?? undefined),
          ),
          tlsSettings: { ca: 'elasticsearch.ca_certs' },
          clock,
          answerBytesMax: ANSWER_BYTES_MAX,
        });
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        failure = error;
        this.#host++;
      }
    }
    throw new StoreUnavailableError(
      `Elasticsearch at ${(failure as Error).message}. Check elasticsearch.hosts and that it runs`,
      { cause: failure },
    );
  }

  #readHosts(): URL[] {
    const { options } = this.#settings;
    if (flagOption(options, 'proxies'))
      throw new ConfigError(
        'elasticsearch.proxies is not supported: take it out, or name the proxy in elasticsearch.hosts.',
      );
    const scheme = flagOption(options, 'use_ssl') ? 'https' : 'http';
    const named = [...listOption(options, 'host'), ...listOption(options, 'hosts')];
    return (named.length === 0 ? [DEFAULT_HOST] : named).map((text) =>
      urlOption(text.includes('://') ? text : `${scheme}://${text}`, 'each of elasticsearch.hosts'),
    );
  }

  #read({ text }: HttpReply): Dict {
    if (text === '') return new Map();
    try {
      const value = parseJson(text);
      if (isDict(value)) return value;
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
    }
    throw new CommandExecutionError(`What answers at ${this.#hostName()} is no Elasticsearch.`);
  }

  /** 400 and 413 are about what was sent; the others are no room, no right, no time. */
  #error(what: string, reply: HttpReply): Error {
    const host = this.#hostName();
    const text = `Elasticsearch at ${host} refused ${what}: ${reply.status} ${reasonIn(reply.text)}`.trim();
    const isAboutContent = reply.status === 400 || reply.status === 413;
    return isAboutContent ? new CommandExecutionError(text) : new StoreUnavailableError(text);
  }

  #hostName(): string {
    const hosts = this.#hosts ?? [];
    return hosts[this.#host % Math.max(1, hosts.length)]?.host ?? '';
  }
}

interface Portion {
  text: string;
  readonly documents: IndexedDocument[];
}

/** Documents in requests of a bearable size. */
function portions(
  documents: readonly IndexedDocument[],
  lines: (document: IndexedDocument) => string,
): Portion[] {
  const out: Portion[] = [];
  for (const document of documents) {
    const text = lines(document);
    const last = out.at(-1);
    if (last === undefined || last.text.length + text.length > BULK_BYTES_MAX)
      out.push({ text, documents: [document] });
    else {
      last.text += text;
      last.documents.push(document);
    }
  }
  return out;
}

function hitsIn(answer: Dict): Hit[] {
  const hits = answer.get('hits');
  const list = isDict(hits) ? hits.get('hits') : undefined;
  return (Array.isArray(list) ? list : []).flatMap((hit) => {
    const body = isDict(hit) ? hit.get('_source') : undefined;
    return isDict(hit) && isDict(body) ? [{ id: String(hit.get('_id')), body }] : [];
  });
}

/** The reason in an error's JSON. */
function reasonIn(text: string): string {
  try {
    const value = parseJson(text);
    const error = isDict(value) ? value.get('error') : undefined;
    if (typeof error === 'string') return error;
    return isDict(error) ? String(error.get('reason') ?? error.get('type') ?? '') : '';
  } catch {
    return '';
  }
}
