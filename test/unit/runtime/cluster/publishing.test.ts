import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../../../src/host/log.ts';
import { handlersOf } from '../../../../src/network/ipc/contract.ts';
import { publisher, type Absence } from '../../../../src/network/ipc/contracts/publisher.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { clusterPublisher } from '../../../../src/runtime/cluster/publishing.ts';
import { ClusterSerial } from '../../../../src/runtime/cluster/serial.ts';
import { JumpingClock } from '../client/fake-master.ts';

type Handlers = Parameters<typeof handlersOf<typeof publisher.messages>>[1];

function publisherWith(absence: Absence, seen: unknown[] = []): Handlers {
  return {
    publish: (publication) => {
      seen.push(publication.serialAbove);
      return absence;
    },
    close: () => 0,
    hasPublished: () => false,
    connections: () => new Map([['a', { isConnected: false, lostSince: '2026-01-01' }]]),
    addresses: () => ['10.0.0.1'],
  };
}

function cluster(
  local: Handlers,
  other: Handlers | undefined,
  isThere = true,
  serial = new ClusterSerial(),
  lastGoneMs?: number,
): ReturnType<typeof clusterPublisher> {
  const answers = other === undefined ? undefined : handlersOf(publisher, other);
  return clusterPublisher({
    link: { isThere, refusal: 'away' },
    members: { others: () => ['m2'], lastGoneMs: () => lastGoneMs },
    calls: {
      linkTo: () => ({
        call: async (...pieces) => {
          if (answers === undefined) throw new Error('m2 is gone');
          const answer = await answers.call(Buffer.concat(pieces));
          return answer instanceof Uint8Array ? Buffer.from(answer) : Buffer.concat(answer);
        },
      }),
    },
    local: local as never,
    serial,
    clock: new JumpingClock(),
    log: silentLogger,
  });
}

const publication = { load: dict({ fun: 'test.ping' }), expected: ['a', 'b', 'c', 'd'] };

test('cluster publishing - who is connected to any master is there; the others were lost when they were last seen', async () => {
  const serials: unknown[] = [];
  const here = publisherWith({
    lost: new Map([
      ['a', '2026-01-01'],
      ['b', '2026-01-02'],
    ]),
    strange: ['c', 'd'],
    serial: 7,
  });
  const there = publisherWith(
    {
      lost: new Map([
        ['b', '2026-01-03'],
        ['c', '2026-01-01'],
      ]),
      strange: ['d'],
    },
    serials,
  );
  const absence = await cluster(here, there).publish(publication);
  assert.deepEqual(
    [...absence.lost],
    [
      ['b', '2026-01-03'],
      ['c', '2026-01-01'],
    ],
  );
  assert.deepEqual(absence.strange, ['d']);
  assert.deepEqual(serials, [7], 'the other master’s serial is above ours');
});

test('cluster publishing - a master that does not answer holds nobody up', async () => {
  const here = publisherWith({ lost: new Map(), strange: ['d'] });
  assert.deepEqual((await cluster(here, undefined).publish(publication)).strange, ['d']);
});

test('cluster publishing - who may have been with a master that has just gone counts as lost with it', async () => {
  const at = (ms: number): string => new Date(ms).toISOString().slice(0, 19);
  const long = new Map([['a', at(-3_600_000)]]);
  const here = publisherWith({ lost: long, strange: ['d'] });
  const there = publisherWith({ lost: long, strange: ['d'] });
  const lost = async (other: Handlers | undefined, goneMs?: number): Promise<string | undefined> =>
    (await cluster(here, other, true, undefined, goneMs).publish(publication)).lost.get('a');
  assert.equal(await lost(there), at(-3_600_000), 'all are there');
  assert.equal(await lost(there, -4_000), at(-4_000), 'one fell silent');
  assert.equal(await lost(undefined), at(0), 'one does not answer');
});

test('cluster publishing - cut off from the cluster nothing is published', async () => {
  const serials: unknown[] = [];
  const here = publisherWith({ lost: new Map(), strange: [] }, serials);
  await assert.rejects(
    async () => cluster(here, undefined, false).publish(publication),
    // whoever asked says that it was not published
    { message: 'away' },
  );
  assert.deepEqual(serials, []);
});

test('cluster publishing - a serial is above all that were heard of, so that no minion that has moved takes a job for a replayed one', async () => {
  const serial = new ClusterSerial();
  const asked: unknown[] = [];
  const here = publisherWith({ lost: new Map(), serial: 10 }, asked);
  const there = publisherWith({ lost: new Map(), serial: 25 });
  const both = cluster(here, there, true, serial);
  serial.heard(9);
  serial.heard(undefined);
  await both.publish(publication);
  await both.publish(publication);
  serial.heard(20);
  assert.deepEqual([asked, serial.highest], [[9, 25], 25]);
});
