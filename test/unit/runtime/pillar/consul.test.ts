/** The external pillar consul, against a stand-in that speaks Consul's HTTP interface. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { silentLogger } from '../../../../src/host/log.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { consulPillar } from '../../../../src/runtime/pillar/ext/consul.ts';

async function standIn(t: TestContext): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const keys = new Map([
    ['salt/web01/', null],
    ['salt/web01/a/b', '[1, two]'],
    ['salt/web01/a/c', 'true'],
    ['salt/web01/text', 'plain words'],
  ]);
  const server = createServer((request, response) => {
    asked.push(`${request.url ?? ''} ${String(request.headers['x-consul-token'])}`);
    const items = [...keys].map(([Key, value]) => ({
      Key,
      Value: value === null ? null : Buffer.from(value).toString('base64'),
    }));
    const isThere = request.url?.startsWith('/v1/kv/salt/web01/') === true;
    response.writeHead(isThere ? 200 : request.url?.includes('fail') === true ? 500 : 404);
    response.end(isThere ? JSON.stringify(items) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

test('pillar - consul gives the tree below a path, as YAML or as text', async (t) => {
  const { port, asked } = await standIn(t);
  const profile = dict({
    'consul.host': '127.0.0.1',
    'consul.port': port,
    'consul.token': 'secret',
    'consul.dc': dict({ 'dev-(?P<place>.*)': '{place}', '.*': 'other' }),
  });
  const pillar = (settings: Value, id = 'web01'): Promise<Value> =>
    Promise.resolve(
      consulPillar(systemClock)(settings, {
        minionId: id,
        grains: dict({ role: 'web' }),
        pillar: dict(),
        opts: dict({ my: profile, pillarenv: 'dev-here' }),
        log: silentLogger,
        errors: [],
      }),
    );
  assert.deepEqual(
    await pillar('my root=salt/%(minion_id)s/'),
    dict({ text: 'plain words', a: dict({ c: true, b: [1, 'two'] }) }),
  );
  assert.deepEqual(asked, ['/v1/kv/salt/web01/?recurse=1&dc=here secret']);
  assert.deepEqual(
    await pillar('profile=my pillar_root=x/y root=salt/%(minion_id)s expand_keys=False'),
    dict({ x: dict({ y: dict({ text: 'plain words', a: dict({ c: 'true', b: '[1, two]' }) }) }) }),
  );
  assert.deepEqual(await pillar('my target="db* or G@role:db" root=salt/%(minion_id)s'), dict());
  assert.deepEqual(await pillar('my root=nosuch'), dict());
  await assert.rejects(pillar('my root=fail'), /answered 500 to GET fail/);
  await assert.rejects(pillar('other root=x'), /no profile other/);
  await assert.rejects(pillar('my root=%(nosuch)s'), /nosuch/);
});
