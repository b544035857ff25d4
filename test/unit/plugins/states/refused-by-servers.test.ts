/** States of databases and brokers refuse in test mode what their servers refuse in the run, and show no password. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { EXTENSION } from '../../../../src/plugins/postgres/module/extensions.ts';
import { POSTGRES_ERROR } from '../../../../src/plugins/postgres/module/connection.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { callState } from '../../../support/state-context.ts';

type Row = readonly [fun: string, args: Record<string, Value>, comment: RegExp];

const GRANT = { grant: 'select', database: 'db.*', user: 'joe' };
const MYSQL: readonly Row[] = [
  ['mysql_user.present', { password: 'x', host: null }, /^host says from where the user comes, not None/],
  ['mysql_user.present', { password: 'x', host: '' }, /^host says from where the user comes, not ''/],
  ['mysql_user.absent', { host: '' }, /^host says from where/],
  ['mysql_user.present', { name: 'a\nb', password: 'x' }, /^Name cannot have a line end/],
  ['mysql_database.present', { name: '' }, /^A database needs a name/],
  ['mysql_database.present', { character_set: 7 }, /^The character set '7' is no name of one\.$/],
  ['mysql_database.present', { collate: 'a b' }, /^The collation 'a b' is no name of one\.$/],
  ['mysql_grants.present', { ...GRANT, grant: 'zz' }, /^Invalid grant : 'ZZ'$/],
  ['mysql_grants.present', { ...GRANT, database: 'db' }, /^database must be a database and a table/],
  ['mysql_grants.present', { ...GRANT, ssl_option: dict({ SSL: true }) }, /^ssl_option must be a list/],
  ['mysql_grants.present', { ...GRANT, ssl_option: 'SSL' }, /^ssl_option must be a list, not 'SSL'$/],
  ['mysql_grants.present', { ...GRANT, ssl_option: ['SSL'] }, /^ssl_option has something that is no mapping/],
  ['mysql_grants.present', { ...GRANT, ssl_option: [dict({ no: true })] }, /^Invalid SSL option : 'no'$/],
  ['mysql_grants.present', { ...GRANT, host: '' }, /^host says from where/],
  [
    'mysql_query.run',
    { database: 'db', query: 'x', output: 'rel' },
    /^output must be grain, or the whole path/,
  ],
];
const POSTGRES: readonly Row[] = [
  [
    'postgres_user.present',
    { password: 'x', encrypted: 'rot13' },
    /^encrypted must be md5, scram-sha-256, True or False/,
  ],
  ['postgres_group.present', { name: '' }, /^A role needs a name/],
  ['postgres_user.present', { groups: dict({ a: 1 }) }, /^groups must be a list or text/],
  ['postgres_user.present', { db_port: [1] }, /^db_port must be a number/],
  ['postgres_user.present', { groups: ['gone'] }, /^Role gone does not exist$/],
  ['postgres_database.present', { owner: 'gone' }, /^Role gone does not exist$/],
  ['postgres_schema.present', { dbname: 'db', owner: 'gone' }, /^Role gone does not exist$/],
  ['postgres_tablespace.present', { directory: '/ts', owner: 'gone' }, /^Role gone does not exist$/],
  ['postgres_cluster.present', { version: '15\n16' }, /^Version cannot have a line end/],
  ['postgres_initdb.present', { name: '/data' }, /^password is missing/],
];
const OTHERS: readonly Row[] = [
  ['rabbitmq_user.present', { tags: dict({ a: 1 }) }, /^tags must be a list/],
  ['rabbitmq_user.present', { perms: 'all' }, /^perms must be a list of mappings/],
  ['rabbitmq_user.present', { perms: [dict({ '/': ['.*'] })] }, /^perms must be a list of mappings/],
  ['rabbitmq_policy.present', { pattern: '.*', definition: 'no json' }, /^definition must be a mapping/],
  ['rabbitmq_policy.present', { pattern: '.*', definition: null }, /^definition must be a mapping/],
  ['rabbitmq_policy.present', { pattern: ['a'], definition: '{}' }, /^pattern must be a text/],
  [
    'rabbitmq_policy.present',
    { pattern: '.*', definition: '{}', priority: 'high' },
    /^priority must be a num/,
  ],
  ['rabbitmq_policy.present', { pattern: '.*', definition: '{}', vhost: ['/'] }, /^vhost must be a text/],
  ['rabbitmq_upstream.present', { uri: ['amqp://x'] }, /^uri must be a text/],
  ['supervisord.running', { name: 'a\nb' }, /^Name cannot have a line end/],
  ['supervisord.dead', { bin_env: dict({ a: 1 }) }, /^bin_env must be a text/],
  ['ldap.managed', { entries: 'dc=x' }, /^entries must be a list of mappings/],
  ['ldap.managed', { entries: [dict({ 'dc=x': ['add'] })] }, /^The directives of dc=x must be a list of map/],
  ['ldap.managed', { entries: [dict({ 'dc=x': [dict({ ad: {} })] })] }, /^'ad' is no directive of dc=x/],
  ['ldap.managed', { name: 'x', entries: [dict({ 'dc=x': [] })] }, /^x is no address of LDAP/],
];

/** Puts programs on `PATH` without which the states are not there; none of them is run. */
function installPrograms(t: TestContext): void {
  const folder = mkdtempSync(join(tmpdir(), 'brine-servers-'));
  const path = process.env['PATH'] ?? '';
  for (const name of ['rabbitmqctl', 'psql', 'pg_createcluster']) {
    writeFileSync(join(folder, name), '#!/bin/sh\nexit 1\n');
    chmodSync(join(folder, name), 0o755);
  }
  process.env['PATH'] = `${folder}${delimiter}${path}`;
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(folder, { recursive: true });
  });
}

const LOOKS = {
  'postgres.role_get': null,
  'postgres.user_exists': false,
  'postgres.db_list': dict(),
  'postgres.schema_get': null,
  'postgres.tablespace_list': dict(),
};

for (const [fun, args, comment] of [...MYSQL, ...POSTGRES, ...OTHERS])
  test(`${fun} - test mode refuses ${JSON.stringify(args)}`, async (t) => {
    installPrograms(t);
    const result = await callState(fun, dict({ name: 'x', ...args }), { test: true, functions: LOOKS });
    assert.equal(result.get('result'), false, String(result.get('comment')));
    assert.match(String(result.get('comment')), comment);
    assert.deepEqual(result.get('changes'), dict());
  });

for (const [fun, args] of [
  ['rabbitmq_user.present', { password: 'hush\nhush' }],
  ['rabbitmq_user.present', { password: ['hush'] }],
  ['mysql_user.present', { password: dict({ hush: 'hush' }) }],
  ['postgres_user.present', { db_password: ['hush'] }],
] as const)
  test(`${fun} - a password that is refused is not shown: ${JSON.stringify(args)}`, async (t) => {
    installPrograms(t);
    const result = await callState(fun, dict({ name: 'x', ...(args as Record<string, Value>) }), {
      test: true,
    });
    assert.equal(result.get('result'), false);
    assert.doesNotMatch(String(result.get('comment')), /hush/);
  });

test('mysql_user.present - a password counts although none is needed', async () => {
  const asked: Value[] = [];
  const result = await callState(
    'mysql_user.present',
    dict({ name: 'joe', password: 'x', allow_passwordless: true, unix_socket: true }),
    {
      functions: {
        'mysql.user_exists': false,
        'mysql.user_create': (_args: readonly Value[], kwargs: ReadonlyMap<Value, Value>) => {
          for (const name of ['password', 'allow_passwordless', 'unix_socket'])
            asked.push(kwargs.get(name) ?? null);
          return true;
        },
      },
    },
  );
  assert.equal(result.get('comment'), 'The user joe@localhost has been added');
  assert.deepEqual(asked, ['x', false, false]);
});

test('mysql_database.present - utf8 and names in capitals are what the server has', async () => {
  const functions = {
    'mysql.db_get': dict({ character_set: 'utf8mb3', collate: 'utf8mb3_general_ci' }),
  };
  for (const [character_set, collate] of [
    ['utf8', 'utf8_general_ci'],
    ['UTF8MB3', 'UTF8MB3_GENERAL_CI'],
  ] as const) {
    const result = await callState('mysql_database.present', dict({ name: 'db', character_set, collate }), {
      test: true,
      functions,
    });
    assert.equal(result.get('result'), true, String(result.get('comment')));
  }
});

test('rabbitmq_cluster.joined - a node whose name goes on is another one', async (t) => {
  installPrograms(t);
  for (const [status, result] of [
    ['Disk Nodes\n\nrabbit@one2\n', null],
    ["{running_nodes,['rabbit@one','rabbit@two']}", true],
  ] as const) {
    const found = await callState('rabbitmq_cluster.joined', dict({ name: 'x', host: 'one' }), {
      test: true,
      functions: { 'rabbitmq.cluster_status': status },
    });
    assert.equal(found.get('result'), result, status);
  }
});

test('supervisord.dead - test mode looks', async () => {
  for (const [state, result] of [
    ['STOPPED', true],
    ['RUNNING', null],
  ] as const) {
    const found = await callState('supervisord.dead', dict({ name: 'web' }), {
      test: true,
      functions: { 'supervisord.status': dict({ web: { state } }) },
    });
    assert.equal(found.get('result'), result, state);
  }
});

for (const [fun, args] of [
  ['postgres_user.present', {}],
  ['postgres_group.absent', {}],
  ['postgres_database.present', {}],
  ['postgres_schema.present', { dbname: 'db' }],
  ['postgres_extension.present', {}],
  ['postgres_language.present', { maintenance_db: 'db' }],
  ['postgres_tablespace.present', { directory: '/ts' }],
] as const)
  test(`${fun} - a server that does not answer is told in test mode, unless the run would start it`, async (t) => {
    installPrograms(t);
    const memory = new Map<string, Value>();
    const silent = (answer: Value) => (): Value => {
      memory.set(POSTGRES_ERROR, 'no such server');
      return answer;
    };
    const functions = {
      'postgres.role_get': silent(null),
      'postgres.user_exists': silent(false),
      'postgres.db_list': silent(dict()),
      'postgres.schema_get': silent(null),
      'postgres.create_metadata': silent([EXTENSION.missing]),
      'postgres.language_exists': silent(false),
      'postgres.tablespace_list': silent(dict()),
    };
    const call = dict({ name: 'x', ...args });
    const told = await callState(fun, call, { test: true, functions, memory });
    assert.equal(told.get('result'), false);
    assert.match(String(told.get('comment')), /\nno such server$/);
    const running = dict({ 'service_|-pg_|-pg_|-running': dict({ result: null, changes: dict() }) });
    const promised = await callState(fun, call, { test: true, functions, memory, running });
    assert.equal(promised.get('result'), fun.endsWith('absent') ? true : null);
  });
