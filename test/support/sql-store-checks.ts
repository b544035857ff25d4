/**
 * What the tests of stores in SQL databases have in common: opening them, old rows that go, and writing through breaks.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import type { ReturnStore, StoreKind } from '../../src/plugins/shared/returner/return-store.ts';
import { dict, type Value } from '../../src/python/values/value.ts';
import { DATABASE_USER, type DatabaseServer } from './database-servers.ts';
import { contractLoad, contractReturn } from './return-store-contract.ts';
import { writeThroughBreaks } from './store-breaks.ts';

/** The job that Salt's own rows are of. */
export const SQL_JID = '20261121000000000001';
/** Characters of two, three and four bytes. */
export const SQL_TEXT = 'grün ✓ 🧂';

const OLD_JIDS = ['20200101000000000001', '20200101000000000002', '20200101000000000003', 'manual'];
const TABLES = ['jids', 'salt_returns', 'salt_events'];

/** Runs a statement as the operator would. @returns its rows by column */
export type AskDatabase = (sql: string) => Promise<Record<string, unknown>[]>;

/** Opens a store on a server of this host; it is closed with the test. @param options besides host, port and user */
export function openSqlStore(
  t: TestContext,
  kind: StoreKind,
  { port }: DatabaseServer,
  options: Readonly<Record<string, Value>>,
  timeoutMs = 10_000,
): ReturnStore {
  const store = kind.open({
    options: new Map(Object.entries({ host: '127.0.0.1', port, user: DATABASE_USER, ...options })),
    timeoutMs,
    connectionsMax: 3,
    clock: systemClock,
  });
  t.after(() => store.close());
  return store;
}

/** How many rows a table has. */
export async function countRows(ask: AskDatabase, table: string): Promise<number> {
  return Number((await ask(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.['n']);
}

/**
 * Fills empty tables and archives what is old: a job goes when it and all its returns are.
 * @param writtenAt the column that says when a return came
 */
export async function checkArchiving(
  store: ReturnStore,
  ask: AskDatabase,
  writtenAt = 'alter_time',
): Promise<void> {
  await store.saveLoads(OLD_JIDS.map((jid) => ({ jid, load: contractLoad(jid) })));
  await store.saveReturns(OLD_JIDS.slice(0, 2).map((jid) => contractReturn(jid, 'm1')));
  const events = ['old', 'new'].map((tag, n) => ({ tag, data: dict({ n }) }));
  await store.saveEvents(events, 'master');
  await ask(`UPDATE salt_returns SET ${writtenAt} = '2021-01-01' WHERE jid = '${OLD_JIDS[0]}'`);
  await ask("UPDATE salt_events SET alter_time = '2021-01-01' WHERE tag = 'old'");
  await store.removeOlderThan(Date.UTC(2022, 0, 1), true);
  const left = await ask('SELECT jid FROM jids ORDER BY jid');
  assert.deepEqual(
    left.map(({ jid }) => jid),
    [OLD_JIDS[1], 'manual'],
    'a late return keeps its job',
  );
  for (const table of TABLES)
    assert.equal(await countRows(ask, `${table}_archive`), table === 'jids' ? 2 : 1, table);
  assert.equal(await countRows(ask, 'salt_events'), 1);
}

/**
 * Two masters write the same returns while the server is killed, held, and started again.
 * @param open opens a store; with a time in which it must say that there is no answer
 */
export async function checkBreaks(
  server: DatabaseServer,
  ask: AskDatabase,
  open: (timeoutMs?: number) => ReturnStore,
): Promise<void> {
  const returns = await writeThroughBreaks({ jid: SQL_JID, server, open });
  const [found = {}] = await ask('SELECT COUNT(*) AS all_rows, COUNT(DISTINCT id) AS ids FROM salt_returns');
  assert.deepEqual([Number(found['all_rows']), Number(found['ids'])], [returns, returns]);
  const store = open();
  assert.equal((await store.returns(SQL_JID)).size, returns);
  server.pause();
  await assert.rejects(open(500).load(SQL_JID), /no answer within 500 ms|ETIMEDOUT/);
  server.resume();
  assert.equal(await store.load(SQL_JID), undefined);
}
