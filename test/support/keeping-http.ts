/** Services over HTTP that keep what they are told, as far as states ask them: etcd of version 2, Consul and Elasticsearch. */
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
    const given = JSON.parse(body) as Acl;
    const named = { ...given, ID: given.ID ?? String(acls.size + 1) };
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

interface Thing {
  readonly id: number;
  readonly name?: string;
  readonly login?: string;
}

/** Grafana with something of each kind that is called `old`. */
export function keepingGrafana(): KeepingService {
  let last = 9;
  const address = { address1: '', address2: '', city: '', zipCode: '', state: '', country: '' };
  const kinds: Readonly<Record<string, Thing[]>> = {
    users: [{ id: 1, login: 'old' }],
    orgs: [{ id: 2, name: 'old' }],
    datasources: [{ id: 3, name: 'old' }],
  };
  const dashboards = new Map<string, unknown>([['old', { title: 'old' }]]);
  return ({ method, path, body }, note) => {
    const words = path
      .replace('/api/', '')
      .split('/')
      .filter((word) => word !== 'admin');
    const [kind = '', name = ''] = words;
    const isSwitch = path.startsWith('/api/user/using');
    if (method !== 'GET' && !isSwitch) note(`grafana ${method} ${path}`);
    if (isSwitch) return json({});
    if (kind === 'dashboards') {
      const slug = words[2] ?? '';
      if (method === 'POST') {
        const { dashboard } = JSON.parse(body) as { readonly dashboard: { readonly title: string } };
        dashboards.set(dashboard.title, dashboard);
        return json({ status: 'success' });
      }
      const found = dashboards.get(slug);
      if (found === undefined) return json({ message: 'Dashboard not found' }, 404);
      if (method === 'DELETE') dashboards.delete(slug);
      return json({ dashboard: found });
    }
    if (kind === 'org') return json(name === 'users' ? [] : { theme: '', homeDashboardId: 0, timezone: '' });
    const all = kinds[kind] ?? [];
    if (method === 'POST') {
      all.push({ ...(JSON.parse(body) as object), id: ++last });
      return json({ message: 'made' });
    }
    if (kind === 'orgs' && name === 'name') {
      const org = all.find((one) => one.name === decodeURIComponent(words[2] ?? ''));
      return org === undefined ? json({ message: 'Organization not found' }, 404) : json({ ...org, address });
    }
    const at = all.findIndex(({ id }) => String(id) === name);
    if (method === 'DELETE' && words.length === 2) all.splice(at, 1);
    if (method !== 'GET') return json({ message: 'done' });
    if (words[2] === 'orgs') return json([]);
    return json(name === '' ? all : (all[at] ?? {}));
  };
}
