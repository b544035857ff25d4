/**
 * Databases that real Salt's operator has made: Salt and Brine write into them side by side, and each reads what the
 * other wrote.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { missingServers } from '../../scripts/database-programs.mjs';
import {
  DATABASE_PASSWORD,
  DATABASE_USER,
  startDatabase,
  type DatabaseServer,
  type DatabaseServerName,
} from '../support/database-servers.ts';
import { ours, runProgram, type Fleet, type Programs } from '../support/fleet.ts';
import {
  LOCAL_CACHE_TABLES,
  MYSQL_TABLES,
  PGJSONB_TABLES,
  POSTGRES_TABLES,
} from '../support/salts-tables.ts';
import { createFleet, interop } from './real-salt.ts';

interface Subject {
  readonly kind: string;
  readonly server: DatabaseServerName;
  readonly prefix: string;
  readonly tables: readonly string[];
}

const SUBJECTS: readonly Subject[] = [
  { kind: 'mysql', server: 'mariadb', prefix: 'mysql', tables: MYSQL_TABLES },
  { kind: 'postgres', server: 'postgres', prefix: 'returner.postgres', tables: POSTGRES_TABLES },
  { kind: 'pgjsonb', server: 'postgres', prefix: 'returner.pgjsonb', tables: PGJSONB_TABLES },
  {
    kind: 'postgres_local_cache',
    server: 'postgres',
    prefix: 'master_job_cache.postgres',
    tables: LOCAL_CACHE_TABLES,
  },
];

/** Runs statements. @returns the rows of the last one */
type Sql = (statements: readonly string[]) => Promise<readonly Record<string, unknown>[]>;

function sqlOn({ host, port, name }: DatabaseServer, database: string): Sql {
  const place = { host, port, user: DATABASE_USER, password: DATABASE_PASSWORD };
  return async (statements) => {
    let rows: readonly Record<string, unknown>[] = [];
    if (name === 'mariadb') {
      const connection = await createConnection({ ...place, ...(database === '' ? {} : { database }) });
      for (const sql of statements) rows = (await connection.query(sql))[0] as never;
      await connection.end();
    } else {
      const client = new pg.Client({ ...place, database: database === '' ? 'postgres' : database });
      await client.connect();
      for (const sql of statements) rows = (await client.query<Record<string, unknown>>(sql)).rows;
      await client.end();
    }
    return rows;
  };
}

interop('one database for both: each reads what the other has written', async (t, real) => {
  const servers = new Map<DatabaseServerName, DatabaseServer>();
  for (const subject of SUBJECTS) {
    if (missingServers([subject.server]).length > 0) {
      t.diagnostic(`${subject.kind} did not run: ${subject.server} is not installed`);
      continue;
    }
    const server = servers.get(subject.server) ?? (await startDatabase(t, subject.server));
    servers.set(subject.server, server);
    await t.test(subject.kind, (inner) => both(inner, real, subject, server));
  }
});

async function both(t: TestContext, real: Programs, subject: Subject, server: DatabaseServer): Promise<void> {
  const { kind, prefix, tables } = subject;
  const charset = server.name === 'mariadb' ? ' DEFAULT CHARACTER SET utf8' : '';
  const db = `salt_${kind}`;
  await sqlOn(server, '')([`CREATE DATABASE ${db}${charset}`]);
  const sql = sqlOn(server, db);
  await sql(tables);
  const options = Object.entries({
    host: server.host,
    port: server.port,
    user: DATABASE_USER,
    pass: DATABASE_PASSWORD,
    passwd: DATABASE_PASSWORD,
    db,
  }).map(([name, value]) => `${prefix}.${name}: ${value}`);
  const fleet = await createFleet(t, [`master_job_cache: ${kind}`, ...options]);
  const written = new Map<string, string>();
  for (const [id, programs] of [
    ['real', real],
    ['ours', ours],
  ] as const) {
    const text = await write(fleet, programs, id, kind, options);
    const [row] = await sql([`SELECT jid, fun, success FROM salt_returns WHERE id = '${id}'`]);
    assert.equal(row?.['fun'], 'test.echo');
    assert.match(String(row?.['success']), /^(1|true)$/);
    written.set(String(row?.['jid']), text);
  }
  for (const programs of [real, ours])
    for (const [jid, text] of written) {
      const found = await fleet.run('salt-run', ['--out', 'json', 'jobs.lookup_jid', jid], programs);
      const answers = Object.values(JSON.parse(found.stdout) as Record<string, unknown>);
      assert.deepEqual(answers, [text], `${programs.name} reads ${text}: ${found.stderr}`);
    }
}

/** A masterless call whose return goes to the database. @returns what was returned */
async function write(
  fleet: Fleet,
  programs: Programs,
  id: string,
  kind: string,
  options: readonly string[],
): Promise<string> {
  fleet.configureMinion(id, ['file_client: local', ...options]);
  // Salt cannot write four bytes into its own tables of MySQL
  const text = programs === ours ? 'grün ✓ 🧂 ours' : 'grün ✓ real';
  const args = ['-c', fleet.path(id), '--local', '--return', kind, 'test.echo', text];
  const { code, stdout, stderr } = await runProgram(join(programs.folder, 'salt-call'), args);
  assert.equal(code, 0, stdout + stderr);
  return text;
}
