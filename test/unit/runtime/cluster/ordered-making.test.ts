import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../../../../src/network/ipc/contract.ts';
import { jobStore } from '../../../../src/network/ipc/contracts/job-store.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { OrderedMaking } from '../../../../src/runtime/cluster/ordered-making.ts';
import { keptLog } from '../../../support/attacker.ts';
import { JumpingClock } from '../client/fake-master.ts';

/** The bytes of a call as they stand in the stream. */
function written(
  call: (owner: ReturnType<typeof clientOf<typeof jobStore.messages>>) => Promise<unknown>,
): Buffer {
  let bytes = Buffer.alloc(0);
  const link = {
    call: (...pieces: readonly Uint8Array[]) => {
      bytes = Buffer.concat(pieces);
      return new Promise<Buffer>(() => undefined);
    },
  };
  void call(clientOf(jobStore, link));
  return bytes;
}

const job = (jid: string, user: string): Buffer =>
  written((owner) => owner.saveJob({ jid, load: dict({ user }), minions: [] }));
const ret = (jid: string, id: string, text: string): Buffer =>
  written((owner) =>
    owner.saveReturn({ jid, id, fun: 'test.echo', return: text, retcode: 0, success: true }),
  );

/** A job cache that does not take the first attempts of some calls. */
function stage(failing: ReadonlyMap<Buffer, number>) {
  const left = new Map(failing);
  const made: Buffer[] = [];
  const { log, lines } = keptLog();
  const making = new OrderedMaking({
    make: (call) => {
      const failures = left.get(call) ?? 0;
      left.set(call, failures - 1);
      if (failures > 0) return Promise.reject(new Error('database is locked'));
      made.push(call);
      return Promise.resolve(Buffer.from('made'));
    },
    clock: new JumpingClock(),
    log,
  });
  return { making, made, lines };
}

test('cluster - of two jobs with one id the first one of the stream is made first, also when the job cache did not take it', async () => {
  const [first, second, other] = [
    job('20261127120000000001', 'a'),
    job('20261127120000000001', 'c'),
    job('20261127120000000002', 'b'),
  ];
  const { making, made, lines } = stage(new Map([[first, 3]]));
  await Promise.all([first, second, other].map((call) => making.make(call, undefined)));
  assert.deepEqual(made, [other, first, second]);
  assert.equal(lines.filter((line) => line.includes('database is locked')).length, 3);
});

test('cluster - the returns of a job do not wait for each other, those of one minion do', async () => {
  const [web1, again, web2] = [ret('1', 'web1', 'one'), ret('1', 'web1', 'two'), ret('1', 'web2', 'one')];
  const { making, made } = stage(new Map([[web1, 1]]));
  await Promise.all([web1, again, web2].map((call) => making.make(call, undefined)));
  assert.deepEqual(made, [web2, web1, again]);
});

test('cluster - whoever waits is told of the first failure, and the call is made all the same', async () => {
  const call = job('1', 'a');
  const { making, made } = stage(new Map([[call, 1]]));
  const heard: string[] = [];
  await making.make(call, {
    resolve: () => heard.push('taken'),
    reject: ({ message }) => heard.push(message),
  });
  assert.deepEqual([made, heard[0]], [[call], 'database is locked']);
});

test('cluster - a call that the job cache never takes is counted, and those behind it are made', async () => {
  const [first, second] = [job('1', 'a'), job('1', 'c')];
  const { making, made } = stage(new Map([[first, 1_000]]));
  await Promise.all([first, second].map((call) => making.make(call, undefined)));
  assert.deepEqual([made, making.counters.lost], [[second], 1]);
});

test('cluster - what is no call of a job is left to the job cache to judge', async () => {
  const strange = Buffer.from('\x04note');
  const { making, made } = stage(new Map());
  await making.make(strange, undefined);
  assert.deepEqual(made, [strange]);
});
