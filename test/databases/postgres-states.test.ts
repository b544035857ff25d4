/** The states of PostgreSQL, applied on a real server by the built command. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findProgram } from '../../scripts/database-programs.mjs';
import {
  DATABASE_PASSWORD,
  DATABASE_USER,
  startDatabase,
  type DatabaseServer,
} from '../support/database-servers.ts';
import { runProgram } from '../support/fleet.ts';
import { Applications, changedIn, otherThan } from '../support/state-applications.ts';

const CANARY = "can'ary \\ : 7";
const ROLE = '-o\'ne "x"; drop role y\\';
const DATABASE = '-d"b host=/nosuch \'q';

/**
 * Programs before those of the machine: one that notes the arguments of psql, and clusters that are lines of a file.
 */
function programs(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const scripts = {
    psql: `printf '%s\\n' "$@" >> ${folder}/arguments; exec ${findProgram('psql') ?? 'psql'} "$@"`,
    pg_lsclusters: `cat ${folder}/clusters`,
    pg_createcluster: `[ "$1" = --port ] && port=$2 && shift 2; echo "$1 $2 $port down me /srv/$2 /var/log/$2" >> ${folder}/clusters`,
    pg_dropcluster: `[ "$1" = --stop ] && shift; sed -i "/^$1 $2 /d" ${folder}/clusters`,
  };
  for (const [name, text] of Object.entries(scripts))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  writeFileSync(join(folder, 'clusters'), '15 old 5433 down me /srv/old /var/log/old\n');
  writeFileSync(join(folder, 'arguments'), '');
  for (const name of ['clusters', 'arguments']) chmodSync(join(folder, name), 0o666);
  return bin;
}

/** Everything about a server that states change. */
async function snapshot(server: DatabaseServer): Promise<string> {
  const words = ['-h', server.host, '-p', String(server.port), '-U', DATABASE_USER, '--no-sync'];
  const env = { ...process.env, PGPASSWORD: DATABASE_PASSWORD };
  const { stdout, stderr, code } = await runProgram(findProgram('pg_dumpall') ?? 'pg_dumpall', words, {
    env,
  });
  assert.equal(code, 0, stderr);
  return stdout.replace(/^\\(?:un)?restrict .*$/gm, '');
}

const quoted = (text: string): string => JSON.stringify(text);

function present(space: string): string {
  // without root, the tools run as whoever runs the test
  const runas = process.getuid?.() === 0 ? '' : `\n    - runas: ${userInfo().username}`;
  return `
group:
  postgres_group.present: [{name: staff}]
user:
  postgres_user.present:
    - name: ${quoted(ROLE)}
    - password: ${quoted(CANARY)}
    - encrypted: scram-sha-256
    - groups: [staff]
    - createdb: true
    - valid_until: '2031-02-03'
old way:
  postgres_user.present: [{name: reader, password: ${quoted(CANARY)}}]
space:
  postgres_tablespace.present:
    - name: fast
    - directory: ${space}
    - owner: ${quoted(ROLE)}
    - options: {seq_page_cost: 1.5}
database:
  postgres_database.present:
    - name: ${quoted(DATABASE)}
    - owner: ${quoted(ROLE)}
    - tablespace: fast
schema:
  postgres_schema.present: [{name: 'p''a"rts', dbname: ${quoted(DATABASE)}, owner: reader}]
extension:
  postgres_extension.present: [{name: hstore, schema: 'p''a"rts', maintenance_db: ${quoted(DATABASE)}}]
language:
  postgres_language.present: [{name: plpgsql, maintenance_db: ${quoted(DATABASE)}}]
granted:
  postgres_privileges.present:
    - name: reader
    - object_name: ${quoted(DATABASE)}
    - object_type: database
    - privileges: [CONNECT]
    - grant_option: true
everything:
  postgres_privileges.present:
    - name: ${quoted(ROLE)}
    - object_name: ALL
    - object_type: table
    - prepend: 'p''a"rts'
    - privileges: [SELECT]
    - maintenance_db: ${quoted(DATABASE)}
member:
  postgres_privileges.present: [{name: reader, object_name: staff, object_type: group}]
cluster:
  postgres_cluster.present: [{name: new, version: '15', port: 5999}]
folder:
  postgres_initdb.present:
    - name: ${join(space, '..', 'made')}
    - password: ${quoted(CANARY)}
    - auth: trust
    - locale: C${runas}
`;
}

const absent = `
member:
  postgres_privileges.absent: [{name: reader, object_name: staff, object_type: group}]
extension:
  postgres_extension.absent: [{name: hstore, maintenance_db: ${quoted(DATABASE)}}]
schema:
  postgres_schema.absent: [{name: 'p''a"rts', dbname: ${quoted(DATABASE)}}]
database:
  postgres_database.absent: [{name: ${quoted(DATABASE)}}]
space:
  postgres_tablespace.absent: [{name: fast}]
user:
  postgres_user.absent: [{name: ${quoted(ROLE)}}]
old way:
  postgres_user.absent: [{name: reader}]
group:
  postgres_group.absent: [{name: staff}]
cluster:
  postgres_cluster.absent: [{name: old, version: '15'}]
`;

test('postgres - states on a real server', async (t) => {
  const server = await startDatabase(t, 'postgres');
  const own = statSync(join(server.folder, 'data'));
  const home = join(server.folder, 'home');
  const space = join(home, 'space');
  mkdirSync(space, { recursive: true });
  for (const path of [home, space]) chownSync(path, own.uid, own.gid);
  const runs = new Applications(t, {
    env: { PATH: `${programs(server.folder)}:${process.env['PATH'] ?? ''}` },
    minion: [
      `postgres.host: ${server.host}`,
      `postgres.port: ${server.port}`,
      `postgres.user: ${DATABASE_USER}`,
      `postgres.pass: ${DATABASE_PASSWORD}`,
    ],
  });

  const before = await snapshot(server);
  const sls = present(space);
  const foretold = await runs.apply(sls, { test: true });
  assert.deepEqual(
    otherThan(foretold, null).filter(([id]) => !['language', 'everything'].includes(id)),
    [],
  );
  assert.equal(await snapshot(server), before, 'test mode writes nothing');
  assert.ok(!existsSync(join(home, 'made')));

  const first = await runs.apply(sls);
  assert.deepEqual(otherThan(first, true), []);
  assert.equal(changedIn(first).length, first.size - 2);
  const after = await snapshot(server);
  assert.match(after, /CREATE ROLE "-o'ne ""x""; drop role y\\"/);
  assert.match(after, /SCRAM-SHA-256\$4096:/);

  const second = await runs.apply(sls);
  assert.deepEqual(otherThan(second, true), []);
  assert.deepEqual(changedIn(second), []);
  assert.equal(await snapshot(server), after, 'the second time nothing changes');

  // the passwords are those that the server asks for; it takes no log-ins by md5
  const login = [`user=${quoted(ROLE)}`, `password=${quoted(CANARY)}`];
  assert.deepEqual(await runs.call('postgres.psql_query', 'select 1 as one', ...login), [{ one: '1' }]);
  assert.ok(after.includes(`md5${createHash('md5').update(`${CANARY}reader`).digest('hex')}`));

  const isLeft = await runs.apply(absent, { test: true });
  assert.deepEqual(otherThan(isLeft, null), []);
  assert.equal(await snapshot(server), after);
  const removed = await runs.apply(absent);
  assert.deepEqual(otherThan(removed, true), []);
  assert.equal(changedIn(removed).length, removed.size);
  assert.equal(await snapshot(server), before);
  assert.deepEqual(changedIn(await runs.apply(absent)), []);

  const secrets = [CANARY, CANARY.replaceAll("'", "''"), 'SCRAM-SHA-256$'];
  const notes = readFileSync(join(server.folder, 'arguments'), 'utf8');
  assert.ok(notes.includes('--dbname'));
  for (const secret of secrets) {
    assert.ok(!notes.includes(secret), 'no password is among the arguments');
    assert.ok(!runs.printed.includes(secret), 'no password is shown');
  }
});
