/** What `cluster.doctor` finds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clusterFindings,
  type ClusterMeasured,
  type MemberSeen,
} from '../../../../src/plugins/shared/runner/doctor/cluster-findings.ts';
import { shownFindings } from '../../../../src/plugins/shared/runner/doctor/findings.ts';
import type { MemberStatus } from '../../../../src/runtime/cluster/status.ts';

const NOW_MS = 1_800_000_000_000;

function member(name: string, more: Partial<MemberStatus> = {}): MemberSeen {
  const well = { isConnected: true, duty: 'a', made: 1, spooledBytes: 0, isDraining: false, nowMs: NOW_MS };
  return { name, status: { member: name, ...well, ...more } };
}

function stream(name: string, behind = 0, isOffline = false): ClusterMeasured['streams'][number] {
  const copy = (
    server: string,
  ): { server: string; isCurrent: boolean; isOffline: boolean; behind: number } => ({
    ...{ server, isCurrent: true, isOffline: false, behind: 0 },
  });
  const ill = { server: 'n3', isCurrent: behind === 0, isOffline, behind };
  return { name, state: { replicas: 3, others: [copy('n2'), ill] } };
}

const SERVERS = ['n1', 'n2', 'n3'].map((name) => ({
  ...{ address: `tls://${name}:4222`, hasJetStream: true, payloadBytesMax: 8_388_608 },
}));

const WELL: ClusterMeasured = {
  ...{ member: 'a', replicas: 3, servers: SERVERS, streams: [stream('JOBS'), stream('FILES')] },
  ...{ members: [member('a'), member('b')], pending: [], nowMs: NOW_MS },
  syncing: ['n1', 'n2', 'n3'].map((server) => ({ does: 'always', server })),
};

function found(more: Partial<ClusterMeasured>): string[] {
  return clusterFindings({ ...WELL, ...more }).map(({ severity, code, who = '' }) =>
    `${severity} ${code} ${who}`.trim(),
  );
}

test('cluster.doctor - a cluster that is well has no findings', () => {
  assert.deepEqual(found({}), []);
  assert.equal(shownFindings(clusterFindings(WELL)).get('state'), 'well');
});

test('cluster.doctor - each ill is found, and what is critical comes first', () => {
  const away = SERVERS.map((server) => ({ ...server, error: 'refused' }));
  const cases: readonly (readonly [Partial<ClusterMeasured>, readonly string[]])[] = [
    [{ servers: [...SERVERS.slice(1), ...away.slice(0, 1)] }, ['warning nats-server-away tls://n1:4222']],
    [
      { servers: away.slice(0, 2) },
      [
        'critical nats-server-away tls://n1:4222',
        'critical nats-server-away tls://n2:4222',
        'warning nats-servers-few',
      ],
    ],
    [
      { servers: SERVERS.map((server) => ({ ...server, hasJetStream: server.address !== 'tls://n2:4222' })) },
      ['warning nats-without-jetstream tls://n2:4222'],
    ],
    [
      { servers: SERVERS.map((server) => ({ ...server, payloadBytesMax: 1_048_576 })) },
      SERVERS.map(({ address }) => `warning nats-payload-small ${address}`),
    ],
    [{ streams: [{ name: 'JOBS', error: 'timeout' }, stream('FILES')] }, ['critical stream-away JOBS']],
    [{ streams: [stream('JOBS', 7)] }, ['warning stream-copy-behind n3']],
    [{ streams: [stream('JOBS', 0, true)] }, ['warning stream-copy-behind n3']],
    [{ replicas: 1 }, ['warning stream-replicas JOBS', 'warning stream-replicas FILES']],
    [{ members: [member('b', { duty: 'b' })] }, ['critical member-down a']],
    [{ members: [member('a'), { name: 'b', error: 'no answer' }] }, ['critical member-silent b']],
    [{ members: [member('a', { spooledBytes: 9 })] }, ['warning returns-wait a']],
    [{ members: [member('a'), member('b', { nowMs: NOW_MS - 5_000 })] }, ['warning clock-off b']],
    [{ members: [member('a'), member('b', { nowMs: NOW_MS + 15_000 })] }, ['critical clock-off b']],
    [{ members: [member('a', { duty: 'c' }), member('b', { duty: 'c' })] }, ['warning duty-free']],
    [{ members: [member('a'), member('b', { isDraining: true })] }, ['warning member-draining b']],
    [{ syncing: undefined }, []],
    [{ syncing: [] }, ['warning nats-sync']],
    [
      { syncing: [{ does: 'now and then', server: 'n1', version: '2.10.27', everyS: 120 }] },
      ['warning nats-sync n1'],
    ],
    [{ syncing: [{ does: 'not known', server: 'n1', reason: 'refused' }] }, ['warning nats-sync n1']],
    [{ pending: ['c'] }, ['warning master-pending c']],
    [
      { pending: ['c'], streams: [{ name: 'JOBS', error: 'timeout' }] },
      ['critical stream-away JOBS', 'warning master-pending c'],
    ],
  ];
  for (const [more, expected] of cases) assert.deepEqual(found(more), expected, JSON.stringify(more));
  for (const [more] of cases)
    for (const { what, why, next } of clusterFindings({ ...WELL, ...more }))
      for (const sentence of [what, why, next]) assert.match(sentence, /^\S.*\S$/);
});
