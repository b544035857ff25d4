/** Leaders of streams that answer and do not write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../../src/host/clock.ts';
import { StuckLeaders, type StuckLeadersDeps } from '../../../../src/network/nats/stuck-leaders.ts';

interface Place {
  readonly leaders: StuckLeaders;
  readonly asked: string[];
  readonly said: string[];
  nowMs: number;
}

function place(streams: unknown): Place {
  const asked: string[] = [];
  const said: string[] = [];
  const own = { asked, said, nowMs: 100_000 };
  const request = (subject: string): Promise<unknown> => {
    asked.push(subject);
    return Promise.resolve({ json: () => ({ success: true }) });
  };
  const deps = {
    nats: { request },
    manager: { streams },
    clock: { ...systemClock, monotonicMs: () => own.nowMs },
    timeoutMs: 1,
    report: (sentence: string) => said.push(sentence),
  } as unknown as StuckLeadersDeps;
  return Object.assign(own, { leaders: new StuckLeaders(deps) });
}

const LED = {
  find: () => Promise.resolve('S'),
  info: () => Promise.resolve({ cluster: { leader: 'n1', replicas: [{ name: 'n2' }] } }),
};

test('stuck leaders - the second write in a row that times out has another server lead, once in five seconds', async () => {
  const one = place(LED);
  await one.leaders.timedOut('s.a');
  one.leaders.written('S');
  await one.leaders.timedOut('s.a');
  assert.deepEqual(one.asked, []);
  await one.leaders.timedOut('s.b');
  assert.deepEqual(one.asked, ['$JS.API.STREAM.LEADER.STEPDOWN.S', '$JS.API.META.LEADER.STEPDOWN']);
  assert.match(one.said.join(), /n1 leads the stream S and writes nothing, so another one leads now/);
  for (let again = 0; again < 5; again++) await one.leaders.timedOut('s.a');
  assert.equal(one.asked.length, 2);
  one.nowMs += 5_000;
  await one.leaders.timedOut('s.a');
  assert.equal(one.asked.length, 4);
  assert.equal(one.leaders.gaveWay, 2);
});

test('stuck leaders - a server that is alone, and servers that do not answer, are asked for nothing', async () => {
  const alone = place({ ...LED, info: () => Promise.resolve({ cluster: { leader: 'n1' } }) });
  const silent = place({ ...LED, find: () => Promise.reject(new Error('timeout')) });
  for (const { leaders } of [alone, silent])
    for (let time = 0; time < 3; time++) await leaders.timedOut('s.a');
  assert.deepEqual([...alone.asked, ...silent.asked], []);
});
