/**
 * External pillars that ask a service, against stand-ins of it: what they send, what they make of the answer, and what
 * a bad one costs.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { systemRandom } from '../../../../src/host/random.ts';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { PillarService } from '../../../../src/runtime/pillar/service.ts';
import { MasterTops } from '../../../../src/runtime/tops/master-tops.ts';
import { startHttpStandIn } from '../../../support/http-stand-in.ts';
import { startLdapStandIn } from '../../../support/ldap-stand-in.ts';
import { startMongo } from '../../../support/mongo-stand-in.ts';

const GRAINS = { os: 'Debian', fqdn: 'web01.example.com', evil: '*)(objectClass=*' };

async function pillarOf(source: Dict, opts: Record<string, Value>, minionId = 'web01'): Promise<Dict> {
  const service = new PillarService({
    opts: dict({ renderer: 'jinja|yaml', pillar_roots: dict(), ext_pillar: [source], ...opts }),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    functions: () => ({ has: () => false, call: () => null }),
  });
  const grains = dict(GRAINS);
  return service.pillar({ minionId, grains, saltenv: null, pillarenv: null, override: dict() });
}

const faultOf = (pillar: Dict): string => String(pillar.get('_errors'));

const COBBLER = `<?xml version='1.0'?><methodResponse><params><param><value><struct>
<member><name>status</name><value><string>prod</string></value></member>
<member><name>mgmt_classes</name><value><array><data><value>web</value><value><string>a &amp; b</string></value></data></array></value></member>
<member><name>size</name><value><i4>3</i4></value></member><member><name>on</name><value><boolean>1</boolean></value></member>
<member><name>none</name><value><nil/></value></member></struct></value></param></params></methodResponse>`;
const LOGIN =
  '<methodResponse><params><param><value><string>token</string></value></param></params></methodResponse>';

test('cobbler - what a system is becomes pillar and top data; it logs in where there is a user', async (t) => {
  const server = await startHttpStandIn(t, ({ body }) => ({
    body: body.includes('>login<') ? LOGIN : COBBLER,
  }));
  const opts = {
    'cobbler.url': `${server.url}/cobbler_api`,
    'cobbler.user': 'a<b',
    'cobbler.password': 'canary',
  };
  assert.deepEqual(
    await pillarOf(dict({ cobbler: dict({ key: 'c', only: ['size', 'on', 'none', 'nothing'] }) }), opts),
    dict({ c: dict({ size: 3, on: true, none: null }) }),
  );
  assert.deepEqual(
    server.taken.map(({ path, body }) => [
      path,
      /<methodName>(\w+)/.exec(body)?.[1],
      body.includes('a&lt;b'),
    ]),
    [
      ['/cobbler_api', 'login', true],
      ['/cobbler_api', 'get_blended_data', false],
    ],
  );
  const tops = new MasterTops({
    opts: dict({ ...opts, master_tops: dict({ cobbler: null }) }),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  const minion = { minionId: 'web01', opts: dict(), grains: dict() };
  assert.deepEqual(await tops.of(minion), dict({ prod: ['web', 'a & b'] }));
});

test('cobbler - a fault, a page, an entity and an endless nesting fail the pillar with a sentence, and no password is in it', async (t) => {
  let body = '';
  const server = await startHttpStandIn(t, () => ({ body }));
  const opts = { 'cobbler.url': server.url, 'cobbler.password': 'canary', 'cobbler.user': 'u' };
  const fault =
    '<methodResponse><fault><value><struct><member><name>faultString</name><value>no login</value></member></struct></value></fault></methodResponse>';
  for (const [given, said] of [
    [fault, /login: no login/],
    ['<html>', /login: an element is not closed/],
    ['<!DOCTYPE x [<!ENTITY a "b">]><methodResponse/>', /login: not well-formed at character 0/],
    ['<methodResponse>&a;</methodResponse>', /there is no entity &a;/],
    ['<a>'.repeat(100_000), /nested deeper than 100/],
  ] as const) {
    body = given;
    const told = faultOf(await pillarOf(dict({ cobbler: dict() }), opts));
    assert.match(told, said);
    assert.doesNotMatch(told, /canary/);
  }
});

test('foreman - the host, its parameters by name, and what was chosen of it', async (t) => {
  const host = {
    name: 'web01',
    all_parameters: [{ name: 'role', value: 'web', priority: 1 }],
    secret: 1,
  };
  let status = 200;
  const server = await startHttpStandIn(t, () => ({ status, body: JSON.stringify(host) }));
  const opts = { 'foreman.url': `${server.url}/api`, 'foreman.user': 'u', 'foreman.password': 'canary' };
  const source = dict({ foreman: dict({ key: 'foreman', only: ['name', 'parameters'] }) });
  assert.deepEqual(
    await pillarOf(source, opts, 'a/../b?x'),
    dict({ foreman: dict({ name: 'web01', parameters: dict({ role: 'web' }) }) }),
  );
  assert.equal(server.taken[0]?.path, '/api/hosts/a%2F..%2Fb%3Fx');
  assert.equal(server.taken[0]?.headers.get('authorization'), `Basic ${btoa('u:canary')}`);
  status = 302;
  assert.match(faultOf(await pillarOf(source, opts)), /Foreman at 127\.0\.0\.1:\d+ answered 302 for web01/);
});

test('etcd - trees of version 2 and 3 become nested data', async (t) => {
  const tree = {
    node: {
      key: '/salt/web01',
      dir: true,
      nodes: [
        { key: '/salt/web01/a', value: '1' },
        { key: '/salt/web01/b', dir: true, nodes: [{ key: '/salt/web01/b/c', value: 'x' }] },
        { key: '/salt/web01/empty', dir: true },
      ],
    },
  };
  const base64 = (value: string | Buffer): string => Buffer.from(value).toString('base64');
  const server = await startHttpStandIn(t, ({ path }) => {
    if (path === '/v2/keys/salt/web01?recursive=true') return { body: JSON.stringify(tree) };
    if (path === '/v3/auth/authenticate') return { body: '{"token":"T"}' };
    if (path !== '/v3/kv/range') return { status: 404, body: '{}' };
    const kvs = [
      { key: base64('/salt/web01/a'), value: base64(Buffer.from([0x01])) },
      { key: base64('/salt/web01/b/c'), value: base64(Buffer.from([0xa1, 0x78])) },
    ];
    return { body: JSON.stringify({ kvs }) };
  });
  const profile = { 'etcd.host': '127.0.0.1', 'etcd.port': server.port };
  const source = dict({ etcd: 'my root=/salt/%(minion_id)s' });
  assert.deepEqual(
    await pillarOf(source, { my: dict(profile) }),
    dict({ a: '1', b: dict({ c: 'x' }), empty: dict() }),
  );
  const third = dict({ ...profile, 'etcd.require_v2': false, 'etcd.username': 'u', 'etcd.password': 'p' });
  assert.deepEqual(await pillarOf(source, { my: third }), dict({ a: 1, b: dict({ c: 'x' }) }));
  assert.equal(server.taken.at(-1)?.headers.get('authorization'), 'T');
  assert.deepEqual(await pillarOf(dict({ etcd: 'my root=/other' }), { my: dict(profile) }), dict());
  assert.match(faultOf(await pillarOf(source, { my: dict(profile) }, '..')), /\.\. is no name of a key/);
  assert.match(faultOf(await pillarOf(source, {})), /no profile my with etcd.host/);
});

test('mongo - the document of a minion is pillar, and its states are top data; an id is never an operator', async (t) => {
  const server = await startMongo(t);
  server.collections.set('pillar', [{ _id: 'web', a: 1, b: { c: [1.5] } }]);
  server.collections.set('tops', [{ _id: 'web01', states: ['a'], environment: 'prod' }]);
  const opts = { 'mongo.host': '127.0.0.1', 'mongo.port': server.port, 'mongo.db': 'salt' };
  const source = dict({ mongo: dict({ collection: 'pillar', re_pattern: '\\d+', re_replace: '' }) });
  const found = await pillarOf(source, opts);
  assert.equal(found.get('_id'), 'web');
  assert.equal((found.get('b') as Dict).size, 1);
  assert.deepEqual(await pillarOf(dict({ mongo: dict() }), opts, 'other'), dict());
  const tops = new MasterTops({
    opts: dict({ ...opts, master_tops: dict({ mongo: dict() }) }),
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
  });
  assert.deepEqual(await tops.of({ minionId: 'web01', opts: dict(), grains: dict() }), dict({ prod: ['a'] }));
  const both = { ...opts, 'mongo.uri': 'mongodb://u:canary@h/' };
  assert.match(faultOf(await pillarOf(source, both)), /mongo\.uri and mongo\.host are both set/);
});

function configFile(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pillar-ldap-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'ldap.yaml');
  writeFileSync(path, text);
  return path;
}

test('pillar_ldap - entries as mappings, by a key, and split; a grain cannot widen a filter', async (t) => {
  const server = await startLdapStandIn(
    t,
    [
      { dn: 'cn=admin,dc=x', password: 'secret', attributes: {} },
      {
        dn: 'cn=web01,dc=x',
        attributes: {
          cn: ['web01'],
          host: ['web01.example.com'],
          saltState: ['a=1', 'b=x=y', 'a=2', 'none'],
        },
      },
      { dn: 'cn=db01,dc=x', attributes: { cn: ['db01'], host: ['db01'], saltState: ['a=3'] } },
    ],
    { anonymous: true },
  );
  const source = (name: string, more: string): string =>
    `${name}:\n  server: 127.0.0.1\n  port: ${server.port}\n  dn: dc=x\n  binddn: cn=admin,dc=x\n  bindpw: secret\n${more}`;
  const path = configFile(
    t,
    [
      source('hosts', '  filter: (host={{ fqdn }})\n  mode: map\n  attrs: [cn, dn]\n  lists: [saltState]\n'),
      source('keyed', '  filter: (host=*)\n  mode: dict\n  dict_key_attr: cn\n  attrs: [host]\n'),
      source('words', '  filter: (cn=web01)\n  lists: [saltState]\n'),
      source('none', '  filter: (cn={{ evil }})\n  mode: map\n  attrs: [cn]\n'),
      'search_order: [hosts, keyed, words, none]\n',
    ].join(''),
  );
  const pillar = await pillarOf(dict({ pillar_ldap: path }), {});
  assert.equal(pillar.get('_errors'), undefined);
  assert.deepEqual(pillar.get('hosts'), [
    dict({ dn: 'cn=web01,dc=x', cn: 'web01', saltState: ['a=1', 'b=x=y', 'a=2', 'none'] }),
  ]);
  assert.deepEqual(
    pillar.get('keyed'),
    dict({ web01: [dict({ host: 'web01.example.com' })], db01: [dict({ host: 'db01' })] }),
  );
  assert.deepEqual([pillar.get('a'), pillar.get('b')], [['1', '2'], ['x=y']]);
  assert.equal(pillar.get('none'), undefined);
  const wrong = configFile(
    t,
    source('one', '  filter: (cn=*)\n').replace('secret', 'canary') + 'search_order: [one]\n',
  );
  const told = faultOf(await pillarOf(dict({ pillar_ldap: wrong }), {}));
  assert.match(told, /refuses cn=admin,dc=x; see binddn and bindpw/);
  assert.doesNotMatch(told, /canary/);
  assert.match(faultOf(await pillarOf(dict({ pillar_ldap: '/nowhere' }), {})), /there is no file \/nowhere/);
});

test('ext_pillar - one that is Python of Salt fails the pillar and says what to set', async () => {
  assert.match(
    faultOf(await pillarOf(dict({ ec2_pillar: null }), {})),
    /ec2_pillar is unavailable: .*set salt_python: True/,
  );
});
