/** The statements that `influxdb` sends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, type Value } from '../../../../src/python/values/value.ts';
import { startHttpStandIn } from '../../../support/http-stand-in.ts';
import { fakeContext } from '../../../support/module-context.ts';

test('influxdb - statements, logins and what is refused', async (t) => {
  const server = await startHttpStandIn(t, ({ path }) =>
    path.includes('SHOW+USERS')
      ? { body: '{"results":[{"series":[{"columns":["user","admin"],"values":[["ann",true]]}]}]}' }
      : path.includes('BAD')
        ? { body: '{"results":[{"error":"not so"}]}' }
        : { body: '{"results":[{"statement_id":0}]}' },
  );
  const ctx = fakeContext({
    opts: dict({ id: 'm', 'influxdb.port': server.port, 'influxdb.host': '127.0.0.1' }),
  });
  const call = (fun: string, args: readonly Value[], kwargs = dict()): Promise<Value> =>
    ctx.functions.call(`influxdb.${fun}`, args, kwargs);

  assert.deepEqual(await call('user_info', ['ann']), dict({ user: 'ann', admin: true }));
  assert.equal(await call('create_user', ['joe"', `it's \\`, true]), true);
  const created = server.taken.at(-1);
  assert.equal(created?.method, 'POST');
  assert.equal(created?.path, '/query', 'no password in the address');
  assert.equal(
    new URLSearchParams(created?.body).get('q'),
    `CREATE USER "joe\\"" WITH PASSWORD 'it\\'s \\\\' WITH ALL PRIVILEGES`,
  );
  assert.equal(created?.headers.get('authorization'), `Basic ${Buffer.from('root:root').toString('base64')}`);
  await call('list_dbs', [], dict({ influxdb_user: 'u', influxdb_password: 'p', __pub_jid: '1' }));
  assert.equal(
    server.taken.at(-1)?.headers.get('authorization'),
    `Basic ${Buffer.from('u:p').toString('base64')}`,
  );
  await assert.rejects(call('query', ['d', 'SHOW BAD']), /^CommandExecutionError: not so|not so/);
  await assert.rejects(
    call('list_dbs', [], dict({ influxdb_port: 1 })),
    /InfluxDB at 127\.0\.0\.1:1 cannot be reached: .*Check influxdb\.host/,
  );
  await assert.rejects(call('list_dbs', [], dict({ nosuch: 1 })), /'nosuch' is no argument of connections/);
  await assert.rejects(
    call('grant_privilege', ['d', 'read ON x TO y; DROP DATABASE', 'ann']),
    /is no privilege/,
  );
  await assert.rejects(
    call('create_retention_policy', ['d', 'p', '1d; DROP DATABASE d', 1]),
    /is no duration of InfluxDB/,
  );
});
