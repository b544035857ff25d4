import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNKNOWN_STANDING } from '../../../../src/network/channel/replay-guard.ts';
import type { RequestGate } from '../../../../src/network/channel/request-gate.ts';
import type { Clock } from '../../../../src/host/clock.ts';
import type { WorkerAnswer, WorkerLink } from '../../../../src/network/ipc/contracts/request-worker.ts';
import { planWorkers } from '../../../../src/programs/master/worker-plan.ts';
import { Dispatcher } from '../../../../src/programs/master/roles/dispatcher.ts';
import { parseRequestEnvelope } from '../../../../src/formats/wire/envelope.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';

/** A clock that moves when told. */
function handClock(): Clock & { advance(byMs: number): void } {
  let nowMs = 0;
  const periodic: { everyMs: number; nextMs: number; run: () => void }[] = [];
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    after: () => ({ cancel: () => undefined }),
    every: (everyMs, run) => {
      periodic.push({ everyMs, nextMs: nowMs + everyMs, run });
      return { cancel: () => undefined };
    },
    sleep: (_, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
    advance(byMs) {
      const untilMs = nowMs + byMs;
      for (const timer of periodic) {
        while (timer.nextMs <= untilMs) {
          nowMs = Math.max(nowMs, timer.nextMs);
          timer.nextMs += timer.everyMs;
          timer.run();
        }
      }
      nowMs = untilMs;
    },
  };
}

const ANSWER: WorkerAnswer = { reply: Buffer.from('answer'), outcome: { kind: 'genuine', ts: 1 } };

interface FakeWorker extends WorkerLink {
  readonly bodies: string[];
  pings: number;
  answerAll(): void;
  die(): void;
}

function fakeWorker(): FakeWorker {
  const open: { answer: () => void; reject: (error: Error) => void }[] = [];
  const worker: FakeWorker = {
    bodies: [],
    pings: 0,
    serve: ({ body }) =>
      new Promise((resolve, reject) => {
        worker.bodies.push(body.toString('latin1'));
        open.push({ answer: () => resolve(ANSWER), reject });
      }),
    ping: () =>
      new Promise((resolve, reject) => {
        worker.pings++;
        open.push({ answer: resolve, reject });
      }),
    answerAll: () => open.splice(0).forEach(({ answer }) => answer()),
    die: () => open.splice(0).forEach(({ reject }) => reject(new Error('gone'))),
  };
  return worker;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const requestOf = (id: string): Buffer =>
  encode({ enc: 'aes', load: Buffer.alloc(64, 200), version: 3, id }, 'network');

/** Lets everything pass, also twice. */
const gate: Pick<RequestGate, 'admit'> = {
  admit: (body) => {
    const envelope = parseRequestEnvelope(body);
    const id = typeof envelope === 'object' && envelope.enc === 'aes' ? String(envelope.id) : undefined;
    return { id, standing: UNKNOWN_STANDING, settle: () => undefined };
  },
};

function setUp(
  count: number,
  activeMax = count,
): {
  clock: ReturnType<typeof handClock>;
  dispatcher: Dispatcher;
  workers: FakeWorker[];
  replies: string[];
  paused: boolean[];
  wanted: string[];
  /** The length of each request whose sender has proved who it is. */
  proven: number[];
  send(body: Buffer): void;
} {
  const clock = handClock();
  const replies: string[] = [];
  const paused: boolean[] = [];
  const wanted: string[] = [];
  const proven: number[] = [];
  const dispatcher = new Dispatcher({
    plan: planWorkers(count, activeMax),
    startWorkers: (which) => void wanted.push(which),
    gate,
    clock,
    setPaused: (value) => paused.push(value),
  });
  const workers = Array.from({ length: count }, fakeWorker);
  const send = (body: Buffer): void =>
    dispatcher.dispatch({
      body,
      from: '127.0.0.1:1',
      reply: (reply) => replies.push(reply.toString('latin1')),
      proven: () => proven.push(body.length),
    });
  return { clock, dispatcher, workers, replies, paused, wanted, proven, send };
}

test('dispatcher - one minion is always served by one worker, in whatever order workers came', async () => {
  const { dispatcher, workers, send } = setUp(4);
  for (const index of [2, 0, 3, 1]) assert.ok(dispatcher.addWorker(index, workers[index] as FakeWorker));
  for (let i = 0; i < 8; i++) for (let m = 0; m < 20; m++) send(requestOf(`m${m}`));
  await settle();
  const before = workers.map(({ bodies }) => new Set(bodies));
  assert.equal(
    before.reduce((sum, set) => sum + set.size, 0),
    20,
    'no minion is at two workers',
  );
  const [first] = workers as [FakeWorker];
  dispatcher.removeWorker(first);
  const again = fakeWorker();
  assert.ok(dispatcher.addWorker(0, again));
  for (let m = 0; m < 20; m++) send(requestOf(`m${m}`));
  await settle();
  assert.deepEqual(new Set(again.bodies), before[0], 'a worker that came back has its minions again');
});

test('dispatcher - no more workers serve than may be active; the others stand in', async () => {
  const { dispatcher, workers, send } = setUp(5, 2);
  workers.forEach((worker, index) => dispatcher.addWorker(index, worker));
  for (let m = 0; m < 40; m++) send(requestOf(`m${m}`));
  await settle();
  const counts = workers.map(({ bodies }) => bodies.length);
  assert.deepEqual(counts.slice(2), [0, 0, 0]);
  assert.ok((counts[0] as number) > 5 && (counts[1] as number) > 5, String(counts));
  dispatcher.removeWorker(workers[1] as FakeWorker);
  for (let m = 0; m < 40; m++) send(requestOf(`m${m}`));
  await settle();
  assert.equal(
    workers[2]?.bodies.length,
    counts[1],
    'the first that stands in has the minions of the one that is gone',
  );
  assert.deepEqual(
    workers.slice(3).map(({ bodies }) => bodies.length),
    [0, 0],
  );
});

test('dispatcher - requests that name nobody go to the first worker until it is busy, and are shared out then', async () => {
  const { dispatcher, workers, send } = setUp(2);
  workers.forEach((worker, index) => dispatcher.addWorker(index, worker));
  for (let i = 0; i < 5; i++) send(encode({ enc: 'clear', load: {}, version: 3 }, 'network'));
  await settle();
  assert.equal(workers[0]?.bodies.length, 5);
  for (let i = 0; i < 5; i++) send(encode({ enc: 'clear', load: {}, version: 3 }, 'network'));
  await settle();
  assert.deepEqual(
    workers.map(({ bodies }) => bodies.length),
    [5, 5],
  );
});

test('dispatcher - without any worker requests wait, and are served by the first that comes', async () => {
  const { dispatcher, workers, send, replies } = setUp(2);
  for (let m = 0; m < 6; m++) send(requestOf(`m${m}`));
  assert.ok(dispatcher.addWorker(1, workers[1] as FakeWorker));
  await settle();
  workers[1]?.answerAll();
  await settle();
  assert.equal(replies.length, 6);
});

test('dispatcher - a worker that dies leaves each of its requests answered with an error', async () => {
  const { dispatcher, workers, send, replies } = setUp(1);
  dispatcher.addWorker(0, workers[0] as FakeWorker);
  for (let i = 0; i < 5; i++) send(requestOf('m'));
  await settle();
  workers[0]?.die();
  await settle();
  assert.equal(replies.length, 5);
  assert.ok(replies.every((reply) => reply.endsWith('Some exception handling minion payload')));
});

test('dispatcher - a silent worker gets no further requests, and gets them again when it answers', async () => {
  const { clock, dispatcher, workers, send } = setUp(2);
  workers.forEach((worker, index) => dispatcher.addWorker(index, worker));
  send(requestOf('m'));
  await settle();
  const [own, other] = (workers[0]?.bodies.length === 1 ? workers : [...workers].reverse()) as [
    FakeWorker,
    FakeWorker,
  ];
  clock.advance(500);
  assert.equal(own.pings, 1);
  assert.equal(other.pings, 0, 'who owes nothing is not asked');
  clock.advance(1000);
  send(requestOf('m'));
  assert.equal(own.bodies.length, 2, 'a second is not silence');
  clock.advance(2000);
  send(requestOf('m'));
  assert.equal(other.bodies.length, 1);
  own.answerAll();
  await settle();
  send(requestOf('m'));
  assert.equal(own.bodies.length, 3);
});

test('dispatcher - when every worker is silent requests go where they belong', async () => {
  const { clock, dispatcher, workers, send } = setUp(1);
  dispatcher.addWorker(0, workers[0] as FakeWorker);
  send(requestOf('m'));
  clock.advance(5000);
  send(requestOf('m'));
  assert.equal(workers[0]?.bodies.length, 2);
});

test('dispatcher - numbers that no worker has are refused', () => {
  const { dispatcher, workers } = setUp(2);
  for (const index of [2, -1, 0.5, NaN])
    assert.equal(dispatcher.addWorker(index, workers[0] as FakeWorker), false);
});

test('dispatcher - reading stops when too much is under way, and goes on at half', async () => {
  const { dispatcher, workers, send, paused } = setUp(1);
  dispatcher.addWorker(0, workers[0] as FakeWorker);
  for (let i = 0; i <= 20_000; i++) send(Buffer.from('x'));
  assert.equal(paused.at(-1), true);
  workers[0]?.answerAll();
  await settle();
  assert.equal(paused.at(-1), false);
});

test('dispatcher - a server that ends waits for the answers to what it has taken', async () => {
  const { dispatcher, workers, replies, send } = setUp(1);
  const [worker] = workers as [FakeWorker];
  dispatcher.addWorker(0, worker);
  await dispatcher.drained(1000);
  send(requestOf('m1'));
  let isDrained = false;
  const drained = dispatcher.drained(1000).then(() => (isDrained = true));
  send(requestOf('m2'));
  await settle();
  assert.equal(isDrained, false);
  worker.answerAll();
  await drained;
  assert.deepEqual(replies, ['answer', 'answer']);
});

test('dispatcher - workers that serve are asked for when the first are busy, those that stand in when one is silent', async () => {
  const plan = (threads: number, cores: number): unknown => planWorkers(threads, cores);
  assert.deepEqual(plan(5, 2), {
    workersMax: 5,
    activeMax: 2,
    first: [0],
    serving: [1],
    standIns: [2, 3, 4],
  });
  assert.deepEqual(plan(5, 16), {
    workersMax: 5,
    activeMax: 5,
    first: [0],
    serving: [1, 2, 3, 4],
    standIns: [],
  });
  assert.deepEqual(plan(0, 2), { workersMax: 1, activeMax: 1, first: [0], serving: [], standIns: [] });
  const { dispatcher, workers, wanted, send, clock } = setUp(5, 2);
  dispatcher.addWorker(0, workers[0] as FakeWorker);
  for (let i = 0; i < 4; i++) send(requestOf('m1'));
  await settle();
  assert.deepEqual(wanted, []);
  for (let i = 0; i < 8; i++) send(requestOf('m1'));
  await settle();
  assert.deepEqual(wanted, ['serving']);
  clock.advance(4_000);
  for (let i = 0; i < 8; i++) for (const id of ['m1', 'm2', 'm3']) send(requestOf(id));
  await settle();
  assert.deepEqual(wanted, ['serving', 'all'], 'asked for once');
});

test('dispatcher - a worker that has been at one thing for half a second gets help', async () => {
  const { dispatcher, workers, wanted, send, clock } = setUp(5, 2);
  dispatcher.addWorker(0, workers[0] as FakeWorker);
  send(requestOf('m1'));
  clock.advance(500);
  workers[0]?.answerAll();
  await settle();
  clock.advance(500);
  assert.deepEqual(wanted, [], 'it answers, if late');
  send(requestOf('m1'));
  clock.advance(500);
  assert.deepEqual(wanted, []);
  clock.advance(500);
  assert.deepEqual(wanted, ['serving']);
});
