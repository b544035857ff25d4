/** A cluster of masters with MariaDB as its job cache. */
import { test } from 'node:test';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { missingServers } from '../../scripts/database-programs.mjs';
import { checkClusterDatabase } from '../support/cluster/job-database.ts';
import { DATABASE_PASSWORD, DATABASE_USER, startDatabase } from '../support/database-servers.ts';

test(
  'cluster and mariadb - what any of three masters has acknowledged is in the database once, also when one of them dies',
  { timeout: 180_000, skip: missingServers(['nats']).length > 0 && 'nats-server is not installed' },
  async (t) => {
    const { port } = await startDatabase(t, 'mariadb');
    const place = { host: '127.0.0.1', port, user: DATABASE_USER };
    const ask = async (sql: string): Promise<Record<string, unknown>[]> => {
      const connection = await createConnection({ ...place, password: DATABASE_PASSWORD, database: 'salt' });
      try {
        return (await connection.query<RowDataPacket[]>(sql))[0];
      } finally {
        await connection.end();
      }
    };
    const settings = { ...place, pass: DATABASE_PASSWORD, db: 'salt' };
    const options = Object.entries(settings).map(([name, value]) => `mysql.${name}: ${value}`);
    await checkClusterDatabase(t, { kind: 'mysql', options, ask });
  },
);
