/** The minion data cache in one Redis, read and written by real and own programs. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingServers } from '../../scripts/database-programs.mjs';
import { systemClock } from '../../src/host/clock.ts';
import { openCacheServer } from '../../src/plugins/registry/cache/open.ts';
import { dict } from '../../src/python/values/value.ts';
import { CacheMaster, minionData } from '../support/cache-masters.ts';
import { startDatabase } from '../support/database-servers.ts';
import { ours, runProgram, type Programs } from '../support/fleet.ts';
import { interop } from './real-salt.ts';

interop('one Redis has the minion data cache of both', async (t, real: Programs) => {
  if (missingServers(['redis']).length > 0) return t.skip('redis-server is not installed');
  const { port } = await startDatabase(t, 'redis');
  const folder = mkdtempSync(join(tmpdir(), 'bi-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const lines = [
    `root_dir: ${folder}`,
    `pki_dir: ${join(folder, 'pki')}`,
    `cachedir: ${join(folder, 'cache')}`,
    `sock_dir: ${join(folder, 'run')}`,
    `log_file: ${join(folder, 'log')}`,
    'user: root',
    'cache: redis',
    'cache.redis.host: 127.0.0.1',
    `cache.redis.port: ${port}`,
  ];
  for (const name of ['cache', 'run', 'pki/minions']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'pki', 'minions', 'web1'), 'x');
  writeFileSync(join(folder, 'master'), [...lines, ''].join('\n'));
  const run = async (programs: Programs, ...words: string[]): Promise<unknown> => {
    const { stdout, stderr } = await runProgram(join(programs.folder, 'salt-run'), [
      ...['-c', folder, '--out', 'json', ...words],
    ]);
    try {
      return JSON.parse(stdout) as unknown;
    } catch {
      throw new Error(`${words.join(' ')}: ${stdout}${stderr}`);
    }
  };
  const opts = dict({ cache: 'redis', 'cache.redis.host': '127.0.0.1', 'cache.redis.port': port });
  const master = new CacheMaster(t, () => {
    const server = openCacheServer({ opts, clock: systemClock });
    assert.ok(server);
    return server;
  });
  master.cache.write('web1', 'data', minionData('web1', 'Debian'));
  master.cache.write('web1', 'mine', dict({ 'test.echo': 'grün' }));
  await master.sync();
  assert.deepEqual(await run(real, 'cache.grains', 'web1'), {
    web1: { id: 'web1', os: 'Debian', 'ip4.x': ['10.0.0.1', null] },
  });
  assert.deepEqual(await run(real, 'cache.pillar', 'os:Debian', 'tgt_type=grain'), {
    web1: { role: 'web', secret: 'grün' },
  });
  assert.deepEqual(await run(real, 'cache.mine', 'web1'), { web1: { 'test.echo': 'grün' } });

  await run(real, 'cache.store', 'minions/web1', 'data', '{"pillar": {"role": "db"}}');
  await run(
    real,
    'cache.store',
    'minions/web2',
    'data',
    '{"grains": {"id": "web2", "os": "ß"}, "pillar": {}}',
  );
  await master.sync();
  assert.deepEqual(master.cache.read('web1', 'data'), dict({ pillar: { role: 'db' } }));
  assert.deepEqual(master.cache.read('web2', 'data'), dict({ grains: { id: 'web2', os: 'ß' }, pillar: {} }));

  await run(real, 'cache.store', 'cloud/active', 'one', '{"a": [1, null]}');
  assert.deepEqual(await run(ours, 'cache.fetch', 'cloud/active', 'one'), { a: [1, null] });
  assert.deepEqual(await run(ours, 'cache.list', 'cloud/active'), ['one']);
  assert.equal(await run(ours, 'cache.flush', 'cloud/active', 'one'), true);
  assert.deepEqual(await run(real, 'cache.fetch', 'cloud/active', 'one'), {});
  await run(ours, 'cache.flush', 'minions/web1');
  assert.deepEqual(await run(real, 'cache.fetch', 'minions/web1', 'mine'), {});
  await master.sync();
  assert.equal(master.cache.read('web1', 'mine'), undefined);
});
