import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clientOf,
  contract,
  handlersOf,
  type Handlers,
  type Link,
} from '../../../../src/network/ipc/contract.ts';
import { jobStore } from '../../../../src/network/ipc/contracts/job-store.ts';
import { publisher } from '../../../../src/network/ipc/contracts/publisher.ts';
import { requestServer, requestWorker } from '../../../../src/network/ipc/contracts/request-worker.ts';
import {
  fields,
  list,
  nothing,
  optional,
  single,
  text,
  variants,
} from '../../../../src/network/ipc/fields.ts';
import type { RpcHandlers } from '../../../../src/network/ipc/rpc.ts';
import { encode } from '../../../../src/formats/wire/msgpack.ts';
import { dict, type Value } from '../../../../src/python/values/value.ts';

/** Both ends in one process: what one packs the other reads. */
function link({ call, notify }: RpcHandlers): Link {
  const body = (pieces: readonly Uint8Array[]): Buffer => Buffer.concat(pieces);
  return {
    call: async (...pieces) => {
      const answer = (await call?.(body(pieces))) ?? [];
      return body(answer instanceof Uint8Array ? [answer] : answer);
    },
    notify: (...pieces) => notify?.(body(pieces)),
  };
}

const raw = (name: string, payload: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(name.length), Buffer.from(name), payload]);

const publisherWith = (over: Partial<Handlers<typeof publisher>>): RpcHandlers =>
  handlersOf(publisher, {
    publish: () => ({ lost: new Map() }),
    hasPublished: () => false,
    close: () => 0,
    connections: () => new Map(),
    addresses: () => [],
    ...over,
  });

test('contract - each message of the publisher arrives as it was asked, and so does its answer', async () => {
  const asked: unknown[] = [];
  const ask = clientOf(
    publisher,
    link(
      publisherWith({
        publish: (order) => {
          asked.push(order);
          return { lost: new Map([['db1', '2026-01-01']]), strange: ['web9'] };
        },
        connections: async ({ ids }) =>
          new Map([
            [ids[0] ?? '', { isConnected: true }],
            ['db1', { isConnected: false, lostSince: '2026-01-01' }],
          ]),
        addresses: () => ['10.0.0.1'],
      }),
    ),
  );
  const load = dict({ fun: 'test.ping', arg: [1, null] });
  assert.deepEqual(await ask.publish({ load, expected: ['web1'] }), {
    lost: new Map([['db1', '2026-01-01']]),
    strange: ['web9'],
  });
  await ask.publish({ load, ids: [], expected: [] });
  assert.deepEqual(asked, [
    { load, expected: ['web1'] },
    { load, ids: [], expected: [] },
  ]);
  assert.deepEqual(
    await ask.connections({ ids: ['web1'] }),
    new Map([
      ['web1', { isConnected: true }],
      ['db1', { isConnected: false, lostSince: '2026-01-01' }],
    ]),
  );
  assert.deepEqual(await ask.addresses(), ['10.0.0.1']);
});

test('contract - returns and ledgers keep what was left out, null returns and fractions of milliseconds', async () => {
  const saved: unknown[] = [];
  const entries = [
    { id: 'web1', receivedMs: 1_700_000_000_000.25 },
    { id: 'web2', verdict: { kind: 'never received', atMs: 5, detail: '2026' } },
  ] as const;
  const ask = clientOf(
    jobStore,
    link(
      handlersOf(jobStore, {
        saveJob: () => false,
        addMinions: async () => undefined,
        saveReturn: (ret) => (saved.push(ret), true),
        job: ({ jid }) => (jid === '1' ? dict({ fun: 'x.y' }) : undefined),
        returns: () => [],
        note: (note) => void saved.push(note),
        ledger: () => entries,
      }),
    ),
  );
  const ret = { jid: '1', id: 'web1', fun: 'x.y', return: null, retcode: 0, success: true };
  assert.equal(await ask.saveReturn(ret), true);
  assert.equal(await ask.saveReturn({ ...ret, out: 'nested', atMs: 8, more: dict({ a: 1 }) }), true);
  assert.equal(await ask.addMinions({ jid: '1', minions: ['a'], syndicId: 's' }), undefined);
  await ask.note({ jid: '1', entries });
  assert.deepEqual(saved, [
    ret,
    { ...ret, out: 'nested', atMs: 8, more: dict({ a: 1 }) },
    { jid: '1', entries },
  ]);
  assert.deepEqual(await ask.ledger({ jid: '1' }), entries);
  assert.deepEqual(await ask.job({ jid: '1' }), dict({ fun: 'x.y' }));
  assert.equal(await ask.job({ jid: '2' }), undefined);
});

test('contract - a request reaches the worker with its own bytes, and its answer comes back', async () => {
  const served: unknown[] = [];
  const ask = clientOf(
    requestWorker,
    link(
      handlersOf(requestWorker, {
        serve: async (request) => {
          served.push({ ...request, body: request.body.toString() });
          return { reply: Buffer.from('yes'), outcome: { kind: 'genuine', ts: 12.5 } as const };
        },
        ping: () => undefined,
      }),
    ),
  );
  const request = {
    publishPort: 4505,
    standing: { sessionsFromMs: 1.5, servedUntil: 2.5, generation: 3 },
    from: '10.0.0.1:5',
    body: Buffer.from('bytes'),
  };
  assert.deepEqual(await ask.serve(request), {
    reply: Buffer.from('yes'),
    outcome: { kind: 'genuine', ts: 12.5 },
  });
  assert.deepEqual(served, [{ ...request, body: 'bytes' }]);
  assert.equal(await ask.ping(), undefined);
  const numbers: number[] = [];
  clientOf(
    requestServer,
    link(handlersOf(requestServer, { register: ({ index }) => void numbers.push(index) })),
  ).register({ index: 3 });
  assert.deepEqual(numbers, [3]);
});

test('contract - what is not in the contract is refused at the border with its place, and nobody is called', async () => {
  const handlers = publisherWith({
    publish: () => assert.fail('a message that cannot be read was handled'),
  });
  const send = async (body: Buffer): Promise<unknown> => handlers.call?.(body);
  const refused = (body: Buffer, message: string): Promise<void> =>
    assert.rejects(() => send(body), { name: 'MessageError', message });
  await refused(raw('forget', Buffer.alloc(0)), 'the publisher does not know the message "forget"');
  await refused(Buffer.alloc(0), 'the publisher does not know the message ""');
  const publish = (...values: Value[]): Buffer => raw('publish', encode(values, 'local'));
  const cannot = 'the publisher cannot read the message publish: it';
  await refused(publish(null, null, []), `${cannot} load is not a mapping`);
  await refused(publish(new Map(), 'web1', []), `${cannot} ids is not a list`);
  await refused(publish(new Map(), null), `${cannot} expected is not a list`);
  await refused(raw('publish', Buffer.of(0xc1)), `${cannot} cannot be decoded`);
  await refused(
    raw('publish', encode([new Map(), null, ['a', 5]], 'local')),
    `${cannot} expected 1 is not a text`,
  );
  const worker = handlersOf(requestWorker, {
    serve: () => assert.fail('a cut request was handled'),
    ping: () => undefined,
  });
  assert.throws(
    () => worker.call(raw('serve', Buffer.alloc(10))),
    /cannot read the message serve: it ends within/,
  );
});

test('contract - an answer that is none fails with the name of its message', async () => {
  const ask = clientOf(publisher, { call: async () => encode('x', 'local') });
  await assert.rejects(ask.addresses(), {
    name: 'MessageError',
    message: 'the answer of the publisher to the message addresses cannot be read: it is not a list',
  });
});

test('contract - an optional field that a later version adds is left out by an earlier one, and read by neither wrongly', async () => {
  const earlier = contract('the store', { keep: { asks: fields({ name: text }), answers: nothing } });
  const later = contract('the store', {
    keep: { asks: fields({ name: text, note: optional(text) }), answers: nothing },
  });
  const heard: unknown[] = [];
  const keep = (question: object): void => void heard.push(question);
  await clientOf(earlier, link(handlersOf(later, { keep }))).keep({ name: 'a' });
  await clientOf(later, link(handlersOf(earlier, { keep }))).keep({ name: 'b', note: 'c' });
  assert.deepEqual(heard, [{ name: 'a' }, { name: 'b' }]);
});

test('contract - variants are told apart by their kind', async () => {
  const kinds = variants({ found: { names: list(text) }, broken: { reason: text } });
  const codec = single(kinds);
  const through = (value: Parameters<typeof codec.pack>[0]): unknown =>
    codec.read(Buffer.concat(codec.pack(value)));
  assert.deepEqual(through({ kind: 'found', names: ['a'] }), { kind: 'found', names: ['a'] });
  assert.deepEqual(through({ kind: 'broken', reason: 'b' }), { kind: 'broken', reason: 'b' });
  assert.throws(() => codec.read(encode(['lost', []], 'local')), /is not one of found, broken/);
  assert.throws(() => codec.read(encode(['broken', [1]], 'local')), /broken reason is not a text/);
});

test('contract - the compiler refuses what is not in a contract, at both ends', () => {
  const ask = clientOf(publisher, link(publisherWith({})));
  const wrong = [
    // @ts-expect-error there is no such message
    (): unknown => ask.forget(),
    // @ts-expect-error a field is missing
    (): unknown => ask.publish({ load: dict({}) }),
    // @ts-expect-error a message without an answer is none with one
    (): unknown => handlersOf(publisher, { publish: () => ({ lost: new Map() }), addresses: () => [] }),
    // @ts-expect-error the answer is of another type
    (): unknown => publisherWith({ addresses: () => ['a', 5] }),
  ];
  assert.equal(wrong.length, 4);
});
