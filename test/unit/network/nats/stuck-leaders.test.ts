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
  /** What a leader that is asked to give way answers; undefined for nothing. */
  answer: { success?: boolean } | undefined;
  isConnected: boolean;
}

function place(find: () => Promise<string> = () => Promise.resolve('S')): Place {
  const asked: string[] = [];
  const said: string[] = [];
  const own: Omit<Place, 'leaders'> = {
    ...{ asked, said, nowMs: 100_000, answer: { success: true }, isConnected: true },
  };
  const request = (subject: string): Promise<unknown> => {
    asked.push(subject);
    const { answer } = own;
    return answer === undefined
      ? Promise.reject(new Error('timeout'))
      : Promise.resolve({ json: () => answer });
  };
  const rtt = (): Promise<number> =>
    own.isConnected ? Promise.resolve(1) : Promise.reject(new Error('no connection'));
  const deps = {
    nats: { request, rtt },
    manager: { streams: { find } },
    clock: { ...systemClock, monotonicMs: () => own.nowMs },
    timeoutMs: 1,
    report: (sentence: string) => said.push(sentence),
  } as unknown as StuckLeadersDeps;
  return Object.assign(own, { leaders: new StuckLeaders(deps) });
}

test('stuck leaders - the second write in a row that times out has another server lead, once in five seconds', async () => {
  const one = place();
  one.leaders.heard('S', 'n1');
  await one.leaders.timedOut('s.a');
  one.leaders.written('S');
  await one.leaders.timedOut('s.a');
  assert.deepEqual(one.asked, []);
  await one.leaders.timedOut('s.b');
  assert.deepEqual(one.asked, ['$JS.API.STREAM.LEADER.STEPDOWN.S']);
  assert.match(one.said.join(), /n1 leads the stream S and writes nothing, so another one leads now/);
  for (let again = 0; again < 5; again++) await one.leaders.timedOut('s.a');
  assert.equal(one.asked.length, 1);
  one.nowMs += 5_000;
  await one.leaders.timedOut('s.a');
  assert.equal(one.asked.length, 2);
  assert.equal(one.leaders.gaveWay, 2);
});

test('stuck leaders - one that does not give way is named, once, when it has had the time of an election', async () => {
  const one = place();
  one.answer = undefined;
  one.leaders.heard('S', 'n1');
  for (let time = 0; time < 6; time++) {
    assert.deepEqual(one.said.length, time < 3 ? 0 : 1, `after ${time} questions`);
    await one.leaders.unanswered('S');
    if (time > 0) one.nowMs += 5_000;
  }
  assert.match(one.said.join(), /n1 led the stream S when it was heard last.*stop it/);
  assert.equal(one.leaders.gaveWay, 0);
  one.leaders.written('S');
  for (let time = 0; time < 4; time++, one.nowMs += 5_000) await one.leaders.unanswered('S');
  assert.equal(one.said.length, 2, 'said again when it has written meanwhile');
});

test('stuck leaders - nobody is named while the master is cut off, nor a server that is alone', async () => {
  const cut = place();
  cut.answer = undefined;
  cut.isConnected = false;
  const alone = place();
  alone.answer = { success: false };
  const silent = place(() => Promise.reject(new Error('timeout')));
  for (const one of [cut, alone, silent])
    for (let time = 0; time < 5; time++, one.nowMs += 5_000) await one.leaders.timedOut('s.a');
  assert.deepEqual([...cut.said, ...alone.said, ...silent.said, ...silent.asked], []);
});
