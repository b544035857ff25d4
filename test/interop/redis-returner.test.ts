/** One Redis, read and written by real and own programs. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { missingServers } from '../../scripts/database-programs.mjs';
import { systemClock } from '../../src/host/clock.ts';
import { redisKind } from '../../src/plugins/redis/returner.ts';
import type { Value } from '../../src/python/values/value.ts';
import { startDatabase } from '../support/database-servers.ts';
import { runProgram, type Programs } from '../support/fleet.ts';
import { contractLoad, contractReturn } from '../support/return-store-contract.ts';
import { interop } from './real-salt.ts';

const OURS = '20261122020000000001';

/** A folder with the configuration of a master and of a minion that use this Redis. */
function configure(t: TestContext, port: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'bi-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const lines = [
    `root_dir: ${folder}`,
    `pki_dir: ${join(folder, 'pki')}`,
    `cachedir: ${join(folder, 'cache')}`,
    `sock_dir: ${join(folder, 'run')}`,
    `log_file: ${join(folder, 'log')}`,
    'user: root',
    'redis.host: 127.0.0.1',
    `redis.port: ${port}`,
  ];
  for (const name of ['cache', 'run', 'pki']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'master'), [...lines, 'master_job_cache: redis', ''].join('\n'));
  writeFileSync(join(folder, 'minion'), [...lines, 'id: real-1', 'file_client: local', ''].join('\n'));
  return folder;
}

interop('one Redis is read and written by both', async (t, real: Programs) => {
  if (missingServers(['redis']).length > 0) return t.skip('redis-server is not installed');
  const server = await startDatabase(t, 'redis');
  const folder = configure(t, server.port);
  const options = new Map<string, Value>([
    ['host', '127.0.0.1'],
    ['port', server.port],
  ]);
  const store = redisKind.open({ options, timeoutMs: 5000, connectionsMax: 1, clock: systemClock });
  t.after(() => store.close());

  const call = await runProgram(join(real.folder, 'salt-call'), [
    ...['--local', '-c', folder, '--return', 'redis', 'test.echo', 'grün ✓'],
  ]);
  assert.match(call.stdout, /grün ✓/, call.stderr);
  assert.deepEqual(await store.minions(), ['real-1']);
  assert.deepEqual([...(await store.lastReturns('test.echo'))], [['real-1', 'grün ✓']]);

  await store.saveLoads([{ jid: OURS, load: contractLoad(OURS) }]);
  await store.saveReturns([
    contractReturn(OURS, 'web.1', { return: { 'a.b': [1, 2.5, null, 'ß'] } }),
    contractReturn(OURS, 'web.2', { return: false, retcode: 1, success: false }),
  ]);
  const run = (fun: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> =>
    runProgram(join(real.folder, 'salt-run'), [
      '-c',
      folder,
      '--out',
      'json',
      '--out-indent=-1',
      fun,
      ...args,
    ]);
  const found = await run('jobs.lookup_jid', OURS);
  assert.deepEqual(
    JSON.parse(found.stdout),
    { 'web.1': { 'a.b': [1, 2.5, null, 'ß'] }, 'web.2': false },
    found.stderr,
  );
  const listed = JSON.parse((await run('jobs.list_jobs')).stdout) as Record<string, { Function: string }>;
  assert.equal(listed[OURS]?.Function, 'test.echo');
});
