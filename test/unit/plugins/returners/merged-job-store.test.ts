import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SqliteJobStore } from '../../../../src/storage/jobs/sqlite-store.ts';
import { MergedJobStore } from '../../../../src/plugins/shared/returner/merged-job-store.ts';
import type { ReturnStore } from '../../../../src/plugins/shared/returner/return-store.ts';
import { sqlite3Kind } from '../../../../src/plugins/sqlite3/returner.ts';
import { contractLoad, contractReturn } from '../../../support/return-store-contract.ts';

const [FIRST, SECOND, THIRD] = ['20261121000000000001', '20261121000000000002', '20261121000000000003'];

async function stores(
  t: TestContext,
): Promise<{ embedded: SqliteJobStore; store: ReturnStore; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'br-'));
  const embedded = new SqliteJobStore({ directory: join(folder, 'job_cache') });
  const options = new Map([['database', join(folder, 'salt.db')]]);
  const store = sqlite3Kind.open({ options, timeoutMs: 1000, connectionsMax: 1 });
  t.after(async () => {
    await store.close();
    await embedded.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await embedded.saveJob(FIRST, contractLoad(FIRST), ['m1', 'm2']);
  await embedded.saveJob(SECOND, contractLoad(SECOND, { fun: 'test.ping' }), ['m1']);
  const ret = { jid: FIRST, fun: 'test.echo', retcode: 0, success: true } as const;
  await embedded.saveReturn({ ...ret, id: 'm1', return: 'embedded' });
  return { embedded, store, folder };
}

test('merged job store - knows what the embedded job cache knows, and what the database knows besides', async (t) => {
  const { embedded, store } = await stores(t);
  await store.createSchema();
  await store.saveLoads([FIRST, THIRD].map((jid) => ({ jid, load: contractLoad(jid, { arg: ['db'] }) })));
  await store.saveReturns([
    contractReturn(FIRST, 'm1', { return: 'database' }),
    contractReturn(FIRST, 'm2', { success: false }),
    contractReturn(THIRD, 'm3'),
  ]);
  const merged = new MergedJobStore({
    embedded,
    databases: async () => [{ name: 'sqlite3', store }],
    onDown: () => assert.fail('it is there'),
  });
  const returns = await merged.returns(FIRST);
  assert.deepEqual(
    returns.map(({ id, return: value, fun, success, retcode }) => [id, value, fun, success, retcode]),
    [
      ['m1', 'embedded', 'test.echo', true, 0],
      ['m2', 'y', 'test.echo', false, 1],
    ],
  );
  assert.deepEqual((await merged.job(FIRST))?.get('Minions'), ['m1', 'm2']);
  assert.deepEqual((await merged.job(THIRD))?.get('arg'), ['db']);
  assert.equal(await merged.job('1'), undefined);
  const jids = async (filter: Parameters<typeof merged.jobs>[0]): Promise<string[]> =>
    (await merged.jobs(filter)).map(({ jid }) => jid);
  assert.deepEqual(await jids({}), [THIRD, SECOND, FIRST]);
  assert.deepEqual(await jids({ limit: 1 }), [THIRD]);
  assert.deepEqual(await jids({ wantsFun: (fun) => fun === 'test.echo' }), [THIRD, FIRST]);
  assert.deepEqual(await jids({ fromJid: SECOND, toJid: SECOND }), [SECOND]);
  assert.deepEqual(await jids({ accepts: ({ jid }) => jid !== THIRD }), [SECOND, FIRST]);
});

test('merged job store - a database that is down is told once, and the embedded job cache answers', async (t) => {
  const { embedded, store } = await stores(t);
  const told: string[] = [];
  const merged = new MergedJobStore({
    embedded,
    databases: async () => [{ name: 'sqlite3', store }],
    onDown: (name, reason) => told.push(`${name}: ${reason}`),
  });
  assert.equal((await merged.returns(FIRST)).length, 1);
  assert.equal((await merged.jobs({})).length, 2);
  assert.equal(told.length, 1);
  assert.match(told[0] ?? '', /^sqlite3: The database .* does not exist/);
  // one that was asked for by name has nobody to stand in
  const alone = new MergedJobStore({
    databases: async () => [{ name: 'sqlite3', store }],
    onDown: () => undefined,
  });
  await assert.rejects(alone.returns(FIRST), /does not exist/);
});
