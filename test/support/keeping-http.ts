/**
 * Services over HTTP that keep what they are told, as far as states ask them: etcd of version 2, Consul, Elasticsearch
 * and Grafana.
 */
import type { HttpGiven, HttpTaken } from './http-stand-in.ts';

/** Answers one request, and notes what changes something. */
export type KeepingService = (request: HttpTaken, note: (act: string) => void) => HttpGiven;

const json = (data: unknown, status = 200): HttpGiven => ({
  status,
  body: JSON.stringify(data),
  headers: { 'content-type': 'application/json' },
});

/** A node of etcd: a text, or a directory. */
type Node = string | Map<string, Node>;

/** etcd with the key `/old`. */
export function keepingEtcd(): KeepingService {
  const root = new Map<string, Node>([['old', 'x']]);
  const shown = (key: string, node: Node): unknown =>
    typeof node === 'string'
      ? { key, value: node }
      : { key, dir: true, nodes: [...node].map(([name, each]) => shown(`${key}/${name}`, each)) };
  return ({ method, path, body }, note) => {
    const key = path.split('?')[0]?.replace('/v2/keys/', '') ?? '';
    const found = root.get(key);
    if (method !== 'GET') note(`etcd ${method} ${key}`);
    if (method === 'PUT') {
      const words = new URLSearchParams(body);
      root.set(key, words.get('dir') === 'true' ? new Map() : (words.get('value') ?? ''));
      return json({ node: shown(`/${key}`, root.get(key) ?? '') }, 201);
    }
    if (found === undefined) return json({ errorCode: 100, message: 'Key not found', cause: key }, 404);
    if (method === 'DELETE') root.delete(key);
    return json({ node: shown(`/${key}`, found) });
  };
}

interface Acl {
  readonly ID: string;
  readonly Name: string;
}

/** Consul with the token `old`. */
export function keepingConsul(): KeepingService {
  const acls = new Map<string, Acl>([['1', { ID: '1', Name: 'old' }]]);
  return ({ method, path, body }, note) => {
    const [act = '', id = ''] = path.replace('/v1/acl/', '').split('/');
    if (method !== 'GET') note(`consul ${act} ${id}`);
    if (act === 'list') return json([...acls.values()]);
    if (act === 'info') return json(acls.has(id) ? [acls.get(id)] : []);
    if (act === 'destroy') return json(acls.delete(id));
    // as Consul does, it takes a field in whichever case its name is written
    const { id: own, ...given } = JSON.parse(body) as Acl & { readonly id?: string };
    const named = { ...given, ID: given.ID ?? own ?? String(acls.size + 1) };
    acls.set(named.ID, named);
    return json({ ID: named.ID });
  };
}

/** Elasticsearch with the index `shop`, and something of each kind that is called `old`. */
export function keepingElasticsearch(): KeepingService {
  const things = new Map<string, unknown>([
    ['/shop', {}],
    ['/old', {}],
    ['/shop/_alias/old', {}],
    ['/_template/old', { order: 1 }],
    ['/_ingest/pipeline/old', { description: 'old' }],
    ['/_search/template/old', { size: 1 }],
  ]);
  return ({ method, path, body }, note) => {
    if (path === '/') return json({ version: { number: '7.17.6' } });
    const key = path.split('?')[0]?.replace('/_aliases/', '/_alias/') ?? '';
    const name = key.split('/').at(-1) ?? '';
    const found = things.get(key);
    if (method === 'PUT') {
      note(`elasticsearch PUT ${key}`);
      things.set(key, body === '' ? {} : JSON.parse(body));
      return json({ acknowledged: true });
    }
    if (found === undefined) return json({ error: { type: 'missing' } }, 404);
    if (method === 'DELETE') {
      note(`elasticsearch DELETE ${key}`);
      things.delete(key);
      return json({ acknowledged: true });
    }
    if (key.startsWith('/_search')) return json({ template: JSON.stringify(found) });
    const alias = /^\/([^/]+)\/_alias\//.exec(key)?.[1];
    return json(alias === undefined ? { [name]: found } : { [alias]: { aliases: { [name]: found } } });
  };
}

type Thing = Record<string, unknown> & { readonly id: number };

/** What Grafana keeps of a data source and gives back: no passwords. Its list of all leaves the second half out. */
const LISTED = [
  'id',
  'name',
  'type',
  'url',
  'access',
  'user',
  'database',
  'basicAuth',
  'isDefault',
  'jsonData',
];
const UNLISTED = ['basicAuthUser', 'withCredentials'];

const withFields = (given: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([key]) => fields.includes(key)));

/** Grafana with something of each kind that is called `old`. */
class Grafana {
  readonly #note: (act: string) => void;
  #last = 9;
  readonly #users: Thing[] = [{ id: 1, login: 'old', isAdmin: false }];
  readonly #orgs: Thing[] = [{ id: 2, name: 'old' }];
  readonly #sources: Thing[] = [{ id: 3, name: 'old' }];
  readonly #dashboards = new Map<string, unknown>([['old', { title: 'old' }]]);
  readonly #orgUsers: Thing[] = [];
  #address = { address1: '', address2: '', city: '', zipCode: '', state: '', country: '' };
  #preferences = { theme: '', homeDashboardId: 0, timezone: '' };

  constructor(note: (act: string) => void) {
    this.#note = note;
  }

  answer({ method, path, body }: HttpTaken): HttpGiven {
    const words = path
      .replace('/api/', '')
      .split('/')
      .filter((word) => word !== 'admin');
    if (path.startsWith('/api/user/using')) return json({});
    if (method !== 'GET') this.#note(`grafana ${method} ${path}`);
    const given = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
    switch (words[0]) {
      case 'dashboards':
        return this.#dashboard(method, words[2] ?? '', given);
      case 'org':
        return this.#org(method, words, given);
      case 'users':
        return this.#thing(this.#users, method, words, given);
      case 'orgs':
        return words[1] === 'name'
          ? this.#orgNamed(words[2] ?? '')
          : this.#thing(this.#orgs, method, words, given);
      default:
        return this.#thing(this.#sources, method, words, given);
    }
  }

  #dashboard(method: string, slug: string, given: Record<string, unknown>): HttpGiven {
    if (method === 'POST') {
      const made = given['dashboard'] as { readonly title: string };
      this.#dashboards.set(made.title, made);
      return json({ status: 'success' });
    }
    const found = this.#dashboards.get(slug);
    if (found === undefined) return json({ message: 'Dashboard not found' }, 404);
    if (method === 'DELETE') this.#dashboards.delete(slug);
    return json({ dashboard: found });
  }

  #orgNamed(name: string): HttpGiven {
    const org = this.#orgs.find((one) => one['name'] === decodeURIComponent(name));
    return org === undefined
      ? json({ message: 'Organization not found' }, 404)
      : json({ ...org, address: this.#address });
  }

  /** Of the organisation that is switched to: its users, address and preferences. */
  #org(method: string, [, part, id]: readonly string[], given: Record<string, unknown>): HttpGiven {
    if (part === 'preferences') {
      if (method === 'PUT') this.#preferences = { ...this.#preferences, ...given };
      return json(this.#preferences);
    }
    if (part === 'address') {
      if (method === 'PUT') this.#address = { ...this.#address, ...given };
      return json(this.#address);
    }
    const at = this.#orgUsers.findIndex((one) => String(one.id) === id);
    if (method === 'POST') {
      const made = { id: ++this.#last, login: given['loginOrEmail'], role: given['role'] };
      this.#orgUsers.push({ ...made, userId: made.id });
    } else if (method === 'PATCH') Object.assign(this.#orgUsers[at] ?? {}, { role: given['role'] });
    else if (method === 'DELETE') this.#orgUsers.splice(at, 1);
    return json(method === 'GET' ? this.#orgUsers : { message: 'done' });
  }

  #thing(
    all: Thing[],
    method: string,
    [kind, id = '', part]: readonly string[],
    given: Record<string, unknown>,
  ): HttpGiven {
    const isSource = kind === 'datasources';
    const { password: _secret, ...open } = given;
    const kept = isSource ? withFields(given, [...LISTED, ...UNLISTED]) : open;
    if (method === 'POST') {
      all.push({ ...(kind === 'users' ? { isAdmin: false } : {}), ...kept, id: ++this.#last });
      return json({ message: 'made' });
    }
    const at = all.findIndex((one) => String(one.id) === id);
    if (method === 'DELETE' && part === undefined) all.splice(at, 1);
    if (method === 'PUT')
      Object.assign(all[at] ?? {}, part === 'permissions' ? { isAdmin: given['isGrafanaAdmin'] } : kept);
    if (method !== 'GET') return json({ message: 'done' });
    if (part === 'orgs') return json([]);
    if (id !== '') return json(all[at] ?? {});
    return json(isSource ? all.map((one) => withFields(one, LISTED)) : all);
  }
}

/** Grafana with something of each kind that is called `old`. */
export function keepingGrafana(): KeepingService {
  let grafana: Grafana | undefined;
  return (request, note) => (grafana ??= new Grafana(note)).answer(request);
}
