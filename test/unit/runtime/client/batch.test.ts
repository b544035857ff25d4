import assert from 'node:assert/strict';
import { test } from 'node:test';
import { batchEntry, runBatch, whoIsThere, type BatchOptions } from '../../../../src/runtime/client/batch.ts';
import { NoMinionsError } from '../../../../src/runtime/client/errors.ts';
import { dict } from '../../../../src/python/values/value.ts';
import { FakeMaster, patience } from './fake-master.ts';

const publish = { tgt: '*', tgtType: 'glob', fun: 'cmd.run', arg: ['x'], timeoutMs: 5000 };

/** What a batch does, one word for each thing. */
async function story(master: FakeMaster, options: Partial<BatchOptions>): Promise<string[]> {
  const out: string[] = [];
  const all = { publish, minions: [], size: 1, waitMs: 0, isLast: () => false, ...options };
  for await (const item of runBatch(master.parts, patience, all)) {
    if (item.kind === 'start') out.push(`start ${item.ids.join('+')} at ${master.clock.nowMs()}`);
    else out.push(`${item.news.kind} ${item.news.id}`);
  }
  return out;
}

test('batch - a slot that becomes free is filled at once, from the end', async () => {
  const master = new FakeMaster({
    a: { value: 1, afterMs: 10 },
    b: { value: 1, afterMs: 50 },
    c: { value: 1, afterMs: 20 },
    d: { value: 1, afterMs: 10 },
  });
  assert.deepEqual(await story(master, { minions: ['a', 'b', 'c', 'd'], size: 2 }), [
    'start d+c at 0',
    'return d',
    'start b at 10',
    'return c',
    'start a at 20',
    'return a',
    'return b',
  ]);
  assert.deepEqual(
    master.published.map(({ tgt }) => tgt),
    [['d', 'c'], ['b'], ['a']],
  );
});

test('batch - with a wait the slot stays taken', async () => {
  const master = new FakeMaster({ a: { value: 1, afterMs: 10 }, b: { value: 1, afterMs: 10 } });
  assert.deepEqual(await story(master, { minions: ['a', 'b'], waitMs: 1000 }), [
    'start b at 0',
    'return b',
    'start a at 1010',
    'return a',
  ]);
});

test('batch - a minion that falls silent holds up its own slot only, and is told', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: { value: 1, onlyPing: true }, c: { value: 1 } });
  const told = await story(master, { minions: ['a', 'c', 'b'], size: 2 });
  assert.deepEqual(told, ['start b+c at 0', 'return c', 'start a at 1', 'return a', 'silent b']);
});

test('batch - the last news ends it: nobody is started any more, nobody waited for', async () => {
  const master = new FakeMaster({
    a: { value: 1 },
    b: { value: 1, retcode: 3 },
    c: { value: 1, afterMs: 99_999 },
  });
  const isLast: BatchOptions['isLast'] = (news) => news.kind === 'return' && news.load.get('retcode') === 3;
  assert.deepEqual(await story(master, { minions: ['a', 'c', 'b'], size: 2, isLast }), [
    'start b+c at 0',
    'return b',
  ]);
  assert.equal(master.published.length, 1);
});

test('batch - nothing to do', async () => {
  assert.deepEqual(await story(new FakeMaster({}), {}), []);
});

test('batch - the ping tells who is there and who is not', async () => {
  const master = new FakeMaster({ a: { value: 1 }, b: {}, c: { value: 1 } });
  assert.deepEqual(await whoIsThere(master.parts, publish, patience), {
    minions: ['a', 'c'],
    silent: ['b'],
    outcomes: new Map([['b', { kind: 'no response' }]]),
  });
  assert.equal(master.published[0]?.fun, 'test.ping');
  await assert.rejects(whoIsThere(new FakeMaster({}).parts, publish, patience), NoMinionsError);
});

test('batch - an entry has the code and the job beside the return', () => {
  const load = dict({ id: 'a', jid: '1', return: true, retcode: 2 });
  assert.deepEqual(
    [...batchEntry('a', load, 2, '9')],
    [
      ['retcode', 2],
      ['jid', '1'],
      ['a', true],
    ],
  );
});
