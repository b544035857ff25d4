/**
 * As much of Elasticsearch as the returner uses, in memory: indexes with aliases, `_bulk`, documents by id, searches
 * that scroll, `_delete_by_query`, and that a field of an index has one type for ever.
 */
import type { TestContext } from 'node:test';
import { startHttpStandIn, type HttpGiven, type HttpStandIn, type HttpTaken } from './http-stand-in.ts';

/** A document's fields. */
export type Fields = Record<string, unknown>;

type Query = Record<string, Record<string, unknown>>;

/** The server's content. */
export class ElasticsearchContent {
  /** Documents by id, by index. */
  readonly indexes = new Map<string, Map<string, Fields>>();
  readonly aliases = new Map<string, string>();
  readonly settings = new Map<string, unknown>();
  /** Answers that come instead, once each. */
  readonly failures: HttpGiven[] = [];
  version = '8.11.0';
  readonly #scrolls = new Map<string, Fields[]>();

  /** The documents of an index or alias. */
  documents(name: string): Map<string, Fields> {
    return this.indexes.get(this.aliases.get(name) ?? name) ?? new Map();
  }

  answer(request: HttpTaken): HttpGiven {
    const failure = this.failures.shift();
    if (failure !== undefined) return failure;
    const url = new URL(request.path, 'http://x');
    const [first = '', ...rest] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    const body = first === '_bulk' || request.body === '' ? {} : (JSON.parse(request.body) as Fields);
    return this.#route(request, first, rest, body);
  }

  #route(request: HttpTaken, first: string, rest: string[], body: Fields): HttpGiven {
    const { method } = request;
    if (first === '') return json({ version: { number: this.version } });
    if (first === '_bulk') return json(this.#bulk(request.body));
    if (first === '_search')
      return method === 'DELETE' ? json({}) : json(this.#page(String(body['scroll_id'])));
    const [verb, id = ''] = rest;
    if (verb === undefined) return method === 'HEAD' ? this.#exists(first) : this.#create(first, body);
    if (verb === '_alias') {
      this.aliases.set(id, first);
      return json({});
    }
    if (verb === '_refresh') return json({});
    if (verb === '_search') return json(this.#search(first, body));
    if (verb === '_delete_by_query') return json(this.#remove(first, body['query'] as Query));
    const found = this.documents(first).get(id);
    return found === undefined ? json({ found: false }, 404) : json({ found: true, _source: found });
  }

  #exists(name: string): HttpGiven {
    return { status: this.indexes.has(name) || this.aliases.has(name) ? 200 : 404 };
  }

  #create(name: string, body: Fields): HttpGiven {
    if (name !== name.toLowerCase() || /[\\/*?"<>| ,#:]/.test(name))
      return json({ error: { type: 'invalid_index_name_exception', reason: name } }, 400);
    if (this.indexes.has(name)) return json({ error: { type: 'resource_already_exists_exception' } }, 400);
    this.indexes.set(name, new Map());
    this.settings.set(name, body['settings']);
    return json({ acknowledged: true });
  }

  #bulk(text: string): Fields {
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Fields);
    const items: Fields[] = [];
    for (let at = 0; at < lines.length; at += 2) {
      const [[how, target] = ['', {}]] = Object.entries(lines[at] as Record<string, Record<string, string>>);
      const documents = this.documents(target['_index'] ?? '');
      const id = target['_id'] ?? '';
      const fields = lines[at + 1] as Fields;
      const kinds = new Set(
        [...documents.values(), fields].filter((one) => 'data' in one).map((one) => kindOf(one['data'])),
      );
      if (kinds.size > 1)
        items.push({
          [how]: {
            status: 400,
            error: { type: 'mapper_parsing_exception', reason: 'failed to parse [data]' },
          },
        });
      else if (how === 'create' && documents.has(id)) items.push({ [how]: { status: 409, error: {} } });
      else {
        documents.set(id, fields);
        items.push({ [how]: { status: 201 } });
      }
    }
    return { errors: items.some((item) => JSON.stringify(item).includes('error')), items };
  }

  #matching(pattern: string): [string, Map<string, Fields>][] {
    const globs = pattern.split(',').map((one) => new RegExp(`^${one.replaceAll('*', '.*')}$`));
    return [...this.indexes].filter(([index]) => {
      const names = [
        index,
        ...[...this.aliases].filter(([, target]) => target === index).map(([alias]) => alias),
      ];
      return globs.some((glob) => names.some((name) => glob.test(name)));
    });
  }

  #search(pattern: string, body: Fields): Fields {
    const all = this.#matching(pattern).flatMap(([, documents]) =>
      [...documents]
        .filter(([, one]) => fits(one, body['query'] as Query))
        .map(([_id, _source]) => ({ _id, _source })),
    );
    const id = `scroll-${this.#scrolls.size}`;
    this.#scrolls.set(id, all);
    return this.#page(id, Number(body['size']));
  }

  #page(id: string, size = 1000): Fields {
    return { _scroll_id: id, hits: { hits: this.#scrolls.get(id)?.splice(0, size) ?? [] } };
  }

  #remove(pattern: string, query: Query): Fields {
    for (const [, documents] of this.#matching(pattern))
      for (const [id, one] of documents) if (fits(one, query)) documents.delete(id);
    return {};
  }
}

/** Starts it. */
export async function startElasticsearch(
  t: TestContext,
): Promise<HttpStandIn & { content: ElasticsearchContent }> {
  const content = new ElasticsearchContent();
  const server = await startHttpStandIn(t, (request) => content.answer(request));
  return Object.assign(server, { content });
}

function fits(document: Fields, query: Query): boolean {
  const [[how, fields] = ['match_all', {}]] = Object.entries(query);
  const [[field, wanted] = ['', undefined]] = Object.entries(fields);
  const value = field.split('.').reduce<unknown>((at, key) => (at as Fields | undefined)?.[key], document);
  if (how === 'match') return String(value) === (wanted as Fields)['query'];
  if (how === 'exists') return document[String(wanted)] !== undefined;
  if (how === 'range') return value !== undefined && String(value) < String((wanted as Fields)['lt']);
  return true;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? kindOf(value[0]) : value === null ? 'null' : typeof value;
}

function json(value: unknown, status = 200): HttpGiven {
  return { status, body: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}
