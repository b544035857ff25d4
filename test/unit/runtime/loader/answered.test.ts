/** Functions whose answer is read in one place; each `@ts-expect-error` is a slip that does not compile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dict, type Dict, type Value } from '../../../../src/python/values/value.ts';
import {
  answered,
  readDict,
  readFilled,
  readFlag,
  readNumber,
  readText,
} from '../../../../src/runtime/loader/answered.ts';
import { checkedCall } from '../../../../src/runtime/loader/built-in-calls.ts';

function minion(answer: Value) {
  const carried: (readonly [fun: string, args: readonly Value[], kwargs: Dict])[] = [];
  const call = checkedCall((...one) => {
    carried.push(one);
    return Promise.resolve(answer);
  });
  return { functions: { call }, carried };
}

test('answered - the function of the minion is called, and its answer is read', async () => {
  const cachedFile = answered('cp.cache_file', readText);
  const ctx = minion('/cache/a');
  assert.equal(
    await cachedFile(ctx, ['salt://a', 'base'], { use_etag: true, source_hash: undefined }),
    '/cache/a',
  );
  assert.deepEqual(ctx.carried, [['cp.cache_file', ['salt://a', 'base'], dict({ use_etag: true })]]);
  for (const nothing of ['', false, null])
    assert.equal(await cachedFile(minion(nothing), ['salt://a']), undefined);
});

test('answered - names, positions and keywords are checked by the compiler', async () => {
  // @ts-expect-error there is no such function
  answered('cp.cache_fil', readText);
  const cachedFile = answered('cp.cache_file', readText);
  // @ts-expect-error there is no such keyword
  await cachedFile(minion(''), ['salt://a'], { etag: true });
  // @ts-expect-error the path is missing
  await cachedFile(minion(''), []);
});

test('answered - each reader takes whatever a function of a site may answer', () => {
  const answers: Value[] = [null, false, true, '', '7', 7, [], ['a'], dict(), dict({ a: 1 })];
  assert.deepEqual(answers.map(readText).slice(0, 6), [undefined, undefined, 'True', undefined, '7', '7']);
  assert.deepEqual(answers.map(readFlag).map(Number).join(''), '0010110101');
  assert.deepEqual(answers.map(readNumber).slice(3, 6), [undefined, undefined, 7]);
  assert.deepEqual(
    answers.map(readFilled).filter((one) => one !== undefined),
    [dict({ a: 1 })],
  );
  assert.deepEqual(
    answers.map(readDict).filter((one) => one.size > 0),
    [dict({ a: 1 })],
  );
});
