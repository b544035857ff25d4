/** A cluster of masters with PostgreSQL as its job cache. */
import { test } from 'node:test';
import pg from 'pg';
import { missingServers } from '../../scripts/database-programs.mjs';
import { checkClusterDatabase } from '../support/cluster/job-database.ts';
import { DATABASE_PASSWORD, DATABASE_USER, startDatabase } from '../support/database-servers.ts';

test(
  'cluster and postgresql - what any of three masters has acknowledged is in the database once, also when one of them dies',
  { timeout: 180_000, skip: missingServers(['nats']).length > 0 && 'nats-server is not installed' },
  async (t) => {
    const { port } = await startDatabase(t, 'postgres');
    const place = { host: '127.0.0.1', port, user: DATABASE_USER };
    const ask = async (sql: string): Promise<Record<string, unknown>[]> => {
      const client = new pg.Client({ ...place, password: DATABASE_PASSWORD, database: 'salt' });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows;
      } finally {
        await client.end();
      }
    };
    const settings = { ...place, pass: DATABASE_PASSWORD, db: 'salt' };
    const options = Object.entries(settings).map(([name, value]) => `returner.pgjsonb.${name}: ${value}`);
    await checkClusterDatabase(t, { kind: 'pgjsonb', options, ask });
  },
);
