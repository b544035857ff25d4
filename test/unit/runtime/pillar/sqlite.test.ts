/** The external pillar sqlite3: what its queries want besides the minion's id is refused before the driver sees it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import type { ExtPillarContext } from '../../../../src/runtime/pillar/ext/ext-pillar.ts';
import { sqlitePillar } from '../../../../src/runtime/pillar/ext/sql.ts';
import { openSqlite } from '../../../../src/storage/jobs/sqlite.ts';

function pillarOf(t: TestContext, query: string): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'brine-sqlite-pillar-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const database = join(folder, 'pillar.db');
  const db = openSqlite(database);
  db.exec(
    "CREATE TABLE told (minion text, name text, value text); INSERT INTO told VALUES ('web1', 'port', '80')",
  );
  db.close();
  const context = { minionId: 'web1', opts: dict({ sqlite3: dict({ database }) }) };
  return Promise.resolve(sqlitePillar([query], context as unknown as ExtPillarContext));
}

test('pillar sqlite3 - a query gets the id of the minion', async (t) => {
  const query = 'SELECT name, value FROM told WHERE minion = ?';
  assert.deepEqual(await pillarOf(t, query), dict({ port: '80' }));
});

test('pillar sqlite3 - a query that wants two values fails the pillar instead of finding nothing', async (t) => {
  await assert.rejects(
    pillarOf(t, 'SELECT name, value FROM told WHERE minion = ? AND name = ?'),
    /The database .+pillar\.db: a query wants 2 values, and there is the minion's id only/,
  );
});
