import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minionOptions } from '../../../src/config/minion-options.ts';
import { Options } from '../../../src/config/option.ts';
import { AuthenticationError, UnreachableError } from '../../../src/errors/errors.ts';
import type { Clock } from '../../../src/host/clock.ts';
import { systemRandom } from '../../../src/host/random.ts';
import { readJob, returnLoad } from '../../../src/minion/job.ts';
import type { MasterConnection } from '../../../src/minion/master-connection.ts';
import { ReturnSender } from '../../../src/minion/return-sender.ts';
import { dict, type DictInit, type Value } from '../../../src/values/value.ts';
import { keptLog } from '../../support/attacker.ts';

const JID = '20261121000000000001';
const yieldingClock: Clock = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  after: () => ({ cancel: () => undefined }),
  every: () => ({ cancel: () => undefined }),
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
};

function sender(answers: (attempt: number) => Value) {
  const { log, lines } = keptLog();
  let attempts = 0;
  const connection = {
    requests: { send: async () => answers(++attempts) },
  } as unknown as MasterConnection;
  const out = new ReturnSender({
    opts: new Options(minionOptions, new Map()),
    clock: yieldingClock,
    random: systemRandom,
    log,
  });
  return { out, connection, lines, attempts: () => attempts };
}

function fail(error: Error): never {
  throw error;
}

test('return sender - a return is sent until the master has it', async () => {
  const here = sender((n) => (n < 50 ? fail(new UnreachableError('away')) : null));
  await here.out.send(dict({ jid: JID }), here.connection);
  assert.equal(here.attempts(), 50);
  assert.deepEqual(here.out.counters, { sent: 1, givenUp: 0 });
  assert.equal(here.out.waiting, 0);
});

test('return sender - an empty text says that the master could not store it: it is sent again', async () => {
  const here = sender((n) => (n < 4 ? '' : null));
  await here.out.send(dict({ jid: JID }), here.connection);
  assert.equal(here.attempts(), 4);
  assert.deepEqual(here.out.counters, { sent: 1, givenUp: 0 });
});

test('return sender - a master that refuses is left after some attempts, with a line in the log', async () => {
  const here = sender(() => fail(new AuthenticationError('no')));
  await here.out.send(dict({ jid: JID }), here.connection);
  assert.deepEqual(here.out.counters, { sent: 0, givenUp: 1 });
  assert.match(here.lines.at(-1) ?? '', /return of job .* was given up/);
});

test('return sender - a thousand returns wait; at more the oldest is given up', async () => {
  let isAway = true;
  const here = sender(() => (isAway ? fail(new UnreachableError('away')) : null));
  const all = Array.from({ length: 1010 }, (_, i) => here.out.send(dict({ jid: `j${i}` }), here.connection));
  assert.equal(here.out.waiting, 1000);
  isAway = false;
  await Promise.all(all);
  assert.equal(here.out.counters.sent + here.out.counters.givenUp, 1010);
  assert.equal(here.out.counters.givenUp, 10);
});

test('job - publications that name no usable job', () => {
  const usable: DictInit = { fun: 'test.ping', arg: [], tgt: '*', jid: JID, tgt_type: 'glob', ret: '' };
  assert.ok(readJob(dict(usable)));
  const changes: DictInit[] = [
    { fun: '' },
    { fun: 7 },
    { fun: [] },
    { fun: ['test.ping', 7] },
    { fun: dict({}) },
    { arg: 'x' },
    { arg: null },
    { jid: '../../x' },
    { jid: 7 },
    { jid: '' },
    { tgt_type: 7 },
  ];
  for (const change of changes)
    assert.equal(readJob(dict({ ...usable, ...change })), undefined, JSON.stringify(change));
  for (const name of ['fun', 'arg', 'tgt', 'jid']) {
    const load = dict(usable);
    load.delete(name);
    assert.equal(readJob(load), undefined, name);
  }
});

test('job - a return carries what was asked and what came of it', () => {
  const job = readJob(
    dict({ fun: 'test.echo', arg: ['x'], tgt: '*', jid: JID, user: 'root', metadata: dict({ a: 1 }) }),
  );
  assert.ok(job !== undefined);
  const load = returnLoad(job, 'm1', { return: 'x', retcode: 0, success: true });
  const { cmd, id, jid, fun_args, user } = Object.fromEntries(load) as Record<string, Value>;
  assert.deepEqual([cmd, id, jid, fun_args, user], ['_return', 'm1', JID, ['x'], 'root']);
});
