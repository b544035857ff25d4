/** Log-ins by a table of PostgreSQL. */
import { test } from 'node:test';
import pg from 'pg';
import { postgresBackend } from '../../src/plugins/postgres/auth.ts';
import { DATABASE_PASSWORD, DATABASE_USER, startDatabase } from '../support/database-servers.ts';
import { checkUsers, made } from '../support/table-users.ts';

test('log-ins by a table of postgresql', async (t) => {
  const { host, port } = await startDatabase(t, 'postgres');
  const admin = new pg.Client({
    host,
    port,
    user: DATABASE_USER,
    password: DATABASE_PASSWORD,
    database: 'postgres',
  });
  await admin.connect();
  admin.on('error', () => undefined);
  t.after(() => admin.end());
  await admin.query('CREATE TABLE users (username text, password text)');
  const hash = (text: string): string => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
  await admin.query(
    `INSERT INTO users VALUES ('diana', ${hash("'secret'")}), ('o''neil', ${hash('\'a "quoted" \\ one\'')})`,
  );
  const backend = made(postgresBackend, 'postgres_auth', {
    hostname: host,
    port,
    username: DATABASE_USER,
    password: DATABASE_PASSWORD,
    database: 'postgres',
    auth_sql: `SELECT username FROM users WHERE username = '{0}' AND password = ${hash("'{1}'")}`,
  });
  t.after(() => backend.close?.());
  await checkUsers(backend);
});
