import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterSettings } from '../../../src/config/cluster.ts';
import { masterOptions } from '../../../src/config/master-options.ts';
import { Options } from '../../../src/config/option.ts';
import { dict, type Dict, type Value } from '../../../src/python/values/value.ts';

function read(cluster: Dict, more: Record<string, Value> = {}): ReturnType<typeof clusterSettings> {
  return clusterSettings(new Options(masterOptions, dict({ id: 'm1_master', cluster, ...more })));
}

const good: [string, Value][] = [
  ['id', 'fleet1'],
  ['nats', ['tls://n1:4222']],
];

test('config cluster - without the option a master stands alone', () => {
  assert.equal(clusterSettings(new Options(masterOptions, new Map())), undefined);
});

test('config cluster - what is left out has a value: the name is the master’s id, three servers keep each message', () => {
  const settings = read(new Map(good));
  assert.equal(settings?.member, 'm1_master');
  assert.equal(settings?.replicas, 3);
  assert.deepEqual(settings?.nats.servers, ['tls://n1:4222']);
  assert.deepEqual(read(new Map<Value, Value>([...good, ['nats', 'nats://n1:4222']]))?.nats.servers, [
    'nats://n1:4222',
  ]);
});

test('config cluster - the name of a cluster of Salt 3007 is the id, where none is set', () => {
  const nats = new Map<Value, Value>([['nats', ['tls://n1:4222']]]);
  assert.equal(read(nats, { cluster_id: 'fleet2' })?.id, 'fleet2');
  for (const cluster_id of ['fleet1', '', null])
    assert.equal(read(new Map(good), { cluster_id })?.id, 'fleet1');
  assert.throws(
    () => read(new Map(good), { cluster_id: 'fleet2' }),
    /id is fleet1, and cluster_id is fleet2\. They name the same cluster/,
  );
  for (const bad of ['../x', 'a b', 7, ['a']])
    assert.throws(() => read(nats, { cluster_id: bad }), /cluster_id must be a name of letters, digits/);
  assert.throws(() => read(nats), /id must be a name of letters, digits.*, not None/);
});

test('config cluster - keys of their own are for masters that sign them', () => {
  const own = (value: Value): Dict => new Map<Value, Value>([...good, ['own_keys', value]]);
  assert.equal(read(new Map(good))?.hasOwnKeys, false);
  assert.equal(read(own(true), { master_sign_pubkey: true })?.hasOwnKeys, true);
  assert.throws(() => read(own(true)), /cluster: own_keys needs master_sign_pubkey: True/);
  assert.throws(() => read(own('yes'), { master_sign_pubkey: true }), /own_keys is True or False, not yes/);
});

test('config cluster - a password does not show', () => {
  const settings = read(new Map<Value, Value>([...good, ['user', 'brine'], ['password', 'hidden']]));
  assert.equal(settings?.nats.password?.reveal(), 'hidden');
  assert.ok(!JSON.stringify(settings).includes('hidden'));
});

test('config cluster - each mistake is one sentence', () => {
  const wrong =
    (...rows: [string, Value][]): (() => unknown) =>
    () =>
      read(new Map<Value, Value>([...good, ...rows]));
  assert.throws(wrong(['id', 'a b']), /cluster: id must be a name/);
  assert.throws(wrong(['id', '*']), /cluster: id must be a name/);
  assert.throws(wrong(['member', 'a>b']), /cluster: member must be a name/);
  assert.throws(wrong(['replicas', 2]), /cluster: replicas is 1, 3 or 5, not 2/);
  assert.throws(wrong(['nats', []]), /cluster: nats must name at least one server/);
  assert.throws(wrong(['nats', ['http://n1']]), /cluster: nats takes addresses such as/);
  assert.throws(wrong(['nats', ['tls://u:secret@n1']]), /A user and a password have options of their own/);
  assert.throws(wrong(['replica', 3]), /there is no option replica.*replicas/);
  assert.throws(wrong(['tls_cert', '/a']), /tls_cert and tls_key go together/);
  assert.throws(wrong(['spool_bytes_max', 0]), /spool_bytes_max/);
});
